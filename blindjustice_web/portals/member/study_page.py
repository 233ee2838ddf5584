"""The page of a study, which the modeler and the regulator share but for what they may do."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.conf import settings
from django.db.models import Q
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.translation import gettext as _

from blindjustice_web.accounts.models import Role
from blindjustice_web.accounts.selectors import user_of
from blindjustice_web.certificates.takeovers import models_to_take_over
from blindjustice_web.certificates.trainings import training_form
from blindjustice_web.challenges.access import cases_in
from blindjustice_web.challenges.models import ChallengeState
from blindjustice_web.engine import engine_client
from blindjustice_web.lib.named import Live
from blindjustice_web.lib.paging import SHARED_ROWS, page_of
from blindjustice_web.portals.pages import (
    View,
    member_page,
    page_data,
    partial_url,
    render_live,
)
from blindjustice_web.presentation.cards.certificates import (
    ModelView,
    certifications_to_ask,
    model_views,
    models_of,
)
from blindjustice_web.presentation.cards.jobs import job_view
from blindjustice_web.presentation.cards.questions import ledger_view
from blindjustice_web.presentation.cards.studies import (
    ProposalView,
    proposal_view,
)
from blindjustice_web.presentation.cards.study_views import StudyView, study_url, study_view
from blindjustice_web.presentation.figures.challenge_outcomes import (
    outcomes_by_model,
    outcomes_over_time,
)
from blindjustice_web.presentation.figures.costs import costs_of
from blindjustice_web.presentation.figures.coverage import coverage_over_time
from blindjustice_web.presentation.figures.curve import curve_of
from blindjustice_web.presentation.figures.drawing import Figure
from blindjustice_web.presentation.figures.tradeoff import tradeoff_of
from blindjustice_web.presentation.words.foresight import certification_warnings, closing_warnings
from blindjustice_web.studies.access import StudyAccess, study_for
from blindjustice_web.studies.models import Proposal, ProposalState, Study, StudyState
from blindjustice_web.studies.policies import published_as, study_terms
from blindjustice_web.studies.refusals import standing_refusals
from blindjustice_web.studies.services import CLOSABLE

CASES_SHOWN = 12
"""Models at most whose cases a figure of the modeler's page has room for."""
TAKES_MODELS = (StudyState.OPEN, StudyState.CLOSING, StudyState.WAITING, StudyState.CLOSED)


def study(role: Role) -> View:
    """Return the view that shows a study to members in one role, with all that happened in it."""

    @member_page(role)
    def view(request: HttpRequest, study_id: str) -> HttpResponse:
        access = study_for(user_of(request), study_id, role=role)
        return render_live(request, "member", "study", _context(request, access))

    return view


def _context(request: HttpRequest, access: StudyAccess) -> dict[str, Any]:
    """Return the context of a study's page and of its live region."""
    study, role = access.study, access.role
    view = study_view(study, role)
    url = study_url(study, role)
    live = Live(f"/ws/studies/{study.id}/", partial_url(request, url))
    model_page = page_of(request, models_of(study), name="models", size=SHARED_ROWS)
    models = model_views(study, model_page.rows, role)
    asked = study.proposals.select_related("study").prefetch_related("approvals")
    proposal_page = page_of(
        request, asked.order_by("-created_at", "pk"), name="approvals", size=SHARED_ROWS
    )
    job_page = page_of(
        request, study.jobs.order_by("-created_at", "pk"), name="runs", size=SHARED_ROWS
    )
    names = _names_of(
        study,
        [proposal.model_id for proposal in proposal_page.rows],
        [job.subject_id for job in job_page.rows],
    )
    proposals = _proposals(proposal_page.rows, role, names)
    sign_all = [
        each.id for each in proposals if each.can_approve and each.kind.value == "certification"
    ]
    curve = curve_of(study) if view.frozen else None
    takes_over = role == Role.MODELER and view.frozen and study.state in TAKES_MODELS
    return {
        "study": view,
        "refused": standing_refusals(study),
        "published_as": published_as(study.regulator, study_terms(study)),
        "proposals": proposals,
        "proposal_page": proposal_page,
        "jobs": [job_view(job, names.get(job.subject_id, "")) for job in job_page.rows],
        "job_page": job_page,
        "models": models,
        "model_page": model_page,
        "training": training_form(study),
        "curve": curve,
        "tradeoff": tradeoff_of(curve),
        "cases": _cases(study, role),
        "costs": costs_of(study, role),
        "coverage": coverage_over_time(study),
        "to_take_over": models_to_take_over(study) if takes_over else [],
        "certify_all": certifications_to_ask(study, models) if takes_over else None,
        "sign_all": sign_all if len(sign_all) > 1 else [],
        "ledger": ledger_view(study) if view.frozen else None,
        "can": _can(study, role, view),
        "why_not": _why_not(study, view, has_models=model_page.n_rows > 0),
        "warnings": _warnings(study, view, models),
        "live": live,
        "page_data": _page_data(request, access, view, live),
    }


def _cases(study: Study, role: Role) -> Figure | None:
    """Return what challenges found, dated for the regulator alone (`challenges.outcomes`)."""
    if role == Role.REGULATOR:
        return outcomes_over_time(cases_in(Q(certificate__study=study)))
    asked = study.certificates.filter(challenges__state=ChallengeState.ANSWERED).distinct()
    newest = asked.select_related("model").order_by("-issued_at", "pk")[:CASES_SHOWN]
    return outcomes_by_model(list(newest))


def _names_of(study: Study, *ids: Sequence[str]) -> dict[str, str]:
    """Return the names of those models of a study that the rows of its lists are about."""
    models = study.models.filter(pk__in=set().union(*ids))
    return dict(models.values_list("pk", "name"))


def _proposals(
    proposals: Sequence[Proposal], role: Role, names: dict[str, str]
) -> list[ProposalView]:
    views = [proposal_view(proposal, role) for proposal in proposals]
    return [
        ProposalView(**{**vars(view), "model_name": names.get(view.model_id, "")}) for view in views
    ]


def _can(study: Study, role: Role, view: StudyView) -> dict[str, bool]:
    is_open = study.state == StudyState.OPEN
    by_file = view.data_source.value == "file"
    return {
        "submit": role == Role.MODELER
        and study.state in {StudyState.DRAFT, StudyState.KEYS_REQUESTED},
        "invite": is_open and view.inviter.value == role,
        "close": study.state in CLOSABLE and not _closing_proposed(study),
        "hand_in_model": role == Role.MODELER
        and study.state in TAKES_MODELS
        and view.data_holder.value != Role.MODELER,
        "upload_data": by_file
        and not view.data_commitment
        and view.data_holder.value == role
        and study.state in TAKES_MODELS,
    }


def _warnings(study: Study, view: StudyView, models: Sequence[ModelView]) -> dict[str, list[str]]:
    """Return what to consider before closing, and before a certification is asked for."""
    is_open = study.state == StudyState.OPEN
    to_judge = any(model.verdict is None for model in models)
    return {
        "closing": closing_warnings(study, view.n_records) if is_open else [],
        "certification": certification_warnings(study, view.n_records) if to_judge else [],
    }


def _closing_proposed(study: Study) -> bool:
    return study.proposals.filter(kind="closing", state=ProposalState.OPEN).exists()


def _why_not(study: Study, view: StudyView, *, has_models: bool) -> dict[str, str]:
    return {
        "close": _why_not_close(study),
        "certify": ""
        if view.data_holder.value == Role.MODELER
        else _why_not_certify(study, has_models=has_models),
        "hand_in_model": ""
        if study.state in TAKES_MODELS or view.data_holder.value == Role.MODELER
        else _("Both parties must approve the configuration first."),
    }


def _why_not_close(study: Study) -> str:
    if study.state in CLOSABLE:
        return _("Closing is proposed already.") if _closing_proposed(study) else ""
    if study.state in {StudyState.CLOSING, StudyState.CLOSED, StudyState.ENDED}:
        return _("The study takes no more answers.")
    return _("The study is not open yet.")


def _why_not_certify(study: Study, *, has_models: bool) -> str:
    if study.state == StudyState.ENDED:
        return _("Its closing is over without a list of records; nothing is asked of it any more.")
    if study.state != StudyState.CLOSED:
        return _("Close the study first: then the records are fixed.")
    return "" if has_models else _("Hand in a model first.")


def _page_data(
    request: HttpRequest, access: StudyAccess, view: StudyView, live: Live
) -> dict[str, Any]:
    study, role = access.study, access.role
    api = f"/api/v1/studies/{study.id}"
    party = engine_client.find_parties().get(role)
    return page_data(
        request,
        account=user_of(request).pk,
        study_id=study.id,
        role=role.value,
        state=study.state,
        configuration_text=view.text,
        configuration_digest=view.digest,
        approvers=[key_id.hex() for key_id in party.approvers] if party else [],
        keys={key.role.value: key.statement for key in view.keys if key.present},
        data_holder=view.data_holder.value,
        inviter=view.inviter.value,
        urls={
            "study": api,
            "submit": f"{api}/submit",
            "invitations": f"{api}/invitations",
            "closing": f"{api}/closing",
            "certifications": f"{api}/certifications",
            "trainings": f"{api}/trainings",
            "takeovers": f"{api}/takeovers",
            "data": f"{api}/data",
            "data_part": f"{api}/data/{{upload_id}}/parts/{{number}}",
            "proposals": f"/api/v1/proposals?study={study.id}",
            "proposal": "/api/v1/proposals/{proposal_id}",
            "approve": "/api/v1/proposals/{proposal_id}/approvals",
            "decline": "/api/v1/proposals/{proposal_id}/decline",
            "deploy": "/api/v1/models/{model_id}/deployment",
            "revoke": "/api/v1/certificates/{certificate_id}/revocation",
            "clock": "/api/v1/clock",
            "sealed_model": "/api/v1/models/{model_id}/sealed",
            "take_part": settings.ORIGIN + reverse("take_part", args=(study.id,)),
        },
        socket=live.socket,
        partial=live.partial,
    )
