"""Visit the showroom: start its server, open its pages in a browser, and note what goes wrong."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, Request

from tools.showroom.page import Exhibition, ShownPage

ROOT = Path(__file__).resolve().parent.parent.parent
CHROMIUM = Path("/usr/bin/chromium")
PATIENCE_MS = 90_000
"""How long a busy machine may take for one step."""
Theme = Literal["light", "dark"]
THEMES: tuple[Theme, ...] = ("light", "dark")
WIDTHS = {"390": (390, 844), "1280": (1280, 900)}
NOT_FOUND = "Failed to load resource: the server responded with a status of 404"
CSP_LISTENER = """
addEventListener("securitypolicyviolation", (event) =>
  console.error(`CSP: ${event.violatedDirective} ${event.blockedURI}`));
"""


@dataclass(frozen=True)
class Showroom:
    """The running server and what it shows."""

    exhibition: Exhibition
    process: subprocess.Popen[str]

    @property
    def base_url(self) -> str:
        """The site's address."""
        return self.exhibition.base_url

    def page(self, name: str) -> ShownPage:
        """Return a page by its name."""
        return next(page for page in self.exhibition.pages if page.name == name)

    def both_say(self, kind: str, **values: Any) -> None:
        """Let both parties send a message to the site."""
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps({"kind": kind, "values": values}) + "\n")
        self.process.stdin.flush()


@contextlib.contextmanager
def showroom() -> Iterator[Showroom]:
    """Seed and serve a site; end it and remove its state afterwards."""
    environment = {
        name: value for name, value in os.environ.items() if not name.startswith("BLINDJUSTICE_")
    }
    with tempfile.TemporaryDirectory(prefix="blindjustice-showroom-") as folder:
        process = subprocess.Popen(
            [sys.executable, "-m", "tools.showroom.server", folder],
            cwd=ROOT,
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            line = process.stdout.readline()
            assert line, "the showroom did not open; its reason stands above"
            yield Showroom(Exhibition.of_json(json.loads(line)), process)
        finally:
            process.stdin.close()
            process.wait(timeout=PATIENCE_MS / 1000)
            process.stdout.close()


@dataclass
class Visit:
    """A browser profile of one of the cast, and the faults of the pages it opened."""

    page: Page
    faults: list[str] = field(default_factory=list)

    def open(self, path: str) -> None:
        """Open a page and wait until it has done what it does by itself."""
        self.page.goto("about:blank")
        self.faults.clear()
        self.page.goto(path)
        self.page.wait_for_load_state("networkidle")

    def wait_for_fault(self, text: str) -> None:
        """Wait until the console has told of a fault whose sentence contains the text."""
        while not any(text in fault for fault in self.faults):
            self.page.wait_for_event("console")

    def note(self, kind: str, text: str) -> None:
        """Note a fault."""
        self.faults.append(f"{kind}: {text}")

    def note_console(self, message: ConsoleMessage) -> None:
        """Note what the console complains of; that an error page has its status is no fault."""
        if message.type in {"error", "warning"} and NOT_FOUND not in message.text:
            self.note("console", message.text)

    def note_request(self, request: Request, base_url: str) -> None:
        """Note a request to anywhere but the site."""
        if leaves(request.url, base_url):
            self.note("leaves the site", request.url)


def leaves(address: str, base_url: str) -> bool:
    """Return whether a request to an address leaves the site."""
    return not address.startswith((f"{base_url}/", "data:", "blob:", "about:"))


@contextlib.contextmanager
def profile(browser: Browser, room: Showroom, who: str, **options: Any) -> Iterator[BrowserContext]:
    """Open a browser profile that is logged in as somebody."""
    context = browser.new_context(base_url=room.base_url, locale="en-GB", **options)
    if who != "anonymous":
        cookie = {"name": "sessionid", "value": room.exhibition.sessions[who]}
        context.add_cookies([{**cookie, "url": room.base_url}])  # type: ignore[typeddict-item]
    context.set_default_timeout(PATIENCE_MS)
    context.add_init_script(CSP_LISTENER)
    try:
        yield context
    finally:
        context.close()


def new_visit(context: BrowserContext, room: Showroom) -> Visit:
    """Open a tab of a profile; nothing it asks may leave the site."""
    page = context.new_page()
    found = Visit(page)
    page.on("pageerror", lambda error: found.note("error", str(error)))
    page.on("console", found.note_console)
    page.on("request", lambda request: found.note_request(request, room.base_url))
    return found


@contextlib.contextmanager
def visit(browser: Browser, room: Showroom, who: str, **options: Any) -> Iterator[Visit]:
    """Open a profile of its own, with one tab."""
    with profile(browser, room, who, **options) as context:
        yield new_visit(context, room)


def tour(
    browser: Browser, room: Showroom, who: str, shown: Sequence[ShownPage]
) -> Iterator[tuple[ShownPage, Visit]]:
    """Open pages one after the other, each in a tab of its own of one profile.

    While the caller looks at one page the next one loads.
    """
    with profile(browser, room, who) as context:

        def begin(page: ShownPage) -> tuple[ShownPage, Visit]:
            tab = new_visit(context, room)
            tab.page.goto(page.path, wait_until="commit")
            return page, tab

        coming = [begin(page) for page in shown[:1]]
        for page in [*shown[1:], None]:
            current, tab = coming.pop()
            if page is not None:
                coming.append(begin(page))
            tab.page.bring_to_front()  # Chromium computes for others with less of the machine
            tab.page.wait_for_load_state("networkidle")
            yield current, tab
            tab.page.close()
