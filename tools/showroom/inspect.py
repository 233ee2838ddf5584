"""What a page must pass in every theme and width: axe-core (WCAG 2.2 AA), no sideways scroll."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.resources import files
from typing import Any

from playwright.sync_api import Page

from tools.showroom.visit import WIDTHS, Theme

AXE = files("axe_playwright_python").joinpath("axe.min.js").read_text(encoding="utf-8")
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
APPEARANCE = ["color-contrast", "link-in-text-block", "target-size", "scrollable-region-focusable"]
"""What a theme or a width can change; the structure is judged in `LOOKS` only."""
Look = tuple[str, Theme]
LOOKS: tuple[Look, ...] = (("1280", "light"), ("390", "dark"))
"""Each width and each theme, once; all rules are judged in them."""
OTHER_LOOKS: tuple[Look, ...] = (("1280", "dark"), ("390", "light"))
RUN = """
async (runOnly) => {
  const { violations } = await axe.run(document, {
    runOnly,
    resultTypes: ["violations"],
    iframes: false,
  });
  return violations.map(({ id, help, nodes }) =>
    `${id}: ${help}: ` + nodes.map(({ target }) => target.join(" ")).join(", "));
}
"""
WIDER = """
() => {
  const room = document.documentElement.clientWidth;
  if (document.documentElement.scrollWidth <= room) return [];
  return [...document.body.querySelectorAll("*")]
    .filter((one) => one.getBoundingClientRect().right > room + 1)
    .map((one) => `${one.tagName.toLowerCase()}.${one.className}#${one.id}`)
    .slice(0, 5);
}
"""
SETTLED = "() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"
NARROWEST = (320, 700)


def show(page: Page, size: tuple[int, int], theme: Theme) -> None:
    """Give the page a size and a theme, and let it settle."""
    page.set_viewport_size({"width": size[0], "height": size[1]})
    page.emulate_media(color_scheme=theme)
    page.evaluate(SETTLED)


def violations(page: Page, only: Sequence[str] = ()) -> list[str]:
    """Return what axe-core finds on the page as it stands, by all rules or some."""
    chosen: dict[str, Any] = {"type": "tag", "values": RULES}
    if only:
        chosen = {"type": "rule", "values": list(only)}
    if not page.evaluate("() => 'axe' in globalThis"):
        page.evaluate(AXE)
    found: list[str] = page.evaluate(RUN, chosen)
    return found


def misfits(page: Page) -> list[str]:
    """Return what does not fit a screen of this width: what is wider, targets under 24 px."""
    sideways: list[str] = page.evaluate(WIDER)
    return [*(f"sideways: {one}" for one in sideways), *violations(page, ["target-size"])]


def faults_of(page: Page, looks: Sequence[Look] = LOOKS, only: Sequence[str] = ()) -> list[str]:
    """Return what is wrong with the page in some looks, by all rules or some; and if narrow."""
    found: list[str] = []

    def note(place: str, faults: Any) -> None:
        found.extend(f"{place}: {fault}" for fault in faults)

    for width, theme in looks:
        show(page, WIDTHS[width], theme)
        note(f"{width} {theme}", violations(page, only))
        note(f"{width} sideways", page.evaluate(WIDER))
    show(page, NARROWEST, "light")
    note("320 sideways", page.evaluate(WIDER))
    return found
