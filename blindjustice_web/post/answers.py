"""Which signed message of a party answers which order, so that an order is sent until it is."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from blindjustice_web.engine import engine_client
from blindjustice_web.engine.engine_client import Message


@dataclass(frozen=True)
class _Answered:
    """How orders of a kind and their answers name the same thing."""

    fields: tuple[str, ...]
    answers: tuple[str, ...]
    of_order: Callable[[Mapping[str, Any]], Mapping[str, Any]] = lambda payload: payload


def _job(payload: Mapping[str, Any]) -> Mapping[str, Any]:
    return {"job_id": engine_client.job_id_of(payload["spec"]), "attempt": payload["attempt"]}


_STUDY = ("study_id",)
_ORDERS = {
    "make_study_key": _Answered(_STUDY, ("study_key", "study_key_refused")),
    "accept_configuration": _Answered(
        ("study_id", "attempt_id"), ("configuration_accepted", "configuration_refused")
    ),
    "invitations": _Answered(_STUDY, ("invitations_accepted", "invitations_refused")),
    "submission": _Answered(
        ("study_id", "record_id", "submission_id", "sequence"), ("receipt", "submission_refused")
    ),
    "model": _Answered(("model_id",), ("model_accepted", "model_refused")),
    "deploy_model": _Answered(_STUDY, ("model_deployed", "deployment_refused")),
    "sign_revocation": _Answered(
        ("study_id", "certificate_id"),
        ("revocation_signed", "certificate_revoked", "revocation_refused"),
    ),
    "list_revocations": _Answered((), ("revocation_list",)),
    "data": _Answered(("upload_id",), ("data_accepted", "data_refused")),
    "challenge": _Answered(("challenge_id",), ("challenge_accepted", "challenge_refused")),
    "resynchronise": _Answered((), ("resynchronised",)),
    "check_line": _Answered((), ("line_checked",)),
    "cancel_job": _Answered(("job_id",), ("job_cancelled", "cancel_refused")),
    "run_job": _Answered(("job_id", "attempt"), ("job_result", "job_failed"), _job),
}
_ANSWERED_AS = {"take_over_model": "model", "take_revocation": "sign_revocation"}
"""Orders that are answered as another kind is."""
_ORDER_OF = {answer: kind for kind, row in _ORDERS.items() for answer in row.answers}


def subject_of_order(kind: str, payload: Mapping[str, Any]) -> str:
    """Return what the answer to an order will name; nothing for orders without an answer."""
    kind = _ANSWERED_AS.get(kind, kind)
    row = _ORDERS.get(kind)
    return "" if row is None else _subject(kind, row.fields, row.of_order(payload))


def subject_of_answer(message: Message) -> str:
    """Return what a message answers; nothing for messages that answer no order."""
    kind = _ORDER_OF.get(message.kind)
    if kind is None:
        return ""
    fields = _ORDERS[kind].fields
    return _subject(kind, fields, {name: message.values[name] for name in fields})


def subject_under_way(message: Message) -> str:
    """Return the order that a message shows to be worked on, though it does not answer it yet."""
    if message.kind != "job_progress":
        return ""
    return job_subject(message.text("job_id"), message.integer("attempt"))


def job_subject(job_id: str, attempt: int) -> str:
    """Return the subject of the orders to run an attempt."""
    return _subject("run_job", _ORDERS["run_job"].fields, {"job_id": job_id, "attempt": attempt})


def _subject(kind: str, fields: tuple[str, ...], values: Mapping[str, Any]) -> str:
    return ":".join((kind, *(str(values[name]) for name in fields)))
