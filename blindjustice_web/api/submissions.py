"""Submissions: what a person's page sends and what it learns back; no account, no cookie."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest
from ninja import Router, Schema, Status

from blindjustice_web.api.fields import (
    IdText,
    OwnerKey,
    PathId,
    Sequence,
    Signature64,
    SmallEnvelope,
)
from blindjustice_web.enrolment.lookups import GUESSES, look_up_record
from blindjustice_web.enrolment.models import Submission
from blindjustice_web.enrolment.selectors import answers_of
from blindjustice_web.enrolment.services import SealedSubmission, decode_envelope, submit
from blindjustice_web.lib.problems import Refused
from blindjustice_web.lib.throttle import require_left, spend, spend_by_address
from blindjustice_web.studies.access import public_study

router = Router(tags=["submissions"], auth=None)


class SubmissionIn(Schema):
    """Two sealed envelopes and the owner's signature over both."""

    record_id: IdText
    submission_id: IdText
    sequence: Sequence
    owner_key: OwnerKey
    signature: Signature64
    envelope_modeler: SmallEnvelope
    envelope_regulator: SmallEnvelope


class SubmissionAccepted(Schema):
    """The site forwarded the envelopes; receipts come from the parties."""

    submission_id: str
    sequence: int


class Receipt(Schema):
    """A party's signed receipt."""

    role: str
    body: str
    signature: str


class SubmissionRefusal(Schema):
    """Why a party can't take a submission."""

    role: str
    code: str
    sentence: str


class SubmissionOut(Schema):
    """A submission with what both parties said so far."""

    submission_id: str
    sequence: int
    receipts: list[Receipt]
    refusals: list[SubmissionRefusal]


class RecordOut(Schema):
    """Of one record the version that counts, and the newest one where that is another."""

    submissions: list[SubmissionOut]


@router.post("studies/{study_id}/submissions", response={202: SubmissionAccepted})
def submission_create(
    request: HttpRequest, study_id: PathId, payload: SubmissionIn
) -> Status[dict[str, Any]]:
    """Forward a person's two envelopes, each to its party.

    Counted by record, not by address: a whole office may answer at once. What an address is
    counted by are records that nobody is invited for.
    """
    require_left(request, GUESSES)
    study = public_study(study_id)
    spend(request, "SUBMISSIONS_RECORD", f"{study.id} {payload.record_id}")
    values = payload.dict()
    for name in ("envelope_modeler", "envelope_regulator"):
        values[name] = decode_envelope(values[name], name)
    try:
        submission = submit(study, SealedSubmission(**values))
    except Refused as problem:
        if problem.code == "RECORD_NOT_INVITED":
            spend_by_address(request, GUESSES)
        raise
    return Status(202, {"submission_id": submission.submission_id, "sequence": submission.sequence})


@router.get("studies/{study_id}/records/{record_id}", response=RecordOut)
def record_read(request: HttpRequest, study_id: PathId, record_id: PathId) -> dict[str, Any]:
    """Return the receipts and refusals of a record; its id is known to its person only."""
    _study, submissions = look_up_record(request, study_id, record_id)
    return {"submissions": [_submission_out(submission) for submission in submissions]}


def _submission_out(submission: Submission) -> dict[str, Any]:
    receipts, refusals = answers_of(submission)
    return {
        "submission_id": submission.submission_id,
        "sequence": submission.sequence,
        "receipts": [
            {"role": answer.role, "body": answer.body, "signature": answer.signature}
            for answer in receipts
        ],
        "refusals": [
            {"role": answer.role, "code": answer.code, "sentence": answer.sentence}
            for answer in refusals
        ],
    }
