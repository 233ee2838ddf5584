"""Pages of modelers: studies, drafts, models, the approver's key."""

from __future__ import annotations

from dataclasses import dataclass

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _

from blindjustice_web.accounts.models import Role, User
from blindjustice_web.accounts.selectors import organisations, user_of
from blindjustice_web.certificates.access import published_certificates
from blindjustice_web.engine import engine_client
from blindjustice_web.engine.engine_texts import isolated
from blindjustice_web.lib.paging import SHARED_ROWS, page_of
from blindjustice_web.portals.member.key_page import approver_ready
from blindjustice_web.portals.member.policy_editor import first_editor
from blindjustice_web.portals.pages import member_page, page_data
from blindjustice_web.presentation.cards.challenges import certificate_cards
from blindjustice_web.presentation.cards.study_views import (
    StudyCard,
    study_cards,
    study_view,
)
from blindjustice_web.studies.access import in_studies_of, studies_for, study_for
from blindjustice_web.studies.approvals import waiting_for
from blindjustice_web.studies.draft_defaults import DRAFT_DEFAULTS
from blindjustice_web.studies.models import ProposalKind

modeler_page = member_page(Role.MODELER)
MORE_SHOWN = 20


@dataclass(frozen=True)
class ToDo:
    """Something that waits for the modeler, and where it is done."""

    sentence: str
    url: str


@modeler_page
def modeler_home(request: HttpRequest) -> HttpResponse:
    """Show the organisation's studies, its certificates and what waits for it."""
    user = user_of(request)
    studies = studies_for(user)
    study_rows = page_of(
        request, studies.order_by("-created_at", "pk"), name="studies", size=SHARED_ROWS
    )
    cards = study_cards(study_rows.rows, Role.MODELER)
    issued = published_certificates().filter(in_studies_of(user))
    certificates = page_of(request, issued, name="certificates", size=SHARED_ROWS)
    ready = approver_ready(Role.MODELER)
    context = {
        "studies": cards,
        "study_page": study_rows,
        "certificates": certificate_cards(certificates.rows),
        "certificate_page": certificates,
        "to_do": [*_to_do(cards, ready), *_elsewhere(user, cards)],
        "approver_ready": ready,
    }
    return render(request, "modeler/modeler_home.html", context)


@modeler_page
def study_new(request: HttpRequest) -> HttpResponse:
    """Show the form of a new study."""
    regulators = [{"id": o.id, "name": o.name} for o in organisations(Role.REGULATOR)]
    data = page_data(
        request,
        account=user_of(request).pk,
        studies_url="/api/v1/studies",
        submit_url="/api/v1/studies/{study_id}/submit",
        detail_url="/modeler/studies/{study_id}/",
        defaults=DRAFT_DEFAULTS,
        editor_url=reverse("modeler_policy_editor"),
        regulators=regulators,
    )
    context = {"page_data": data, "editor": first_editor()}
    return render(request, "modeler/study_new.html", context)


@modeler_page
def model_new(request: HttpRequest, study_id: str) -> HttpResponse:
    """Show the form that seals a model in the browser."""
    study = study_for(user_of(request), study_id, role=Role.MODELER).study
    view = study_view(study, Role.MODELER)
    party = engine_client.find_parties().get(Role.MODELER)
    keys = {key.role.value: key for key in view.keys if key.present}
    own = keys.get(Role.MODELER.value)
    data = page_data(
        request,
        study_id=study.id,
        configuration_text=view.text,
        configuration_digest=view.digest,
        models_url=f"/api/v1/studies/{study.id}/models",
        detail_url=view.url,
        modeler_key=own.statement if own else None,
        approvers=[key_id.hex() for key_id in party.approvers] if party else [],
    )
    return render(request, "modeler/model_new.html", {"study": view, "page_data": data})


def _to_do(cards: list[StudyCard], ready: bool) -> list[ToDo]:
    waiting = [
        ToDo(f"{isolated(card.title)}: {card.to_do}", card.url) for card in cards if card.to_do
    ]
    if not ready:
        sentence = _("Ask the operator of your party for an approver key.")
        waiting.insert(0, ToDo(sentence, reverse("modeler_key")))
    return waiting


def _elsewhere(user: User, shown: list[StudyCard]) -> list[ToDo]:
    """Return the oldest proposals that wait in studies which this page does not list."""
    waiting = waiting_for(Role.MODELER).filter(in_studies_of(user))
    others = waiting.exclude(study__in=[card.id for card in shown]).order_by("created_at")
    found = others.values_list("study__title", "kind", "study_id")[:MORE_SHOWN]
    return [
        ToDo(
            f"{isolated(title)}: {ProposalKind(kind).label}",
            reverse("modeler_study", args=(study_id,)),
        )
        for title, kind, study_id in found
    ]
