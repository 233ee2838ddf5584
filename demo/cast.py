"""Who plays in the demo, and what the two organisations do in every study of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from demo.people import await_all_receipts, share_everything, share_first
from demo.plan import Plan
from demo.report import DemoReport
from demo.stack import PERSON, Stack
from mpc_engine.client.checks import drafted_configuration, job_of
from mpc_engine.client.http import Session
from mpc_engine.client.jobs import JobReport, Progress, wait_for_job
from mpc_engine.client.member import Invitation, Member
from mpc_engine.client.study import (
    PublicStudy,
    fetch_parties,
    fetch_study,
    wait_for_renewed_keys,
)
from mpc_engine.control.post.jobs import JobSpec, parse_job
from mpc_engine.control.studies.configuration import parse_configuration
from mpc_engine.errors import CheckFailedError
from mpc_engine.roles import Role
from mpc_engine.vocabulary.runs import JobKind

RECEIPTS_WAIT_S = 300.0


@dataclass(frozen=True)
class ClosedStudy:
    """A closed study with its parties' new keys; ``people`` in the order of their record ids."""

    study: PublicStudy
    record_set: str
    people: tuple[int, ...]


@dataclass(frozen=True)
class Cast:
    """Mo drafts and models, Rae approves, Uma is decided about; a thousand others share."""

    stack: Stack
    seed: int
    report: DemoReport
    mo: Member
    rae: Member
    uma: Session

    @property
    def members(self) -> tuple[Member, Member]:
        """Return those who sign approvals."""
        return self.mo, self.rae

    def proposed_study(self, draft: Mapping[str, Any]) -> tuple[bytes, str, Callable[[str], None]]:
        """Draft a study and have keys made for it; return its id, proposal, and what to check."""
        study_id = self.mo.draft_study(draft)
        self.mo.submit_study(study_id)
        proposal = self.mo.wait_for_proposal(study_id, "configuration")
        return study_id, proposal, drafted_configuration(draft, study_id, fetch_parties(self.uma))

    def open_study(self, draft: Mapping[str, Any]) -> PublicStudy:
        """Open a study that both organisations signed."""
        study_id, proposal, check = self.proposed_study(draft)
        approved = [member.approve(proposal, "configuration", check) for member in self.members]
        self.mo.wait_for_state(study_id, "OPEN")
        return fetch_study(self.uma, study_id, parse_configuration(approved[0]).digest)

    def invite(self, study: PublicStudy, people: Sequence[int]) -> dict[int, Invitation]:
        """Return an invitation for each person, by number."""
        return dict(zip(people, self.mo.invite(study, len(people)), strict=True))

    def links(self, study: PublicStudy, invitations: Mapping[int, Invitation]) -> dict[int, str]:
        """Return the links that people get, by number."""
        study_id = study.configuration.study_id
        return {index: one.link(self.uma, study_id) for index, one in invitations.items()}

    def share_all(self, plan: Plan, links: Mapping[int, str]) -> None:
        """Let everybody share, and wait for both parties' receipts of every answer."""
        base_url = self.stack.base_url
        first, *others = links
        shared = [share_first(base_url, plan, links[first], first, plan.answers[first])]
        shared += share_everything(base_url, plan, {index: links[index] for index in others})
        await_all_receipts(base_url, shared, RECEIPTS_WAIT_S)

    def approved_job(
        self,
        study: PublicStudy,
        proposal: str,
        kind: JobKind,
        check: Callable[[str], None],
        progress: Callable[[Progress], None] = lambda _: None,
    ) -> tuple[JobSpec, JobReport]:
        """Let both sign a job, and wait for what both parties sign about its end."""
        texts = [member.approve(proposal, kind.value, check) for member in self.members]
        spec = parse_job(texts[0])
        return spec, wait_for_job(self.rae.session, study, spec.job_id.hex(), progress=progress)

    def close(self, study: PublicStudy, invitations: Mapping[int, Invitation]) -> ClosedStudy:
        """Close a study in which everybody shared."""
        proposal = self.mo.propose_closing(study)
        check = job_of(study, JobKind.CLOSING)
        _, job = self.approved_job(study, proposal, JobKind.CLOSING, check)
        outcomes = [job.outcome(role) for role in Role]
        signed = "; ".join(sorted({f"{outcome['n_records']} records" for outcome in outcomes}))
        title = study.configuration.title
        self.report.add(f'Closing "{title}"', f"{len(invitations)} records", signed, job)
        if outcomes[0] != outcomes[1]:
            raise CheckFailedError("The parties closed on different records.")
        return ClosedStudy(
            study=wait_for_renewed_keys(self.uma, study),
            record_set=str(outcomes[0]["record_set"]),
            people=tuple(sorted(invitations, key=lambda index: invitations[index].record_id)),
        )


@contextmanager
def signed_in(stack: Stack, seed: int, report: DemoReport) -> Iterator[Cast]:
    """Let everybody who plays sign in, and give the cast to the caller."""
    with (
        Session(stack.base_url) as mo,
        Session(stack.base_url) as rae,
        Session(stack.base_url) as uma,
    ):
        for session, role in ((mo, "modeler"), (rae, "regulator"), (uma, PERSON)):
            session.log_in(stack.log_ins[role].email, stack.log_ins[role].password)
        yield Cast(
            stack=stack,
            seed=seed,
            report=report,
            mo=Member.with_key_file(mo, stack.approver_keys[Role.MODELER]),
            rae=Member.with_key_file(rae, stack.approver_keys[Role.REGULATOR]),
            uma=uma,
        )
