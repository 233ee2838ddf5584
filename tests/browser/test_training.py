"""A model is trained in browsers: asked for, signed by both, watched, held by its party."""

from __future__ import annotations

from playwright.sync_api import expect

from mpc_engine.client.member import Member
from tests.browser.cast import (
    confirm_signing,
    expect_state,
    import_key,
    is_unreloaded,
    log_in,
    mark_unreloaded,
    sign_proposal,
)
from tests.browser.conftest import NewPage
from tests.browser.small_study import OVER_25, UP_TO_25, open_small_study, share_by_client
from tests.running_stack import RunningStack

PEOPLE = [
    ("36", "10", OVER_25, 0),
    ("12", "30.5", OVER_25, 1),
    ("12", "30.5", UP_TO_25, 0),
    ("24", "50", OVER_25, 1),
    ("24", "50", UP_TO_25, 1),
    ("120", "100.5", UP_TO_25, 1),
]


def test_a_model_is_trained_from_the_portals(
    new_page: NewPage, stack: RunningStack, members: dict[str, Member]
) -> None:
    opened = open_small_study(
        stack.base_url,
        members["modeler"],
        members["regulator"],
        len(PEOPLE),
        title="Loans and age, to train on",
        data_holder="modeler",
        question_bits_limit=100,
    )
    for link, (months, income, age, label) in zip(opened.links, PEOPLE, strict=True):
        share_by_client(stack.base_url, link, months=months, income=income, answer=age, label=label)
    mo, rae = new_page(), new_page()
    for page, role in ((mo, "modeler"), (rae, "regulator")):
        log_in(page, stack, role)
        import_key(page, stack, role)
        page.goto(f"/{role}/studies/{opened.hex}/")
        mark_unreloaded(page)
    mo.get_by_test_id("propose-closing").click()
    confirm_signing(mo)
    sign_proposal(rae, "closing")
    expect_state(mo, "CLOSED")

    expect(mo.get_by_test_id("training-bound")).to_have_count(1)
    mo.get_by_test_id("training-steps").fill("6000")
    mo.get_by_test_id("propose-training").click()
    confirm_signing(mo)
    sign_proposal(rae, "training")
    for page in (mo, rae):
        expect(page.get_by_test_id("job-step")).to_be_visible(timeout=30_000)
    for page in (mo, rae):
        job = page.locator('[data-testid="job"][data-kind="training"]')
        expect(job).to_have_attribute("data-state", "DONE", timeout=60_000)
        expect(page.get_by_test_id("model")).to_have_count(1)
        expect(page.get_by_test_id("certify")).to_have_count(0)
        assert is_unreloaded(page)
    expect(mo.get_by_test_id("why-not-train")).to_contain_text("57 bits, and 43 are left")
