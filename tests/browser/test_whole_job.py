"""The whole job in browsers: draft, approve, share, close, certify, challenge."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.cast import (
    answer,
    confirm_signing,
    expect_both_receipts,
    expect_fits,
    expect_state,
    import_key,
    is_unreloaded,
    log_in,
    mark_unreloaded,
    save_links,
    sign_proposal,
)
from tests.browser.conftest import NewPage
from tests.browser.small_study import (
    DECLINES,
    OVER_25,
    UP_TO_25,
    share_by_client,
)
from tests.browser.study_form import (
    LABEL,
    fill_asked,
    fill_features,
    open_form,
    submit,
    take_schema,
)
from tests.running_stack import RunningStack

TITLE = "Loans and age, in browsers"
COEFFICIENTS = {"months": "-0.02", "income": 0.05}
INTERCEPT = "-0.5"
_CASES = [("36", "10"), ("12", "30.5"), ("24", "50")]
OTHERS = [
    *[(*case, age) for case in _CASES for age in (OVER_25, UP_TO_25)] * 4,
    *[(*case, OVER_25) for case in _CASES],
    *[(*case, UP_TO_25) for case in _CASES[1:]],
    ("120", "100.5", DECLINES),
]
"""With Uma (36 months, income 10, up to 25) each case occurs five times in each group.

So the acceptance rates are equal and the difference is 0: every limit is met, 100 % too.
"""


def draft_in_the_form(page: Page, table: Path) -> str:
    """Fill in the form of a new study from a table, correct and submit it; return its id."""
    open_form(page, TITLE)
    take_schema(page, table)
    page.get_by_test_id("source-person").check()
    fill_asked(page)
    fill_features(page)
    expect(page.get_by_test_id("policy-start")).to_have_value("four_fifths")
    page.get_by_test_id("thresholds").fill("50 80 100")
    expect(page.get_by_test_id("policy-start")).to_have_value("")
    expect(page.get_by_test_id("certify_at")).to_have_value("80")
    page.get_by_test_id("add-criterion").click()
    difference = page.locator('[data-row="criterion"]').last
    difference.get_by_test_id("criterion").select_option("acceptance_rate_difference")
    difference.get_by_test_id("thresholds").fill("1 10")
    difference.get_by_test_id("certify_at").fill("1")
    page.get_by_test_id("kind-published").check()
    page.get_by_test_id("minimum_group").fill("2")
    page.get_by_test_id("minimum_decided").fill("5")
    page.get_by_test_id("minimum_answers").fill("4")
    expect_fits(page)
    return submit(page)


def hand_in_model(page: Page, folder: Path) -> None:
    """Hand in the model from a file; the study's page opens again."""
    page.get_by_test_id("hand-in-model").click()
    page.wait_for_url("**/models/new/")
    page.wait_for_load_state("networkidle")
    with page.expect_download() as download:
        page.get_by_test_id("save-configuration").click()
    download.value.save_as(folder / "configuration.json")
    digest = json.loads(page.locator("#page-data").text_content() or "{}")["configuration_digest"]
    model = {
        "format": "bj1 model",
        "configuration": digest,
        "intercept": INTERCEPT,
        "coefficients": COEFFICIENTS,
    }
    (folder / "model.json").write_text(json.dumps(model), encoding="utf-8")
    expect_fits(page)
    page.get_by_test_id("model-name").fill("Small model")
    page.get_by_test_id("model-file").set_input_files(folder / "model.json")
    page.get_by_test_id("send-model").click()
    page.wait_for_url(re.compile(r"/modeler/studies/[0-9a-f]{32}/$"))


def challenge_by_typing(page: Page, certificate: str, *, favourable: bool) -> None:
    """Challenge the decision on 24 months and an income of 50 (score 1.52: favourable)."""
    page.goto(f"/me/challenges/new/?certificate={certificate}")
    page.get_by_test_id("feature-months").fill("24")
    page.get_by_test_id("feature-income").fill("50")
    page.get_by_test_id("claim-favourable" if favourable else "claim-unfavourable").check()
    expect_fits(page)
    page.get_by_test_id("send-typed").click()
    page.wait_for_url(re.compile(r"/me/challenges/[0-9a-f]{32}/$"))


def _table_like_theirs(folder: Path) -> Path:
    """Write a table with the columns of the study, from which the form can be filled in."""
    names = (LABEL["unfavourable"], LABEL["favourable"])
    ages = ("Over 25", "25 or younger")
    rows = [
        f"{months},{income},{ages[number % 2]},{names[number % 3 == 0]}"
        for number, (months, income, _age) in enumerate(OTHERS)
    ]
    path = folder / "table.csv"
    path.write_text("\n".join(["months,income,Age,Outcome", *rows]), encoding="utf-8")
    return path


@pytest.mark.parametrize(("at_work", "at_home"), [("1280", "390"), ("390", "1280")])
def test_study_goes_from_draft_to_an_answered_challenge(
    new_page: NewPage, stack: RunningStack, tmp_path: Path, at_work: str, at_home: str
) -> None:
    mo = new_page(at_work, accept_downloads=True)
    rae, uma = new_page(at_home), new_page(at_home)
    for page, role in ((mo, "modeler"), (rae, "regulator")):
        log_in(page, stack, role)
        import_key(page, stack, role)
        expect_fits(page)

    study = draft_in_the_form(mo, _table_like_theirs(tmp_path))
    questions = mo.locator("#contents li", has=mo.locator('[href="#region-questions"]'))
    expect(questions).to_have_attribute("hidden", "")
    sign_proposal(mo, "configuration")
    rae.goto(f"/regulator/studies/{study}/")
    sign_proposal(rae, "configuration")
    for page in (mo, rae):
        expect_state(page, "OPEN")
        mark_unreloaded(page)
    expect(questions).not_to_have_attribute("hidden", "")
    expect_fits(mo, rae)

    links = save_links(mo, len(OTHERS) + 1, tmp_path)
    uma.goto(links[0])
    expect(uma.get_by_role("heading", name=TITLE)).to_be_visible()
    answer(uma, age="over_25", months="36", income="10", repaid=False)
    expect_both_receipts(uma, 1)
    expect_fits(uma)
    uma.get_by_test_id("replace-answer").click()
    answer(uma, age="up_to_25", months="36", income="10", repaid=False)
    expect_both_receipts(uma, 2)
    for link, (months, income, age) in zip(links[1:], OTHERS, strict=True):
        share_by_client(stack.base_url, link, months=months, income=income, answer=age, label=1)
    for page in (mo, rae):
        expect(page.get_by_test_id("n-records")).to_have_text(str(len(links)))

    mo.get_by_test_id("propose-closing").click()
    confirm_signing(mo)
    sign_proposal(rae, "closing")
    for page in (mo, rae):
        expect_state(page, "CLOSED")
        expect(page.get_by_test_id("closed-records")).to_have_text(str(len(links)))
        assert is_unreloaded(page)

    hand_in_model(mo, tmp_path)
    mark_unreloaded(mo)
    mo.get_by_test_id("certify").click()
    confirm_signing(mo)
    sign_proposal(rae, "certification")
    for page in (mo, rae):
        expect(page.get_by_test_id("model-certificate")).to_be_visible()
        expect(page.get_by_test_id("model-verdict")).to_have_attribute("data-verdict", "PASS")
        assert is_unreloaded(page)
    expect_fits(mo, rae)

    rae.get_by_test_id("model-certificate").click()
    certificate = rae.url.rstrip("/").rsplit("/", 1)[-1]
    expect(rae.get_by_test_id("certificate-verdict")).to_have_attribute("data-state", "PASS")
    for criterion in ("p_rule", "acceptance_rate_difference"):
        expect(rae.locator(f"#chart-{criterion} svg").first).to_be_visible()
    expect_fits(rae)
    uma.goto("/certificates/")
    expect(uma.get_by_role("link", name=TITLE).first).to_be_visible()

    log_in(uma, stack, "person")
    for favourable, outcome in ((True, "CONFIRMED"), (False, "DIFFERENT_DECISION")):
        challenge_by_typing(uma, certificate, favourable=favourable)
        mark_unreloaded(uma)
        answered = uma.get_by_test_id("challenge-outcome")
        expect(answered).to_have_attribute("data-outcome", outcome)
        assert is_unreloaded(uma)
        expect_fits(uma)
    for page, role in ((mo, "modeler"), (rae, "regulator"), (uma, "me")):
        page.goto(f"/{role}/")
        expect(page.get_by_role("link", name=TITLE).first).to_be_visible()
        expect_fits(page)
    rae.goto("/regulator/challenges/")
    mine = rae.get_by_test_id("challenge-row").filter(has=rae.locator(f'[href*="{certificate}"]'))
    expect(mine).to_have_count(2)
    expect_fits(rae)
