"""What either side does to a run from a study's page: stop it, or go on with it. Plain forms."""

from __future__ import annotations

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect

from blindjustice_web.accounts.models import Role
from blindjustice_web.accounts.selectors import user_of
from blindjustice_web.jobs.access import job_for
from blindjustice_web.jobs.cancellation import cancel_job, go_on
from blindjustice_web.jobs.models import Job
from blindjustice_web.portals.pages import View, member_action
from blindjustice_web.presentation.cards.study_views import study_url


def job_cancel(role: Role) -> View:
    """Return the view that stops a run for one side, and shows its study again."""
    return _acting(role, lambda job: cancel_job(job.id, role))


def job_go_on(role: Role) -> View:
    """Return the view that goes on with a failed training, and shows its study again."""
    return _acting(role, lambda job: go_on(job.id))


def _acting(role: Role, act: Callable[[Job], Job]) -> View:
    @member_action(role)
    def view(request: HttpRequest, job_id: str) -> HttpResponse:
        job, _ = job_for(user_of(request), job_id)
        act(job)
        return redirect(study_url(job.study, role))

    return view
