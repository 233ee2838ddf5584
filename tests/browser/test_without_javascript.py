"""With JavaScript off every form works, or the page says in plain words that it does not."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser, expect

from tests.browser.cast import AUDIENCES
from tools.showroom.visit import Showroom, visit

DEAD = "main form:not([action], [method]):visible, main button[type=button]:visible"
"""What only a script can make something of."""


@pytest.mark.parametrize("who", AUDIENCES)
def test_every_form_works_or_the_page_says_why_not(
    chromium: Browser, room: Showroom, who: str
) -> None:
    silent = []
    with visit(chromium, room, who, java_script_enabled=False) as found:
        for shown in room.exhibition.pages:
            if shown.who != who or shown.name == "design":  # samples, which do nothing
                continue
            found.page.goto(shown.path)
            explained = found.page.locator("main noscript :visible").count() > 0
            if found.page.locator(DEAD).count() and not explained:
                silent.append(shown.name)
    assert silent == []


def test_the_register_is_searched_without_a_script(chromium: Browser, room: Showroom) -> None:
    with visit(chromium, room, "anonymous", java_script_enabled=False) as found:
        page = found.page
        page.goto("/certificates/")
        page.locator("main [role=search] input").first.fill("nothing has this name")
        page.keyboard.press("Enter")
        expect(page.locator("main")).to_contain_text("Nothing matches")
        assert found.faults == []


def test_a_person_is_told_that_nothing_was_sent(chromium: Browser, room: Showroom) -> None:
    with visit(chromium, room, "anonymous", java_script_enabled=False) as found:
        found.page.goto(room.page("take-part").path)
        expect(found.page.get_by_test_id("no-javascript")).to_contain_text("nothing is lost")
        expect(found.page.get_by_test_id("answer-form")).to_be_hidden()
