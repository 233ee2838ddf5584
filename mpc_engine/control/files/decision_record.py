"""Decision records: what the modeler signs about a decision, so that it can be challenged."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from mpc_engine.control.texts.canonical import JsonObject, canonical_text, parse_canonical
from mpc_engine.control.texts.fields import Fields, format_time
from mpc_engine.crypto.signatures import Ed25519SigningKey, verify_ed25519
from mpc_engine.errors import InvalidSignatureError

FORMAT = "bj1 decision"
CODE = "DECISION_RECORD_INVALID"
DECISION_LABEL = b"blindjustice/v1/decision"
MAX_RECORD_BYTES = 1 << 16


@dataclass(frozen=True)
class DecisionRecord:
    """One decision; ``x`` are the encoded features it was made on. Shown only to its person."""

    body: str
    signature: bytes
    certificate_id: bytes
    configuration: bytes
    case_id: str
    decision: int
    x: tuple[int, ...]
    issued_at: datetime

    def __repr__(self) -> str:
        return f"<DecisionRecord of certificate {self.certificate_id.hex()}>"

    def to_json(self) -> JsonObject:
        """Return the file handed to the person: the exact body and its signature."""
        return {"body": self.body, "signature": self.signature.hex()}


def sign_decision_record(
    *,
    certificate_id: bytes,
    configuration: bytes,
    case_id: str,
    decision: int,
    x: Sequence[int],
    issued_at: datetime,
    key: Ed25519SigningKey,
) -> DecisionRecord:
    """Return the modeler's signed record of a decision."""
    body = canonical_text(
        {
            "format": FORMAT,
            "certificate_id": certificate_id.hex(),
            "configuration": configuration.hex(),
            "case_id": case_id,
            "decision": decision,
            "x": list(x),
            "issued_at": format_time(issued_at),
        }
    )
    return _read(body, key.sign(_signed_bytes(body)))


def parse_decision_record(value: object, signing_key: bytes) -> DecisionRecord:
    """Return a record whose signature verifies under the modeler's raw Ed25519 key.

    Raises UsageError (``DECISION_RECORD_INVALID``) naming the fault, or InvalidSignatureError
    (``DECISION_RECORD_SIGNATURE_INVALID``).
    """
    fields = Fields(value, "record", code=CODE)
    body = fields.raw_text("body", maximum=MAX_RECORD_BYTES)
    signature = fields.hex("signature", 64)
    fields.end()
    record = _read(body, signature)
    try:
        verify_ed25519(signing_key, _signed_bytes(body), signature)
    except InvalidSignatureError:
        raise InvalidSignatureError(
            "The decision record was not signed by the modeler of this study.",
            code="DECISION_RECORD_SIGNATURE_INVALID",
        ) from None
    return record


def _signed_bytes(body: str) -> bytes:
    return DECISION_LABEL + b"\0" + body.encode("utf-8")


def _read(body: str, signature: bytes) -> DecisionRecord:
    fields = Fields(parse_canonical(body, limit=MAX_RECORD_BYTES), "record", code=CODE)
    fields.choice("format", (FORMAT,))
    record = DecisionRecord(
        body=body,
        signature=signature,
        certificate_id=fields.hex("certificate_id", 16),
        configuration=fields.hex("configuration", 32),
        case_id=fields.text("case_id", maximum=64),
        decision=fields.integer("decision", 0, 1),
        x=tuple(fields.integers("x")),
        issued_at=fields.time("issued_at"),
    )
    fields.end()
    return record
