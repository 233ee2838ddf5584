"""Models: hand one in sealed, see what the party says, put one into use."""

from __future__ import annotations

from typing import Annotated, Any

from django.http import HttpRequest
from ninja import Router, Schema, Status
from pydantic import Field

from blindjustice_web.accounts.models import Role
from blindjustice_web.accounts.selectors import user_of
from blindjustice_web.api.fields import IdText, Name, PathId, ShortText, Signature64, SmallEnvelope
from blindjustice_web.certificates.access import model_for
from blindjustice_web.certificates.models import CandidateModel
from blindjustice_web.certificates.services import deploy_model, hand_in_model
from blindjustice_web.certificates.takeovers import take_over_models
from blindjustice_web.certificates.trainings import sealed_model_of
from blindjustice_web.engine.engine_sweeps import MAX_TAKEOVER_BYTES
from blindjustice_web.enrolment.services import decode_envelope
from blindjustice_web.lib.throttle import spend_by_account
from blindjustice_web.presentation.cards.certificates import model_view
from blindjustice_web.studies.access import require_role, study_for
from blindjustice_web.studies.texts import ONLY_MODELER

router = Router(tags=["models"])


class ModelIn(Schema):
    """A name for people, and the model sealed to the modeler's party."""

    model_id: IdText
    name: Name
    envelope: SmallEnvelope


class ModelRefusal(Schema):
    """Why the modeler's party refused a model."""

    code: str
    sentence: str


class VerdictOut(Schema):
    """What certification found."""

    verdict: str
    reason: str
    thresholds: list[dict[str, str]]


class ModelOut(Schema):
    """A model: its name and what happened to it.

    Of a trained one also what was kept alike, c for each constraint, and how many of a thousand
    rows that it trained on its party found decided right; ``trained_as`` where it was taken over
    from another study.
    """

    model_id: str
    study_id: str
    name: str
    state: str
    refusal: ModelRefusal | None
    verdict: VerdictOut | None
    certificate_id: str
    deployed: bool
    bounds: list[str]
    constraint: str
    trained_as: str
    right_per_mille: int | None
    n_rows: int | None


class TakeoverIn(Schema):
    """A signed text that names trained models and the ids they get here."""

    text: Annotated[str, Field(max_length=MAX_TAKEOVER_BYTES)]
    key_id: IdText
    signature: Signature64


class SealedModelOut(Schema):
    """A signed message that holds a sealed model."""

    role: str
    body: str
    signature: str


class DeploymentIn(Schema):
    """A signed text that puts a model into use."""

    text: ShortText
    key_id: IdText
    signature: Signature64


@router.post("studies/{study_id}/models", response={202: ModelOut})
def model_create(
    request: HttpRequest, study_id: PathId, payload: ModelIn
) -> Status[dict[str, Any]]:
    """Forward a sealed model to the modeler's party (modeler only)."""
    spend_by_account(request, "UPLOADS")
    access = study_for(request.user, study_id)
    require_role(access.role, Role.MODELER, ONLY_MODELER)
    envelope = decode_envelope(payload.envelope, "envelope")
    model = hand_in_model(access.study, user_of(request), payload.model_id, payload.name, envelope)
    return Status(202, model_out(model))


@router.post("studies/{study_id}/takeovers", response={202: list[ModelOut]})
def models_take_over(
    request: HttpRequest, study_id: PathId, payload: TakeoverIn
) -> Status[list[dict[str, Any]]]:
    """Hand trained models of another study over to this one, signed (modeler only)."""
    spend_by_account(request, "UPLOADS")
    access = study_for(request.user, study_id)
    require_role(access.role, Role.MODELER, ONLY_MODELER)
    models = take_over_models(
        access.study, user_of(request), payload.text, payload.key_id, payload.signature
    )
    return Status(202, [model_out(model) for model in models])


@router.get("models/{model_id}", response=ModelOut)
def model_read(request: HttpRequest, model_id: PathId) -> dict[str, Any]:
    """Return what happened to a model."""
    model, _access = model_for(request.user, model_id)
    return model_out(model)


@router.get("models/{model_id}/sealed", response=SealedModelOut)
def model_sealed(request: HttpRequest, model_id: PathId) -> dict[str, str]:
    """Return a trained model as its party sealed and signed it (modeler only).

    It opens with the key of the browser or client that asked for the training, and nowhere else.
    """
    model, access = model_for(request.user, model_id)
    require_role(access.role, Role.MODELER, ONLY_MODELER)
    sealed = sealed_model_of(model)
    return {"role": Role.MODELER.value, "body": sealed.body, "signature": sealed.signature}


@router.post("models/{model_id}/deployment", response={202: ModelOut})
def model_deploy(
    request: HttpRequest, model_id: PathId, payload: DeploymentIn
) -> Status[dict[str, Any]]:
    """Put a model into use: challenges are answered with it from then on (modeler only)."""
    model, access = model_for(request.user, model_id)
    require_role(access.role, Role.MODELER, ONLY_MODELER)
    return Status(
        202, model_out(deploy_model(model, payload.text, payload.key_id, payload.signature))
    )


def model_out(model: CandidateModel) -> dict[str, Any]:
    """Return a model as the API shows it."""
    view = model_view(model, Role.MODELER)
    certificate = getattr(model, "certificate", None)
    trained = model.trained_as or model
    return {
        "model_id": view.id,
        "study_id": model.study_id,
        "name": view.name,
        "state": view.state.value,
        "refusal": (
            {"code": view.refusal.code, "sentence": view.refusal.sentence} if view.refusal else None
        ),
        "verdict": (
            {
                "verdict": view.verdict.verdict.value,
                "reason": view.verdict.reason,
                "thresholds": [
                    {
                        "criterion": row.criterion.value,
                        "threshold": row.threshold,
                        "verdict": row.verdict.value,
                        **(
                            {
                                "worst_case": row.worst_case.value,
                                "best_case": row.best_case.value,
                            }
                            if row.worst_case and row.best_case
                            else {}
                        ),
                    }
                    for row in view.verdict.thresholds
                ],
            }
            if view.verdict
            else None
        ),
        "certificate_id": certificate.id if certificate else "",
        "deployed": view.deployed_at is not None,
        "bounds": model.bounds,
        "constraint": model.constraint,
        "trained_as": model.trained_as_id or "",
        "right_per_mille": trained.right_per_mille,
        "n_rows": trained.n_rows,
    }
