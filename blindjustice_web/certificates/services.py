"""Writes on models, verdicts and certificates."""

from __future__ import annotations

import hashlib
from typing import Any

from django.db import IntegrityError, transaction
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from blindjustice_web.accounts.models import Role, User
from blindjustice_web.audit.models import EntryKind
from blindjustice_web.audit.services import record
from blindjustice_web.certificates.models import (
    CandidateModel,
    Certificate,
    CertificationResult,
    ModelState,
)
from blindjustice_web.certificates.standing import standing_of
from blindjustice_web.engine import engine_client, engine_texts
from blindjustice_web.engine.engine_post import Message, about_models
from blindjustice_web.jobs.models import Job
from blindjustice_web.lib import push
from blindjustice_web.lib.ids import fresh_id
from blindjustice_web.lib.labels import Verdict
from blindjustice_web.lib.problems import NotThere, Refused, Unusable
from blindjustice_web.post.hearing import hears
from blindjustice_web.post.outbox import send_to_party
from blindjustice_web.studies.approvals import open_proposal
from blindjustice_web.studies.models import (
    Proposal,
    ProposalKind,
    ProposalState,
    Study,
)
from blindjustice_web.studies.refusals import note_refusal, settle_refusals
from blindjustice_web.studies.services import approved_configuration


@transaction.atomic
def hand_in_model(
    study: Study, user: User, model_id: str, name: str, envelope: bytes
) -> CandidateModel:
    """Forward a sealed model to the modeler's party; the same one again changes nothing."""
    approved_configuration(study)
    digest = hashlib.sha256(envelope).hexdigest()
    known = CandidateModel.objects.filter(pk=model_id).first()
    if known is not None:
        if known.study_id == study.id and known.envelope_digest == digest:
            return known
        raise Refused("MODEL_ID_TAKEN", _("Another model was handed in under this id."))
    try:
        with transaction.atomic():
            model = CandidateModel.objects.create(
                id=model_id, study=study, name=name, envelope_digest=digest, created_by=user
            )
    except IntegrityError:
        raise Refused("MODEL_ID_TAKEN", _("Another model was handed in under this id.")) from None
    send_to_party(
        Role.MODELER,
        about_models.TakeModel(
            study_id=bytes.fromhex(study.id), model_id=bytes.fromhex(model_id), envelope=envelope
        ),
    )
    record(EntryKind.MODEL_HANDED_IN, study=study, subject=model_id)
    push.push_change(push.study_group(study.id), "models")
    return model


@hears(about_models.ModelAccepted)
@transaction.atomic
def note_model_accepted(message: Message[about_models.ModelAccepted]) -> None:
    """Store that the modeler's party took a model."""
    _set_state(_addressed(message), ModelState.ACCEPTED)


@hears(about_models.ModelRefused)
@transaction.atomic
def note_model_refused(message: Message[about_models.ModelRefused]) -> None:
    """Store that the modeler's party refused a model, and why."""
    model = _addressed(message)
    _set_state(model, ModelState.REFUSED)
    note_refusal(message, message.content.study_id, "model", model.id)


@hears(about_models.DeploymentRefused)
def note_deployment_refused(message: Message[about_models.DeploymentRefused]) -> None:
    """Store why the modeler's party goes on with the model it used before."""
    note_refusal(message, message.content.study_id, "deployment")


@transaction.atomic
def deploy_model(model: CandidateModel, text: str, key_id: str, signature: str) -> CandidateModel:
    """Forward a signed deployment to the modeler's party."""
    problem = standing_of(model.study).why_not_deployable(model)
    if problem is not None:
        raise problem
    if engine_texts.read_deployment(text) != (model.study_id, model.id):
        raise Unusable(
            "DEPLOYMENT_FOR_ANOTHER_MODEL", _("The signed text names another study or model.")
        )
    engine_client.check_approval("deployment", text, Role.MODELER, key_id, signature)
    order = about_models.DeployModel(
        study_id=bytes.fromhex(model.study_id),
        text=text,
        approval=engine_client.read_approval_of(Role.MODELER, key_id, signature),
    )
    send_to_party(Role.MODELER, order)
    settle_refusals(model.study_id, "deployment")
    model.deployment_sent_at = timezone.now()
    model.save(update_fields=["deployment_sent_at"])
    detail = f"signed with key {key_id}"
    record(EntryKind.DEPLOYMENT_SIGNED, study=model.study, subject=model.id, detail=detail)
    push.push_change(push.study_group(model.study_id), "models")
    return model


@hears(about_models.ModelDeployed)
@transaction.atomic
def note_model_deployed(message: Message[about_models.ModelDeployed]) -> None:
    """Mark the model that the modeler's party now decides with; the last one wins."""
    model = _addressed(message)
    CandidateModel.objects.filter(study_id=model.study_id).update(deployed_at=None)
    model.deployed_at = timezone.now()
    model.save(update_fields=["deployed_at"])
    settle_refusals(model.study_id, "deployment")
    record(EntryKind.MODEL_DEPLOYED, study=model.study, subject=model.id)
    push.push_change(push.study_group(model.study_id), "models")


@transaction.atomic
def propose_certification(study: Study, user: User, model_id: str) -> Proposal:
    """Ask both parties to certify a model; an open proposal for it is returned as it is."""
    study = Study.objects.select_for_update().get(pk=study.pk)
    model = CandidateModel.objects.filter(pk=model_id, study=study).first()
    if model is None:
        raise NotThere
    problem = standing_of(study).why_not_certifiable(model)
    if problem is not None:
        raise problem
    open_already = study.proposals.filter(
        kind=ProposalKind.CERTIFICATION, state=ProposalState.OPEN, model_id=model_id
    ).first()
    if open_already is not None:
        return open_already
    spec = engine_client.certification_spec(
        fresh_id(), approved_configuration(study), model_id, study.record_set, timezone.now()
    )
    digest = engine_client.text_digest(spec)
    return open_proposal(study, ProposalKind.CERTIFICATION, spec, digest, user, model_id)


@transaction.atomic
def record_certification(job: Job, outcome: dict[str, Any]) -> CertificationResult:
    """Store an agreed verdict and, on PASS, the certificate once both signatures are checked.

    Raises Unusable where the certificate doesn't verify or speaks of something else.
    """
    model = CandidateModel.objects.filter(pk=job.subject_id, study=job.study).first()
    if model is None or outcome["model_id"] != model.id:
        raise Unusable("OTHER_MODEL_JUDGED", _("The parties judged another model."))
    if Certificate.objects.filter(model=model).exists():
        raise Unusable(
            "MODEL_CERTIFIED_ALREADY", _("This model has a certificate from an earlier run.")
        )
    result = CertificationResult.objects.create(
        job=job,
        model=model,
        verdict=outcome["verdict"],
        reason=outcome["reason"][:60],
        thresholds=outcome["thresholds"],
        groups=outcome.get("groups", []),
    )
    if result.verdict == Verdict.PASS:
        _issue_certificate(result, outcome)
    return result


def _issue_certificate(result: CertificationResult, outcome: dict[str, Any]) -> Certificate:
    study = result.model.study
    checked = engine_client.check_certificate(
        outcome["certificate"],
        outcome["modeler_signature"],
        outcome["regulator_signature"],
        study.configuration.text,
    )
    stated = [row.to_json() for row in checked.thresholds]
    fits = (
        checked.model_id.hex() == result.model_id
        and checked.record_set.hex() == study.record_set
        and checked.n_records == study.n_records
        and stated == result.thresholds
        and [row.to_json() for row in checked.groups] == result.groups
    )
    if not fits:
        raise Unusable(
            "CERTIFICATE_INVALID", _("The certificate speaks of something else than the verdict.")
        )
    record(
        EntryKind.CERTIFICATE_ISSUED,
        study=study,
        subject=checked.certificate_id.hex(),
        detail=f"model {result.model_id}",
    )
    return Certificate.objects.create(
        id=checked.certificate_id.hex(),
        study=study,
        model=result.model,
        result=result,
        text=outcome["certificate"],
        modeler_signature=outcome["modeler_signature"],
        regulator_signature=outcome["regulator_signature"],
        valid_from=checked.valid_from,
        valid_until=checked.valid_until,
    )


def _set_state(model: CandidateModel, state: ModelState) -> None:
    model.state = state
    model.save(update_fields=["state"])
    push.push_change(push.study_group(model.study_id), "models")


def _addressed(
    message: Message[
        about_models.ModelAccepted | about_models.ModelRefused | about_models.ModelDeployed
    ],
) -> CandidateModel:
    model = (
        CandidateModel.objects.select_for_update()
        .filter(pk=message.content.model_id.hex(), study_id=message.content.study_id.hex())
        .first()
    )
    if model is None:
        raise NotThere
    return model
