"""Orders and messages about people: invitations, their answers, and tables that come by file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from mpc_engine.control.post.declarations import (
    REGULATOR_ALONE,
    Content,
    Lane,
    Order,
    Refusal,
    Subject,
)
from mpc_engine.control.post.shapes import (
    Digest,
    Id,
    Natural,
    OneApproval,
    base64_of,
    hex_of,
    text_up_to,
    whole_number,
)

MAX_LIST_CHARACTERS = 64 << 20
MAX_ENVELOPE_BYTES = 1 << 26
MAX_SUBMISSION_BYTES = 1 << 20
_SUBMISSION = Subject("submission", ("study_id", "record_id", "submission_id", "sequence"))


@dataclass(frozen=True, kw_only=True)
class InvitationsAccepted(Content, kind="invitations_accepted"):
    """A list of so many invitations was taken over."""

    study_id: Id
    count: Natural


@dataclass(frozen=True, kw_only=True)
class InvitationsRefused(Refusal, kind="invitations_refused"):
    """A list of invitations was not taken over."""

    study_id: Id


@dataclass(frozen=True)
class AddInvitations(
    Order,
    kind="invitations",
    lane=Lane.PEOPLE,
    subject=Subject("invitations", ("study_id",)),
    answered_by=(InvitationsAccepted,),
    refused_by=InvitationsRefused,
    is_kept_when_refused=True,
):
    """Take over the list of credentials of invited people.

    It comes before answers and before a table, which names only who was invited.
    """

    study_id: Id
    text: Annotated[str, text_up_to(MAX_LIST_CHARACTERS)]
    approval: OneApproval


@dataclass(frozen=True, kw_only=True)
class Receipt(Content, kind="receipt", lane=Lane.PEOPLE, is_repeatable=True, is_dated_by_day=True):
    """A party holds its share of an answer; ``common_digest`` is of what both have in common."""

    study_id: Id
    record_id: Id
    submission_id: Id
    sequence: Natural
    common_digest: Digest


@dataclass(frozen=True, kw_only=True)
class SubmissionRefused(
    Refusal,
    kind="submission_refused",
    lane=Lane.PEOPLE,
    is_repeatable=True,
    is_dated_by_day=True,
):
    """A party did not take its share of an answer."""

    study_id: Id
    record_id: Id
    submission_id: Id
    sequence: Natural


@dataclass(frozen=True)
class TakeSubmission(
    Order,
    kind="submission",
    lane=Lane.PEOPLE,
    subject=_SUBMISSION,
    answered_by=(Receipt,),
    refused_by=SubmissionRefused,
):
    """Take one person's sealed share; the other party gets the other share."""

    study_id: Id
    record_id: Id
    submission_id: Id
    sequence: Annotated[int, whole_number(0, (1 << 32) - 1)]
    envelope: Annotated[bytes, base64_of(limit=MAX_SUBMISSION_BYTES)]
    other_envelope_digest: Digest
    owner_key: Annotated[bytes, hex_of(65)]
    signature: Annotated[bytes, base64_of(64)]


@dataclass(frozen=True, kw_only=True)
class DataAccepted(Content, kind="data_accepted", said_by=REGULATOR_ALONE):
    """A table of so many rows was taken."""

    study_id: Id
    upload_id: Id
    rows: Natural


@dataclass(frozen=True, kw_only=True)
class DataRefused(Refusal, kind="data_refused", said_by=REGULATOR_ALONE):
    """A table was not taken."""

    study_id: Id
    upload_id: Id


@dataclass(frozen=True)
class TakeData(
    Order,
    kind="data",
    lane=Lane.PEOPLE,
    subject=Subject("data", ("upload_id",)),
    answered_by=(DataAccepted,),
    refused_by=DataRefused,
):
    """Take sealed rows of non-sensitive data (data-holder only)."""

    study_id: Id
    upload_id: Id
    envelope: Annotated[bytes, base64_of(limit=2 * MAX_ENVELOPE_BYTES)]
