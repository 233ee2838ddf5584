"""The order that makes both parties run an attempt."""

from __future__ import annotations

from blindjustice_web.accounts.models import Role
from blindjustice_web.engine.engine_post import about_jobs
from blindjustice_web.enrolment.models import Answer
from blindjustice_web.jobs.models import Job
from blindjustice_web.lib.labels import JobKind
from blindjustice_web.post.outbox import send_to_party
from blindjustice_web.studies.approvals import approvals_of
from blindjustice_web.studies.models import Study


def send_run_job(job: Job) -> None:
    """Send the current attempt of a job to both parties, with what each needs to accept it."""
    approvals = approvals_of(job.proposal) if job.proposal else ()
    for role in Role:
        receipts = _receipts_by(role.peer, job.study) if job.kind == JobKind.CLOSING else ()
        send_to_party(
            role,
            about_jobs.RunJob(
                spec=job.spec, attempt=job.attempt, approvals=approvals, receipts=receipts
            ),
        )


def _receipts_by(role: Role, study: Study) -> tuple[about_jobs.PeerReceipt, ...]:
    receipts = Answer.objects.filter(submission__study=study, role=role, accepted=True)
    return tuple(
        about_jobs.PeerReceipt(body=answer.body, signature=bytes.fromhex(answer.signature))
        for answer in receipts.order_by("pk")
    )
