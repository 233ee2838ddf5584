"""Reads on invitations and submissions."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from django.db.models import Count, Q, QuerySet

from blindjustice_web.accounts.models import Role
from blindjustice_web.enrolment.models import Answer, DataUpload, Invitation, Submission
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
    return counts_of_many([study])[study.id]


def counts_of_many(studies: Iterable[Study]) -> dict[str, RecordCounts]:
    """Return the counts of several studies, by id, in as many queries as for one."""
    ids = [study.id for study in studies]
    sent = Submission.objects.filter(study__in=ids)
    agreed = sent.annotate(
        n_receipts=Count("answers", filter=Q(answers__accepted=True)),
        n_digests=Count("answers__common_digest", filter=Q(answers__accepted=True), distinct=True),
    ).filter(n_receipts=2, n_digests=1)
    refused = Answer.objects.filter(submission__study__in=ids, accepted=False)
    record = "submission__record_id"
    invited = _by_study(Invitation.objects.filter(study__in=ids), "pk")
    submitted = _by_study(sent, "record_id")
    readable = _by_study(Submission.objects.filter(pk__in=agreed.values("pk")), "record_id")
    turned_down = _by_study(refused, record, study="submission__study_id")
    files, states = DataUpload.objects.filter(study__in=ids), DataUpload.State
    accepted = files.filter(state=states.ACCEPTED).order_by("created_at")
    rows = dict(accepted.values_list("study_id", "n_rows"))
    waiting = set(files.filter(state=states.RECEIVED).values_list("study_id", flat=True))
    return {
        study_id: RecordCounts(
            invited=invited.get(study_id, 0),
            submitted=submitted.get(study_id, 0),
            readable=readable.get(study_id, 0),
            refused=turned_down.get(study_id, 0),
            data_rows=rows.get(study_id, 0),
            data_waits=study_id in waiting,
        )
        for study_id in ids
    }


def _by_study(rows: QuerySet[Any], counted: str, study: str = "study_id") -> dict[str, int]:
    """Return how many different values of a field the rows of each study have."""
    grouped = rows.order_by().values(study).annotate(n=Count(counted, distinct=True))
    return {row[study]: row["n"] for row in grouped}


def submissions_of_record(study: Study, record_id: str) -> list[Submission]:
    """Return the version of one record that counts and the newest one, where that is another.

    NotThere if nobody is invited for it. Earlier versions are told to nobody: whoever made the
    invitation knows the record's id, and would learn how often its person thought again. The newest
    is of the owner key that came last: a stranger's version, refused, does not hide hers.
    """
    if not study.invitations.filter(record_id=record_id).exists():
        raise NotThere
    found = study.submissions.filter(record_id=record_id).order_by("sequence")
    light = found.defer("envelope_modeler", "envelope_regulator")
    versions = list(light.prefetch_related("answers"))
    held = [version for version in versions if _is_held(version)]
    latest_key = max(versions, key=lambda version: version.pk).owner_key if versions else ""
    own = [version for version in versions if version.owner_key == latest_key]
    return sorted({*held[-1:], *own[-1:]}, key=lambda version: version.sequence)


def _is_held(submission: Submission) -> bool:
    """Return whether both parties signed for the same."""
    receipts, _refusals = answers_of(submission)
    return len(receipts) == len(Role) and len({each.common_digest for each in receipts}) == 1


def answers_of(submission: Submission) -> tuple[list[Answer], list[Answer]]:
    """Return the receipts and the refusals of a submission, one per party at most."""
    answers = sorted(submission.answers.all(), key=lambda answer: answer.role)
    receipts = [answer for answer in answers if answer.accepted]
    return receipts, [answer for answer in answers if not answer.accepted]
