"""Orders from the web to a party: the payloads of the task ``party.receive``.

The web is a courier. An order is authorised by what it carries (approvals, a person's signature,
a seal), never by having come from the web.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from mpc_engine.control.files.revocation import MAX_REVOCATION_BYTES
from mpc_engine.control.post.jobs import MAX_SPEC_BYTES
from mpc_engine.control.studies.configuration import MAX_CONFIGURATION_BYTES
from mpc_engine.control.studies.takeover import MAX_TAKEOVER_BYTES
from mpc_engine.control.texts.approvals import Approval, read_approval
from mpc_engine.control.texts.fields import Fields
from mpc_engine.errors import UsageError
from mpc_engine.roles import Role

TASK_NAME = "party.receive"
CODE = "ORDER_INVALID"
MAX_LIST_CHARACTERS = 64 << 20
MAX_ENVELOPE_BYTES = 1 << 26
MAX_SUBMISSION_BYTES = 1 << 20
MAX_SEALED_MODEL_BYTES = 1 << 20
MAX_ATTEMPT = 1 << 20


@dataclass(frozen=True)
class MakeStudyKey:
    """Make the HPKE key of a study that is being proposed."""

    study_id: bytes


@dataclass(frozen=True)
class AcceptConfiguration:
    """Take over a configuration both parties' approvers signed; the answer names the attempt."""

    study_id: bytes
    attempt_id: bytes
    text: str
    approvals: tuple[Approval, ...]


@dataclass(frozen=True)
class AddInvitations:
    """Take over the list of credentials of invited people."""

    study_id: bytes
    text: str
    approval: Approval


@dataclass(frozen=True)
class TakeSubmission:
    """Take one person's sealed share; the other party gets the other share."""

    study_id: bytes
    record_id: bytes
    submission_id: bytes
    sequence: int
    envelope: bytes
    other_envelope_digest: bytes
    owner_key: bytes
    signature: bytes


@dataclass(frozen=True)
class TakeModel:
    """Take a sealed model (modeler only)."""

    study_id: bytes
    model_id: bytes
    envelope: bytes


@dataclass(frozen=True)
class TakeOverModel:
    """Copy one of the models that a signed text hands to another study (modeler only)."""

    study_id: bytes
    model_id: bytes
    text: str
    approval: Approval


@dataclass(frozen=True)
class DeployModel:
    """Use another model for decisions from now on (modeler only)."""

    study_id: bytes
    text: str
    approval: Approval


@dataclass(frozen=True)
class SignRevocation:
    """Take a certificate back, as an approver of the regulator signed (regulator only)."""

    study_id: bytes
    certificate_id: bytes
    text: str
    approval: Approval


@dataclass(frozen=True)
class TakeRevocation:
    """Use a certificate no more: the regulator's party signed that (modeler only)."""

    study_id: bytes
    certificate_id: bytes
    text: str
    statement_signature: bytes


@dataclass(frozen=True)
class ListRevocations:
    """Sign a dated list of what is revoked, unless the last one is recent (regulator only)."""


@dataclass(frozen=True)
class TakeData:
    """Take sealed rows of non-sensitive data (data-holder only)."""

    study_id: bytes
    upload_id: bytes
    envelope: bytes


@dataclass(frozen=True)
class TakeChallenge:
    """Take a sealed challenge of a decision (regulator only)."""

    study_id: bytes
    challenge_id: bytes
    certificate_id: bytes
    envelope: bytes


@dataclass(frozen=True)
class PeerReceipt:
    """A receipt the other party signed, as the web keeps it."""

    body: str
    signature: bytes


@dataclass(frozen=True)
class RunJob:
    """Run one attempt at a job with the other party."""

    spec: str
    attempt: int
    approvals: tuple[Approval, ...]
    receipts: tuple[PeerReceipt, ...]


@dataclass(frozen=True)
class CancelJob:
    """Stop a job for good: no attempt at it begins or concludes any more. ``by``: which side."""

    job_id: bytes
    by: Role


@dataclass(frozen=True)
class CheckLine:
    """Meet the other party on the line, under this number, and tell how that went.

    ``asked_at``: when that was, by the site's clock; the answer repeats it.
    """

    check_id: bytes
    asked_at: datetime


@dataclass(frozen=True)
class Resynchronise:
    """Tell again what the web keeps of studies and certificates: an older copy was restored."""


@dataclass(frozen=True)
class ReportStatus:
    """Tell how the party is doing."""


Order = (
    MakeStudyKey
    | AcceptConfiguration
    | AddInvitations
    | TakeSubmission
    | TakeModel
    | TakeOverModel
    | DeployModel
    | SignRevocation
    | TakeRevocation
    | ListRevocations
    | TakeData
    | TakeChallenge
    | RunJob
    | CancelJob
    | CheckLine
    | Resynchronise
    | ReportStatus
)


def read_order(kind: object, payload: object) -> Order:
    """Return the order of a task; UsageError (``ORDER_INVALID``) names what is wrong.

    Unknown kinds, unknown fields and wrong types are all refused; nothing else is raised.
    """
    if not isinstance(kind, str) or kind not in _READERS:
        raise UsageError("This kind of order is not known.", code=CODE)
    fields = Fields(payload, kind, code=CODE)
    order = _READERS[kind](fields)
    fields.end()
    return order


def _accept_configuration(fields: Fields) -> Order:
    return AcceptConfiguration(
        fields.hex("study_id", 16),
        fields.hex("attempt_id", 16),
        fields.raw_text("text", maximum=MAX_CONFIGURATION_BYTES),
        tuple(read_approval(row) for row in fields.objects("approvals", 0, 16)),
    )


def _add_invitations(fields: Fields) -> Order:
    return AddInvitations(
        fields.hex("study_id", 16),
        fields.raw_text("text", maximum=MAX_LIST_CHARACTERS),
        read_approval(fields.inner("approval")),
    )


def _take_submission(fields: Fields) -> Order:
    return TakeSubmission(
        study_id=fields.hex("study_id", 16),
        record_id=fields.hex("record_id", 16),
        submission_id=fields.hex("submission_id", 16),
        sequence=fields.integer("sequence", 0, (1 << 32) - 1),
        envelope=fields.base64("envelope", limit=MAX_SUBMISSION_BYTES),
        other_envelope_digest=fields.hex("other_envelope_digest", 32),
        owner_key=fields.hex("owner_key", 65),
        signature=fields.base64("signature", 64),
    )


def _take_model(fields: Fields) -> Order:
    return TakeModel(
        fields.hex("study_id", 16),
        fields.hex("model_id", 16),
        fields.base64("envelope", limit=MAX_SEALED_MODEL_BYTES),
    )


def _take_over_model(fields: Fields) -> Order:
    return TakeOverModel(
        fields.hex("study_id", 16),
        fields.hex("model_id", 16),
        fields.raw_text("text", maximum=MAX_TAKEOVER_BYTES),
        read_approval(fields.inner("approval")),
    )


def _deploy_model(fields: Fields) -> Order:
    return DeployModel(
        fields.hex("study_id", 16),
        fields.raw_text("text", maximum=1 << 12),
        read_approval(fields.inner("approval")),
    )


def _sign_revocation(fields: Fields) -> Order:
    return SignRevocation(
        fields.hex("study_id", 16),
        fields.hex("certificate_id", 16),
        fields.raw_text("text", maximum=MAX_REVOCATION_BYTES),
        read_approval(fields.inner("approval")),
    )


def _take_revocation(fields: Fields) -> Order:
    return TakeRevocation(
        fields.hex("study_id", 16),
        fields.hex("certificate_id", 16),
        fields.raw_text("text", maximum=MAX_REVOCATION_BYTES),
        fields.hex("statement_signature", 64),
    )


def _take_data(fields: Fields) -> Order:
    return TakeData(
        fields.hex("study_id", 16),
        fields.hex("upload_id", 16),
        fields.base64("envelope", limit=2 * MAX_ENVELOPE_BYTES),
    )


def _take_challenge(fields: Fields) -> Order:
    return TakeChallenge(
        study_id=fields.hex("study_id", 16),
        challenge_id=fields.hex("challenge_id", 16),
        certificate_id=fields.hex("certificate_id", 16),
        envelope=fields.base64("envelope", limit=MAX_SUBMISSION_BYTES),
    )


def _run_job(fields: Fields) -> Order:
    return RunJob(
        spec=fields.raw_text("spec", maximum=MAX_SPEC_BYTES),
        attempt=fields.integer("attempt", 0, MAX_ATTEMPT),
        approvals=tuple(read_approval(row) for row in fields.objects("approvals", 0, 16)),
        receipts=tuple(_peer_receipt(row) for row in fields.objects("receipts")),
    )


def _cancel_job(fields: Fields) -> Order:
    return CancelJob(
        job_id=fields.hex("job_id", 16),
        by=Role(fields.choice("by", [role.value for role in Role])),
    )


def _peer_receipt(fields: Fields) -> PeerReceipt:
    receipt = PeerReceipt(fields.raw_text("body", maximum=4096), fields.hex("signature", 64))
    fields.end()
    return receipt


_READERS: dict[str, Callable[[Fields], Order]] = {
    "make_study_key": lambda fields: MakeStudyKey(fields.hex("study_id", 16)),
    "accept_configuration": _accept_configuration,
    "invitations": _add_invitations,
    "submission": _take_submission,
    "model": _take_model,
    "take_over_model": _take_over_model,
    "deploy_model": _deploy_model,
    "sign_revocation": _sign_revocation,
    "take_revocation": _take_revocation,
    "list_revocations": lambda _: ListRevocations(),
    "data": _take_data,
    "challenge": _take_challenge,
    "run_job": _run_job,
    "cancel_job": _cancel_job,
    "check_line": lambda fields: CheckLine(fields.hex("check_id", 16), fields.time("asked_at")),
    "resynchronise": lambda _: Resynchronise(),
    "report_status": lambda _: ReportStatus(),
}
ORDER_KINDS = tuple(_READERS)
