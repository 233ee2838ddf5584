"""The order of protocol jobs: one at a time, each attempt ended by both parties or by the clock.

::

    QUEUED ──start──▶ RUNNING ──both succeeded, same outcome──▶ DONE
      ▲                  │
      └──the line failed─┴──anything else──▶ FAILED

Either side may stop a certification or a training (`cancellation`): ──▶ CANCELLED.

An attempt ends when both parties reported, or at its deadline. The first failure shortens the
deadline to a grace time, so that a dead party doesn't hold up the others. Only failures of the
line and of a party's process are tried again, under a new attempt number; a failed check never is.
"""

from __future__ import annotations

import logging
from datetime import timedelta
from typing import Any

from django.conf import settings
from django.db import IntegrityError, transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from blindjustice_web.accounts.models import Role
from blindjustice_web.audit.models import EntryKind
from blindjustice_web.audit.services import record
from blindjustice_web.engine import engine_client
from blindjustice_web.engine.engine_post import Message, about_jobs, stored_message
from blindjustice_web.jobs.models import Job, JobReport
from blindjustice_web.jobs.run_orders import send_run_job
from blindjustice_web.lib import push
from blindjustice_web.lib.labels import JobKind, JobState
from blindjustice_web.post.hearing import hears
from blindjustice_web.post.outbox import forget_attempt
from blindjustice_web.studies.models import Proposal, Study

logger = logging.getLogger(__name__)

TIMED_OUT = "JOB_TIMED_OUT"
DIFFERENT_REPORTS = "JOB_REPORTS_DIFFER"
REPEATED = "ATTEMPT_REPEATED"
ECHOES = frozenset({TIMED_OUT, "PEER_TIMEOUT", "CHANNEL_CLOSED", "TRANSPORT_FAILED"})
"""What a party sees of the line when something happened to the other one."""
RETRIED_CODES = ECHOES | {"WORKER_LOST", "PARTY_BUSY", "ADDRESS_IN_USE", "CLOSING_WAITS"}
"""The line broke, a party died, or it was busy with an attempt that should have ended.

Of a closing that waits, another attempt only sends the same again.
"""


@transaction.atomic
def queue_job(
    job_id: str,
    kind: JobKind,
    study: Study,
    spec: str,
    *,
    proposal: Proposal | None = None,
    subject_id: str = "",
    repeats: bool = False,
) -> Job:
    """Put a job at the end of the line and start it if nothing runs."""
    job = Job.objects.create(
        id=job_id,
        kind=kind,
        study=study,
        spec=spec,
        proposal=proposal,
        subject_id=subject_id,
        repeats=repeats,
    )
    record(EntryKind.JOB_QUEUED, study=study, subject=job.id, detail=job.kind)
    announce(job)
    start_next_job()
    return job


@transaction.atomic
def start_next_job() -> Job | None:
    """Start the oldest waiting job unless one runs; return the started one."""
    if Job.objects.filter(state=JobState.RUNNING).exists():
        return None
    waiting = Job.objects.select_for_update().filter(state=JobState.QUEUED, cancelled_by="")
    job = waiting.order_by("created_at", "pk").first()
    if job is None:
        return None
    limit_s = settings.JOB_TIME_LIMIT_S[job.kind] + settings.JOB_GRACE_S
    job.state = JobState.RUNNING
    job.attempt += 1
    job.stage, job.done, job.total, job.paced_at = "", 0, 0, None
    job.started_at = timezone.now()
    job.deadline = job.started_at + timedelta(seconds=limit_s)
    try:
        with transaction.atomic():
            job.save()
    except IntegrityError:
        logger.info("Another process started a job first")
        return None
    record(
        EntryKind.JOB_STARTED,
        study=job.study,
        subject=job.id,
        detail=f"{job.kind}, attempt {job.attempt}",
    )
    send_run_job(job)
    announce(job)
    return job


@hears(about_jobs.JobProgress)
@transaction.atomic
def note_progress(message: Message[about_jobs.JobProgress]) -> None:
    """Show how far the current attempt is; word of an earlier attempt is passed over."""
    job = _current(message)
    if job is None:
        return
    job.stage = message.content.stage[:60]
    done, total = message.content.done, message.content.total
    if job.paced_at is None or total != job.total:
        job.paced_from, job.paced_at = done, timezone.now()
    job.done, job.total = done, total
    job.save(update_fields=["stage", "done", "total", "paced_from", "paced_at"])
    news = {
        "type": "progress",
        "job_id": job.id,
        "stage": job.stage,
        "done": job.done,
        "total": job.total,
    }
    for group in _groups(job):
        push.push(group, news)


@transaction.atomic
def take_report(message: Message[about_jobs.JobResult | about_jobs.JobFailed]) -> Job | None:
    """Store how a party's attempt ended; return the job if that concludes it for good."""
    job = _current(message)
    if job is None:
        return None
    succeeded = _store(job, message).succeeded
    reports = list(job.reports.filter(attempt=job.attempt))
    if len(reports) == 2:
        return _conclude(job, reports)
    if job.deadline is not None and (not succeeded or _answers_alone(job, reports)):
        grace = timezone.now() + timedelta(seconds=settings.JOB_GRACE_S)
        job.deadline = min(job.deadline, grace)
        job.save(update_fields=["deadline"])
    return None


@transaction.atomic
def conclude_overdue_job() -> Job | None:
    """End an attempt whose deadline passed; return the job if that concludes it for good."""
    overdue = Job.objects.select_for_update().filter(
        state=JobState.RUNNING, deadline__lt=timezone.now()
    )
    job = overdue.first()
    if job is None:
        return None
    return _conclude(job, list(job.reports.filter(attempt=job.attempt)))


@transaction.atomic
def fail_job(job: Job, code: str, sentence: str) -> None:
    """End a job as failed, whatever its parties said: the site found their result unusable."""
    job.state = JobState.FAILED
    job.failure_code, job.failure_sentence = code[:60], sentence
    job.finished_at = timezone.now()
    job.save()
    note_end(job)
    announce(job)


def note_end(job: Job) -> None:
    """Write down how an attempt of a job ended, and whether that ended the job."""
    ended = [job.kind, f"attempt {job.attempt}", job.state, job.failure_code]
    detail = ", ".join(word for word in ended if word)
    record(EntryKind.JOB_ENDED, study=job.study, subject=job.id, detail=detail)


@transaction.atomic
def take_late_failure(
    message: Message[about_jobs.JobResult | about_jobs.JobFailed],
) -> JobReport | None:
    """Store that an attempt failed which had ended without that party's word; None if not so.

    Its job may have failed, or be in its next attempt; what is done is done.
    """
    content = message.content
    job = Job.objects.select_for_update().filter(pk=content.job_id.hex()).first()
    if job is None or job.state == JobState.DONE or isinstance(content, about_jobs.JobResult):
        return None
    ended = job.attempt - (job.state == JobState.RUNNING)
    return _store(job, message) if 1 <= content.attempt <= ended else None


def _store(job: Job, message: Message[about_jobs.JobResult | about_jobs.JobFailed]) -> JobReport:
    """Return a party's first report on an attempt, which this one is unless there was another."""
    content = message.content
    failure = content if isinstance(content, about_jobs.JobFailed) else None
    report, _is_new = JobReport.objects.get_or_create(
        job=job,
        attempt=content.attempt,
        role=message.role.value,
        defaults={
            "succeeded": failure is None,
            "code": failure.code[:60] if failure else "",
            "sentence": failure.sentence if failure else "",
            "body": message.body,
            "signature": message.signature.hex(),
        },
    )
    return report


def announce(job: Job) -> None:
    """Tell the pages that show a job."""
    for group in _groups(job):
        push.push_change(group, "job")


def reported_outcome(report: JobReport) -> dict[str, Any]:
    """Return the outcome inside a stored, once verified, report of success."""
    return stored_message(report.body, about_jobs.JobResult).content.outcome


def _current(
    message: Message[about_jobs.JobProgress | about_jobs.JobResult | about_jobs.JobFailed],
) -> Job | None:
    """Return the running job a message speaks of, locked, if it speaks of the current attempt."""
    job = Job.objects.select_for_update().filter(pk=message.content.job_id.hex()).first()
    if job is None or job.state != JobState.RUNNING:
        return None
    return job if message.content.attempt == job.attempt else None


def _conclude(job: Job, reports: list[JobReport]) -> Job | None:
    failures = _failures(job, reports)
    forget_attempt(job.id, job.attempt)
    job.finished_at = timezone.now()
    if not failures:
        job.state = JobState.DONE
        job.failure_code = job.failure_sentence = job.cancelled_by = ""
    else:
        job.failure_code, job.failure_sentence = failures[0]
        again = all(code in RETRIED_CODES for code, _sentence in failures)
        retry = again and job.attempt < settings.JOB_MAX_ATTEMPTS
        job.state = JobState.QUEUED if retry else JobState.FAILED
    job.save()
    note_end(job)
    announce(job)
    return None if job.state == JobState.QUEUED else job


def _failures(job: Job, reports: list[JobReport]) -> list[tuple[str, str]]:
    """Return what went wrong, the cause before its echo on the line."""
    if _answers_alone(job, reports):
        return []
    found = [(report.code, report.sentence) for report in reports if not report.succeeded]
    if found:
        return sorted(found, key=lambda failure: failure[0] in ECHOES)
    if len(reports) < 2:
        return [(TIMED_OUT, _("The parties did not finish in time."))]
    if job.kind != JobKind.VERIFICATION:
        first, second = (engine_client.canonical(reported_outcome(report)) for report in reports)
        if first != second:
            return [(DIFFERENT_REPORTS, _("The two parties report different outcomes."))]
    return []


def _answers_alone(job: Job, reports: list[JobReport]) -> bool:
    """Return whether the regulator's report alone settles the job: people's cases are its word."""
    return job.kind == JobKind.VERIFICATION and any(
        report.succeeded and report.role == Role.REGULATOR for report in reports
    )


def _groups(job: Job) -> list[str]:
    groups = [push.study_group(job.study_id)]
    if job.kind == JobKind.VERIFICATION:
        challenges = engine_client.challenges_of(job.spec)
        groups += [push.challenge_group(challenge) for challenge in challenges]
    return groups
