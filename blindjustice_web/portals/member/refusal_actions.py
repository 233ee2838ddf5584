"""What either side does about a party's refusal from a study's page. Plain forms."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect

from blindjustice_web.accounts.models import Role
from blindjustice_web.accounts.selectors import user_of
from blindjustice_web.portals.pages import View, member_action
from blindjustice_web.presentation.cards.study_views import study_url
from blindjustice_web.studies.access import study_for
from blindjustice_web.studies.refusals import send_again


def refused_send_again(role: Role) -> View:
    """Return the view that sends refused lists of invitations again, and shows the study."""

    @member_action(role)
    def view(request: HttpRequest, study_id: str) -> HttpResponse:
        access = study_for(user_of(request), study_id, role=role)
        send_again(access.study)
        return redirect(study_url(access.study, role))

    return view
