"""Pages of regulators: what waits for approval, studies, certificates, cases."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse

from blindjustice_web.accounts.models import Role, User
from blindjustice_web.accounts.selectors import user_of
from blindjustice_web.certificates.access import published_certificates
from blindjustice_web.certificates.models import CandidateModel
from blindjustice_web.challenges.access import cases_in
from blindjustice_web.challenges.models import Challenge, ChallengeState
from blindjustice_web.challenges.selectors import alarms_in, counts_by_state
from blindjustice_web.lib.named import Named
from blindjustice_web.lib.paging import SHARED_ROWS, page_of
from blindjustice_web.portals.member.key_page import approver_ready
from blindjustice_web.portals.pages import member_page, partial_url, render_live
from blindjustice_web.presentation.cards.challenges import certificate_cards, challenge_cards
from blindjustice_web.presentation.cards.studies import ProposalView, proposal_view
from blindjustice_web.presentation.cards.study_views import study_cards
from blindjustice_web.presentation.figures.challenge_outcomes import outcomes_over_time
from blindjustice_web.studies.access import in_studies_of, studies_for
from blindjustice_web.studies.approvals import waiting_for
from blindjustice_web.studies.models import Proposal

regulator_page = member_page(Role.REGULATOR)


@dataclass(frozen=True)
class StateCount:
    """How many cases stand in a state."""

    state: Named
    n: int


@regulator_page
def regulator_home(request: HttpRequest) -> HttpResponse:
    """Show what waits for approval, the studies, certificates and alarms."""
    user = user_of(request)
    studies = studies_for(user)
    study_rows = page_of(
        request, studies.order_by("-created_at", "pk"), name="studies", size=SHARED_ROWS
    )
    issued = published_certificates().filter(in_studies_of(user))
    certificates = page_of(request, issued, name="certificates", size=SHARED_ROWS)
    mine = _cases(user)
    alarming = page_of(request, alarms_in(mine), name="alarms", size=SHARED_ROWS)
    waiting = page_of(request, _waiting(user), name="waiting", size=SHARED_ROWS)
    closed = (ChallengeState.ANSWERED, ChallengeState.REFUSED)
    context = {
        "studies": study_cards(study_rows.rows, Role.REGULATOR),
        "study_page": study_rows,
        "waiting": _proposals(waiting.rows),
        "waiting_page": waiting,
        "certificates": certificate_cards(certificates.rows),
        "certificate_page": certificates,
        "alarms": challenge_cards(alarming.rows, own=False),
        "alarm_page": alarming,
        "n_open_challenges": mine.exclude(state__in=closed).count(),
        "approver_ready": approver_ready(Role.REGULATOR),
    }
    return render(request, "regulator/regulator_home.html", context)


@regulator_page
def regulator_challenges(request: HttpRequest) -> HttpResponse:
    """Show the cases under this regulator's certificates."""
    cases = _cases(user_of(request))
    page = page_of(request, cases)
    counts = counts_by_state(cases)
    context = {
        "challenges": challenge_cards(page.rows, own=False),
        "page": page,
        "outcomes": outcomes_over_time(cases),
        "counts": [StateCount(Named.of(state), counts[state]) for state in ChallengeState],
        "partial": partial_url(request, reverse("regulator_challenges")),
    }
    return render_live(request, "regulator", "regulator_challenges", context)


def _cases(user: User) -> QuerySet[Challenge]:
    """Return the cases under the regulator's certificates, not those it opened as a person."""
    return cases_in(in_studies_of(user, "certificate__study"))


def _waiting(user: User) -> QuerySet[Proposal]:
    waiting = waiting_for(Role.REGULATOR).filter(in_studies_of(user))
    related = waiting.select_related("study").prefetch_related("approvals")
    return related.order_by("created_at", "pk")


def _proposals(proposals: Sequence[Proposal]) -> list[ProposalView]:
    models = CandidateModel.objects.filter(pk__in=[proposal.model_id for proposal in proposals])
    names = dict(models.values_list("id", "name"))
    return [
        replace(
            proposal_view(proposal, Role.REGULATOR),
            model_name=names.get(proposal.model_id, ""),
            url=reverse("regulator_study", args=(proposal.study_id,)),
        )
        for proposal in proposals
    ]
