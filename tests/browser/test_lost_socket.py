"""A page that lost its socket connects again, says so politely, and shows what it missed."""

from __future__ import annotations

import time
from datetime import UTC, datetime, timedelta

from playwright.sync_api import Browser, Page, WebSocketRoute, expect

from tools.showroom.inspect import faults_of
from tools.showroom.visit import PATIENCE_MS, Showroom, visit


def _progress(room: Showroom, page: Page, epoch: int) -> None:
    job_id = page.locator("[data-job-id]").first.get_attribute("data-job-id")
    stage = {"stage": f"epoch {epoch} of 5", "done": 130 + epoch, "total": 300}
    room.both_say("job_progress", job_id=job_id, attempt=1, **stage)


def _hold_timers(page: Page) -> None:
    """Let no timer of the page fire by itself, so that a short state of it is not missed."""
    page.clock.install()
    page.clock.pause_at(datetime.now(UTC) + timedelta(hours=1))


def _wait_until_the_site_says(page: Page, sentence: str) -> None:
    end = time.monotonic() + PATIENCE_MS / 1000
    while sentence not in page.request.get(page.url).text():
        assert time.monotonic() < end, f"the site never says: {sentence}"
        page.wait_for_timeout(100)


def test_a_lost_socket_comes_back_and_what_was_missed_is_shown(
    chromium: Browser, room: Showroom
) -> None:
    with visit(chromium, room, "mo") as found:
        page, sockets = found.page, []

        def relay(socket: WebSocketRoute) -> None:
            sockets.append(socket)
            socket.connect_to_server()

        page.route_web_socket("**/ws/**", relay)
        _hold_timers(page)
        found.open(room.page("modeler-study-training").path)
        expect(page.locator("html")).to_have_attribute("data-live", "on")
        page.evaluate("window.unreloaded = true")
        status = page.locator("#live-status")
        expect(status).to_have_attribute("role", "status")
        sockets[-1].close()
        expect(page.locator("html")).to_have_attribute("data-live", "off")
        expect(status).to_contain_text("interrupted")
        _progress(room, page, 3)
        page.clock.resume()
        expect(page.locator("html")).to_have_attribute("data-live", "on")
        expect(page.get_by_test_id("jobs")).to_contain_text("Epoch 3 of 5")
        assert len(sockets) == 2
        assert page.evaluate("window.unreloaded")
        page.reload()
        expect(page.get_by_test_id("jobs")).to_contain_text("Epoch 3 of 5")
        assert faults_of(page) == []


def test_a_page_whose_line_is_frozen_says_that_it_is_not_live(
    chromium: Browser, room: Showroom
) -> None:
    with visit(chromium, room, "rae") as found:
        page = found.page
        sockets: list[WebSocketRoute] = []
        page.route_web_socket("**/ws/**", lambda socket: sockets.append(socket))
        _hold_timers(page)
        found.open(room.page("regulator-study-training").path)
        expect(page.locator("html")).to_have_attribute("data-live", "on")
        page.evaluate("() => { window.WebSocket = class { close() {} }; }")  # never opens
        page.clock.run_for(15_000)
        sockets[-1].send('{"type": "beat"}')
        page.clock.run_for(30_000)
        expect(page.locator("html")).to_have_attribute("data-live", "on")
        expect(page.get_by_test_id("live-stopped")).to_be_hidden()
        page.clock.run_for(30_000)
        expect(page.locator("html")).to_have_attribute("data-live", "off")
        expect(page.get_by_test_id("live-stopped")).to_be_visible()


def test_a_laptop_that_wakes_up_fetches_what_it_slept_through(
    chromium: Browser, room: Showroom
) -> None:
    with visit(chromium, room, "rae") as found:
        page = found.page
        page.route_web_socket("**/ws/**", lambda _silent: None)
        page.clock.install()
        found.open(room.page("regulator-study-training").path)
        page.clock.pause_at(datetime.now(UTC) + timedelta(hours=1))
        _progress(room, page, 4)
        _wait_until_the_site_says(page, "Epoch 4 of 5")
        page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
        expect(page.get_by_test_id("jobs")).to_contain_text("Epoch 4 of 5")
