"""A page left alone keeps its socket, and shows what happens afterwards without a reload."""

from __future__ import annotations

from playwright.sync_api import WebSocket, expect

from tests.browser.cast import is_unreloaded, log_in, mark_unreloaded
from tests.browser.conftest import NewPage
from tests.browser.small_study import OVER_25, OpenStudy, share_by_client
from tests.running_stack import RunningStack

IDLE_MS = 31_000


def test_socket_idle_for_half_a_minute_still_brings_news(
    new_page: NewPage, stack: RunningStack, open_study: OpenStudy
) -> None:
    page = new_page()
    log_in(page, stack, "modeler")
    sockets: list[WebSocket] = []
    closed: list[WebSocket] = []
    received: list[str | bytes] = []

    def watch(socket: WebSocket) -> None:
        sockets.append(socket)
        socket.on("close", lambda gone: closed.append(gone))
        socket.on("framereceived", lambda frame: received.append(frame))

    page.on("websocket", watch)
    page.goto(f"/modeler/studies/{open_study.hex}/")
    expect(page.locator("html")).to_have_attribute("data-live", "on")
    expect(page.get_by_test_id("n-records")).to_have_text("0")
    mark_unreloaded(page)
    page.wait_for_timeout(IDLE_MS)
    assert (len(sockets), closed) == (1, [])
    heard_before = len(received)
    share_by_client(
        stack.base_url, open_study.links[0], months="1", income="1", answer=OVER_25, label=1
    )
    expect(page.get_by_test_id("n-records")).to_have_text("1")
    assert len(received) > heard_before
    assert (len(sockets), closed) == (1, [])
    assert is_unreloaded(page)
