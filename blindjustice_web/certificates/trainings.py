"""Training a model in a study whose data the modeler holds: asked for, run, kept at its party."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from blindjustice_web.accounts.models import Role, User
from blindjustice_web.audit.models import EntryKind
from blindjustice_web.audit.services import record
from blindjustice_web.certificates.models import CandidateModel, ModelState, SealedModel
from blindjustice_web.engine import engine_client, engine_sweeps, engine_texts
from blindjustice_web.engine.engine_post import Message, about_models
from blindjustice_web.jobs.models import Job
from blindjustice_web.lib import push
from blindjustice_web.lib.ids import fresh_id
from blindjustice_web.lib.labels import Constraint, JobKind, JobState, title_of
from blindjustice_web.lib.problems import NotThere, Refused, Unusable
from blindjustice_web.post.hearing import hears
from blindjustice_web.studies.approvals import open_proposal
from blindjustice_web.studies.models import (
    Proposal,
    ProposalKind,
    ProposalState,
    Study,
    StudyState,
)
from blindjustice_web.studies.questions import ledger_of
from blindjustice_web.studies.services import approved_configuration

DEFAULT_BOUND = "0.01"
DEFAULT_BATCH_SIZE = 64
DEFAULT_OUTPUT_FRAC_BITS = 16
_NAME_LENGTH = 100
"""What the name of a model has room for."""
TARGETS = (80, 90, 95, 70)
"""Percentages of the p%-rule that the form has a ladder for; the first is the four-fifths rule."""


@dataclass(frozen=True)
class ConstraintView:
    """A constraint of a run: the attribute and the category whose bound is asked for."""

    attribute: str
    category: str


@dataclass(frozen=True)
class KeptAlikeView:
    """What a training can keep alike between groups: its name, title and one sentence."""

    value: str
    title: str
    sentence: str


@dataclass(frozen=True)
class LadderView:
    """Values of c to try for a target of the p%-rule, and what their models tell, in bits."""

    target: int
    values: str
    n: int
    bits: int


@dataclass(frozen=True)
class TrainingForm:
    """What the form of a training starts from, or why there is nothing to ask for now."""

    kept_alike: list[KeptAlikeView]
    constraints: list[ConstraintView]
    steps: int
    batch_size: int
    bound: str
    output_frac_bits: int
    n_people: int
    bits: int
    ladders: list[LadderView]
    why_not: str


def training_form(study: Study) -> TrainingForm | None:
    """Return the form of a training; None for a study that trains no model."""
    if not trains(study):
        return None
    configuration = approved_configuration(study)
    constraints = [
        ConstraintView(attribute.title, category.title)
        for attribute, category in engine_client.constrained_categories(configuration)
    ]
    steps = engine_client.recommended_steps(study.n_records or 1)
    terms = engine_client.TrainingTerms(
        "recommended",
        steps,
        DEFAULT_BATCH_SIZE,
        ((DEFAULT_BOUND,) * len(constraints),),
        DEFAULT_OUTPUT_FRAC_BITS,
        bytes(16),
    )
    bits = engine_client.training_bits(configuration, terms)
    problem = why_not_trainable(study, bits)
    return TrainingForm(
        kept_alike=[
            KeptAlikeView(
                name.value,
                title_of(name),
                engine_texts.constraint_sentence(name, _),
            )
            for name in Constraint
        ],
        constraints=constraints,
        steps=steps,
        batch_size=DEFAULT_BATCH_SIZE,
        bound=DEFAULT_BOUND,
        output_frac_bits=DEFAULT_OUTPUT_FRAC_BITS,
        n_people=study.n_records,
        bits=bits,
        ladders=_ladders(bits, ledger_of(study).left_millibits),
        why_not=str(problem.detail) if problem else "",
    )


def _ladders(bits: int, left_millibits: int) -> list[LadderView]:
    """Return a ladder for each target, as long as the limit allows with one point kept back."""
    affordable = left_millibits // (1000 * bits) - 1
    n_points = max(1, min(engine_sweeps.POINTS, affordable))
    found = []
    for target in TARGETS:
        values = engine_sweeps.proposed_ladder(target, n_points)
        found.append(LadderView(target, " ".join(values), len(values), len(values) * bits))
    return found


def trains(study: Study) -> bool:
    """Return whether a study, once approved, is one that trains a model."""
    stored = getattr(study, "configuration", None)
    if stored is None or stored.approved_at is None:
        return False
    return engine_client.read_configuration(stored.text).data_holder.value == Role.MODELER


def why_not_trainable(study: Study, bits: int) -> Refused | None:
    """Return why a training that opens so many bits can't be asked for now, or None."""
    if not trains(study):
        return Refused(
            "TRAINING_NEEDS_MODELER_DATA",
            _("In this study the regulator holds the data: models are certified, not trained."),
        )
    configuration = approved_configuration(study)
    if study.state != StudyState.CLOSED:
        return Refused("STUDY_NOT_CLOSED", _("Close the study first: then the records are fixed."))
    if study.n_records < configuration.policy.minimum_answers:
        return Refused(
            "TRAINING_TOO_FEW_PEOPLE",
            _("The study has fewer people than its policy needs answers."),
        )
    ledger = ledger_of(study)
    if ledger.spent_millibits + 1000 * bits > ledger.limit_millibits:
        return Refused(
            "QUESTION_BITS_SPENT",
            _("An opened model tells up to %(bits)s bits, and %(left)s are left.")
            % {"bits": bits, "left": ledger.left},
            next_step=_("Ask for fewer bits of the output, or train in a study that allows more."),
        )
    if study.proposals.filter(kind=ProposalKind.TRAINING, state=ProposalState.OPEN).exists():
        return Refused(
            "TRAINING_PROPOSED_ALREADY",
            _("A training waits for approval already."),
            next_step=_("Approve or decline that one first."),
        )
    return None


@transaction.atomic
def propose_training(study: Study, user: User, values: Mapping[str, Any]) -> Proposal:
    """Ask both parties to train a model for each point; the site draws ids and order of rows.

    ``values["recipient"]``: the key of the asking member's browser, which models are sealed to.
    """
    study = Study.objects.select_for_update(of=("self",)).get(pk=study.pk)
    _require_trainable(study, 0)
    configuration = approved_configuration(study)
    settings = {name: value for name, value in values.items() if name != "recipient"}
    terms = engine_client.training_terms(configuration, {**settings, "order_seed": fresh_id()})
    _require_trainable(study, engine_client.training_bits(configuration, terms))
    model_ids = [fresh_id() for _ in terms.points]
    spec = engine_client.training_spec(
        fresh_id(),
        configuration,
        model_ids,
        study.record_set,
        values["recipient"],
        terms,
        timezone.now(),
    )
    digest = engine_client.text_digest(spec)
    return open_proposal(study, ProposalKind.TRAINING, spec, digest, user, model_ids[0])


@transaction.atomic
def record_training(job: Job, outcome: Mapping[str, Any]) -> None:
    """Keep that the modeler's party holds the trained models; Unusable if they are others."""
    terms = engine_client.training_terms_of(job.spec)
    trained = engine_client.trained_models_of(job.spec)
    if terms is None or outcome != {"model_ids": list(trained), "steps": terms.steps}:
        raise Unusable("OTHER_MODEL_TRAINED", _("The parties trained other models."))
    for model_id, bounds in trained.items():
        _keep_trained_model(job, terms.constraint, model_id, bounds)


@hears(about_models.ModelTrained)
@transaction.atomic
def note_trained_model(message: Message[about_models.ModelTrained]) -> None:
    """Keep a trained model as soon as its party has it, with what the party says of it."""
    job, model_id = _training_of(message), message.content.model_id.hex()
    terms = engine_client.training_terms_of(job.spec) if job else None
    trained = engine_client.trained_models_of(job.spec) if job else {}
    if job is None or terms is None or model_id not in trained:
        raise NotThere
    model = _keep_trained_model(job, terms.constraint, model_id, trained[model_id])
    model.right_per_mille = message.content.right_per_mille
    model.n_rows = message.content.n_rows
    model.save(update_fields=["right_per_mille", "n_rows"])


def _keep_trained_model(
    job: Job, constraint: Constraint, model_id: str, bounds: tuple[str, ...]
) -> CandidateModel:
    model, fresh = CandidateModel.objects.get_or_create(
        id=model_id,
        defaults={
            "study": job.study,
            "name": trained_name(constraint, bounds),
            "state": ModelState.ACCEPTED,
            "envelope_digest": engine_client.text_digest(job.spec),
            "created_by": job.proposal.created_by if job.proposal else None,
            "bounds": list(bounds),
            "constraint": constraint.value,
        },
    )
    if not fresh and model.study_id != job.study_id:
        raise Unusable("OTHER_MODEL_TRAINED", _("The parties trained other models."))
    if fresh:
        record(EntryKind.MODEL_TRAINED, study=job.study, subject=model_id, detail=f"run {job.id}")
    push.push_change(push.study_group(job.study_id), "models")
    return model


@hears(about_models.ModelSealed)
@transaction.atomic
def note_sealed_model(message: Message[about_models.ModelSealed]) -> None:
    """Keep a model that the modeler's party sealed, unopened; NotThere if it fits no training."""
    job, model_id = _training_of(message), message.content.model_id.hex()
    if job is None or model_id not in engine_client.trained_models_of(job.spec):
        raise NotThere
    if engine_client.stored_body(job.spec)["recipient"] != message.content.recipient.hex():
        raise NotThere
    SealedModel.objects.get_or_create(
        model_id=model_id,
        defaults={"job": job, "body": message.body, "signature": message.signature.hex()},
    )
    push.push_change(push.study_group(job.study_id), "models")


def _training_of(
    message: Message[about_models.ModelTrained | about_models.ModelSealed],
) -> Job | None:
    """Return the training that a message speaks of."""
    told = message.content
    return Job.objects.filter(
        pk=told.job_id.hex(), study_id=told.study_id.hex(), kind=JobKind.TRAINING
    ).first()


def sealed_model_of(model: CandidateModel) -> SealedModel:
    """Return the sealed form of a trained model; NotThere for other models."""
    sealed = SealedModel.objects.filter(pk=model.id).first()
    if sealed is None:
        raise NotThere
    return sealed


def studies_that_trained(study_ids: Iterable[str]) -> set[str]:
    """Return those of some studies in which a training has ended well."""
    jobs = Job.objects.filter(study__in=set(study_ids), kind=JobKind.TRAINING, state=JobState.DONE)
    return set(jobs.values_list("study_id", flat=True))


def _require_trainable(study: Study, bits: int) -> None:
    problem = why_not_trainable(study, bits)
    if problem is not None:
        raise problem


def trained_name(constraint: Constraint, bounds: Sequence[str]) -> str:
    """Return what a model that is trained under a constraint and these bounds is called."""
    told = {"bounds": bounds_text(bounds), "constraint": title_of(constraint)}
    if constraint == Constraint.ACCEPTANCE_RATE:
        return _("Trained with c = %(bounds)s") % told
    return _cut(_("%(constraint)s, trained with c = %(bounds)s") % told, _NAME_LENGTH)


def bounds_text(bounds: Sequence[str]) -> str:
    """Return c for people: one number where all constraints have the same."""
    return _cut(", ".join(bounds if len(set(bounds)) > 1 else bounds[:1]), 60)


def _cut(text: str, length: int) -> str:
    return text if len(text) <= length else text[: length - 1] + "…"
