"""Reads on invitations and submissions."""

from __future__ import annotations

from dataclasses import dataclass

from django.db.models import Count, Q

from blindjustice_web.enrolment.models import Answer, DataUpload, Submission
from blindjustice_web.lib.problems import NotThere
from blindjustice_web.studies.models import Study


@dataclass(frozen=True)
class RecordCounts:
    """How many records a study has, at each step of the way."""

    invited: int
    submitted: int
    readable: int
    refused: int
    data_rows: int
    data_waits: bool
    """Whether a data file is with its party, which has not answered."""


def counts_of(study: Study) -> RecordCounts:
    """Return how many people were invited, sent something, and are readable by both parties."""
    submissions = study.submissions.values("record_id").distinct()
    agreed = (
        Submission.objects.filter(study=study)
        .annotate(
            n_receipts=Count("answers", filter=Q(answers__accepted=True)),
            n_digests=Count(
                "answers__common_digest", filter=Q(answers__accepted=True), distinct=True
            ),
        )
        .filter(n_receipts=2, n_digests=1)
        .values("record_id")
        .distinct()
    )
    refused = (
        Submission.objects.filter(study=study, answers__accepted=False)
        .values("record_id")
        .distinct()
    )
    files, states = study.data_uploads.order_by("-created_at"), DataUpload.State
    latest = files.filter(state=states.ACCEPTED).first()
    return RecordCounts(
        invited=study.invitations.count(),
        submitted=submissions.count(),
        readable=agreed.count(),
        refused=refused.count(),
        data_rows=latest.n_rows if latest else 0,
        data_waits=files.filter(state=states.RECEIVED).exists(),
    )


def submissions_of_record(study: Study, record_id: str) -> list[Submission]:
    """Return what came for one record, oldest first; NotThere if nobody is invited for it."""
    if not study.invitations.filter(record_id=record_id).exists():
        raise NotThere
    found = study.submissions.filter(record_id=record_id).order_by("sequence")
    return list(found.defer("envelope_modeler", "envelope_regulator").prefetch_related("answers"))


def answers_of(submission: Submission) -> tuple[list[Answer], list[Answer]]:
    """Return the receipts and the refusals of a submission, one per party at most."""
    answers = sorted(submission.answers.all(), key=lambda answer: answer.role)
    receipts = [answer for answer in answers if answer.accepted]
    return receipts, [answer for answer in answers if not answer.accepted]
