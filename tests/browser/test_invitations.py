"""Links that were made stay in the browser until they are saved, whatever happens meanwhile."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Route, expect

from tests.browser.cast import posts_of
from tools.showroom.visit import Showroom, Visit

LONG_NAMES = "modeler-study-long-names"


def test_links_come_back_after_a_lost_reply_and_a_closed_page(room: Showroom, mo: Visit) -> None:
    page, path = mo.page, room.page(LONG_NAMES).path

    def lose_the_reply(route: Route) -> None:
        route.fetch()
        route.abort()

    mo.open(path)
    invited = int(page.get_by_test_id("n-invited").inner_text())
    page.route("**/invitations", lose_the_reply, times=1)
    page.get_by_test_id("invitation-count").fill("3")
    page.get_by_test_id("make-invitations").click()
    expect(page.get_by_test_id("problem")).to_have_attribute("data-code", "no_network")
    expect(page.get_by_test_id("register-links")).to_be_visible()
    expect(page.get_by_test_id("drop-links")).to_be_hidden()

    mo.open(path)
    expect(page.get_by_test_id("invitation-links")).to_contain_text("3 links were made")
    with page.expect_download() as download:
        page.get_by_test_id("register-links").click()
    links = Path(download.value.path()).read_text("utf-8").split()
    assert (links[0], len(links)) == ("record_id,link", 4)
    page.get_by_test_id("make-invitations").click()
    expect(page.get_by_test_id("problem")).to_have_attribute("data-code", "links_unsaved")

    mo.open(path)
    expect(page.get_by_test_id("n-invited")).to_have_text(str(invited + 3))
    with page.expect_download() as download:
        page.get_by_test_id("save-links").click()
    assert Path(download.value.path()).read_text("utf-8").split() == links
    page.get_by_test_id("drop-links").click()
    expect(page.get_by_test_id("invitation-links")).to_be_hidden()
    mo.open(path)
    expect(page.get_by_test_id("invitation-links")).to_be_hidden()


def test_only_a_refusal_of_new_lists_forgets_links_and_no_other_account_sees_them(
    room: Showroom, mo: Visit
) -> None:
    page, path = mo.page, room.page(LONG_NAMES).path
    panel, again = page.get_by_test_id("invitation-links"), page.get_by_test_id("register-links")

    def answered(button: str, status: int) -> None:
        """Press a button, and let the site's answer have this status."""
        page.route("**/invitations", lambda route: route.fulfill(status=status), times=1)
        with page.expect_response("**/invitations"):
            page.get_by_test_id(button).click()
        expect(page.get_by_test_id("problem")).to_have_attribute("data-code", "BAD_ANSWER")

    mo.open(path)
    answered("make-invitations", 409)
    expect(panel).to_be_hidden()
    answered("make-invitations", 401)
    expect(again).to_be_visible()
    answered("register-links", 429)
    expect(page.get_by_test_id("drop-links")).to_be_hidden()
    answered("register-links", 409)
    expect(page.get_by_test_id("drop-links")).to_be_visible()

    sessions = room.exhibition.sessions
    for who, opened in (("rae", path.replace("/modeler/", "/regulator/")), ("mo", path)):
        cookie = {"name": "sessionid", "value": sessions[who], "url": room.base_url}
        page.context.add_cookies([cookie])  # type: ignore[list-item]
        mo.open(opened)
        expect(panel).to_be_visible(visible=who == "mo")
    page.evaluate(
        """() => {
            const data = document.getElementById("page-data");
            data.textContent = JSON.stringify({ ...JSON.parse(data.textContent), account: 0 });
        }"""
    )
    again.click()
    expect(panel).to_be_hidden()

    mo.open(path)
    with page.expect_download():
        again.click()
    page.get_by_test_id("drop-links").click()
    expect(panel).to_be_hidden()


@pytest.mark.parametrize(
    "keeps_nothing",
    [
        "Object.defineProperty(globalThis, 'caches', { value: undefined });",
        "CacheStorage.prototype.open = () => Promise.reject(new DOMException());",
    ],
    ids=["without-a-store", "refused"],
)
def test_a_browser_that_keeps_nothing_draws_its_page_and_makes_no_links(
    room: Showroom, mo: Visit, keeps_nothing: str
) -> None:
    page = mo.page
    page.add_init_script(keeps_nothing)
    mo.open(room.page("modeler-study-answering").path)
    expect(page.locator("[data-figure] svg").first).to_be_visible()
    sent = posts_of(page)
    page.get_by_test_id("make-invitations").click()
    expect(page.get_by_test_id("problem")).to_have_attribute("data-code", "LINKS_NOT_KEPT")
    expect(page.get_by_test_id("make-invitations")).not_to_have_attribute("aria-busy", "true")
    assert sent == []
    assert mo.faults == []
