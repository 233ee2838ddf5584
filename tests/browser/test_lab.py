"""A published report of the lab is read by keyboard, and by eyes and screen readers alike."""

from __future__ import annotations

from playwright.sync_api import Browser, expect

from tools.showroom.inspect import LOOKS, OTHER_LOOKS, faults_of
from tools.showroom.visit import Showroom, visit


def test_a_figure_of_the_report_is_read_by_keyboard(chromium: Browser, room: Showroom) -> None:
    with visit(chromium, room, "anonymous") as found:
        found.open("/")
        found.page.get_by_role("link", name="The lab").click()
        found.page.get_by_test_id("lab-figures").get_by_role(
            "link", name="Accuracy of three methods against c"
        ).click()
        place = found.page.get_by_test_id("chart-accuracy-1")
        expect(place).to_have_attribute("data-drawn", "yes")
        label = place.locator(".hoverlayer .hovertext")
        place.focus()
        found.page.keyboard.press("Shift+Tab")
        found.page.keyboard.press("Tab")
        expect(place).to_be_focused()
        expect(label).to_contain_text("Lagrange, clampc: 0.0001right on test rows, %: 62.5")
        found.page.keyboard.press("ArrowRight")
        expect(label).to_contain_text("unconstrainedc: 0.0001right on test rows, %: 75.5")
        found.page.keyboard.press("ArrowRight")
        expect(label).to_contain_text("Lagrange, clampc: 0.01right on test rows, %: 70.25")
        found.page.keyboard.press("End")
        expect(label).to_contain_text("unconstrainedc: 1right on test rows, %: 75.5")
        found.page.keyboard.press("Escape")
        expect(label).to_have_count(0)
        found.page.keyboard.press("Tab")
        table = found.page.get_by_test_id("accuracy-1-table")
        expect(table.locator("xpath=..")).to_be_focused()
        expect(table).to_contain_text("log barrier, clamp")
        assert found.faults == []


def test_the_legend_stays_above_the_lines_when_the_window_changes(
    chromium: Browser, room: Showroom
) -> None:
    shown = room.page("lab-figure")
    with visit(chromium, room, shown.who) as found:
        found.open(shown.path)
        for width in (390, 1280, 390):
            found.page.set_viewport_size({"width": width, "height": 844})
            found.page.wait_for_function(
                "(width) => [...document.querySelectorAll('[data-figure]')].every((place) => {"
                " const { width: drawn, _size } = place._fullLayout;"
                " const box = (name) => place.querySelector(name).getBoundingClientRect();"
                " return drawn < width && drawn > 0.7 * width"
                " && box('.legend').bottom <= box('.main-svg').top + _size.t; })",
                arg=width,
            )


def test_its_pages_have_no_fault_in_any_look(chromium: Browser, room: Showroom) -> None:
    for name in ("lab", "lab-figure", "lab-table"):
        shown = room.page(name)
        with visit(chromium, room, shown.who) as found:
            found.open(shown.path)
            assert faults_of(found.page, [*LOOKS, *OTHER_LOOKS]) == []
            assert found.faults == []
