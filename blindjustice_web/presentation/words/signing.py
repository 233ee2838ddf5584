"""What a proposal's signers are told before they sign, from the terms that they sign."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.utils.translation import gettext as _

from blindjustice_web.certificates.trainings import trained_name
from blindjustice_web.engine import engine_client, engine_texts
from blindjustice_web.enrolment.selectors import counts_of
from blindjustice_web.presentation.words.foresight import certification_warnings, closing_warnings
from blindjustice_web.studies.models import Proposal, ProposalKind, ProposalState, StudyState
from blindjustice_web.studies.questions import ledger_of
from blindjustice_web.studies.services import configuration_of


@dataclass(frozen=True)
class SignedRow:
    """One thing that signing means: a label, and what it says."""

    label: str
    text: str


def rows_to_sign(proposal: Proposal) -> list[SignedRow]:
    """Return what signing a proposal means, the same for both parties; empty once it is decided."""
    if proposal.state != ProposalState.OPEN:
        return []
    configuration = configuration_of(proposal.study)
    if proposal.kind == ProposalKind.CONFIGURATION:
        rows = engine_texts.configuration_rows(configuration, _)
    else:
        rows = engine_texts.job_rows_to_sign(
            proposal.text, configuration, _model_names(proposal), _standing_of(proposal), _
        )
    return [*_warnings(proposal), *(SignedRow(label, text) for label, text in rows if text)]


def _warnings(proposal: Proposal) -> list[SignedRow]:
    """Return what would be in vain, before everything else."""
    study = proposal.study
    sentences: list[str] = []
    if proposal.kind == ProposalKind.CLOSING:
        sentences = closing_warnings(study, counts_of(study).readable)
    elif proposal.kind == ProposalKind.CERTIFICATION:
        sentences = certification_warnings(study, study.n_records)
    return [SignedRow(_("Consider first"), sentence) for sentence in sentences]


def model_name_of(proposal: Proposal) -> str:
    """Return the name of the model that a certification is about; "" for other proposals."""
    if proposal.kind != ProposalKind.CERTIFICATION:
        return ""
    return proposal.study.models.get(pk=proposal.model_id).name


def _model_names(proposal: Proposal) -> Sequence[str]:
    if proposal.kind == ProposalKind.TRAINING:
        trained = engine_client.trained_models_of(proposal.text)
        terms = engine_client.training_terms_of(proposal.text)
        if terms is not None:
            return [trained_name(terms.constraint, bounds) for bounds in trained.values()]
    return [name] if (name := model_name_of(proposal)) else []


def _standing_of(proposal: Proposal) -> engine_texts.Standing:
    study = proposal.study
    ledger = ledger_of(study)
    counts = counts_of(study)
    is_closed = study.state == StudyState.CLOSED
    return engine_texts.Standing(
        n_invited=counts.invited,
        n_people=study.n_records if is_closed else counts.readable,
        bits_left=ledger.left,
        n_asked=len(ledger.asked - {proposal.model_id}),
    )
