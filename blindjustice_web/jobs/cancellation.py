"""Stopping a job for good, and going on with a training that failed.

The modeler's party is asked first: a training ends there, so its word decides whether the job was
still to be stopped. The regulator's is told once that one has stopped.
"""

from __future__ import annotations

import logging

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from blindjustice_web.accounts.models import Role
from blindjustice_web.audit.models import EntryKind
from blindjustice_web.audit.services import record
from blindjustice_web.engine import engine_client
from blindjustice_web.engine.engine_post import Message, about_jobs
from blindjustice_web.jobs import sequencer
from blindjustice_web.jobs.models import CANCELLABLE, Job
from blindjustice_web.lib.labels import JobKind, JobState
from blindjustice_web.lib.problems import Refused
from blindjustice_web.post.hearing import hears
from blindjustice_web.post.outbox import forget_attempt, send_to_party

logger = logging.getLogger(__name__)


@transaction.atomic
def cancel_job(job_id: str, role: Role) -> Job:
    """Stop a job at the word of one side; one that no party was given yet ends at once."""
    job = Job.objects.select_for_update().get(pk=job_id)
    if job.cancelled_by:
        return job
    problem = why_not_cancellable(job)
    if problem is not None:
        raise problem
    job.cancelled_by = role.value
    record(EntryKind.JOB_STOP_ASKED, study=job.study, subject=job.id, detail=job.kind)
    if job.attempt:
        job.save(update_fields=["cancelled_by"])
        send_to_party(Role.MODELER, _order(job))
    else:
        _end(job)
    sequencer.announce(job)
    return job


@transaction.atomic
def go_on(job_id: str) -> Job:
    """Try a failed training once more; the parties go on from the last epoch both still hold."""
    job = Job.objects.select_for_update().get(pk=job_id)
    if not can_go_on(job):
        raise Refused(
            "JOB_NOT_RESUMABLE",
            _("Only a training that failed, and was not given up, can go on."),
            next_step=_("Reload the page to see where it stands."),
        )
    job.state = JobState.QUEUED
    job.finished_at = None
    job.failure_code = job.failure_sentence = ""
    job.save()
    record(EntryKind.JOB_RESUMED, study=job.study, subject=job.id, detail=job.kind)
    sequencer.announce(job)
    sequencer.start_next_job()
    job.refresh_from_db()
    return job


def why_not_cancellable(job: Job) -> Refused | None:
    """Return why a job can't be stopped, or None. A failed training is given up that way."""
    if job.kind not in CANCELLABLE:
        return Refused(
            "NOT_CANCELLABLE", _("Closings and verifications concern people; they go on.")
        )
    live = job.state in {JobState.QUEUED, JobState.RUNNING}
    if not live and not (job.kind == JobKind.TRAINING and job.state == JobState.FAILED):
        return Refused("JOB_ENDED", _("This run has ended already."))
    return None


def can_go_on(job: Job) -> bool:
    """Return whether a training failed in a way that another attempt may mend."""
    failed = job.kind == JobKind.TRAINING and job.state == JobState.FAILED
    return failed and not job.cancelled_by and job.failure_code not in _FOR_GOOD


_UNSIGNED = {"APPROVER_UNKNOWN", "APPROVAL_MISSING", "APPROVAL_SIGNATURE_INVALID"}
_FOR_GOOD = {"ATTEMPT_LIMIT", "OTHER_MODEL_TRAINED", "CANCELLED", *_UNSIGNED}
"""Another attempt would end in the same way: the run must be proposed, and signed, anew."""


@hears(about_jobs.JobCancelled)
@transaction.atomic
def note_cancelled(message: Message[about_jobs.JobCancelled]) -> None:
    """Take a party's word that it stopped; the modeler's ends the job, and stops the other."""
    job = _asked(message)
    if job is None or message.role.value != Role.MODELER:
        return
    _end(job)
    send_to_party(Role.REGULATOR, _order(job))
    sequencer.announce(job)
    sequencer.start_next_job()


@hears(about_jobs.CancelRefused)
@transaction.atomic
def note_cancel_refused(message: Message[about_jobs.CancelRefused]) -> None:
    """Go on with a job that had ended at the modeler's party before the word to stop came."""
    job = _asked(message)
    logger.info("%s does not cancel: %s", message.role.value, message.content.code)
    if job is None or message.role.value != Role.MODELER:
        return
    job.cancelled_by = ""
    job.save(update_fields=["cancelled_by"])
    sequencer.announce(job)
    sequencer.start_next_job()


def _order(job: Job) -> about_jobs.CancelJob:
    return about_jobs.CancelJob(
        job_id=bytes.fromhex(job.id), by=engine_client.EngineRole(job.cancelled_by)
    )


def _asked(message: Message[about_jobs.JobCancelled | about_jobs.CancelRefused]) -> Job | None:
    """Return the job that is to stop and has not, locked."""
    waiting = Job.objects.select_for_update().filter(pk=message.content.job_id.hex())
    ended = (JobState.DONE, JobState.CANCELLED)
    return waiting.exclude(cancelled_by="").exclude(state__in=ended).first()


def _end(job: Job) -> None:
    forget_attempt(job.id, job.attempt)
    job.state = JobState.CANCELLED
    job.failure_code = job.failure_sentence = ""
    job.finished_at = timezone.now()
    job.save()
    sequencer.note_end(job)
