"""A sweep in browsers: trained, taken over, certified and signed together, its curve drawn."""

from __future__ import annotations

from typing import Any

from playwright.sync_api import Page, expect

from mpc_engine.client.checks import job_of
from mpc_engine.client.jobs import wait_for_job
from mpc_engine.client.member import Member
from mpc_engine.control.post.jobs import parse_job
from mpc_engine.vocabulary.runs import JobKind
from tests.browser.cast import confirm_signing, import_key, log_in, sign_proposal
from tests.browser.conftest import NewPage
from tests.browser.small_study import DRAFT, PEOPLE, OpenStudy, open_small_study, share_by_client
from tests.builders.policies import criterion, each_pair
from tests.running_stack import RunningStack

POLICY = each_pair(
    criterion("p_rule", "10", "50", "100", certify_at="50"),
    groups=[["age"]],
    minimum_answers=4,
)
LABEL = {**DRAFT["label"], "favourable": "paid back"}
"""An outcome of its own: models that other tests trained are not offered here."""
ROOMY: dict[str, Any] = {"question_bits_limit": 400, "policy": POLICY, "label": LABEL}


def _closed(stack: RunningStack, members: dict[str, Member], **changes: Any) -> OpenStudy:
    """Return a study that six people took part in and both closed."""
    mo, rae = members["modeler"], members["regulator"]
    opened = open_small_study(stack.base_url, mo, rae, len(PEOPLE), **{**ROOMY, **changes})
    for link, (months, income, age, label) in zip(opened.links, PEOPLE, strict=True):
        share_by_client(stack.base_url, link, months=months, income=income, answer=age, label=label)
    proposal = mo.propose_closing(opened.study)
    check = job_of(opened.study, JobKind.CLOSING)
    for member in (mo, rae):
        text = member.approve(proposal, "closing", check)
    wait_for_job(mo.session, opened.study, parse_job(text).job_id.hex())
    return opened


def _expect_done(page: Page, kind: str, n_jobs: int) -> None:
    jobs = page.locator(f'[data-testid="job"][data-kind="{kind}"][data-state="DONE"]')
    expect(jobs).to_have_count(n_jobs, timeout=240_000)


def test_a_sweep_is_trained_taken_over_and_certified_in_one_step_each(
    new_page: NewPage, stack: RunningStack, members: dict[str, Member]
) -> None:
    training = _closed(stack, members, title="To train on", data_holder="modeler")
    certifying = _closed(stack, members, title="Held out")
    mo, rae = new_page(), new_page()
    for page, role in ((mo, "modeler"), (rae, "regulator")):
        log_in(page, stack, role)
        import_key(page, stack, role)
        page.goto(f"/{role}/studies/{training.hex}/")
    mo.get_by_test_id("use-ladder").click()
    expect(mo.get_by_test_id("training-bound")).to_have_value("0.1 0.03 0.01 0.003 0.001")
    mo.get_by_test_id("training-bound").fill("0.1 0.001")
    mo.get_by_test_id("training-steps").fill("200")
    mo.get_by_test_id("propose-training").click()
    expect(mo.get_by_test_id("sign-dialog")).to_contain_text("0.1; 0.001")
    expect(mo.get_by_test_id("sign-dialog")).to_contain_text("Each model whole, all 57 bits")
    expect(mo.get_by_test_id("sign-dialog")).to_contain_text("114 of the")
    confirm_signing(mo)
    sign_proposal(rae, "training")
    for page in (mo, rae):
        _expect_done(page, "training", 1)
        expect(page.get_by_test_id("curve-row")).to_have_count(2)
        expect(page.get_by_test_id("curve-title")).to_have_text(
            "2 trained models, none certified yet"
        )
        expect(page.get_by_test_id("chart-curve")).to_have_attribute("data-drawn", "yes")
        expect(page.get_by_test_id("model-accuracy").first).to_contain_text("of the 6 people")

    for page, role in ((mo, "modeler"), (rae, "regulator")):
        page.goto(f"/{role}/studies/{certifying.hex}/")
    mo.get_by_test_id("take-over").click()
    mo.get_by_test_id("certify-all").click()
    expect(mo.get_by_test_id("sign-dialog")).to_contain_text("Sign 2 certifications")
    read_by_mo = mo.get_by_test_id("sign-facts").inner_text()
    for name in ("Trained with c = 0.1", "Trained with c = 0.001", "on the closed list"):
        assert name in read_by_mo
    confirm_signing(mo)
    rae.get_by_test_id("sign-all").click()
    expect(rae.get_by_test_id("sign-dialog")).to_contain_text("Sign 2 certifications")
    assert rae.get_by_test_id("sign-facts").inner_text() == read_by_mo
    confirm_signing(rae)
    for page in (mo, rae):
        _expect_done(page, "certification", 2)
        expect(page.locator('[data-testid="curve-row"] .badge')).to_have_count(2)
        expect(page.get_by_test_id("chart-curve")).to_have_attribute("data-drawn", "yes")
        expect(page.get_by_test_id("chart-curve").locator(".main-svg").first).to_be_visible()
    mo.goto(f"/modeler/studies/{training.hex}/")
    expect(mo.locator('[data-testid="curve-row"] .badge')).to_have_count(2)
