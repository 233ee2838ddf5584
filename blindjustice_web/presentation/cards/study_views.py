"""What pages show of a study as a whole: in a list, with what is to be done next, and in full."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.urls import reverse
from django.utils.translation import gettext as _

from blindjustice_web.accounts.models import Role
from blindjustice_web.certificates.models import CandidateModel
from blindjustice_web.certificates.trainings import trains
from blindjustice_web.enrolment.data_uploads import data_refusal_of
from blindjustice_web.enrolment.selectors import RecordCounts, counts_of, counts_of_many
from blindjustice_web.lib.named import Named, PartyRefusal
from blindjustice_web.presentation.cards.studies import (
    KeyView,
    TermsView,
    keys_of,
    refusals_of,
    state_named,
    terms_of,
)
from blindjustice_web.studies.approvals import waiting_for
from blindjustice_web.studies.models import Proposal, Study, StudyState
from blindjustice_web.studies.services import configuration_of


@dataclass(frozen=True)
class StudyCard:
    """A study in a list, with what its viewer should do next."""

    id: str
    title: str
    purpose: str
    state: Named
    url: str
    n_invited: int
    n_records: int
    to_do: str
    created_at: datetime


@dataclass(frozen=True)
class StudyView(StudyCard, TermsView):
    """A study with everything its configuration says and how far it has come."""

    modeler_name: str
    regulator_name: str
    digest: str
    text: str
    frozen: bool
    n_submitted: int
    n_refused: int
    n_invalid: int
    n_disagreed: int
    record_set: str
    n_data_rows: int
    data_waits: bool
    data_refusal: PartyRefusal | None
    refusals: list[PartyRefusal]
    keys: list[KeyView]


def study_cards(studies: Sequence[Study], role: Role) -> list[StudyCard]:
    """Return studies for the list of one of their parties."""
    counts = counts_of_many(studies)
    to_do = to_dos(studies, role, counts)
    return [
        StudyCard(
            id=study.id,
            title=study.title,
            purpose=study.purpose,
            state=state_named(study),
            url=study_url(study, role),
            n_invited=counts[study.id].invited,
            n_records=_n_records(study, counts[study.id]),
            to_do=to_do[study.id],
            created_at=study.created_at,
        )
        for study in studies
    ]


def study_view(study: Study, role: Role | None) -> StudyView:
    """Return a study in full; without a role for anyone who may read its configuration."""
    counts = counts_of(study)
    stored = getattr(study, "configuration", None)
    return StudyView(
        **vars(terms_of(configuration_of(study))),
        id=study.id,
        state=state_named(study),
        url=study_url(study, role) if role else "",
        n_invited=counts.invited,
        n_records=_n_records(study, counts),
        to_do=to_dos([study], role, {study.id: counts})[study.id] if role else "",
        created_at=study.created_at,
        modeler_name=study.modeler.name,
        regulator_name=study.regulator.name,
        digest=stored.digest if stored else "",
        text=stored.text if stored else "",
        frozen=bool(stored and stored.approved_at),
        n_submitted=counts.submitted,
        n_refused=counts.refused,
        n_invalid=study.n_invalid,
        n_disagreed=study.n_disagreed,
        record_set=study.record_set,
        n_data_rows=counts.data_rows,
        data_waits=counts.data_waits,
        data_refusal=data_refusal_of(study),
        refusals=refusals_of(study),
        keys=keys_of(study),
    )


def study_url(study: Study, role: Role) -> str:
    """Return the address of a study's page for a role."""
    return reverse(f"{role.value}_study", args=(study.id,))


def to_dos(
    studies: Sequence[Study], role: Role, counts: Mapping[str, RecordCounts]
) -> dict[str, str]:
    """Return what a party should do next in each study, or "" where it waits for others."""
    ids = [study.id for study in studies]
    waiting = waiting_for(role).filter(study__in=ids).order_by("-pk")
    proposals = {proposal.study_id: proposal for proposal in waiting}
    models = CandidateModel.objects.filter(study__in=ids).order_by()
    with_models = set(models.values_list("study_id", flat=True).distinct())
    return {
        study.id: _approve(proposals[study.id])
        if study.id in proposals
        else _next_step(study, role, counts[study.id], has_models=study.id in with_models)
        for study in studies
    }


def _approve(proposal: Proposal) -> str:
    return _("Approve or decline: %(what)s") % {"what": proposal.get_kind_display()}


def _next_step(study: Study, role: Role, counts: RecordCounts, *, has_models: bool) -> str:
    if study.state == StudyState.OPEN and not counts.invited:
        inviter = configuration_of(study).inviter.value
        return _("Invite people") if inviter == role else ""
    if role == Role.MODELER and study.state == StudyState.DRAFT:
        return _("Submit the draft to both parties")
    if role == Role.MODELER and study.state == StudyState.CLOSED and not has_models:
        return _("Train a model") if trains(study) else _("Hand in a model")
    return ""


def _n_records(study: Study, counts: RecordCounts) -> int:
    return study.n_records if study.state == StudyState.CLOSED else counts.readable
