"""Figures are drawn where Plotly is there."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Browser, expect

from tools.showroom.visit import Showroom, visit

SHOWN = {
    "certificate-valid": 3,
    "modeler-study-judged": 4,
    "regulator-study-judged": 4,
    "regulator-study-swept": 5,
    "modeler-study-answering": 1,
    "regulator-study-answering": 1,
    "regulator-challenges": 1,
}
"""Pages that carry figures, and how many at least."""


@pytest.mark.parametrize("name", SHOWN)
def test_a_page_draws_every_figure_it_carries(chromium: Browser, room: Showroom, name: str) -> None:
    shown = room.page(name)
    with visit(chromium, room, shown.who) as found:
        found.open(shown.path)
        figures = found.page.locator("[data-figure]")
        for figure in figures.all():
            expect(figure.locator("svg").first).to_be_visible()
        assert found.faults == []
        assert figures.count() >= SHOWN[name]


def test_a_figure_fits_its_place_after_the_window_changed(
    chromium: Browser, room: Showroom
) -> None:
    shown = room.page("regulator-study-judged")
    with visit(chromium, room, shown.who) as found:
        for width in (1280, 390, 1280):
            found.page.set_viewport_size({"width": width, "height": 844})
            if found.page.url == "about:blank":
                found.open(shown.path)
            for place in found.page.locator("[data-figure]").all():
                drawn = place.locator(".main-svg").first
                found.page.wait_for_function(
                    "([place, drawn]) => { const [a, b] = [place, drawn].map("
                    "(one) => one.getBoundingClientRect());"
                    " const room = a.right - b.right;"
                    " return b.bottom <= a.bottom && room >= 0 && room < 40; }",
                    arg=[place.element_handle(), drawn.element_handle()],
                )
        assert found.faults == []


def test_arrow_keys_go_from_point_to_point(chromium: Browser, room: Showroom) -> None:
    shown = room.page("modeler-study-answering")
    with visit(chromium, room, shown.who) as found:
        found.open(shown.path)
        place = found.page.get_by_test_id("chart-coverage")
        expect(place).to_have_attribute("data-drawn", "yes")
        label = place.locator(".hoverlayer .hovertext")
        answered = re.compile(r"answered (before|then): \d")
        first = re.compile(r"invited: 40|answered then: \d")  # which one, the time of day decides
        place.focus()
        found.page.keyboard.press("Shift+Tab")
        expect(place).not_to_be_focused()
        found.page.keyboard.press("Tab")
        expect(place).to_be_focused()
        expect(label).to_contain_text(first)
        said = label.text_content() or ""
        found.page.keyboard.press("ArrowRight")
        expect(label).not_to_have_text(said)
        found.page.keyboard.press("End")
        expect(label).to_contain_text("invited: 40")
        found.page.keyboard.press("ArrowLeft")
        expect(label).to_contain_text(answered)
        found.page.keyboard.press("Home")
        expect(label).to_have_text(said)
        found.page.keyboard.press("Escape")
        expect(label).to_have_count(0)
        assert found.faults == []


@pytest.mark.parametrize("name", SHOWN)
def test_without_javascript_the_tables_stand_alone(
    chromium: Browser, room: Showroom, name: str
) -> None:
    shown = room.page(name)
    with visit(chromium, room, shown.who, java_script_enabled=False) as found:
        found.page.goto(shown.path)
        figures = found.page.locator("[data-figure]")
        assert figures.count() >= SHOWN[name]
        for figure in figures.all():
            expect(figure).to_be_hidden()
        for table in found.page.locator("[data-testid$=-table]").all():
            expect(table).to_be_visible()
