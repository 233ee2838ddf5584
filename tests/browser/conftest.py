"""Chromium, pages that report what went wrong in them, and a study that is open."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, ConsoleMessage, Page, Request, expect, sync_playwright

from mpc_engine.client.http import Session
from mpc_engine.client.member import Member
from tests.browser.small_study import OpenStudy, open_small_study
from tests.running_stack import RunningStack
from tools.showroom.visit import (
    CHROMIUM,
    CSP_LISTENER,
    PATIENCE_MS,
    WIDTHS,
    Showroom,
    Visit,
    leaves,
    showroom,
    visit,
)

NewPage = Callable[..., Page]


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    if not CHROMIUM.exists():
        pytest.skip(f"no Chromium at {CHROMIUM}")
    expect.set_options(timeout=PATIENCE_MS)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def room() -> Iterator[Showroom]:
    """Return a site with studies in every state and no parties."""
    with showroom() as opened:
        yield opened


@pytest.fixture
def rae(chromium: Browser, room: Showroom, tmp_path: Path) -> Iterator[Visit]:
    """Return the regulator's browser, with an approval key in it."""
    with _with_key(chromium, room, tmp_path, "rae", "regulator") as found:
        yield found


@pytest.fixture
def mo(chromium: Browser, room: Showroom, tmp_path: Path) -> Iterator[Visit]:
    """Return the modeler's browser, with an approval key in it."""
    with _with_key(chromium, room, tmp_path, "mo", "modeler") as found:
        yield found


@contextlib.contextmanager
def _with_key(
    chromium: Browser, room: Showroom, folder: Path, who: str, role: str
) -> Iterator[Visit]:
    path = folder / f"{role}.json"
    path.write_text(room.exhibition.approver_keys[role], encoding="utf-8")
    with visit(chromium, room, who, accept_downloads=True) as found:
        found.open(f"/{role}/key/")
        found.page.get_by_test_id("key-file").set_input_files(path)
        expect(found.page.get_by_test_id("key-standing")).to_have_attribute("data-state", "VALID")
        yield found


@pytest.fixture
def new_page(chromium: Browser, stack: RunningStack) -> Iterator[NewPage]:
    """Open a page in a browser profile of its own, in one of `WIDTHS`.

    At the end none may have met an error (but one that it ``expects``), broken the
    content-security policy or left the site.
    """
    contexts, faults = [], []

    def open_page(width: str = "1280", expects: str = "no error", **options: Any) -> Page:
        size = dict(zip(("width", "height"), WIDTHS[width], strict=True))
        options = {"viewport": size, "has_touch": width == "390", **options}
        context = chromium.new_context(base_url=stack.base_url, locale="en-GB", **options)
        context.set_default_timeout(PATIENCE_MS)
        context.add_init_script(CSP_LISTENER)
        contexts.append(context)
        page = context.new_page()

        def note_request(request: Request) -> None:
            if leaves(request.url, stack.base_url):
                faults.append(f"{page.url} asks {request.url}")

        def note_message(message: ConsoleMessage) -> None:
            if message.type == "error" and expects not in message.text:
                faults.append(f"{page.url}: {message.text}")

        page.on("request", note_request)
        page.on("pageerror", lambda error: faults.append(f"{page.url}: {error}"))
        page.on("console", note_message)
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert not faults


@pytest.fixture(scope="session")
def members(stack: RunningStack) -> Iterator[dict[str, Member]]:
    """The modeler and the regulator as clients, for what a test needs to have happened before."""
    sessions = {role: Session(stack.base_url) for role in ("modeler", "regulator")}
    for role, session in sessions.items():
        session.log_in(*stack.log_in_of(role))
    yield {
        role: Member.with_key_file(session, stack.approver_key(role))
        for role, session in sessions.items()
    }
    for session in sessions.values():
        session.close()


@pytest.fixture
def open_study(stack: RunningStack, members: dict[str, Member]) -> OpenStudy:
    return open_small_study(stack.base_url, members["modeler"], members["regulator"])
