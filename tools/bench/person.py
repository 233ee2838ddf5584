"""Seconds until a person can use her pages, by a Chromium that has nothing stored.

The clock is the browser's own: from the start of the navigation until what the page is for is
visible and its modules have run. The site is the showroom's: a seeded site without parties.
"""

from __future__ import annotations

import argparse
import statistics

from playwright.sync_api import Browser, sync_playwright

from tools.bench.report import Report, Row, add_repeats
from tools.showroom.visit import CHROMIUM, Showroom, showroom, visit

GOAL_S = 1.0
_PAGES = {
    "take-part-quick": "[data-testid=answer-form]",
    "receipt": "#print:not([hidden])",
    "me": "main",
    "challenge-new": "[data-testid=record-file]",
    "challenge-confirmed": "main",
}
_SECONDS = """
async (selector) => {
  const isThere = () => document.readyState === "complete" &&
    document.querySelector(selector)?.checkVisibility();
  while (!isThere()) {
    if (performance.now() > 60_000) throw new Error(`${selector} is not shown`);
    await new Promise((next) => requestAnimationFrame(next));
  }
  return performance.now() / 1000;
}
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Take the number of loads."""
    add_repeats(parser, default=9, what="loads of each page")


def run(arguments: argparse.Namespace) -> Report:
    """Load each page some times and report the median and the slowest."""
    with sync_playwright() as playwright, showroom() as room:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        rows = [_row(browser, room, name, arguments.repeats) for name in _PAGES]
        browser.close()
    return Report(f"From navigation to interactive (goal {GOAL_S:g} s)", rows)


def _row(browser: Browser, room: Showroom, name: str, repeats: int) -> Row:
    seconds = sorted(_seconds(browser, room, name) for _load in range(repeats))
    median = statistics.median(seconds)
    return {
        "page": name,
        "runs": repeats,
        "median_s": median,
        "slowest_s": seconds[-1],
        "goal": "met" if median <= GOAL_S else "missed",
    }


def _seconds(browser: Browser, room: Showroom, name: str) -> float:
    shown = room.page(name)
    with visit(browser, room, shown.who) as found:
        found.page.goto(shown.path, wait_until="commit")
        return float(found.page.evaluate(_SECONDS, _PAGES[name]))
