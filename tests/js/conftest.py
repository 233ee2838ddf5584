"""A page in a real Chromium, served from the loopback address: a secure context."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

ROOT = Path(__file__).resolve().parents[2]
CHROMIUM = Path("/usr/bin/chromium")
INSECURE_HOST = "insecure.example"
SERVED = (
    "/static/js/",
    "/static/vendor/hpke/",
    "/static/vendor/mlkem/",
    "/tests/js/",
    "/tests/vectors/",
)


class QuietHandler(SimpleHTTPRequestHandler):
    """Serves the browser's files of this repository and nothing else."""

    extensions_map = {".js": "text/javascript", ".json": "application/json", ".html": "text/html"}  # noqa: RUF012

    def do_GET(self) -> None:
        """Answer with a file of the served folders."""
        if urlsplit(self.path).path.startswith(SERVED):
            super().do_GET()
        else:
            self.send_error(404)

    def log_message(self, format: str, *args: object) -> None:
        """Keep requests out of the test's output."""


@pytest.fixture(scope="session")
def origin() -> Iterator[str]:
    """Return the address of the served files."""
    handler = partial(QuietHandler, directory=str(ROOT))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_address[1]}"
        server.shutdown()
        thread.join()


@pytest.fixture(scope="session")
def insecure_origin(origin: str) -> str:
    """Return a name for the same address that no browser takes for its own machine."""
    return origin.replace("127.0.0.1", INSECURE_HOST)


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Return a Chromium; one per module, for its event loop must not meet other tests."""
    if not CHROMIUM.exists():
        pytest.skip("no Chromium at /usr/bin/chromium")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=CHROMIUM,
            args=["--no-sandbox", f"--host-resolver-rules=MAP {INSECURE_HOST} 127.0.0.1"],
        )
        yield browser
        browser.close()


@pytest.fixture
def page(browser: Browser, origin: str) -> Iterator[Page]:
    """Return an empty page of a fresh profile, with the import map of the site."""
    context = browser.new_context()
    page = context.new_page()
    page.goto(f"{origin}/tests/js/page.html")
    yield page
    context.close()
