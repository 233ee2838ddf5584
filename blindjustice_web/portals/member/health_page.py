"""The page that shows whether both parties can work together; both organisations have it."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse

from blindjustice_web.accounts.models import Role
from blindjustice_web.jobs.diagnostics import ask_for_check
from blindjustice_web.portals.pages import View, member_action, member_page
from blindjustice_web.post.health import parties_health


def health(role: Role) -> View:
    """Return the view that shows the health of both parties to members in one role."""

    @member_page(role)
    def view(request: HttpRequest) -> HttpResponse:
        parties = parties_health()
        context = {
            "parties": parties,
            "is_asked": any(party.asked_at for party in parties),
            "check_url": reverse(f"{role.value}_health_check"),
        }
        return render(request, "member/health.html", context)

    return view


def health_check(role: Role) -> View:
    """Return the view that lets both parties meet now, and shows the page again."""

    @member_action(role)
    def view(request: HttpRequest) -> HttpResponse:
        ask_for_check()
        return redirect(f"{role.value}_health")

    return view
