"""Nothing is signed by one press: what it means stands in a dialog first."""

from __future__ import annotations

import re

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


def test_a_policy_is_signed_in_words_that_people_read(room: Showroom, rae: Visit) -> None:
    page = rae.page
    rae.open(room.page("regulator-study-to-approve").path)
    page.get_by_test_id("sign-configuration").click()
    facts = page.get_by_test_id("sign-facts")
    for words in (
        "True positive rate, difference",
        "differs by at most 10 percentage points. Limits tried: 5, 10.",
        "is in one at least 80 % of the other's. Limits tried: 70, 80.",
        "Every two groups with each other",
        "a smaller group is left out, and named",
        "they are left out",
        "Age group",
    ):
        expect(facts).to_contain_text(words)
    assert re.findall(r"[a-z]+_[a-z_]+|[A-Z]+_[A-Z_]+|[{}]", facts.inner_text()) == []
    page.locator("#sign-cancel").click()
    assert rae.faults == []
