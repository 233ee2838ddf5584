"""Seconds and bytes until a person can use her pages, by a Chromium that has nothing stored.

The clock is the browser's own: from the start of the navigation until what the page is for is
visible and its modules have run. The bytes are those that went over the line until then, with
headers; of the page that is answered also what seals, fetched when she begins. The site is the
showroom's: a seeded site without parties.
"""

from __future__ import annotations

import argparse
import statistics

from playwright.sync_api import Browser, sync_playwright

from tools.bench.report import Report, Row, add_repeats
from tools.showroom.visit import CHROMIUM, Showroom, showroom, visit

GOAL_S = 1.0
GOAL_KB = 150
_PAGES = {
    "take-part-quick": "[data-testid=answer-form]",
    "receipt": "#print:not([hidden])",
    "me": "main",
    "challenge-new": "[data-testid=record-file]",
    "challenge-confirmed": "main",
}
_WEIGHED = """
async (selector) => {
  const isThere = () => document.readyState === "complete" &&
    document.querySelector(selector)?.checkVisibility();
  while (!isThere()) {
    if (performance.now() > 60_000) throw new Error(`${selector} is not shown`);
    await new Promise((next) => requestAnimationFrame(next));
  }
  const [loading] = performance.getEntriesByType("navigation");
  const fetched = [loading, ...performance.getEntriesByType("resource")];
  return [performance.now() / 1000, fetched.reduce((sum, one) => sum + one.transferSize, 0) / 1000];
}
"""
_SEALING = """
async () => {
  const before = performance.getEntriesByType("resource").length;
  const begun = performance.now();
  document.querySelector("#answer-form input").focus();
  const { hpkeSeal } = await import("/static/js/lib/hpke.js");
  const loaded = performance.now();
  const { generateKeys } = await import("/static/js/lib/x_wing.js");
  const { publicKey } = await generateKeys();
  const [info, plaintext] = [new Uint8Array(200), new Uint8Array(3000)];
  const drawn = performance.now();
  for (let n = 0; n < 50; n += 1) await hpkeSeal(publicKey, info, plaintext);
  const sealed = performance.now();
  const fetched = performance.getEntriesByType("resource").slice(before);
  const kB = fetched.reduce((sum, one) => sum + one.transferSize, 0) / 1000;
  return [(loaded - begun) / 1000, kB, (sealed - drawn) / 50];
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
        remark = _sealing(browser, room)
        browser.close()
    title = f"From navigation to interactive (goals {GOAL_S:g} s, {GOAL_KB} kB)"
    return Report(title, rows, [remark])


def _row(browser: Browser, room: Showroom, name: str, repeats: int) -> Row:
    loads = sorted(_load(browser, room, name) for _load_number in range(repeats))
    median, kilobytes = statistics.median(seconds for seconds, _ in loads), loads[-1][1]
    met = median <= GOAL_S and kilobytes <= GOAL_KB
    return {
        "page": name,
        "runs": repeats,
        "median_s": median,
        "slowest_s": loads[-1][0],
        "kB": round(kilobytes, 1),
        "goal": "met" if met else "missed",
    }


def _load(browser: Browser, room: Showroom, name: str) -> tuple[float, float]:
    shown = room.page(name)
    with visit(browser, room, shown.who) as found:
        found.page.goto(shown.path, wait_until="commit")
        seconds, kilobytes = found.page.evaluate(_WEIGHED, _PAGES[name])
        return float(seconds), float(kilobytes)


def _sealing(browser: Browser, room: Showroom) -> str:
    """Begin to answer, and say what is fetched for it and how long a seal takes."""
    name = "take-part-quick"
    shown = room.page(name)
    with visit(browser, room, shown.who) as found:
        found.page.goto(shown.path, wait_until="commit")
        found.page.evaluate(_WEIGHED, _PAGES[name])
        seconds, kilobytes, seal_ms = found.page.evaluate(_SEALING)
    return (
        f"what seals comes when she begins to answer: {kilobytes:.1f} kB in {seconds:.2f} s; "
        f"a seal of 3,000 bytes takes {seal_ms:.1f} ms"
    )
