"""Links that were made stay in the browser until they are saved, whatever happens meanwhile."""

from __future__ import annotations

from pathlib import Path

from playwright.sync_api import Route, expect

from tests.showroom.visit import Showroom, Visit


def test_links_come_back_after_a_lost_reply_and_a_closed_page(room: Showroom, mo: Visit) -> None:
    page, path = mo.page, room.page("modeler-study-long-names").path

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
