"""The form of a new study, as a modeler fills it in; the study is the small one."""

from __future__ import annotations

import re
from pathlib import Path

from playwright.sync_api import Page, expect

from tests.browser.small_study import DRAFT

LABEL = DRAFT["label"]
CATEGORIES = "over_25: Over 25\nup_to_25: 25 or younger"


def open_form(page: Page, title: str) -> None:
    """Open the form and say what the study is about."""
    page.goto("/modeler/studies/new/")
    page.get_by_test_id("draft-title").fill(title)
    page.get_by_test_id("draft-purpose").fill(DRAFT["purpose"])


def fill_asked(page: Page) -> None:
    """Say what people are asked and what is decided."""
    attribute = page.locator('[data-row="attribute"]').first
    attribute.locator('[data-field="title"]').fill("age group")
    attribute.locator('[data-field="question"]').fill("How old are you?")
    attribute.locator('[data-field="name"]').fill("age")
    attribute.locator('[data-field="categories"]').fill(CATEGORIES)
    for name in ("title", "name", "favourable", "unfavourable"):
        page.get_by_test_id(f"draft-label-{name}").fill(LABEL[name])


def fill_features(page: Page) -> None:
    """Say what the model looks at."""
    rows = page.locator('[data-row="feature"]')
    if rows.count() < len(DRAFT["features"]):
        page.get_by_test_id("add-feature").click()
    for row, feature in zip(rows.all(), DRAFT["features"], strict=True):
        for name, text in feature.items():
            row.locator(f'[data-field="{name}"]').fill(text)


def take_schema(page: Page, path: Path) -> None:
    """Fill in the form from a table: features, what people are asked, and what is decided."""
    page.get_by_test_id("schema-file").set_input_files(path)
    columns = page.get_by_test_id("schema-columns").locator("tr")
    expect(columns).to_have_count(4)
    page.locator('[data-column="Age"] select').select_option("ask")
    page.get_by_test_id("schema-favourable").select_option(LABEL["favourable"])
    page.get_by_test_id("schema-apply").click()
    expect(page.locator('[data-row="feature"]')).to_have_count(2)


def submit(page: Page) -> str:
    """Submit the form for approval; return the study's id."""
    page.get_by_test_id("submit-draft").click()
    page.wait_for_url(re.compile(r"/modeler/studies/[0-9a-f]{32}/$"))
    return page.url.rstrip("/").rsplit("/", 1)[-1]
