"""The contents of a study's page: what is there now, and which part is being read."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser, Page, expect

from tools.showroom.visit import Showroom, visit

WITH_SOMETHING = """
() => [...document.querySelectorAll("#live [data-region]")]
  .filter((region) => region.childElementCount > 0).map(({ id }) => `#${id}`)
"""
NOT_SECTIONS = {"#region-page-data", "#region-coverage", "#region-invite"}
"""What carries data only, and what belongs to the section of the people."""


def _listed(page: Page) -> list[str]:
    links = page.get_by_test_id("contents").locator("li:visible a")
    return [link.get_attribute("href") or "" for link in links.all()]


def _expect_current(page: Page, section: str) -> None:
    current = page.get_by_test_id("contents").locator('[aria-current="location"]')
    expect(current).to_have_count(1)
    expect(current).to_have_attribute("href", section)


@pytest.mark.parametrize(
    ("who", "name"), [("mo", "modeler-study-judged"), ("rae", "regulator-study-judged")]
)
def test_the_contents_list_what_is_there_and_mark_what_is_read(
    chromium: Browser, room: Showroom, who: str, name: str
) -> None:
    with visit(chromium, room, who, viewport={"width": 1280, "height": 900}) as found:
        page = found.page
        found.open(room.page(name).path)
        _expect_current(page, "#region-status")
        listed = _listed(page)
        assert listed == [one for one in page.evaluate(WITH_SOMETHING) if one not in NOT_SECTIONS]
        page.get_by_test_id("contents").locator('[href="#region-models"]').press("Enter")
        _expect_current(page, "#region-models")
        page.evaluate("scrollTo(0, document.documentElement.scrollHeight)")
        _expect_current(page, listed[-1])
        page.evaluate("scrollTo(0, 0)")
        _expect_current(page, "#region-status")
        assert found.faults == []


def test_a_section_that_comes_and_goes_is_listed_and_not(chromium: Browser, room: Showroom) -> None:
    with visit(chromium, room, "mo", viewport={"width": 1280, "height": 900}) as found:
        page = found.page
        found.open(room.page("modeler-study-draft").path)
        assert "#region-questions" not in _listed(page)
        other = room.page("modeler-study-judged").path
        page.route(
            "**/*partial=1", lambda route: route.continue_(url=f"{room.base_url}{other}?partial=1")
        )
        refresh = "document.dispatchEvent(new Event('visibilitychange'))"
        page.evaluate(refresh)
        expect(page.locator('#contents [href="#region-questions"]')).to_be_visible()
        page.unroute("**/*partial=1")
        page.evaluate(refresh)
        expect(page.locator('#contents [href="#region-questions"]')).to_be_hidden()
        assert found.faults == []
