"""Pages of regulators: what waits for approval, studies, certificates, cases."""

from __future__ import annotations

from dataclasses import dataclass, replace

from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse

from blindjustice_web.accounts.models import Role, User
from blindjustice_web.certificates.access import published_certificates
from blindjustice_web.certificates.cards import certificate_card
from blindjustice_web.certificates.models import CandidateModel
from blindjustice_web.challenges.access import challenges_for
from blindjustice_web.challenges.cards import ChallengeCard, challenge_cards, state_of
from blindjustice_web.challenges.models import Challenge, ChallengeState
from blindjustice_web.challenges.selectors import alarms, alarms_by_certificate
from blindjustice_web.lib.named import Named
from blindjustice_web.portals.key_page import approver_ready, key_page
from blindjustice_web.portals.pages import member_page, render_live, user_of
from blindjustice_web.portals.study_page import study_card, study_page
from blindjustice_web.studies.access import StudyAccess, studies_for, study_for
from blindjustice_web.studies.cards import ProposalView, proposal_view
from blindjustice_web.studies.models import Proposal, ProposalState

regulator_page = member_page(Role.REGULATOR)

CASES_SHOWN = 200


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
    found = list(published_certificates().filter(study__in=studies))
    counts = alarms_by_certificate(certificate.id for certificate in found)
    mine = _cases(user)
    alarming = list(mine.filter(pk__in=alarms().values("pk"))[:CASES_SHOWN])
    closed = (ChallengeState.ANSWERED, ChallengeState.REFUSED)
    context = {
        "studies": [
            study_card(StudyAccess(study, Role.REGULATOR))
            for study in studies.order_by("-created_at")
        ],
        "waiting": _waiting(user),
        "certificates": [certificate_card(c, counts.get(c.id, 0)) for c in found],
        "alarms": challenge_cards(alarming, own=False),
        "n_open_challenges": mine.exclude(state__in=closed).count(),
        "approver_ready": approver_ready(Role.REGULATOR),
    }
    return render(request, "regulator/regulator_home.html", context)


@regulator_page
def regulator_key(request: HttpRequest) -> HttpResponse:
    """Show which approver keys the party accepts, and let one into this browser."""
    return render(request, "regulator/regulator_key.html", key_page(request, Role.REGULATOR))


@regulator_page
def regulator_study(request: HttpRequest, study_id: str) -> HttpResponse:
    """Show a study: its people, jobs, models and proposals."""
    access = study_for(user_of(request), study_id, role=Role.REGULATOR)
    return render_live(request, "regulator", "regulator_study", study_page(request, access))


@regulator_page
def regulator_challenges(request: HttpRequest) -> HttpResponse:
    """Show the cases under this regulator's certificates."""
    cases = list(_cases(user_of(request))[:CASES_SHOWN])
    cards: list[ChallengeCard] = challenge_cards(cases, own=False)
    partial = f"{reverse('regulator_challenges')}?partial=1"
    states = [state_of(case) for case in cases]
    context = {
        "challenges": cards,
        "counts": [StateCount(Named.of(s), states.count(s)) for s in ChallengeState],
        "partial": partial,
    }
    return render_live(request, "regulator", "regulator_challenges", context)


def _cases(user: User) -> QuerySet[Challenge]:
    """Return the cases under the regulator's certificates, not those it opened as a person."""
    return challenges_for(user).filter(certificate__study__in=studies_for(user))


def _waiting(user: User) -> list[ProposalView]:
    proposals = (
        Proposal.objects.filter(study__in=studies_for(user), state=ProposalState.OPEN)
        .exclude(approvals__role=Role.REGULATOR)
        .select_related("study")
        .order_by("created_at")
    )
    names = dict(
        CandidateModel.objects.filter(study__in=studies_for(user)).values_list("id", "name")
    )
    return [
        replace(
            proposal_view(proposal, Role.REGULATOR),
            model_name=names.get(proposal.model_id, ""),
            url=reverse("regulator_study", args=(proposal.study_id,)),
        )
        for proposal in proposals
    ]
