from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mpc_engine.control.post.exchanges.about_models import ModelAccepted
from mpc_engine.control.post.exchanges.job_results import METRICS
from mpc_engine.control.post.messages import (
    message_body,
    read_content,
    read_message,
    sign_message,
)
from mpc_engine.control.post.run_stages import StageCost
from mpc_engine.control.post.table import MESSAGES
from mpc_engine.control.texts.canonical import JsonObject, canonical_text
from mpc_engine.crypto.signatures import Ed25519SigningKey
from mpc_engine.errors import EngineError, InvalidSignatureError, UsageError
from mpc_engine.roles import Role
from mpc_engine.testing.randomness import seeded_randomness
from mpc_engine.vocabulary.runs import Stage
from mpc_engine.vocabulary.verdicts import NoVerdict

KEY = Ed25519SigningKey.generate(seeded_randomness(1))
OTHER = Ed25519SigningKey.generate(seeded_randomness(2))
KEYS = {Role.MODELER: KEY.public_bytes}
NOW = datetime(2026, 1, 31, 12, 0, 0, tzinfo=UTC)
ID = "ab" * 16
STAGE = StageCost("set-up", 5, 100, 200).to_json()
RESULT: dict[str, Any] = {
    "job_id": ID,
    "attempt": 0,
    "job_kind": "verification",
    "outcome": {"certificate_id": ID, "challenges": [{"challenge_id": ID, "outcome": "CONFIRMED"}]},
    "metrics": dict.fromkeys(METRICS, 1),
}


def _told(n_stages: int) -> list[dict[str, Any]]:
    """Return what a party of a later version might tell, of so many stages."""
    return [{**STAGE, "stage": f"a later stage, number {number}"} for number in range(n_stages)]


def _body(kind: str, values: dict[str, Any]) -> str:
    return message_body(Role.MODELER, read_content(kind, values), message_id=b"i" * 16, sent_at=NOW)


def test_a_signed_message_reads_back() -> None:
    body = _body("model_accepted", {"study_id": ID, "model_id": ID})
    message = read_message(body, sign_message(body, KEY), KEYS)
    assert (message.kind, message.role, message.sent_at) == ("model_accepted", Role.MODELER, NOW)
    assert message.content == ModelAccepted(study_id=bytes.fromhex(ID), model_id=bytes.fromhex(ID))


@pytest.mark.parametrize(
    "kind", [kind for kind, content in MESSAGES.items() if content.is_dated_by_day]
)
def test_what_is_about_one_answer_tells_the_day_alone(kind: str) -> None:
    values: dict[str, Any] = {"study_id": ID, "record_id": ID, "submission_id": ID, "sequence": 1}
    told = {"common_digest": "ab" * 32} if kind == "receipt" else {"code": "C", "sentence": "S."}
    body = _body(kind, {**values, **told})
    assert read_message(body, sign_message(body, KEY), KEYS).sent_at == NOW.replace(hour=0)


def test_the_signature_must_be_the_stated_partys() -> None:
    body = _body("model_accepted", {"study_id": ID, "model_id": ID})
    with pytest.raises(InvalidSignatureError):
        read_message(body, sign_message(body, OTHER), KEYS)
    with pytest.raises(InvalidSignatureError):
        read_message(body, sign_message(body, KEY), {Role.REGULATOR: KEY.public_bytes})
    altered = body.replace(ID, "cd" * 16, 1)
    with pytest.raises(InvalidSignatureError):
        read_message(altered, sign_message(body, KEY), KEYS)


@pytest.mark.parametrize(
    "change",
    [
        {"attempt": -1},
        {"attempt": "0"},
        {"job_kind": "gossip"},
        {"metrics": {}},
        {"metrics": {**RESULT["metrics"], "secret": 1}},
        {"metrics": {**RESULT["metrics"], "stages": [{**STAGE, "theta": 1}]}},
        *(
            {"metrics": {**RESULT["metrics"], "stages": [{**STAGE, "stage": name}]}}
            for name in ("", "x" * 41, "set\nup", 7)
        ),
        {"metrics": {**RESULT["metrics"], "stages": [{**STAGE, "elapsed_ms": -1}]}},
        {"metrics": {**RESULT["metrics"], "stages": [{**STAGE, "bytes_sent": "5"}]}},
        {"metrics": {**RESULT["metrics"], "stages": [STAGE, STAGE]}},
        {"metrics": {**RESULT["metrics"], "stages": _told(33)}},
        {"metrics": {**RESULT["metrics"], "stages": STAGE}},
        {"outcome": {"certificate_id": ID, "challenges": []}},
        {"outcome": {"certificate_id": ID, "batch_size": 0}},
        {"outcome": {**RESULT["outcome"], "theta": [1]}},
        {"extra": 1},
    ],
)
def test_a_result_that_does_not_fit_its_schema_is_not_even_signed(change: dict[str, Any]) -> None:
    _body("job_result", RESULT)
    with pytest.raises(UsageError) as caught:
        _body("job_result", {**RESULT, **change})
    assert caught.value.code == "MESSAGE_INVALID"


def test_a_result_may_tell_what_each_stage_cost_or_not() -> None:
    every = [StageCost(name, 0, 0, 0).to_json() for name in Stage]
    for stages in ([], [STAGE], every, [STAGE, *_told(31)]):
        body = _body(
            "job_result", {**RESULT, "metrics": {**RESULT["metrics"], "stages": list(stages)}}
        )
        assert read_message(body, sign_message(body, KEY), KEYS).kind == "job_result"


def test_a_pass_without_its_certificate_is_refused() -> None:
    rows = [{"criterion": "p_rule", "threshold": "80", "verdict": "PASS"}]
    outcome = {"verdict": "PASS", "reason": "", "model_id": ID, "thresholds": rows}
    with pytest.raises(UsageError, match="certificate"):
        _body("job_result", {**RESULT, "job_kind": "certification", "outcome": outcome})


def _undecided(**changes: Any) -> dict[str, Any]:
    row = {"criterion": "p_rule", "threshold": "80", "verdict": "UNDETERMINED"}
    outcome = {"verdict": "UNDETERMINED", "reason": "TOO_FEW_DECIDED", "model_id": ID}
    told = {**outcome, "thresholds": [row], **changes}
    return {**RESULT, "job_kind": "certification", "outcome": told}


def test_reasons_are_those_of_the_computation() -> None:
    for reason in NoVerdict:
        _body("job_result", _undecided(reason=reason))


@pytest.mark.parametrize(
    "change",
    [
        {"reason": ""},
        {"reason": "MOOD"},
        {"verdict": "FAIL"},
        {"thresholds": []},
        {"thresholds": [{"threshold": "80", "verdict": "UNDETERMINED"}]},
        {"thresholds": [{"criterion": "mood", "threshold": "80", "verdict": "UNDETERMINED"}]},
    ],
)
def test_a_verdict_names_criterion_and_reason(change: dict[str, Any]) -> None:
    with pytest.raises(UsageError):
        _body("job_result", _undecided(**change))


@pytest.mark.parametrize("kind", sorted(MESSAGES))
def test_every_kind_refuses_a_body_without_its_fields(kind: str) -> None:
    with pytest.raises(UsageError):
        _body(kind, {})


@given(st.text(max_size=60), st.binary(max_size=64))
def test_garbage_raises_engine_errors_only(text: str, signature: bytes) -> None:
    with pytest.raises(EngineError):
        read_message(text, signature, KEYS)


@given(
    st.recursive(st.integers() | st.text(), lambda x: st.lists(x) | st.dictionaries(st.text(), x))
)
def test_well_formed_nonsense_raises_engine_errors_only(value: Any) -> None:
    body = json.loads(_body("job_result", RESULT))
    try:
        text = canonical_text({**body, "outcome": value})
    except EngineError:
        return
    with pytest.raises(EngineError):
        read_message(text, bytes(64), KEYS)


def test_a_training_tells_its_model_and_its_steps_and_nothing_of_theta() -> None:
    outcome = {"model_ids": [ID, "cd" * 16], "steps": 300}
    training = {**RESULT, "job_kind": "training", "outcome": outcome}
    assert _body("job_result", training)
    changes: list[JsonObject] = [
        {"theta": [1]},
        {"steps": 0},
        {"model_ids": ["ab"]},
        {"model_ids": []},
    ]
    for change in changes:
        with pytest.raises(UsageError) as caught:
            _body("job_result", {**training, "outcome": {**outcome, **change}})
        assert caught.value.code == "MESSAGE_INVALID"
