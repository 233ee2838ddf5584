"""A model is trained in browsers: asked for, signed by both, watched, opened by who asked."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from playwright.sync_api import expect

from mpc_engine.client.member import Member
from mpc_engine.control.files.model_file import decide_case, parse_model
from mpc_engine.control.post.jobs import parse_job
from mpc_engine.control.studies.configuration import Configuration
from mpc_engine.experiments import FairLogisticRegression
from mpc_engine.party.jobs.training_data import trained_model
from mpc_engine.party.studies.protocol_terms import training_point_spec
from mpc_engine.protocols.training.fixed_point import Standardisation, public_bounds
from mpc_engine.protocols.training.hyperparameters import X_FRAC_BITS
from mpc_engine.protocols.training.plaintext import train_plaintext
from mpc_engine.ring.decimal_encoding import encode_decimal
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
from tests.browser.small_study import (
    PEOPLE,
    OpenStudy,
    open_small_study,
    share_by_client,
)
from tests.running_stack import RunningStack


def test_a_model_is_trained_from_the_portals(
    new_page: NewPage, stack: RunningStack, members: dict[str, Member], tmp_path: Path
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
    mo.get_by_test_id("training-steps").fill("2500")
    mo.get_by_test_id("propose-training").click()
    confirm_signing(mo)
    sign_proposal(rae, "training")
    for page in (mo, rae):
        expect(page.get_by_test_id("job-step")).to_be_visible(timeout=120_000)
    for page in (mo, rae):
        job = page.locator('[data-testid="job"][data-kind="training"]')
        expect(job).to_have_attribute("data-state", "DONE", timeout=180_000)
        expect(page.get_by_test_id("model")).to_have_count(1)
        expect(page.get_by_test_id("certify")).to_have_count(0)
        assert is_unreloaded(page)
    expect(mo.get_by_test_id("why-not-train")).to_contain_text("57 bits, and 43 are left")

    files = {}
    for which in ("model", "estimator"):
        with mo.expect_download() as saved:
            mo.get_by_test_id(f"open-{which}").click()
        files[which] = Path(saved.value.path()).read_text("utf-8")
        expect(mo.get_by_test_id("model-opened")).to_contain_text("on your 6 rows")
    expect(rae.get_by_test_id("open-model")).to_have_count(0)
    study = opened.study.configuration
    theta = parse_model(files["model"], study)
    (tmp_path / "estimator.json").write_text(files["estimator"], "utf-8")
    estimator = FairLogisticRegression.load(tmp_path / "estimator.json")
    oracle = _oracle(members["modeler"], opened)
    assert theta == oracle
    values = [(float(months), float(income)) for months, income, _, _ in PEOPLE]
    decisions = [decide_case(oracle, _encoded(study, x), study.x_frac_bits) for x in values]
    assert estimator.predict(values).tolist() == decisions

    elsewhere = new_page()
    log_in(elsewhere, stack, "modeler")
    elsewhere.goto(f"/modeler/studies/{opened.hex}/")
    elsewhere.get_by_test_id("open-model").click()
    expect(elsewhere.get_by_test_id("problem")).to_have_attribute(
        "data-code", "recipient_elsewhere"
    )


def _encoded(study: Configuration, values: tuple[float, ...]) -> list[int]:
    return [
        encode_decimal(value, feature.unit, study.x_frac_bits)
        for value, feature in zip(values, study.features, strict=True)
    ]


def _oracle(member: Member, opened: OpenStudy) -> list[int]:
    """Train in the clear as the signed job says; rows come in the order of their record ids."""
    study = opened.study.configuration
    proposals = member.session.get_json(f"/api/v1/proposals?study={opened.hex}")
    (text,) = [row["text"] for row in proposals if row["kind"] == "training"]
    terms = parse_job(text).training
    assert terms is not None
    ids = [invitation.record_id for invitation in opened.invitations]
    people = [person for _, person in sorted(zip(ids, PEOPLE, strict=True))]
    features = np.array([_encoded(study, (float(a), float(b))) for a, b, _, _ in people])
    features = features / 2.0**study.x_frac_bits
    entries = np.zeros((len(people), 3), dtype=np.uint8)
    entries[np.arange(len(people)), [age for _, _, age, _ in people]] = 1
    labels = np.array([label for _, _, _, label in people], dtype=np.uint8)
    standardisation = Standardisation.of(features)
    rows = standardisation.encode(features, X_FRAC_BITS)
    spec = training_point_spec(study, terms, len(people), public_bounds(rows))
    theta = train_plaintext(spec, rows, labels, entries).theta
    return trained_model(study, standardisation, theta, spec.output_frac_bits).theta
