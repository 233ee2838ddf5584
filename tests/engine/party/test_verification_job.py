from __future__ import annotations

import json
from typing import Any

import pytest

from mpc_engine.control.studies.configuration import Configuration
from mpc_engine.control.studies.study_texts import deployment_text
from mpc_engine.control.texts.canonical import JsonObject
from mpc_engine.errors import RefusedError
from mpc_engine.party.services.decisions import DecisionCase, decide_cases
from mpc_engine.protocols.session import JobContext
from tests.engine.party.stories import (
    HONEST_X,
    certified_study,
    challenge,
    hand_in,
    outcomes,
    verify,
    with_protocols,
)
from tests.engine.party.world import M, R, World

FIRST, SECOND, THIRD = b"1" * 16, b"2" * 16, b"3" * 16


def _record(world: World, study: Configuration, certificate: bytes, case: str = "A") -> JsonObject:
    cases = [DecisionCase(case, HONEST_X)]
    (record,) = decide_cases(world.parties[M], study.study_id, certificate, cases)
    return record.to_json()


def _deploy(world: World, study: Configuration, *coefficients: str, intercept: str) -> None:
    hand_in(world, study, b"x" * 16, *coefficients, intercept=intercept)
    text = deployment_text(study.study_id, b"x" * 16, world.now)
    (approval,) = world.approvals("deployment", text, [M])
    order = {"study_id": study.study_id.hex(), "text": text, "approval": approval}
    assert world.order(M, "deploy_model", order).kind == "model_deployed"


def test_an_honest_decision_is_confirmed_and_an_altered_one_is_not(world: World) -> None:
    study, certificate = certified_study(world)
    record = _record(world, study, certificate)
    signed_decision = json.loads(str(record["body"]))["decision"]
    accepted = challenge(world, study, certificate, FIRST, decision=signed_decision, record=record)
    assert accepted.text("source") == "record"
    typed = challenge(world, study, certificate, SECOND, decision=1 - signed_decision)
    assert typed.text("source") == "typed"
    reports = verify(world, study, certificate, [FIRST, SECOND])
    assert outcomes(reports[R]) == ["CONFIRMED", "DIFFERENT_DECISION"]
    assert reports[M].object("outcome")["batch_size"] == 2


def test_a_swapped_model_is_noticed(world: World) -> None:
    study, certificate = certified_study(world)
    _deploy(world, study, "0", "0.001", intercept="-1.5")
    challenge(world, study, certificate, FIRST, record=_record(world, study, certificate))
    reports = verify(world, study, certificate, [FIRST])
    assert outcomes(reports[R]) == ["DIFFERENT_MODEL"]


def test_a_modeler_that_does_not_come_fails_the_attempt_and_may_answer_later(world: World) -> None:
    study, certificate = certified_study(world)
    challenge(world, study, certificate, FIRST)
    reports = verify(world, study, certificate, [FIRST], roles=[R], time_limit_s=1)
    assert (reports[R].kind, reports[R].text("code")) == ("job_failed", "PEER_TIMEOUT")
    again = verify(world, study, certificate, [FIRST], job_id=b"2" * 16)
    assert outcomes(again[R]) == ["CONFIRMED"]


def test_a_forged_label_makes_the_whole_batch_not_answered(world: World) -> None:
    study, certificate = certified_study(world)
    for challenge_id in (FIRST, SECOND):
        challenge(world, study, certificate, challenge_id)

    def forged(ctx: JobContext, *_: Any) -> Any:
        ctx.end_terms.store.keep(b"the regulator's end")
        raise RefusedError("forged")

    table = with_protocols(verify_as_regulator=forged)
    reports = verify(world, study, certificate, [FIRST, SECOND], table)
    assert outcomes(reports[R]) == ["NOT_ANSWERED", "NOT_ANSWERED"]


def test_the_modeler_stops_at_its_records_and_the_typed_limit(world: World) -> None:
    study, certificate = certified_study(world)
    _record(world, study, certificate)
    for number in range(2):
        challenge(world, study, certificate, bytes([number]) * 16)
    for job in range(3):
        reports = verify(world, study, certificate, [bytes(16)], job_id=bytes([job]) * 16)
        assert reports[M].kind == "job_result"
        with world.parties[R].database.transaction() as connection:
            connection.execute("UPDATE challenges SET outcome = NULL")
    reports = verify(world, study, certificate, [bytes(16)], job_id=b"9" * 16)
    assert reports[M].text("code") == "CHALLENGE_LIMIT"
    assert (reports[R].kind, reports[R].text("code")) == ("job_failed", "PEER_REFUSED")


def test_an_answered_or_unknown_challenge_is_not_asked_again(world: World) -> None:
    study, certificate = certified_study(world)
    challenge(world, study, certificate, FIRST)
    verify(world, study, certificate, [FIRST])
    for job_id, asked, code in (
        (b"2" * 16, FIRST, "CHALLENGE_ANSWERED"),
        (b"3" * 16, THIRD, "CHALLENGE_UNKNOWN"),
    ):
        reports = verify(world, study, certificate, [asked], job_id=job_id)
        assert reports[R].text("code") == code
        assert reports[M].text("code") == "PEER_REFUSED"
    with world.parties[M].database.reading() as connection:
        assert connection.execute("SELECT SUM(n) FROM answered_batches").fetchone()[0] == 1


def test_a_certificate_nobody_issued_is_refused(world: World) -> None:
    study, certificate = certified_study(world)
    challenge(world, study, certificate, FIRST)
    reports = verify(world, study, b"?" * 16, [FIRST])
    assert {report.text("code") for report in reports.values()} == {"CERTIFICATE_UNKNOWN"}
    refused = challenge(world, study, b"?" * 16, SECOND)
    assert (refused.kind, refused.text("code")) == ("challenge_refused", "CERTIFICATE_UNKNOWN")


def test_typed_challenges_are_limited_and_records_are_challenged_once(world: World) -> None:
    study, certificate = certified_study(world)
    for number in range(2):
        assert (
            challenge(world, study, certificate, bytes([number]) * 16).kind == "challenge_accepted"
        )
    refused = challenge(world, study, certificate, b"9" * 16)
    assert refused.text("code") == "TYPED_CHALLENGE_LIMIT"
    record = _record(world, study, certificate)
    assert challenge(world, study, certificate, FIRST, record=record).kind == "challenge_accepted"
    again = challenge(world, study, certificate, SECOND, record=record)
    assert again.text("code") == "DECISION_ALREADY_CHALLENGED"


def test_another_challenge_under_a_taken_number_is_refused(world: World) -> None:
    study, certificate = certified_study(world)
    challenge(world, study, certificate, FIRST)
    assert challenge(world, study, certificate, FIRST).text("code") == "CHALLENGE_ID_TAKEN"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"decision": 0}, "DECISION_RECORD_OTHER_CASE"),
        ({"x": (256, 513)}, "DECISION_RECORD_OTHER_CASE"),
        ({"x": (256,)}, "CHALLENGE_VALUE_OUT_OF_RANGE"),
        ({"x": (256, 99_999)}, "CHALLENGE_VALUE_OUT_OF_RANGE"),
        ({"sealed_as": SECOND}, "CHALLENGE_INVALID"),
        ({"decision": 2}, "CHALLENGE_INVALID"),
    ],
)
def test_a_challenge_that_contradicts_its_record_is_refused(
    world: World, change: dict[str, Any], code: str
) -> None:
    study, certificate = certified_study(world)
    record = _record(world, study, certificate)
    refused = challenge(world, study, certificate, FIRST, **{"record": record, **change})
    assert (refused.kind, refused.text("code")) == ("challenge_refused", code)
    assert refused.text("challenge_id") == FIRST.hex()


def test_a_record_signed_by_somebody_else_is_refused(world: World) -> None:
    study, certificate = certified_study(world)
    record = {**_record(world, study, certificate), "signature": "00" * 64}
    refused = challenge(world, study, certificate, FIRST, record=record)
    assert refused.text("code") == "DECISION_RECORD_SIGNATURE_INVALID"


def test_the_modelers_party_takes_no_challenges(world: World) -> None:
    order = {
        "challenge_id": FIRST.hex(),
        "certificate_id": FIRST.hex(),
        "study_id": FIRST.hex(),
        "envelope": "",
    }
    assert world.order(M, "challenge", order).text("code") == "NOT_FOR_THIS_PARTY"


def test_a_case_decided_alike_keeps_its_record_and_an_expired_certificate_decides_none(
    world: World,
) -> None:
    study, certificate = certified_study(world)
    first = _record(world, study, certificate)
    world.later(hours=1)
    assert _record(world, study, certificate) == first
    world.later(days=31)
    with pytest.raises(Exception, match="not valid now"):
        _record(world, study, certificate, "B")
