"""Every page, in each theme and width: WCAG 2.2 AA, no error, nothing that leaves the site."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from playwright.sync_api import Browser, Page, Route

from tests.browser.cast import AUDIENCES
from tools.showroom.inspect import (
    APPEARANCE,
    LOOKS,
    OTHER_LOOKS,
    WIDER,
    Look,
    faults_of,
    violations,
)
from tools.showroom.page import ShownPage
from tools.showroom.visit import Showroom, tour, visit


def _faults(
    chromium: Browser, room: Showroom, who: str, looks: Sequence[Look], only: Sequence[str] = ()
) -> str:
    """Return what is wrong with the pages of one of the cast, a line for each fault."""
    pages = [page for page in room.exhibition.pages if page.who == who]
    assert pages
    faults = []
    for page, found in tour(chromium, room, who, pages):
        found.faults += faults_of(found.page, looks, only)
        faults += [f"{page.name}: {fault}" for fault in found.faults]
    return "\n".join(faults)


@pytest.mark.parametrize("who", AUDIENCES)
def test_no_page_has_a_fault(chromium: Browser, room: Showroom, who: str) -> None:
    assert _faults(chromium, room, who, LOOKS) == ""


@pytest.mark.thorough
@pytest.mark.parametrize("who", AUDIENCES)
def test_no_page_has_a_fault_in_the_other_theme_of_each_width(
    chromium: Browser, room: Showroom, who: str
) -> None:
    assert _faults(chromium, room, who, OTHER_LOOKS, APPEARANCE) == ""


def test_pages_of_all_audiences_are_looked_at(room: Showroom) -> None:
    assert {page.who for page in room.exhibition.pages} == set(AUDIENCES)


SPOILS = {
    "an image without words": (
        "<img src='data:image/gif;base64,R0lGODlhAQABAAAAACw='>",
        "image-alt",
    ),
    "grey on grey": ("<p style='color:#999;background:#aaa'>Too faint to read.</p>", "contrast"),
    "a field without a name": ("<input>", "label"),
}


def _spoil(page: Page, html: str) -> None:
    page.evaluate(
        "(html) => { const made = document.createElement('div'); made.innerHTML = html;"
        " document.querySelector('main').append(made);"
        " for (const one of made.querySelectorAll('p')) {"
        " one.style.color = '#999'; one.style.background = '#aaa'; } }",
        html.replace(" style='color:#999;background:#aaa'", ""),
    )


@pytest.mark.parametrize("what", SPOILS)
def test_the_inspection_finds_what_it_is_for(chromium: Browser, room: Showroom, what: str) -> None:
    html, rule = SPOILS[what]
    with visit(chromium, room, "anonymous") as found:
        found.open("/certificates/")
        assert violations(found.page) == []
        _spoil(found.page, html)
        assert rule in " ".join(violations(found.page))


def test_a_page_wider_than_the_screen_is_noticed(chromium: Browser, room: Showroom) -> None:
    with visit(chromium, room, "anonymous", viewport={"width": 390, "height": 800}) as found:
        found.open("/certificates/")
        assert found.page.evaluate(WIDER) == []
        _spoil(found.page, f"<p>{'x' * 200}</p>")
        found.page.evaluate("document.querySelector('main p:last-child').style.width = '600px'")
        assert found.page.evaluate(WIDER) != []


def test_what_a_browser_refuses_is_noticed(chromium: Browser, room: Showroom) -> None:
    with visit(chromium, room, "anonymous") as found:
        found.open("/")
        found.page.evaluate(
            "() => { const script = document.createElement('script');"
            " script.textContent = '1'; document.body.append(script);"
            " fetch('https://example.org/').catch(() => null); }"
        )
        found.wait_for_fault("script-src")
        found.wait_for_fault("connect-src")


def test_a_script_that_was_changed_on_its_way_is_not_run(chromium: Browser, room: Showroom) -> None:
    with visit(chromium, room, "anonymous") as found:

        def change(route: Route) -> None:
            answer = route.fetch()
            route.fulfill(response=answer, body=f"{answer.text()}\nwindow.changed = true;")

        found.page.route("**/page.*.js", change)
        found.open("/design/")
        assert found.page.evaluate("window.changed") is None
        found.wait_for_fault("integrity")


def test_a_style_sheet_that_was_changed_is_not_used(chromium: Browser, room: Showroom) -> None:
    with visit(chromium, room, "anonymous") as found:

        def change(route: Route) -> None:
            answer = route.fetch()
            route.fulfill(response=answer, body=f"{answer.text()} h1 {{ display: none; }}")

        found.page.route("**/base.*.css", change)
        found.open("/")
        assert found.page.locator("h1").is_visible()
        found.wait_for_fault("integrity")


PAPER = "() => getComputedStyle(document.body).backgroundColor"


def test_colours_follow_the_system_until_the_reader_chooses(
    chromium: Browser, room: Showroom
) -> None:
    with visit(chromium, room, "anonymous", color_scheme="light") as found:
        found.open("/take-part/" + room.page("take-part").path.split("/")[2] + "/#kept")
        light = found.page.evaluate(PAPER)
        found.page.emulate_media(color_scheme="dark")
        dark = found.page.evaluate(PAPER)
        assert light != dark
        found.page.get_by_role("button", name="Light", exact=True).click()
        assert found.page.evaluate(PAPER) == light
        assert found.page.url.endswith("#kept")
        found.open("/certificates/")
        assert found.page.evaluate(PAPER) == light
        found.page.emulate_media(media="print")
        assert found.page.evaluate(PAPER) == "rgba(0, 0, 0, 0)"
        assert not found.page.get_by_role("button", name="Light", exact=True).is_visible()


def test_colours_are_chosen_without_javascript(chromium: Browser, room: Showroom) -> None:
    with visit(chromium, room, "anonymous", java_script_enabled=False) as found:
        found.page.goto("/certificates/?q=a")
        found.page.get_by_role("button", name="Dark", exact=True).click()
        assert found.page.url.endswith("/certificates/?q=a")
        assert found.page.locator("html").get_attribute("data-theme") == "dark"


def test_error_pages_are_among_them(room: Showroom) -> None:
    assert ShownPage("error-404", "/nowhere/") in room.exhibition.pages
