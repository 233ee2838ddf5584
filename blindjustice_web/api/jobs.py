"""Jobs: where a protocol run stands, and the parties' signed words on how it ended."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest
from ninja import Router, Schema

from blindjustice_web.accounts.models import Role
from blindjustice_web.api.fields import PathId
from blindjustice_web.jobs.access import job_for, reports_for
from blindjustice_web.jobs.cancellation import cancel_job, go_on
from blindjustice_web.jobs.models import Job
from blindjustice_web.lib.labels import JobState
from blindjustice_web.presentation.cards.jobs import job_view

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
    cancelled_by: str


@router.get("jobs/{job_id}", response=JobOut)
def job_read(request: HttpRequest, job_id: PathId) -> dict[str, Any]:
    """Return a job; results are there when it is done."""
    return _job_out(*job_for(request.user, job_id))


@router.post("jobs/{job_id}/cancel", response=JobOut)
def job_cancel(request: HttpRequest, job_id: PathId) -> dict[str, Any]:
    """Stop a certification or a training for good, from either side; or give up one that failed."""
    job, role = job_for(request.user, job_id)
    return _job_out(cancel_job(job.id, role), role)


@router.post("jobs/{job_id}/go-on", response=JobOut)
def job_go_on(request: HttpRequest, job_id: PathId) -> dict[str, Any]:
    """Go on with a training that failed, from the last epoch that both parties still hold."""
    job, role = job_for(request.user, job_id)
    return _job_out(go_on(job.id), role)


def _job_out(job: Job, role: Role) -> dict[str, Any]:
    view = job_view(job)
    ended = job.state in {JobState.DONE, JobState.FAILED, JobState.CANCELLED}
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
        "cancelled_by": job.cancelled_by,
    }
