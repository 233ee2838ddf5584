"""Write a picture of every page, in both widths and themes: ``./run screenshots [NAMES]``.

They go to ``screenshots/``, which git ignores, as ``<page>-<width>-<theme>.png``. With names only
the pages whose name contains one of them.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

from playwright.sync_api import sync_playwright

from tools.showroom.visit import CHROMIUM, ROOT, THEMES, WIDTHS, Visit, showroom, visit

FOLDER = ROOT / "screenshots"


def take(found: Visit, name: str, folder: Path) -> None:
    """Take the pictures of the open page."""
    for width, (x, y) in WIDTHS.items():
        for theme in THEMES:
            found.page.set_viewport_size({"width": x, "height": y})
            found.page.emulate_media(color_scheme=theme)
            found.page.wait_for_timeout(50)
            found.page.screenshot(path=folder / f"{name}-{width}-{theme}.png", full_page=True)


def main(wanted: list[str]) -> int:
    """Take all pictures; tell how many, and what went wrong on the pages."""
    if not CHROMIUM.exists():
        print(f"No Chromium at {CHROMIUM}. Run: apt-get install -y chromium", file=sys.stderr)
        return 1
    started = time.monotonic()
    FOLDER.mkdir(exist_ok=True)
    faults = []
    with showroom() as room, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        pages = [
            page
            for page in room.exhibition.pages
            if not wanted or any(part in page.name for part in wanted)
        ]
        for page in pages:
            with visit(browser, room, page.who) as found:
                found.open(page.path)
                take(found, page.name, FOLDER)
                faults += [f"{page.name}: {fault}" for fault in found.faults]
        browser.close()
    seconds = time.monotonic() - started
    print(*faults, sep="\n", end="\n" if faults else "")
    print(f"{len(pages) * 4} pictures of {len(pages)} pages in {FOLDER}, {seconds:.0f} s")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
