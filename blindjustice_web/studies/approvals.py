"""Approvals: signatures of approvers under a proposal, checked against the published keys."""

from __future__ import annotations

from typing import Any

from django.db import transaction
from django.utils.translation import gettext_lazy as _

from blindjustice_web.accounts.models import Role, User
from blindjustice_web.audit.models import EntryKind
from blindjustice_web.audit.services import record
from blindjustice_web.jobs import engine_client
from blindjustice_web.lib import push
from blindjustice_web.lib.ids import fresh_id
from blindjustice_web.lib.problems import Refused
from blindjustice_web.studies.models import (
    Approval,
    Proposal,
    ProposalKind,
    ProposalState,
    Study,
)


def open_proposal(
    study: Study,
    kind: ProposalKind,
    text: str,
    digest: str,
    user: User | None,
    model_id: str = "",
) -> Proposal:
    """Put a text before both parties."""
    proposal = Proposal.objects.create(
        id=fresh_id(),
        kind=kind,
        study=study,
        text=text,
        digest=digest,
        created_by=user,
        model_id=model_id,
    )
    record(EntryKind.PROPOSED, study=study, subject=proposal.id, detail=f"{kind} {digest}")
    push.push_change(push.study_group(study.id), "proposal")
    return proposal


@transaction.atomic
def record_approval(
    proposal_id: str, user: User, role: Role, key_id: str, signature: str
) -> tuple[Proposal, bool]:
    """Store a party's approval; tell whether it is the one that completes the proposal."""
    proposal = Proposal.objects.select_for_update().get(pk=proposal_id)
    engine_client.check_approval(proposal.kind, proposal.text, role, key_id, signature)
    if proposal.approvals.filter(role=role).exists():
        return proposal, False
    require_open(proposal)
    Approval.objects.create(
        proposal=proposal, role=role, key_id=key_id, signature=signature, user=user
    )
    detail = f"{proposal.kind}, signed with key {key_id}"
    record(EntryKind.APPROVED, study=proposal.study, subject=proposal.id, detail=detail)
    complete = proposal.approvals.count() == len(Role)
    if complete:
        proposal.state = ProposalState.APPROVED
        proposal.save(update_fields=["state"])
    push.push_change(push.study_group(proposal.study_id), "proposal")
    return proposal, complete


def require_open(proposal: Proposal) -> None:
    """Return if a proposal still waits for approvals."""
    if proposal.state != ProposalState.OPEN:
        raise Refused(
            "PROPOSAL_NOT_OPEN",
            _("This proposal is no longer waiting for approvals."),
            next_step=_("Reload the page to see where it stands."),
        )


def approvals_json(proposal: Proposal) -> list[dict[str, Any]]:
    """Return the approvals as parties read them."""
    return [
        {"role": approval.role, "key_id": approval.key_id, "signature": approval.signature}
        for approval in proposal.approvals.order_by("role")
    ]
