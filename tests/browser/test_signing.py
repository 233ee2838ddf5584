"""Nothing is signed by one press: what it means stands in a dialog first."""

from __future__ import annotations

from playwright.sync_api import expect

from tests.browser.cast import posts_of
from tools.showroom.visit import Showroom, Visit


def test_putting_a_model_in_use_is_read_before_it_is_signed(room: Showroom, mo: Visit) -> None:
    page = mo.page
    mo.open(room.page("modeler-study-judged").path)
    sent = posts_of(page)
    page.get_by_test_id("deploy").click()
    dialog = page.get_by_test_id("sign-dialog")
    expect(dialog).to_contain_text("Put a model in use")
    expect(page.get_by_test_id("sign-facts")).to_contain_text("Fair")
    expect(page.get_by_test_id("sign-facts")).to_contain_text("Status: Valid.")
    page.locator("#sign-cancel").click()
    expect(dialog).to_be_hidden()
    assert sent == []
    page.get_by_test_id("deploy").click()
    with page.expect_response("**/deployment") as answer:
        page.get_by_test_id("sign-confirm").click()
    assert answer.value.status == 202
    assert mo.faults == []
