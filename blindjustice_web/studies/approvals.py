"""Approvals: signatures of approvers under a proposal, checked against the published keys."""

from __future__ import annotations

from django.db import transaction
from django.db.models import QuerySet
from django.utils.translation import gettext_lazy as _

from blindjustice_web.accounts.models import Role, User
from blindjustice_web.audit.models import EntryKind
from blindjustice_web.audit.services import record
from blindjustice_web.engine import engine_client
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
    """Store a party's approval; tell whether it is the one that completes the proposal.

    One that no longer counts, because its key is an approver's no more, is replaced.
    """
    proposal = Proposal.objects.select_for_update().get(pk=proposal_id)
    engine_client.check_approval(proposal.kind, proposal.text, role, key_id, signature)
    given = proposal.approvals.filter(role=role).first()
    if given is not None and (given.key_id == key_id or _counts(given)):
        return proposal, False
    require_open(proposal)
    if given is not None:
        given.delete()
    Approval.objects.create(
        proposal=proposal, role=role, key_id=key_id, signature=signature, user=user
    )
    detail = f"{proposal.kind}, signed with key {key_id}"
    record(EntryKind.APPROVED, study=proposal.study, subject=proposal.id, detail=detail)
    complete = len(counting(proposal)) == len(Role)
    if complete:
        proposal.state = ProposalState.APPROVED
        proposal.save(update_fields=["state"])
    push.push_change(push.study_group(proposal.study_id), "proposal")
    return proposal, complete


def counting(proposal: Proposal) -> list[Approval]:
    """Return the approvals that count: while a proposal is open, those by keys still published.

    The parties check all signatures when both are there; by then a key may have been replaced.
    """
    given = list(proposal.approvals.all())
    if proposal.state != ProposalState.OPEN:
        return given
    return [approval for approval in given if _counts(approval)]


def waiting_for(role: Role) -> QuerySet[Proposal]:
    """Return the proposals, of whatever study, that an approver of a role has still to sign."""
    signed = Approval.objects.filter(role=role, key_id__in=_published_keys(role))
    return Proposal.objects.filter(state=ProposalState.OPEN).exclude(
        pk__in=signed.values("proposal")
    )


def _counts(approval: Approval) -> bool:
    return approval.key_id in _published_keys(Role(approval.role))


def _published_keys(role: Role) -> list[str]:
    party = engine_client.find_parties().get(role)
    return [key_id.hex() for key_id in party.approvers] if party else []


def require_open(proposal: Proposal) -> None:
    """Return if a proposal still waits for approvals."""
    if proposal.state != ProposalState.OPEN:
        raise Refused(
            "PROPOSAL_NOT_OPEN",
            _("This proposal is no longer waiting for approvals."),
            next_step=_("Reload the page to see where it stands."),
        )


def approvals_of(proposal: Proposal) -> tuple[engine_client.EngineApproval, ...]:
    """Return the approvals as orders carry them."""
    return tuple(
        engine_client.read_approval_of(Role(approval.role), approval.key_id, approval.signature)
        for approval in proposal.approvals.order_by("role")
    )
