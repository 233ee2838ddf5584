"""Models, verdicts and certificates."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from math import ceil
from typing import Any

import pytest
from django.test import Client
from django.utils.html import escape

from blindjustice_web.certificates.models import CandidateModel, Certificate, CertificationResult
from blindjustice_web.engine import engine_client, engine_policies
from blindjustice_web.engine.engine_client import read_configuration
from blindjustice_web.lib.labels import sentence_of
from blindjustice_web.studies.models import Study
from mpc_engine.control.files.certificate import check_certificate_file
from mpc_engine.control.policies.charge import certification_bits
from mpc_engine.control.studies.study_texts import deployment_text
from mpc_engine.roles import Role
from mpc_engine.vocabulary.verdicts import NoVerdict
from tests.builders.policies import criterion, named_groups
from tests.web.drafts import AUDIT, PASSING, envelope, some_id
from tests.web.parties import make_pair
from tests.web.stories import ONLY_DIFFERENCE, World


def test_a_sealed_model_goes_to_the_modeler_s_party_only(world: World) -> None:
    study = world.opened()
    world.held_model(study)
    (task,) = world.broker.of_kind("model")
    assert task.role.value == "modeler"
    assert task.payload["envelope"] == envelope("Model A")


def test_the_site_keeps_no_envelope_of_a_model(world: World) -> None:
    study = world.opened()
    world.held_model(study)
    stored = json.dumps(list(CandidateModel.objects.values()), default=str)
    assert envelope("Model A") not in stored


def test_a_refused_model_shows_the_party_s_reason(world: World) -> None:
    study = world.opened()
    model_id = some_id("model")
    body = {"model_id": model_id, "name": "Model", "envelope": envelope("m")}
    world.post("mo", f"/studies/{study.id}/models", body)
    world.parties.modeler.says(
        "model_refused",
        study_id=study.id,
        model_id=model_id,
        code="MODEL_COEFFICIENT_MISSING",
        sentence="The coefficient of “duration” is missing.",
    )
    shown = world.get("mo", f"/models/{model_id}").json()
    assert shown["state"] == "REFUSED"
    assert shown["refusal"]["code"] == "MODEL_COEFFICIENT_MISSING"


def test_the_same_model_again_changes_nothing_and_another_is_refused(world: World) -> None:
    study = world.opened()
    model_id = world.held_model(study)
    path = f"/studies/{study.id}/models"
    same = {"model_id": model_id, "name": "Model A", "envelope": envelope("Model A")}
    assert world.post("mo", path, same).status_code == 202
    assert len(world.broker.of_kind("model")) == 1
    other = world.post("mo", path, same | {"envelope": envelope("other")})
    assert other.json()["code"] == "MODEL_ID_TAKEN"


def test_a_certification_that_the_ledger_cannot_pay_for_is_not_proposed(world: World) -> None:
    study = world.closed(policy=AUDIT, question_bits_limit=64)
    model_id = world.held_model(study)
    path = f"/studies/{study.id}/certifications"
    policy = read_configuration(study.configuration.text).policy
    bits = ceil(certification_bits(policy, 2, study.n_records))
    for limit in (bits - 1, bits):
        world.limits(question_bits_limit=limit)
        (shown,) = world.clients["mo"].get(f"/modeler/studies/{study.id}/").context["models"]
        answer = world.post("mo", path, {"model_id": model_id})
        if limit < bits:
            assert not shown.can_certify
            assert (answer.status_code, answer.json()["code"]) == (409, "QUESTION_BITS_SPENT")
            assert f"and {limit} of {limit} are left" in answer.json()["detail"]
            assert not study.proposals.filter(kind="certification").exists()
        else:
            assert shown.can_certify
            assert answer.status_code == 201


def test_the_regulator_hands_in_no_model(world: World) -> None:
    study = world.opened()
    body = {"model_id": some_id("m"), "name": "Model", "envelope": envelope("m")}
    answer = world.post("rae", f"/studies/{study.id}/models", body)
    assert (answer.status_code, answer.json()["code"]) == (403, "OTHER_ROLE_ACTS")


@pytest.mark.parametrize("name", ["", "   ", "x" * 101, "a\x00b", "line\nbreak"])
def test_a_model_needs_a_decent_name(world: World, name: str) -> None:
    study = world.opened()
    body = {"model_id": some_id("m"), "name": name, "envelope": envelope("m")}
    assert world.post("mo", f"/studies/{study.id}/models", body).status_code == 422


def test_certification_waits_for_the_closed_study(world: World) -> None:
    study = world.opened()
    model_id = world.held_model(study)
    answer = world.post("mo", f"/studies/{study.id}/certifications", {"model_id": model_id})
    assert answer.json()["code"] == "STUDY_NOT_CLOSED"


def test_certification_waits_for_the_data_file(world: World) -> None:
    study = world.closed(data_source="file")
    model_id = world.held_model(study)
    answer = world.post("mo", f"/studies/{study.id}/certifications", {"model_id": model_id})
    assert answer.json()["code"] == "DATA_MISSING"


def test_the_job_names_model_and_records(world: World) -> None:
    study = world.closed()
    model_id = world.held_model(study)
    job = world.certification_job(study, model_id)
    spec = json.loads(job.spec)
    assert (spec["model_id"], spec["record_set"]) == (model_id, study.record_set)


def test_a_pass_issues_the_certificate(world: World) -> None:
    certificate = world.certified()
    assert certificate.result.verdict == "PASS"
    shown = world.get("anonymous", f"/certificates/{certificate.id}").json()
    assert shown["text"] == certificate.text
    assert shown["status"] == "VALID"
    model = world.get("mo", f"/models/{certificate.model_id}").json()
    assert model["certificate_id"] == certificate.id


ONLY_P_RULE = ("PASS", "PASS", "PASS", "FAIL", "FAIL")
NONE = ("FAIL",) * 5


@pytest.mark.parametrize(
    ("verdicts", "verdict"),
    [
        (NONE, "FAIL"),
        (ONLY_DIFFERENCE, "FAIL"),
        (ONLY_P_RULE, "FAIL"),
        (("UNDETERMINED",) * 5, "UNDETERMINED"),
    ],
)
def test_no_other_verdict_issues_one(world: World, verdicts: tuple[str, ...], verdict: str) -> None:
    study = world.closed()
    job = world.judged(study, verdicts=verdicts)
    assert job.state == "DONE"
    assert CertificationResult.objects.get().verdict == verdict
    assert not Certificate.objects.exists()


def test_a_model_is_judged_once(world: World) -> None:
    study = world.closed()
    job = world.judged(study, verdicts=NONE)
    answer = world.post("mo", f"/studies/{study.id}/certifications", {"model_id": job.subject_id})
    assert answer.json()["code"] == "MODEL_ALREADY_JUDGED"


@pytest.mark.parametrize("damaged", ["modeler_signature", "regulator_signature"])
@pytest.mark.database
def test_a_certificate_needs_both_signatures(world: World, damaged: str) -> None:
    study = world.closed()
    forged: dict[str, Any] = {damaged: "00" * 64}
    job = world.judged(study, **forged)
    assert job.state == "FAILED"
    assert job.failure_code.endswith("SIGNATURE_INVALID")
    assert not Certificate.objects.exists()
    assert not CertificationResult.objects.exists()


def test_a_certificate_for_other_records_is_refused(world: World) -> None:
    study = world.closed()
    other: dict[str, Any] = world.parties.certificate(
        read_configuration(study.configuration.text),
        model_id=some_id(f"Model A {study.id}"),
        record_set="ee" * 32,
        n_records=study.n_records,
        verdicts=list(PASSING),
    )
    job = world.judged(study, **other)
    assert (job.state, job.failure_code) == ("FAILED", "CERTIFICATE_INVALID")


def _deployment(world: World, study: Study, model_id: str) -> dict[str, str]:
    text = deployment_text(
        bytes.fromhex(study.id), bytes.fromhex(model_id), datetime(2026, 2, 1, tzinfo=UTC)
    )
    return {"text": text, **world.parties.modeler.approves("deployment", text)}


@pytest.mark.parametrize(
    ("verdicts", "may"),
    [(PASSING, True), (ONLY_DIFFERENCE, False), (("UNDETERMINED",) * 5, False)],
    ids=["passed", "failed", "undetermined"],
)
def test_a_model_that_was_judged_is_put_into_use_only_if_it_passed(
    world: World, verdicts: tuple[str, ...], may: bool
) -> None:
    study = world.closed()
    job = world.judged(study, "Model A", verdicts)
    page = world.clients["mo"].get(f"/modeler/studies/{study.id}/")
    (shown,) = page.context["models"]
    assert shown.can_deploy is may
    path = f"/models/{job.subject_id}/deployment"
    answer = world.post("mo", path, _deployment(world, study, job.subject_id))
    assert len(world.broker.of_kind("deploy_model")) == may
    if may:
        assert answer.status_code == 202
    else:
        assert (answer.status_code, answer.json()["code"]) == (409, "MODEL_FAILED")


@pytest.mark.database
def test_deployment_is_signed_and_names_the_model(world: World) -> None:
    study = world.closed()
    model_id = world.held_model(study)
    sent = _deployment(world, study, model_id)
    assert world.post("mo", f"/models/{model_id}/deployment", sent).status_code == 202
    (task,) = world.broker.of_kind("deploy_model")
    assert task.payload["approval"]["role"] == "modeler"
    world.parties.modeler.says("model_deployed", study_id=study.id, model_id=model_id)
    assert world.get("mo", f"/models/{model_id}").json()["deployed"] is True

    second = world.held_model(study, "Model B")
    wrong = world.post("mo", f"/models/{second}/deployment", sent)
    assert wrong.json()["code"] == "DEPLOYMENT_FOR_ANOTHER_MODEL"
    world.parties.modeler.says("model_deployed", study_id=study.id, model_id=second)
    assert world.get("mo", f"/models/{model_id}").json()["deployed"] is False


def test_the_public_page_names_policy_and_security_per_criterion(world: World) -> None:
    page = Client().get(f"/certificates/{world.certified().id}/").content.decode()
    for shown in ("tested p_rule", "tested acceptance_rate_difference", "80\u00a0%"):
        assert shown in page


def test_the_api_states_criterion_threshold_and_verdict(world: World) -> None:
    study = world.closed()
    job = world.judged(study)
    shown = world.get("mo", f"/models/{job.subject_id}").json()["verdict"]["thresholds"]
    assert shown[0] == {"criterion": "p_rule", "threshold": "70", "verdict": "PASS"}
    assert [tuple(row.values()) for row in shown[-2:]] == [
        ("acceptance_rate_difference", "5", "FAIL"),
        ("acceptance_rate_difference", "10", "PASS"),
    ]


@pytest.mark.slow
@pytest.mark.parametrize("reason", NoVerdict)
def test_every_reason_has_a_sentence(world: World, reason: NoVerdict) -> None:
    study = world.closed()
    world.judged(study, verdicts=("UNDETERMINED",) * 5, reason=reason)
    sentence = sentence_of(reason)
    assert sentence not in ("", reason)
    page = world.study_page("mo", study)
    assert escape(sentence) in page


def test_the_downloaded_file_passes_the_offline_check(world: World) -> None:
    certificate = world.certified()
    answer = Client().get(f"/certificates/{certificate.id}/download")
    assert "attachment" in answer["Content-Disposition"]
    keys = {party.role: party.signing_key.public_bytes for party in world.parties}
    configuration = read_configuration(certificate.study.configuration.text)
    checked = check_certificate_file(
        answer.content, keys, at=certificate.valid_from, configuration=configuration
    )
    assert checked.certificate_id.hex() == certificate.id
    assert set(keys) == set(Role)


def test_a_certificate_that_no_longer_verifies_is_not_shown(world: World) -> None:
    certificate = world.certified()
    Certificate.objects.update(text=certificate.text.replace('"n_records":3', '"n_records":4'))
    assert Client().get(f"/certificates/{certificate.id}/").status_code == 404


def test_a_new_party_key_does_not_unmake_old_certificates(world: World, settings: Any) -> None:
    certificate = world.certified()
    make_pair(settings.PUBLIC_DIR)
    assert Client().get(f"/certificates/{certificate.id}/").status_code == 200


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("", 1),
        ("?q=credit", 1),
        ("?q=Meridian", 1),
        ("?q=nothing+like+it", 0),
        ("?q=%00", 1),
        ("?status=VALID", 1),
        ("?status=EXPIRED", 0),
        ("?status=%27", 1),
    ],
)
def test_the_register_can_be_searched(world: World, query: str, found: int) -> None:
    world.certified()
    answer = Client().get(f"/certificates/{query}")
    assert answer.status_code == 200
    assert answer.context["n_found"] == found


THRESHOLDS = ("50", "60", "70", "80", "90")


def told_of_groups(world: World, left_out: str, **policy: str) -> tuple[str, Study]:
    """Return Mo's page of a study whose policy discloses the table, and the study."""
    study = world.closed(
        policy=named_groups(
            criterion("p_rule", *THRESHOLDS, certify_at="80"),
            groups=[["age"]],
            disclosure="table",
            **policy,
        ),
        question_bits_limit=10_000,
    )
    names = engine_client.read_configuration(study.configuration.text).groups
    groups = [
        {"group": [list(pair) for pair in name], "left_out": word, "counts": counts}
        for name, word, counts in zip(names, ["no", left_out], [[7531, 4242], [0, 0]], strict=True)
    ]
    bounded = policy.get("missing_answers") == "bounds_shown"
    bounds = {"worst_case": "FAIL", "best_case": "PASS"} if bounded else {}
    rows = [
        {"criterion": "p_rule", "threshold": threshold, "verdict": "FAIL", **bounds}
        for threshold in THRESHOLDS
    ]
    world.judged(study, verdicts=("FAIL",) * 5, thresholds=rows, groups=groups)
    return world.study_page("mo", study), study


def test_a_table_names_the_groups_that_a_policy_leaves_out(world: World) -> None:
    page, study = told_of_groups(world, "yes", small_groups="excluded_and_named")
    assert "7531" in page
    assert "no: too small" in page
    assert "at best" not in page
    configuration = engine_client.read_configuration(study.configuration.text)
    for sentence in engine_policies.policy_sentences(configuration, str):
        assert escape(sentence) in page


def test_bounds_of_missing_answers_are_shown_where_the_policy_wants_them(world: World) -> None:
    page, _study = told_of_groups(world, "no", missing_answers="bounds_shown")
    assert "at worst: Does not pass" in page
    assert "at best: Passes" in page


@pytest.mark.slow
def test_nothing_is_told_of_groups_where_the_policy_does_not_disclose_it(world: World) -> None:
    plain = world.closed(title="Another study")
    world.judged(plain, "Model B", verdicts=("FAIL",) * 5)
    page = world.study_page("mo", plain)
    assert "groups-told" not in page
