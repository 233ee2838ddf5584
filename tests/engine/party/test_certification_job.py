from __future__ import annotations

import json
from typing import Any

import pytest

from mpc_engine.control.files.certificate import certificate_file, check_certificate_file
from mpc_engine.control.studies.study_texts import DataRow, approved_body_text, data_text
from mpc_engine.control.texts.approvals import sign_approval
from mpc_engine.party.jobs import certification as certification_module
from mpc_engine.party.jobs.certification import CertificationWork
from mpc_engine.party.services.certificates import certificate_nonce, get_certificate
from mpc_engine.protocols.model_encoding import model_signature
from mpc_engine.roles import Role
from mpc_engine.sharing.sealed import Purpose
from tests.engine.party import plain_protocols
from tests.engine.party.stories import (
    MODEL_ID,
    certified_study,
    certify,
    closed_study,
    hand_in,
    with_protocols,
)
from tests.engine.party.world import M, R, World, record


def test_a_pass_ends_in_a_certificate_both_signed(world: World) -> None:
    study, record_set = closed_study(world)
    hand_in(world, study, MODEL_ID, "0", "0.001", intercept="-1")
    reports = certify(world, study, record_set)
    assert reports[M].object("outcome") == reports[R].object("outcome")
    outcome: Any = reports[R].object("outcome")
    assert (outcome["verdict"], outcome["reason"]) == ("PASS", "")
    assert [tuple(row.values()) for row in outcome["thresholds"]] == [
        *(("p_rule", threshold, "PASS") for threshold in ("70", "80", "90")),
        *(("acceptance_rate_difference", threshold, "PASS") for threshold in ("5", "10")),
    ]
    file = certificate_file(
        outcome["certificate"],
        bytes.fromhex(outcome["modeler_signature"]),
        bytes.fromhex(outcome["regulator_signature"]),
    )
    certificate = check_certificate_file(
        file.encode(), world.signing_keys, at=world.now, configuration=study
    )
    assert (certificate.record_set, certificate.n_records) == (record_set, 3)
    assert [row.criterion for row in certificate.security_models] == [
        "p_rule",
        "acceptance_rate_difference",
    ]
    assert all("modeler" in row.model for row in certificate.security_models)
    metrics: Any = reports[R].object("metrics")
    assert metrics["and_gates"] == 11
    assert metrics["stages"][0]["stage"] == "set-up"
    for total in ("bytes_sent", "bytes_received"):
        assert sum(stage[total] for stage in metrics["stages"]) == metrics[total] > 0
    party = world.parties[M]
    with party.database.reading() as connection:
        known = get_certificate(connection, study.study_id, certificate.certificate_id)
        nonce = certificate_nonce(party, connection, known)
    theta = [-(2**16), 0, 2**16]
    assert model_signature(study.digest, nonce, theta) == certificate.model_signature


@pytest.mark.parametrize(
    ("coefficient", "verdict", "reason"),
    [("0.5", "FAIL", ""), (str(1 / (12 * 2**16)), "UNDETERMINED", "GROUP_UNDER_FLOOR")],
)
def test_no_certificate_without_a_pass(
    world: World, coefficient: str, verdict: str, reason: str
) -> None:
    study, record_set = closed_study(world)
    hand_in(world, study, MODEL_ID, coefficient, "0")
    reports = certify(world, study, record_set)
    for report in reports.values():
        outcome: Any = report.object("outcome")
        assert (outcome["verdict"], outcome["reason"]) == (verdict, reason)
        assert {row["verdict"] for row in outcome["thresholds"]} == {verdict}
        assert "certificate" not in outcome
    assert world.n_rows(R, "certificates") == 0


@pytest.mark.slow
@pytest.mark.parametrize(
    "tampered",
    [
        {"n_records": 4},
        {"model_signature": "00" * 32},
        {"record_set": "00" * 32},
        {"security_models": [{"criterion": "p_rule", "model": "none"}]},
        {
            "security_models": [
                {"criterion": c, "model": "none"} for c in ("p_rule", "acceptance_rate_difference")
            ]
        },
        {"valid_until": "2036-01-31T12:00:00Z"},
        {"valid_from": "2026-01-30T12:00:00Z"},
        {"thresholds": [{"criterion": "p_rule", "threshold": "80", "verdict": "PASS"}] * 5},
        {"extra": "x"},
    ],
)
def test_the_modeler_signs_nothing_that_is_not_so(
    world: World, monkeypatch: pytest.MonkeyPatch, tampered: dict[str, Any]
) -> None:
    study, record_set = closed_study(world)
    hand_in(world, study, MODEL_ID, "0", "0")
    draft = CertificationWork._draft

    def lie(self: CertificationWork, *arguments: Any) -> str:
        value = {**json.loads(draft(self, *arguments)), **tampered}
        return json.dumps(value, sort_keys=True, separators=(",", ":"))

    monkeypatch.setattr(CertificationWork, "_draft", lie)
    reports = certify(world, study, record_set)
    assert reports[M].kind == reports[R].kind == "job_failed"
    assert reports[R].text("code") == "CERTIFICATE_REFUSED"
    assert world.n_rows(M, "certificates") == 0


def test_the_modeler_keeps_the_certificate_before_its_signature_leaves(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    study, record_set = closed_study(world)
    hand_in(world, study, MODEL_ID, "0", "0")
    offer = certification_module.offer_certificate

    def die_after_the_answer(*arguments: Any) -> Any:
        offer(*arguments)
        raise OSError("power cut")

    monkeypatch.setattr(certification_module, "offer_certificate", die_after_the_answer)
    reports = certify(world, study, record_set)
    assert reports[M].kind == reports[R].kind == "job_failed"
    with world.parties[M].database.reading() as connection:
        row = connection.execute("SELECT sealed_nonce FROM certificates").fetchone()
    assert row["sealed_nonce"]


def test_a_certification_needs_a_closed_study_its_cohort_and_the_model(world: World) -> None:
    study = world.open_study()
    reports = certify(world, study, b"r" * 32)
    assert reports[M].text("code") == reports[R].text("code") == "STUDY_NOT_CLOSED"


def test_a_certification_needs_the_data_at_the_regulator(world: World) -> None:
    study, record_set = closed_study(world, data_holder="modeler")
    hand_in(world, study, MODEL_ID, "0", "0")
    reports = certify(world, study, record_set)
    assert {report.text("code") for report in reports.values()} == {
        "CERTIFICATION_NEEDS_REGULATOR_DATA"
    }


def test_another_cohort_or_an_unknown_model_is_refused(world: World) -> None:
    study, record_set = closed_study(world)
    reports = certify(world, study, b"r" * 32)
    assert reports[M].text("code") == reports[R].text("code") == "RECORD_SET_DIFFERENT"
    reports = certify(world, study, record_set, job_id=b"2" * 16)
    assert reports[M].text("code") == "MODEL_UNKNOWN"
    assert reports[R].text("code") == "PEER_REFUSED"


def test_a_done_job_is_answered_again_from_the_record(world: World) -> None:
    study, record_set = closed_study(world)
    hand_in(world, study, MODEL_ID, "0", "0")
    first = certify(world, study, record_set)
    again = certify(world, study, record_set, attempt=1)
    for role in Role:
        assert again[role].object("outcome") == first[role].object("outcome")


def test_attempts_at_one_job_are_limited(world: World) -> None:
    study, record_set = closed_study(world)
    for attempt in range(world.parties[M].config.max_attempts):
        certify(world, study, record_set, attempt=attempt)
    reports = certify(world, study, record_set, attempt=99)
    assert {report.text("code") for report in reports.values()} == {"ATTEMPT_LIMIT"}


def _upload(world: World, study: Any, *numbers: int) -> None:
    upload_id = b"u" * 16
    rows = [DataRow(record(number), (number, 2 * number), 2) for number in numbers]
    body = data_text(study.study_id, study.digest, rows)
    text = approved_body_text(body, sign_approval("data", body, R, world.approvers[R]))
    order = {
        "study_id": study.study_id.hex(),
        "upload_id": upload_id.hex(),
        "envelope": world.sealed(study, R, Purpose.DATA, upload_id, text),
    }
    assert world.order(R, "data", order).kind == "data_accepted"


def test_data_that_come_by_file_are_joined_by_record(world: World) -> None:
    study, record_set = closed_study(world, data_source="file")
    _upload(world, study, 2, 0, 1)
    hand_in(world, study, MODEL_ID, "0", "0")
    seen: list[Any] = []

    def look(ctx: Any, spec: Any, records: Any) -> Any:
        everybody = records.read(slice(0, len(records)))
        seen.append(dict(zip(everybody.record_ids, everybody.features.tolist(), strict=True)))
        return plain_protocols.certify_as_regulator(ctx, spec, records)

    reports = certify(world, study, record_set, with_protocols(certify_as_regulator=look))
    assert reports[R].kind == "job_result"
    assert seen == [{record(number): [number, 2 * number] for number in range(3)}]


def test_a_record_without_its_row_fails_the_job(world: World) -> None:
    study, record_set = closed_study(world, data_source="file")
    _upload(world, study, 0, 1)
    hand_in(world, study, MODEL_ID, "0", "0")
    assert certify(world, study, record_set)[R].text("code") == "RECORDS_WITHOUT_DATA"


def test_models_can_be_handed_in_after_closing_under_the_new_key(world: World) -> None:
    study, _ = certified_study(world)
    assert world.messages(M, "study_key")[-1].text("key_id") != study.modeler.key_id.hex()


def test_one_model_certified_twice_has_two_nonces(world: World) -> None:
    study, record_set = closed_study(world)
    signatures = set()
    for number in (1, 2):
        hand_in(world, study, bytes([number]) * 16, "0", "0.001", intercept="-1")
        name = bytes([number]) * 16
        reports = certify(world, study, record_set, job_id=name, model_id=name)
        outcome = reports[R].object("outcome")
        signatures.add(json.loads(str(outcome["certificate"]))["model_signature"])
    assert len(signatures) == 2
