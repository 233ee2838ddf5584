"""A modeler composes each preset in the form; the study's page says what it checks."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.small_study import DRAFT
from tests.showroom.visit import Showroom, visit


def fill_the_form(page: Page, title: str) -> None:
    """Fill in all of the form but the policy."""
    page.get_by_test_id("draft-title").fill(title)
    page.get_by_test_id("draft-purpose").fill(DRAFT["purpose"])
    attribute = page.locator('[data-row="attribute"]').first
    attribute.locator('[data-field="title"]').fill("How old are you?")
    attribute.locator('[data-field="name"]').fill("age")
    attribute.locator('[data-field="categories"]').fill("over_25: Over 25\nup_to_25: 25 or younger")
    page.get_by_test_id("add-feature").click()
    for row, feature in zip(
        page.locator('[data-row="feature"]').all(), DRAFT["features"], strict=True
    ):
        for name, text in feature.items():
            row.locator(f'[data-field="{name}"]').fill(text)
    for name in ("title", "name", "favourable", "unfavourable"):
        page.get_by_test_id(f"draft-label-{name}").fill(DRAFT["label"][name])


@pytest.mark.parametrize(
    ("preset", "said"),
    [
        ("80", ["at least 80 % of the other's", "no number about a group"]),
        ("nyc_ll144", ["the one selected most often", "or 2 % of those", "how many people each"]),
        ("equal_opportunity", ["differs by at most 10 percentage points", "whose outcome is"]),
    ],
)
def test_a_preset_is_composed_without_a_manual(
    chromium: Browser, room: Showroom, preset: str, said: list[str]
) -> None:
    with visit(chromium, room, "mo") as found:
        found.open("/modeler/studies/new/")
        page = found.page
        fill_the_form(page, f"Preset {preset}")
        page.get_by_test_id("policy-preset").select_option(preset)
        own, named = page.locator("#policy-own"), preset != "80"
        (expect(own).to_be_hidden if named else expect(own).to_be_visible)()
        if named:
            expect(page.get_by_test_id(f"hint-{preset}")).to_be_visible()
        page.get_by_test_id("draft-title").fill(f"Preset {preset}, named last")
        page.get_by_test_id("save-draft").click()
        page.wait_for_url(re.compile(r"/modeler/studies/[0-9a-f]{32}/$"))
        sentences = page.get_by_test_id("policy-sentences").first
        for words in said:
            expect(sentences).to_contain_text(words)
        assert not found.faults
