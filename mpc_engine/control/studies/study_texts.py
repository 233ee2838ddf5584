"""Approved and sealed texts of a study, from its invitations to a challenge."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from mpc_engine.control.studies.configuration import Configuration
from mpc_engine.control.texts.approvals import Approval, read_approval
from mpc_engine.control.texts.canonical import JsonObject, canonical_text, parse_canonical
from mpc_engine.control.texts.fields import Fields, format_time
from mpc_engine.errors import UsageError
from mpc_engine.roles import Role
from mpc_engine.vocabulary.rates import UNKNOWN_LABEL

MAX_REASON = 1000
"""Characters of the reason of a revocation."""
_ROLES = [role.value for role in Role]


@dataclass(frozen=True)
class Invitations:
    """The credentials one party accepts, by record id."""

    study_id: bytes
    configuration: bytes
    role: Role
    credentials: Mapping[bytes, bytes]


@dataclass(frozen=True)
class DataRow:
    """The encoded features and the label of one record."""

    record_id: bytes
    x: tuple[int, ...]
    y: int


@dataclass(frozen=True)
class Challenge:
    """A challenged decision; ``record`` is the signed decision record, empty where typed in."""

    challenge_id: bytes
    certificate_id: bytes
    x: tuple[int, ...]
    decision: int
    record: JsonObject

    def __repr__(self) -> str:
        return f"<Challenge {self.challenge_id.hex()}>"


def invitations_text(
    study_id: bytes, configuration: bytes, role: Role, credentials: Mapping[bytes, bytes]
) -> str:
    """Return the text an inviter signs for one party: record ids with that party's credentials."""
    return canonical_text(
        {
            "format": "bj1 invitations",
            "study_id": study_id.hex(),
            "configuration": configuration.hex(),
            "role": role.value,
            "credentials": [
                {"record_id": record.hex(), "credential": credentials[record].hex()}
                for record in sorted(credentials)
            ],
        }
    )


def parse_invitations(text: str) -> Invitations:
    """Return an invitation list; UsageError (``INVITATIONS_INVALID``) names the fault."""
    fields = Fields(parse_canonical(text), "invitations", code="INVITATIONS_INVALID")
    fields.choice("format", ("bj1 invitations",))
    credentials: dict[bytes, bytes] = {}
    for row in fields.objects("credentials", 1, 1 << 20):
        record_id = row.hex("record_id", 16)
        if record_id in credentials:
            raise UsageError(
                f"Record {record_id.hex()} is invited twice in this list.",
                code="INVITATIONS_INVALID",
            )
        credentials[record_id] = row.hex("credential", 32)
        row.end()
    invitations = Invitations(
        fields.hex("study_id", 16),
        fields.hex("configuration", 32),
        Role(fields.choice("role", _ROLES)),
        credentials,
    )
    fields.end()
    return invitations


def deployment_text(study_id: bytes, model_id: bytes, deployed_at: datetime) -> str:
    """Return the text that puts a model into use."""
    return canonical_text(
        {
            "format": "bj1 deployment",
            "study_id": study_id.hex(),
            "model_id": model_id.hex(),
            "deployed_at": format_time(deployed_at),
        }
    )


def parse_deployment(text: str) -> tuple[bytes, bytes, datetime]:
    """Return study id, model id and moment; UsageError (``DEPLOYMENT_INVALID``) names the fault."""
    fields = Fields(parse_canonical(text), "deployment", code="DEPLOYMENT_INVALID")
    fields.choice("format", ("bj1 deployment",))
    deployment = (
        fields.hex("study_id", 16),
        fields.hex("model_id", 16),
        fields.time("deployed_at"),
    )
    fields.end()
    return deployment


@dataclass(frozen=True)
class Revocation:
    """What a regulator's approver signs to take a certificate back, and why."""

    certificate_id: bytes
    reason: str
    revoked_at: datetime


def revocation_text(revocation: Revocation) -> str:
    """Return the text that takes a certificate back."""
    return canonical_text(
        {
            "format": "bj1 revocation",
            "certificate_id": revocation.certificate_id.hex(),
            "reason": revocation.reason,
            "revoked_at": format_time(revocation.revoked_at),
        }
    )


def parse_revocation(text: str) -> Revocation:
    """Return a revocation; UsageError (``REVOCATION_INVALID``) names the fault."""
    fields = Fields(parse_canonical(text), "revocation", code="REVOCATION_INVALID")
    fields.choice("format", ("bj1 revocation",))
    revocation = Revocation(
        fields.hex("certificate_id", 16),
        fields.text("reason", maximum=MAX_REASON),
        fields.time("revoked_at"),
    )
    fields.end()
    return revocation


def approved_body_text(body: str, approval: Approval) -> str:
    """Return a sealed text that carries a body with its approval (models and data)."""
    return canonical_text({"body": body, "approval": approval.to_json()})


def parse_approved_body(text: bytes, where: str, code: str) -> tuple[str, Approval]:
    """Return body and approval of a sealed text; UsageError with ``code`` names the fault."""
    fields = Fields(parse_canonical(text), where, code=code)
    body = fields.raw_text("body", maximum=64 << 20)
    approval = read_approval(fields.inner("approval"))
    fields.end()
    return body, approval


def data_text(study_id: bytes, configuration: bytes, rows: Iterable[DataRow]) -> str:
    """Return the body of a data upload."""
    return canonical_text(
        {
            "format": "bj1 data",
            "study_id": study_id.hex(),
            "configuration": configuration.hex(),
            "rows": [[row.record_id.hex(), list(row.x), row.y] for row in rows],
        }
    )


def parse_data(text: str, configuration: Configuration) -> list[DataRow]:
    """Return the rows of a data upload, checked against the study's features and ranges.

    Raises UsageError: ``DATA_INVALID``, ``DATA_OTHER_CONFIGURATION``, ``DATA_ROW_DOUBLED`` or
    ``DATA_VALUE_OUT_OF_RANGE``; the sentence names row and column.
    """
    fields = Fields(parse_canonical(text), "data", code="DATA_INVALID")
    fields.choice("format", ("bj1 data",))
    study_id = fields.hex("study_id", 16)
    stated = fields.hex("configuration", 32)
    if study_id != configuration.study_id or stated != configuration.digest:
        raise UsageError(
            "The data was prepared for another study or another version of its configuration.",
            code="DATA_OTHER_CONFIGURATION",
        )
    rows: dict[bytes, DataRow] = {}
    for number, value in enumerate(fields.items("rows", 1, 1 << 20), start=1):
        row = _parse_row(value, number, configuration)
        if row.record_id in rows:
            raise UsageError(
                f"Row {number}: record {row.record_id.hex()} occurs twice.", code="DATA_ROW_DOUBLED"
            )
        rows[row.record_id] = row
    fields.end()
    return list(rows.values())


def challenge_text(challenge: Challenge) -> str:
    """Return the text of a challenge before it is sealed to the regulator's party."""
    return canonical_text(
        {
            "format": "bj1 challenge",
            "challenge_id": challenge.challenge_id.hex(),
            "certificate_id": challenge.certificate_id.hex(),
            "x": list(challenge.x),
            "decision": challenge.decision,
            "record": challenge.record,
        }
    )


def parse_challenge(text: bytes) -> Challenge:
    """Return a challenge; UsageError (``CHALLENGE_INVALID``) names the fault."""
    fields = Fields(parse_canonical(text), "challenge", code="CHALLENGE_INVALID")
    fields.choice("format", ("bj1 challenge",))
    challenge = Challenge(
        challenge_id=fields.hex("challenge_id", 16),
        certificate_id=fields.hex("certificate_id", 16),
        x=tuple(fields.integers("x")),
        decision=fields.integer("decision", 0, 1),
        record=fields.object("record"),
    )
    fields.end()
    return challenge


def check_features(x: Sequence[int], configuration: Configuration, where: str, code: str) -> None:
    """Raise UsageError (``code``) naming the first feature whose encoded value is out of range."""
    if len(x) != len(configuration.features):
        raise UsageError(
            f"{where}: there must be {len(configuration.features)} feature values.", code=code
        )
    ranges = configuration.feature_ranges
    for value, feature, (low, high) in zip(x, configuration.features, ranges, strict=True):
        if not low <= value <= high:
            raise UsageError(
                f'{where}: the value of "{feature.name}" is outside {feature.minimum} to '
                f"{feature.maximum}.",
                code=code,
            )


def _parse_row(value: object, number: int, configuration: Configuration) -> DataRow:
    where = f"Row {number}"
    if not isinstance(value, list) or len(value) != 3:
        raise UsageError(f"{where} must be a record id, a list and a label.", code="DATA_INVALID")
    fields = Fields(
        {"record id": value[0], "features": value[1], "label": value[2]}, where, code="DATA_INVALID"
    )
    row = DataRow(
        fields.hex("record id", 16),
        tuple(fields.integers("features")),
        fields.integer("label", 0, UNKNOWN_LABEL),
    )
    check_features(row.x, configuration, where, "DATA_VALUE_OUT_OF_RANGE")
    return row
