"""Approving a proposal, and what follows when it is complete."""

from __future__ import annotations

from django.db import transaction

from blindjustice_web.accounts.models import Role, User
from blindjustice_web.engine import engine_client
from blindjustice_web.jobs import sequencer
from blindjustice_web.jobs.models import Job
from blindjustice_web.lib.labels import JobKind
from blindjustice_web.studies.approvals import record_approval
from blindjustice_web.studies.models import Proposal, ProposalKind
from blindjustice_web.studies.services import begin_closing, seal_configuration


@transaction.atomic
def approve_proposal(
    proposal_id: str, user: User, role: Role, key_id: str, signature: str
) -> Proposal:
    """Store a party's approval; the second one makes the configuration final or queues the job."""
    proposal, complete = record_approval(proposal_id, user, role, key_id, signature)
    if complete:
        _carry_out(proposal)
    return proposal


def _carry_out(proposal: Proposal) -> Job | None:
    if proposal.kind == ProposalKind.CONFIGURATION:
        seal_configuration(proposal)
        return None
    if proposal.kind == ProposalKind.CLOSING:
        begin_closing(proposal.study)
    return sequencer.queue_job(
        engine_client.job_id_of(proposal.text),
        JobKind(proposal.kind),
        proposal.study,
        proposal.text,
        proposal=proposal,
        subject_id=proposal.model_id,
    )
