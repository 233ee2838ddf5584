"""The form of a study's draft: every fault at its field, and nothing typed is lost."""

from __future__ import annotations

import re

from playwright.sync_api import Browser, Locator, Page, expect

from tests.browser.study_form import fill_asked, fill_features, open_form
from tools.showroom.visit import Showroom, visit


def _said(field: Locator) -> Locator:
    """Return the sentence beside a field."""
    return field.locator("xpath=ancestor::div[contains(@class, 'field')][1]").locator(
        ".field__error"
    )


def _cell(page: Page, row: str, name: str) -> Locator:
    return page.locator(f'[data-row="{row}"]').first.locator(f'[data-field="{name}"]')


def test_every_fault_stands_at_its_field_and_a_reload_loses_nothing(
    chromium: Browser, room: Showroom
) -> None:
    with visit(chromium, room, "mo") as found:
        page = found.page
        open_form(page, "A form with faults")
        fill_asked(page)
        answers = _cell(page, "attribute", "categories")
        answers.fill("Female\nFe\u034fmale")
        answers.blur()
        expect(_said(answers)).to_contain_text("Two answers look like")
        expect(answers).to_have_accessible_description(re.compile("^Two answers look like"))
        _cell(page, "attribute", "title").fill("How old are you?")
        page.get_by_test_id("draft-label-unfavourable").fill("")
        page.get_by_test_id("minimum_group").fill("none")
        days = page.locator("#draft-retention_days")
        promise = page.locator("#hint-retention_days").inner_text()
        days.fill("")
        page.get_by_test_id("save-draft").click()
        expect(page.get_by_test_id("problem")).to_contain_text("Some fields need a correction")
        for name in ("title", "minimum", "maximum"):
            expect(_said(_cell(page, "feature", name))).to_have_text("It is empty.")
        expect(_said(_cell(page, "attribute", "title"))).to_contain_text("It must be a noun")
        expect(_said(answers)).to_be_hidden()
        expect(answers).to_have_accessible_description("")
        expect(_said(page.get_by_test_id("draft-label-unfavourable"))).to_have_text("It is empty.")
        expect(page.get_by_test_id("error-minimum_group")).to_be_visible()
        expect(days).to_have_accessible_description(f"{promise} {_said(days).inner_text()}")

        page.reload()
        expect(page.get_by_test_id("draft-restored")).to_be_visible()
        expect(page.get_by_test_id("draft-title")).to_have_value("A form with faults")
        expect(_cell(page, "attribute", "title")).to_have_value("How old are you?")
        expect(page.get_by_test_id("minimum_group")).to_have_value("none")
        expect(page.get_by_test_id("error-minimum_group")).to_be_visible()

        days.fill("365")
        fill_asked(page)
        fill_features(page)
        page.get_by_test_id("minimum_group").fill("7")
        page.get_by_test_id("save-draft").click()
        page.wait_for_url(re.compile(r"/modeler/studies/[0-9a-f]{32}/$"))
        page.goto("/modeler/studies/new/")
        expect(page.get_by_test_id("draft-title")).to_have_value("")
        expect(page.get_by_test_id("draft-restored")).to_be_hidden()
        assert [fault for fault in found.faults if "422" not in fault] == []
