"""Task payloads of both directions: damaged orders to a party, damaged messages to the web."""

from __future__ import annotations

import base64
import json
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mpc_engine.control.post.declarations import Content
from mpc_engine.control.post.exchanges.job_results import METRICS
from mpc_engine.control.post.line_report import Point
from mpc_engine.control.post.messages import (
    Message,
    message_body,
    read_content,
    read_message,
    sign_message,
)
from mpc_engine.control.post.orders import read_order
from mpc_engine.control.post.run_stages import StageCost
from mpc_engine.control.post.table import MESSAGES, ORDERS
from mpc_engine.errors import DecodeError, InvalidSignatureError, UsageError
from mpc_engine.roles import Role
from tests.builders.sealing_keys import sealing_key
from tests.engine.hostile.mutations import (
    damaged,
    damaged_json,
    fuzzing,
    json_text,
    json_values,
    read_or_refuse,
)
from tests.engine.hostile.specimens import (
    APPROVAL,
    CERTIFICATE,
    ID,
    JOBS,
    KEYS,
    QUESTION,
    REVOCATION,
    REVOCATION_LIST,
    STUDY,
    M,
    R,
)

_HEX, _HEX32, _HEX64 = ID.hex(), "cd" * 32, "ef" * 64
_B64 = base64.b64encode(b"sealed").decode()
_PAPER = APPROVAL.to_json()
_ORDERS: dict[str, dict[str, Any]] = {
    "make_study_key": {"study_id": _HEX},
    "accept_configuration": {
        "study_id": _HEX,
        "attempt_id": _HEX,
        "text": STUDY.text,
        "approvals": [_PAPER],
    },
    "invitations": {"study_id": _HEX, "text": "{}", "approval": _PAPER},
    "submission": {
        "study_id": _HEX,
        "record_id": _HEX,
        "submission_id": _HEX,
        "sequence": 3,
        "envelope": _B64,
        "other_envelope_digest": _HEX32,
        "owner_key": "04" + "11" * 64,
        "signature": base64.b64encode(bytes(64)).decode(),
    },
    "model": {"study_id": _HEX, "model_id": _HEX, "envelope": _B64},
    "take_over_model": {"study_id": _HEX, "model_id": _HEX, "text": "{}", "approval": _PAPER},
    "deploy_model": {"study_id": _HEX, "text": "{}", "approval": _PAPER},
    "sign_revocation": {
        "study_id": _HEX,
        "certificate_id": _HEX,
        "text": REVOCATION,
        "approval": _PAPER,
    },
    "take_revocation": {
        "study_id": _HEX,
        "certificate_id": _HEX,
        "text": REVOCATION,
        "statement_signature": _HEX64,
    },
    "list_revocations": {},
    "data": {"study_id": _HEX, "upload_id": _HEX, "envelope": _B64},
    "challenge": {
        "study_id": _HEX,
        "challenge_id": _HEX,
        "certificate_id": _HEX,
        "envelope": _B64,
    },
    "run_job": {
        "spec": JOBS[0],
        "attempt": 1,
        "approvals": [_PAPER],
        "receipts": [{"body": "{}", "signature": _HEX64}],
    },
    "cancel_job": {"job_id": _HEX, "by": "regulator"},
    "report_status": {},
    "resynchronise": {},
    "check_line": {"check_id": _HEX, "asked_at": "2026-01-31T12:00:00Z"},
}
_HERE = {"protocol": "1", "code": _HEX32}
_REFUSAL = {"code": "SOME_CODE", "sentence": "A sentence."}
_SUBMISSION = {"study_id": _HEX, "record_id": _HEX, "submission_id": _HEX, "sequence": 3}
_STAGES = [StageCost(stage, 5, 100, 200).to_json() for stage in ("set-up", "a later one")]
_METRICS = {**dict.fromkeys(METRICS, 7), "stages": _STAGES}
_RESULT = {"job_id": _HEX, "attempt": 0, "metrics": _METRICS}
_THRESHOLDS = [{"criterion": "p_rule", "threshold": "80", "verdict": "PASS"}]
_COHORT = {"record_set": _HEX32, "n_records": 1, "n_invalid": 0, "n_disagreed": 0}
_HELD = {
    "study_id": _HEX,
    "certificate_id": _HEX,
    "text": CERTIFICATE,
    "modeler_signature": _HEX64,
    "regulator_signature": _HEX64,
}
_MESSAGES: dict[str, list[dict[str, Any]]] = {
    "study_key": [{"study_id": _HEX, "number": 1, "hpke_key": sealing_key().hex(), "key_id": _HEX}],
    "study_key_refused": [{"study_id": _HEX, **_REFUSAL}],
    "configuration_accepted": [{"study_id": _HEX, "attempt_id": _HEX, "configuration": _HEX32}],
    "configuration_refused": [{"study_id": _HEX, "attempt_id": _HEX, **_REFUSAL}],
    "invitations_accepted": [{"study_id": _HEX, "count": 2}],
    "invitations_refused": [{"study_id": _HEX, **_REFUSAL}],
    "receipt": [{**_SUBMISSION, "common_digest": _HEX32}],
    "submission_refused": [{**_SUBMISSION, **_REFUSAL}],
    "model_accepted": [{"study_id": _HEX, "model_id": _HEX}],
    "model_refused": [{"study_id": _HEX, "model_id": _HEX, **_REFUSAL}],
    "model_trained": [
        {
            "study_id": _HEX,
            "job_id": _HEX,
            "model_id": _HEX,
            "right_per_mille": 753,
            "n_rows": 1000,
        }
    ],
    "model_sealed": [
        {
            "study_id": _HEX,
            "job_id": _HEX,
            "model_id": _HEX,
            "recipient": sealing_key().hex(),
            "digest": _HEX32,
            "envelope": _B64,
        }
    ],
    "model_deployed": [{"study_id": _HEX, "model_id": _HEX}],
    "deployment_refused": [{"study_id": _HEX, **_REFUSAL}],
    "revocation_signed": [
        {
            "study_id": _HEX,
            "certificate_id": _HEX,
            "revocation": _HEX32,
            "statement_signature": _HEX64,
        }
    ],
    "certificate_revoked": [{"study_id": _HEX, "certificate_id": _HEX, "revocation": _HEX32}],
    "revocation_refused": [{"study_id": _HEX, "certificate_id": _HEX, **_REFUSAL}],
    "revocation_list": [{"text": REVOCATION_LIST, "list_signature": _HEX64}],
    "data_accepted": [{"study_id": _HEX, "upload_id": _HEX, "rows": 1}],
    "data_refused": [{"study_id": _HEX, "upload_id": _HEX, **_REFUSAL}],
    "challenge_accepted": [{"challenge_id": _HEX, "certificate_id": _HEX, "source": "typed"}],
    "challenge_refused": [{"challenge_id": _HEX, **_REFUSAL}],
    "job_progress": [{"job_id": _HEX, "attempt": 0, "stage": "sums", "done": 1, "total": 2}],
    "job_result": [
        {
            **_RESULT,
            "job_kind": "closing",
            "outcome": _COHORT,
        },
        {
            **_RESULT,
            "job_kind": "certification",
            "outcome": {
                "verdict": "PASS",
                "reason": "",
                "model_id": _HEX,
                "thresholds": _THRESHOLDS,
                "certificate": CERTIFICATE,
                "modeler_signature": _HEX64,
                "regulator_signature": _HEX64,
            },
        },
        {
            **_RESULT,
            "job_kind": "verification",
            "outcome": {
                "certificate_id": _HEX,
                "challenges": [{"challenge_id": _HEX, "outcome": "CONFIRMED"}],
            },
        },
    ],
    "job_failed": [{"job_id": _HEX, "attempt": 0, **_REFUSAL}],
    "question": [
        {
            "study_id": _HEX,
            "entry": QUESTION.text,
            "asked_at": "2026-01-31T12:00:00Z",
            "outcome": "ABORTED",
            "spent_millibits": 4000,
            "limit_millibits": 64_000,
        }
    ],
    "job_cancelled": [{"job_id": _HEX, "by": "modeler"}],
    "cancel_refused": [{"job_id": _HEX, **_REFUSAL}],
    "order_refused": [{"order": "model", **_REFUSAL}],
    "study_held": [
        {"study_id": _HEX, "configuration": "{}", "closing": "ENDED", "cohort": {}},
        {"study_id": _HEX, "configuration": "{}", "closing": "CLOSED", "cohort": _COHORT},
    ],
    "certificate_held": [
        {**_HELD, "revocation": {}},
        {**_HELD, "revocation": {"text": "{}", "statement_signature": _HEX64}},
    ],
    "resynchronised": [{"studies": 1, "certificates": 0}],
    "line_checked": [
        {
            "check_id": _HEX,
            "asked_at": "2026-01-31T12:00:00Z",
            "report": {
                "found": dict.fromkeys((point.value for point in Point), "ok"),
                "reason": "",
                "own": _HERE,
                "peer": _HERE,
                "peer_clock": "behind",
                "clock_ms": 12,
                "self_test_at": "2026-01-31T12:00:00Z",
            },
        },
        {
            "check_id": _HEX,
            "asked_at": "2026-01-31T12:00:00Z",
            "report": {
                "found": dict.fromkeys((point.value for point in Point), "unknown"),
                "reason": "PEER_TIMEOUT",
                "own": _HERE,
                "peer_clock": "ahead",
                "clock_ms": 0,
            },
        },
    ],
    "status": [{"status": {"n": 1}}],
}
_SENT_AT = datetime(2026, 1, 31, 12, 0, 0, tzinfo=UTC)
_BODIES = [
    message_body(Role.MODELER, read_content(kind, values), message_id=ID, sent_at=_SENT_AT)
    for kind, examples in _MESSAGES.items()
    for values in examples
]


@pytest.mark.parametrize("kind", ORDERS)
def test_every_kind_of_order_has_a_specimen_that_is_written_as_it_was_read(kind: str) -> None:
    assert kind in _ORDERS, f"write a specimen of {ORDERS[kind].__name__} into _ORDERS"
    _check_order(kind, _ORDERS[kind])


@pytest.mark.parametrize("kind", MESSAGES)
def test_every_kind_of_message_has_specimens_that_are_written_as_they_were_read(kind: str) -> None:
    assert _MESSAGES.get(kind), f"write specimens of {MESSAGES[kind].__name__} into _MESSAGES"
    for values in _MESSAGES[kind]:
        assert read_content(kind, values).write() == values


def _check_order(kind: str, payload: Any) -> None:
    order = read_or_refuse(lambda: read_order(kind, payload), UsageError)
    if order is not None:
        assert type(order) is ORDERS[kind]
        assert order.write() == payload


@pytest.mark.slow
@pytest.mark.parametrize("kind", ORDERS)
def test_a_damaged_order_reads_as_itself_or_is_refused(kind: str) -> None:
    replayed = st.sampled_from(list(_ORDERS.values()))

    @fuzzing(60)
    @given(damaged_json(_ORDERS[kind]) | json_values() | replayed)
    def check(payload: Any) -> None:
        _check_order(kind, payload)

    check()


@fuzzing(60)
@given(json_values(), st.sampled_from(list(_ORDERS.values())) | json_values())
def test_an_order_of_no_known_kind_is_refused(kind: Any, payload: Any) -> None:
    assert read_or_refuse(lambda: read_order(kind, payload), UsageError) is None


def _read(body: str, signature: bytes) -> Message[Content] | None:
    return read_or_refuse(
        lambda: read_message(body, signature, KEYS), UsageError, DecodeError, InvalidSignatureError
    )


@fuzzing(150)
@given(data=st.data())
def test_no_damaged_message_is_believed(data: st.DataObject) -> None:
    body = data.draw(st.sampled_from(_BODIES))
    signature = sign_message(body, M)
    assert _read(body, signature) is not None
    others = [other.encode() for other in _BODIES]
    arrived = data.draw(damaged(body.encode(), others)).decode("utf-8", "surrogateescape")
    message = _read(arrived, signature)
    assert (message is not None) == (arrived == body)
    stamp = data.draw(damaged(signature, [sign_message(body, R)]))
    assert (_read(body, stamp) is not None) == (stamp == signature)


@pytest.mark.slow
@fuzzing(250)
@given(st.sampled_from(_BODIES).flatmap(lambda body: damaged_json(json.loads(body))))
def test_nonsense_a_party_signed_reads_as_itself_or_is_refused(value: Any) -> None:
    body = json_text(value)
    raw = body.encode("utf-8", "surrogatepass")
    message = _read(body, M.sign(b"blindjustice/v1/message\0" + raw))
    if message is not None:
        again = message_body(
            message.role,
            message.content,
            message_id=bytes.fromhex(message.message_id),
            sent_at=message.sent_at,
        )
        assert again == body
