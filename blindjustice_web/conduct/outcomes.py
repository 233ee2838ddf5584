"""What a concluded job changes: the study, the verdict of a model, people's cases."""

from __future__ import annotations

import logging

from django.db import transaction

from blindjustice_web.accounts.models import Role
from blindjustice_web.certificates.services import record_certification
from blindjustice_web.certificates.trainings import record_training
from blindjustice_web.challenges.services import record_verification
from blindjustice_web.engine import engine_client
from blindjustice_web.engine.engine_post import Message, about_jobs
from blindjustice_web.jobs import sequencer
from blindjustice_web.jobs.models import Job, JobReport
from blindjustice_web.jobs.run_orders import send_run_job
from blindjustice_web.lib.labels import JobKind, JobState
from blindjustice_web.lib.problems import Problem
from blindjustice_web.post.hearing import hears
from blindjustice_web.studies.services import CLOSING_WAITS, finish_closing, wait_for_closing

logger = logging.getLogger(__name__)


@hears(about_jobs.JobResult, about_jobs.JobFailed)
def note_report(message: Message[about_jobs.JobResult | about_jobs.JobFailed]) -> None:
    """Take a party's report on an attempt, and let what it concludes follow.

    A party that was away when its closing failed may come back bound to a run of it.
    """
    late = sequencer.take_late_failure(message)
    if late is not None and late.job.kind == JobKind.CLOSING:
        wait_for_closing(late.job.study, late.code)
    settle(sequencer.take_report(message))


@transaction.atomic
def settle(job: Job | None) -> None:
    """Apply the outcome of a concluded job, if there is one, and start the next."""
    if job is not None:
        _apply(job)
    sequencer.start_next_job()


@transaction.atomic
def settle_overdue_job() -> None:
    """End an attempt whose deadline passed, and let what that concludes follow, all or nothing."""
    settle(sequencer.conclude_overdue_job())


def _apply(job: Job) -> None:
    report = _report(job, Role.REGULATOR)
    if job.kind == JobKind.VERIFICATION:
        record_verification(job, report)
        return
    done = job.state == JobState.DONE and report is not None
    if job.kind == JobKind.CLOSING:
        outcome = sequencer.reported_outcome(report) if done and report else None
        finish_closing(job.study, outcome, lambda: _closing_codes(job))
    elif done and report is not None:
        _apply_to_model(job, report)
        _ask_for_lost_models(job)


def _apply_to_model(job: Job, report: JobReport) -> None:
    record = record_training if job.kind == JobKind.TRAINING else record_certification
    try:
        with transaction.atomic():
            record(job, sequencer.reported_outcome(report))
    except Problem as problem:
        logger.error("The result of job %s is unusable: %s", job.id, problem.code)
        sequencer.fail_job(job, problem.code, str(problem.detail))


def _ask_for_lost_models(job: Job) -> None:
    """Let the parties of a training tell again where a model they sealed did not arrive."""
    if job.sealed_models.count() < len(engine_client.trained_models_of(job.spec)):
        send_run_job(job)


def _closing_codes(job: Job) -> dict[Role, set[str]]:
    """Return how attempts at closing a job's study failed, by each party's word.

    A party that says it has closed, and is not agreed with, waits for the other one.
    """
    reports = JobReport.objects.filter(job__study=job.study_id, job__kind=JobKind.CLOSING)
    return {
        role: {CLOSING_WAITS if said.succeeded else said.code for said in reports.filter(role=role)}
        for role in Role
    }


def _report(job: Job, role: Role) -> JobReport | None:
    return job.reports.filter(attempt=job.attempt, role=role).first()
