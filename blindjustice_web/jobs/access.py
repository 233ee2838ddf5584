"""Who may see a job and which reports on it."""

from __future__ import annotations

from django.db.models import QuerySet

from blindjustice_web.accounts.models import Role
from blindjustice_web.accounts.selectors import Viewer
from blindjustice_web.jobs.models import Job, JobReport
from blindjustice_web.lib.labels import JobKind
from blindjustice_web.lib.problems import NotThere
from blindjustice_web.studies.access import study_for


def job_for(user: Viewer, job_id: str) -> tuple[Job, Role]:
    """Return a job of a study its viewer takes part in, and the viewer's role; else NotThere."""
    job = Job.objects.select_related("study").filter(pk=job_id).first()
    if job is None:
        raise NotThere
    return job, study_for(user, job.study_id).role


def reports_for(role: Role, job: Job) -> QuerySet[JobReport]:
    """Return the reports on the last attempt that a role may read.

    The regulator's report on a verification names outcomes of people's cases: not for a modeler.
    """
    reports = job.reports.filter(attempt=job.attempt).order_by("role")
    if job.kind == JobKind.VERIFICATION and role == Role.MODELER:
        return reports.filter(role=Role.MODELER)
    return reports
