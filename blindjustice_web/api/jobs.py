"""Jobs: where a protocol run stands, and the parties' signed words on how it ended."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest
from ninja import Router, Schema

from blindjustice_web.api.fields import PathId
from blindjustice_web.jobs.access import job_for, reports_for
from blindjustice_web.jobs.cards import job_view
from blindjustice_web.jobs.models import JobState

router = Router(tags=["jobs"])


class Progress(Schema):
    """How far the current attempt is."""

    stage: str
    done: int
    total: int


class ResultOut(Schema):
    """A party's signed message on how the last attempt ended."""

    role: str
    body: str
    signature: str


class FailureOut(Schema):
    """Why a job failed."""

    code: str
    sentence: str
    kept: str
    next: str


class JobOut(Schema):
    """A protocol run of the two parties."""

    job_id: str
    kind: str
    study_id: str
    state: str
    attempt: int
    progress: Progress
    seconds: float | None
    results: list[ResultOut]
    failure: FailureOut | None


@router.get("jobs/{job_id}", response=JobOut)
def job_read(request: HttpRequest, job_id: PathId) -> dict[str, Any]:
    """Return a job; results are there when it is done."""
    job, role = job_for(request.user, job_id)
    view = job_view(job)
    ended = job.state in {JobState.DONE, JobState.FAILED}
    reports = reports_for(role, job) if ended else []
    return {
        "job_id": view.id,
        "kind": view.kind.value,
        "study_id": job.study_id,
        "state": view.state.value,
        "attempt": view.attempt,
        "progress": {"stage": view.stage, "done": view.done, "total": view.total},
        "seconds": view.seconds,
        "results": [
            {"role": report.role, "body": report.body, "signature": report.signature}
            for report in reports
        ],
        "failure": vars(view.failure) if view.failure else None,
    }
