"""Proposals: read the exact text, approve it with an approver's signature, or decline."""

from __future__ import annotations

from typing import Annotated, Any

from django.http import HttpRequest, HttpResponse
from ninja import Query, Router, Schema

from blindjustice_web.accounts.models import Role
from blindjustice_web.accounts.selectors import role_of, user_of
from blindjustice_web.api.fields import IdText, PathId, Reason, Signature64
from blindjustice_web.jobs.services import approve_proposal
from blindjustice_web.lib.paging import api_page
from blindjustice_web.presentation.cards.studies import proposal_view
from blindjustice_web.presentation.words.signing import model_name_of, rows_to_sign
from blindjustice_web.studies.access import in_studies_of, proposal_for, study_for
from blindjustice_web.studies.models import Proposal
from blindjustice_web.studies.services import decline_proposal

router = Router(tags=["proposals"])


class ApprovalOut(Schema):
    """Which key approved for which party."""

    role: str
    key_id: str


class ProposalOut(Schema):
    """A text that waits for, or has, both parties' approvals."""

    id: str
    kind: str
    study_id: str
    text: str
    digest: str
    state: str
    model_id: str
    decline_reason: str
    approvals: list[ApprovalOut]
    waiting_for: list[str]
    can_approve: bool


class SignedRowOut(Schema):
    """One thing that signing means: a label, and what it says."""

    label: str
    text: str


class ProposalToReadOut(ProposalOut):
    """A proposal with what its signers are told, the same to both; nothing once it is decided."""

    model_name: str
    says: list[SignedRowOut]


class ApprovalIn(Schema):
    """An approver's signature over the proposal's text."""

    key_id: IdText
    signature: Signature64


class DeclineIn(Schema):
    """Why a proposal is turned down."""

    reason: Reason


@router.get("proposals", response=list[ProposalOut])
def proposal_list(
    request: HttpRequest, response: HttpResponse, study: Annotated[IdText | None, Query()] = None
) -> list[dict[str, Any]]:
    """Return the proposals of a study, or of all your organisation's, newest first, in pages."""
    user = user_of(request)
    of_study = {"study": study_for(user, study).study} if study is not None else {}
    found = Proposal.objects.filter(in_studies_of(user), **of_study)
    related = found.select_related("study").prefetch_related("approvals")
    role = role_of(user)
    return [
        proposal_out(proposal, role)
        for proposal in api_page(request, response, related.order_by("-created_at", "pk"))
        if role is not None
    ]


@router.get("proposals/{proposal_id}", response=ProposalToReadOut)
def proposal_read(request: HttpRequest, proposal_id: PathId) -> dict[str, Any]:
    """Return a proposal with the exact text to sign, and what signing it means."""
    proposal, role = proposal_for(request.user, proposal_id)
    told = {"model_name": model_name_of(proposal), "says": rows_to_sign(proposal)}
    return {**proposal_out(proposal, role), **told}


@router.post("proposals/{proposal_id}/approvals", response=ProposalOut)
def proposal_approve(
    request: HttpRequest, proposal_id: PathId, payload: ApprovalIn
) -> dict[str, Any]:
    """Approve for your organisation; the second party's approval puts the proposal into effect."""
    proposal, role = proposal_for(request.user, proposal_id)
    approved = approve_proposal(
        proposal.id, user_of(request), role, payload.key_id, payload.signature
    )
    return proposal_out(approved, role)


@router.post("proposals/{proposal_id}/decline", response=ProposalOut)
def proposal_decline(
    request: HttpRequest, proposal_id: PathId, payload: DeclineIn
) -> dict[str, Any]:
    """Turn a proposal down for your organisation, with a reason the other one reads."""
    proposal, role = proposal_for(request.user, proposal_id)
    return proposal_out(decline_proposal(proposal.id, payload.reason), role)


def proposal_out(proposal: Proposal, role: Role) -> dict[str, Any]:
    """Return a proposal as the API shows it."""
    view = proposal_view(proposal, role)
    return {
        "id": view.id,
        "kind": view.kind.value,
        "study_id": view.study_id,
        "text": view.text,
        "digest": view.digest,
        "state": view.state.value,
        "model_id": view.model_id,
        "decline_reason": view.decline_reason,
        "approvals": [{"role": a.role.value, "key_id": a.key_id} for a in view.approvals],
        "waiting_for": [waiting.value for waiting in view.waiting_for],
        "can_approve": view.can_approve,
    }
