"""Signed messages from a party to the web: one body per event, one schema per kind.

A body is canonical JSON signed with the party's Ed25519 key. The web verifies, stores the exact
bytes, and believes nothing else about what the parties did.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from mpc_engine.control.files.certificate import (
    MAX_CERTIFICATE_BYTES,
    MAX_THRESHOLD_ROWS,
    read_group_reports,
    read_threshold,
)
from mpc_engine.control.files.revocation import MAX_LIST_BYTES, MAX_REVOCATION_BYTES
from mpc_engine.control.files.trained_model import MAX_SEALED_CHARACTERS
from mpc_engine.control.policies.questions import MAX_ENTRY_BYTES, parse_question
from mpc_engine.control.post.line_report import read_line_report
from mpc_engine.control.post.run_stages import MAX_STAGES, read_stage_costs
from mpc_engine.control.studies.configuration import MAX_CONFIGURATION_BYTES
from mpc_engine.control.studies.training_terms import MAX_POINTS
from mpc_engine.control.texts.canonical import JsonObject, canonical_text, parse_canonical
from mpc_engine.control.texts.fields import Fields, format_time, parse_hex
from mpc_engine.crypto.signatures import Ed25519SigningKey, verify_ed25519
from mpc_engine.errors import InvalidSignatureError, UsageError
from mpc_engine.roles import Role
from mpc_engine.vocabulary.runs import JobKind, QuestionOutcome
from mpc_engine.vocabulary.verdicts import NoVerdict, Verdict, VerificationResult

FORMAT = "bj2 message"
CODE = "MESSAGE_INVALID"
MESSAGE_LABEL = b"blindjustice/v1/message"
MAX_MESSAGE_BYTES = 1 << 20
TASK_NAME = "web.receive"

METRICS = ("elapsed_ms", "bytes_sent", "bytes_received", "rounds", "and_gates", "ots")

DATED_BY_DAY = ("receipt", "submission_refused")
"""Kinds about one person's answer: they tell the day, and not when she sat down to give it."""

_Reader = Callable[[Fields, str], object]


@dataclass(frozen=True)
class Message:
    """A verified message; ``values`` holds the fields of its kind, hex strings left as they are."""

    body: str
    signature: bytes
    role: Role
    message_id: str
    sent_at: datetime
    kind: str
    values: JsonObject

    def text(self, name: str) -> str:
        """Return a string field."""
        value = self.values[name]
        if not isinstance(value, str):
            raise UsageError(f"message.{name} is not text.", code=CODE)
        return value

    def integer(self, name: str) -> int:
        """Return an integer field."""
        value = self.values[name]
        if not isinstance(value, int):
            raise UsageError(f"message.{name} is not a number.", code=CODE)
        return value

    def object(self, name: str) -> JsonObject:
        """Return an object field."""
        value = self.values[name]
        if not isinstance(value, dict):
            raise UsageError(f"message.{name} is not an object.", code=CODE)
        return value


def message_body(
    role: Role, kind: str, values: Mapping[str, object], *, message_id: bytes, sent_at: datetime
) -> str:
    """Return the canonical body of a message after checking it against the schema of its kind.

    One of `DATED_BY_DAY` is dated at the start of its day (UTC). Raises UsageError
    (``MESSAGE_INVALID``) naming the field that is wrong.
    """
    if kind in DATED_BY_DAY:
        sent_at = sent_at.astimezone(UTC).replace(hour=0, minute=0, second=0)
    body: JsonObject = {
        "format": FORMAT,
        "role": role.value,
        "message_id": message_id.hex(),
        "sent_at": format_time(sent_at),
        "kind": kind,
        **values,  # type: ignore[dict-item]
    }
    text = canonical_text(body)
    _read_body(text)
    return text


def hex_values(**values: bytes) -> dict[str, object]:
    """Return ids, digests and keys as a message carries them, in lower-case hex."""
    return {name: value.hex() for name, value in values.items()}


def sign_message(body: str, key: Ed25519SigningKey) -> bytes:
    """Return the party's signature of a body."""
    return key.sign(_signed_bytes(body))


def read_message(body: str, signature: bytes, signing_keys: Mapping[Role, bytes]) -> Message:
    """Return a message whose signature verifies under the signing key of the role it states.

    Raises DecodeError or UsageError where the body is not a message, InvalidSignatureError where
    it is not the stated party's.
    """
    claimed = claimed_message(body)
    if claimed.role not in signing_keys:
        raise InvalidSignatureError(f"The key of the {claimed.role.value} is not known here.")
    return signed_message(claimed, signature, signing_keys[claimed.role])


def signed_message(claimed: Message, signature: bytes, key: bytes) -> Message:
    """Return a claimed message whose 64-byte signature verifies under a 32-byte Ed25519 key.

    Raises InvalidSignatureError where it does not.
    """
    verify_ed25519(key, _signed_bytes(claimed.body), signature)
    return replace(claimed, signature=signature)


def claimed_message(body: str) -> Message:
    """Return what a body says, whoever signed it: to find the key it is to be checked with.

    Raises DecodeError or UsageError where the body is not a message.
    """
    role, message_id, sent_at, kind, values = _read_body(body)
    return Message(body, b"", role, message_id, sent_at, kind, values)


def _signed_bytes(body: str) -> bytes:
    return MESSAGE_LABEL + b"\0" + body.encode("utf-8")


def _read_body(body: str) -> tuple[Role, str, datetime, str, JsonObject]:
    value = parse_canonical(body, limit=MAX_MESSAGE_BYTES)
    fields = Fields(value, "message", code=CODE)
    fields.choice("format", (FORMAT,))
    role = Role(fields.choice("role", [role.value for role in Role]))
    message_id = fields.hex("message_id", 16).hex()
    sent_at = fields.time("sent_at")
    kind = fields.choice("kind", MESSAGE_KINDS)
    names = MESSAGE_KINDS[kind]
    for name, reader in names.items():
        reader(fields, name)
    fields.end()
    if not isinstance(value, dict):
        raise UsageError("message must be an object.", code=CODE)
    return role, message_id, sent_at, kind, {name: value[name] for name in names}


def _id(fields: Fields, name: str) -> object:
    return fields.hex(name, 16)


def _digest(fields: Fields, name: str) -> object:
    return fields.hex(name, 32)


def _count(fields: Fields, name: str) -> object:
    return fields.integer(name)


def _per_mille(fields: Fields, name: str) -> object:
    return fields.integer(name, 0, 1000)


def _plain(fields: Fields, name: str) -> object:
    return fields.text(name, maximum=1000)


def _one_of(*options: str) -> _Reader:
    return lambda fields, name: fields.choice(name, options)


def _moment(fields: Fields, name: str) -> object:
    return fields.time(name)


def _question(fields: Fields, name: str) -> object:
    return parse_question(fields.raw_text(name, maximum=MAX_ENTRY_BYTES))


def _signature(fields: Fields, name: str) -> object:
    return fields.hex(name, 64)


def _revocation_list(fields: Fields, name: str) -> object:
    return fields.raw_text(name, maximum=MAX_LIST_BYTES)


def _configuration_text(fields: Fields, name: str) -> object:
    return fields.raw_text(name, maximum=MAX_CONFIGURATION_BYTES)


def _certificate_text(fields: Fields, name: str) -> object:
    return fields.raw_text(name, maximum=MAX_CERTIFICATE_BYTES)


def _sealed(fields: Fields, name: str) -> object:
    return fields.base64(name, limit=MAX_SEALED_CHARACTERS)


def _line_report(fields: Fields, name: str) -> object:
    return read_line_report(fields.inner(name))


def _anything(fields: Fields, name: str) -> object:
    return fields.object(name)


def _metrics(fields: Fields, name: str) -> object:
    inner = fields.inner(name)
    for metric in METRICS:
        inner.integer(metric)
    if inner.has("stages"):  # a party of an earlier version tells none
        read_stage_costs(inner.objects("stages", 0, MAX_STAGES))
    inner.end()
    return None


def _outcome(fields: Fields, name: str) -> object:
    inner = fields.inner(name)
    kind = fields.choice("job_kind", [kind.value for kind in JobKind])
    _OUTCOMES[JobKind(kind)](inner)
    inner.end()
    return None


def _cohort(fields: Fields, name: str) -> object:
    inner = fields.inner(name)
    if inner.has("record_set"):
        _closing_outcome(inner)
    inner.end()
    return None


def _revocation(fields: Fields, name: str) -> object:
    inner = fields.inner(name)
    if inner.has("text"):
        inner.raw_text("text", maximum=MAX_REVOCATION_BYTES)
        inner.hex("statement_signature", 64)
    inner.end()
    return None


def _closing_outcome(inner: Fields) -> None:
    inner.hex("record_set", 32)
    for name in ("n_records", "n_invalid", "n_disagreed"):
        inner.integer(name)


def _certification_outcome(inner: Fields) -> None:
    verdict = inner.choice("verdict", tuple(Verdict))
    inner.choice("reason", tuple(NoVerdict) if verdict == Verdict.UNDETERMINED else ("",))
    inner.hex("model_id", 16)
    for row in inner.objects("thresholds", 1, MAX_THRESHOLD_ROWS):
        read_threshold(row)
    read_group_reports(inner)
    if verdict == Verdict.PASS:
        inner.raw_text("certificate", maximum=MAX_CERTIFICATE_BYTES)
        inner.hex("modeler_signature", 64)
        inner.hex("regulator_signature", 64)


def _training_outcome(inner: Fields) -> None:
    for model_id in inner.items("model_ids", 1, MAX_POINTS):
        parse_hex(model_id, 16, "message.outcome.model_ids", code=CODE)
    inner.integer("steps", 1)


def _verification_outcome(inner: Fields) -> None:
    inner.hex("certificate_id", 16)
    if inner.has("batch_size"):
        inner.integer("batch_size", 1)
        return
    for row in inner.objects("challenges", 1, 1000):
        row.hex("challenge_id", 16)
        row.choice("outcome", tuple(VerificationResult))
        row.end()


_OUTCOMES: dict[JobKind, Callable[[Fields], None]] = {
    JobKind.CLOSING: _closing_outcome,
    JobKind.CERTIFICATION: _certification_outcome,
    JobKind.TRAINING: _training_outcome,
    JobKind.VERIFICATION: _verification_outcome,
}

_STUDY: dict[str, _Reader] = {"study_id": _id}
_REFUSAL: dict[str, _Reader] = {"code": _plain, "sentence": _plain}
_SUBMISSION: dict[str, _Reader] = {
    **_STUDY,
    "record_id": _id,
    "submission_id": _id,
    "sequence": _count,
}
_CERTIFICATE: dict[str, _Reader] = {**_STUDY, "certificate_id": _id}
_JOB: dict[str, _Reader] = {"job_id": _id, "attempt": _count}

MESSAGE_KINDS: dict[str, dict[str, _Reader]] = {
    "study_key": {**_STUDY, "number": _count, "hpke_key": _digest, "key_id": _id},
    "study_key_refused": {**_STUDY, **_REFUSAL},
    "configuration_accepted": {**_STUDY, "attempt_id": _id, "configuration": _digest},
    "configuration_refused": {**_STUDY, "attempt_id": _id, **_REFUSAL},
    "invitations_accepted": {**_STUDY, "count": _count},
    "invitations_refused": {**_STUDY, **_REFUSAL},
    "receipt": {**_SUBMISSION, "common_digest": _digest},
    "submission_refused": {**_SUBMISSION, **_REFUSAL},
    "model_accepted": {**_STUDY, "model_id": _id},
    "model_refused": {**_STUDY, "model_id": _id, **_REFUSAL},
    "model_sealed": {
        **_STUDY,
        "job_id": _id,
        "model_id": _id,
        "recipient": _digest,
        "digest": _digest,
        "envelope": _sealed,
    },
    "model_deployed": {**_STUDY, "model_id": _id},
    "model_trained": {
        **_STUDY,
        "job_id": _id,
        "model_id": _id,
        "right_per_mille": _per_mille,
        "n_rows": _count,
    },
    "deployment_refused": {**_STUDY, **_REFUSAL},
    "revocation_signed": {
        **_CERTIFICATE,
        "revocation": _digest,
        "statement_signature": _signature,
    },
    "certificate_revoked": {**_CERTIFICATE, "revocation": _digest},
    "revocation_refused": {**_CERTIFICATE, **_REFUSAL},
    "revocation_list": {"text": _revocation_list, "list_signature": _signature},
    "data_accepted": {**_STUDY, "upload_id": _id, "rows": _count},
    "data_refused": {**_STUDY, "upload_id": _id, **_REFUSAL},
    "challenge_accepted": {
        "challenge_id": _id,
        "certificate_id": _id,
        "source": _one_of("record", "typed"),
    },
    "challenge_refused": {"challenge_id": _id, **_REFUSAL},
    "job_progress": {**_JOB, "stage": _plain, "done": _count, "total": _count},
    "job_result": {
        **_JOB,
        "job_kind": _one_of(*(kind.value for kind in JobKind)),
        "outcome": _outcome,
        "metrics": _metrics,
    },
    "job_failed": {**_JOB, **_REFUSAL},
    "job_cancelled": {"job_id": _id, "by": _one_of(*(role.value for role in Role))},
    "cancel_refused": {"job_id": _id, **_REFUSAL},
    "question": {
        **_STUDY,
        "entry": _question,
        "asked_at": _moment,
        "outcome": _one_of(*(outcome.value for outcome in QuestionOutcome)),
        "spent_millibits": _count,
        "limit_millibits": _count,
    },
    "order_refused": {"order": _plain, **_REFUSAL},
    "study_held": {**_STUDY, "configuration": _configuration_text, "cohort": _cohort},
    "certificate_held": {
        **_CERTIFICATE,
        "text": _certificate_text,
        "modeler_signature": _signature,
        "regulator_signature": _signature,
        "revocation": _revocation,
    },
    "resynchronised": {"studies": _count, "certificates": _count},
    "line_checked": {"check_id": _id, "asked_at": _moment, "report": _line_report},
    "status": {"status": _anything},
}
"""The fields of each kind of message, in the order they are read."""
