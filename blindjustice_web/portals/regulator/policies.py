"""Pages on which a regulator composes, publishes and withdraws its policies."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _

from blindjustice_web.accounts.models import Role
from blindjustice_web.accounts.selectors import user_of
from blindjustice_web.engine.engine_texts import text_fault
from blindjustice_web.lib.paging import page_of
from blindjustice_web.lib.problems import Refused
from blindjustice_web.lib.throttle import spend_by_account
from blindjustice_web.portals.member.policy_editor import Editor, first_editor, posted_editor
from blindjustice_web.portals.pages import member_action, member_page, page_data
from blindjustice_web.presentation.cards.policies import policy_view
from blindjustice_web.studies.policies import (
    own_policy,
    policies_of,
    policy_for,
    publish_policy,
    withdraw_policy,
)
from blindjustice_web.studies.policy_fields import AboutFields

regulator_page = member_page(Role.REGULATOR)
regulator_action = member_action(Role.REGULATOR)
MOST_TITLE = 100


@regulator_page
def policy_list(request: HttpRequest) -> HttpResponse:
    """Show the policies that the organisation published, newest first."""
    page = page_of(request, policies_of(user_of(request)))
    context = {"policies": [policy_view(policy) for policy in page.rows], "page": page}
    return render(request, "regulator/policy_list.html", context)


@regulator_page
def policy_new(request: HttpRequest) -> HttpResponse:
    """Show the fields of a policy, filled from the preset or policy that ``?start=`` names.

    A policy of the regulator's own may be withdrawn: what is composed from it is another one.
    """
    start = request.GET.get("start", "four_fifths")
    own = own_policy(user_of(request), start)
    withdrawn = own if own and own.withdrawn_at else None
    editor = first_editor(AboutFields.empty(), start, withdrawn)
    return _page(request, editor)


@regulator_action
def policy_publish(request: HttpRequest) -> HttpResponse:
    """Publish the policy, or show the page again: with what is wrong, or after another button."""
    editor = posted_editor(request.POST)
    if request.POST.get("then") != "publish":
        return _page(request, editor)
    spend_by_account(request, "UPLOADS")
    title = request.POST.get("title", "").strip()
    title_fault = (
        "" if _is_title(title) else _("Give it a name of 1 to 100 characters, none of them hidden.")
    )
    if editor.terms is not None and not title_fault:
        try:
            published = publish_policy(user_of(request), title, editor.terms.to_json())
        except Refused as refused:
            title_fault = f"{refused.detail} {refused.next_step}"
        else:
            return redirect("policy_detail", published.id)
    return _page(request, replace(editor, tried=True), title_fault=title_fault, status=422)


@regulator_page
def policy_detail(request: HttpRequest, policy_id: str) -> HttpResponse:
    """Show a published policy: what it says, who published it, its exact text."""
    policy = policy_view(policy_for(user_of(request), policy_id))
    return render(request, "regulator/policy_detail.html", {"policy": policy})


@regulator_action
def policy_withdraw(request: HttpRequest, policy_id: str) -> HttpResponse:
    """Offer a policy no longer, and show it again."""
    user = user_of(request)
    withdraw_policy(user, policy_for(user, policy_id).id)
    return redirect("policy_detail", policy_id)


def _page(
    request: HttpRequest, editor: Editor, *, title_fault: str = "", status: int = 200
) -> HttpResponse:
    context: dict[str, Any] = {
        "editor": editor,
        "title": request.POST.get("title", ""),
        "title_fault": title_fault,
        "page_data": page_data(request, editor_url=reverse("regulator_policy_editor")),
    }
    return render(request, "regulator/policy_new.html", context, status=status)


def _is_title(text: str) -> bool:
    return 1 <= len(text) <= MOST_TITLE and not text_fault(text)
