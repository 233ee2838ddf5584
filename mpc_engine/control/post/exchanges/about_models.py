"""Orders and messages about models: handed in, taken over, trained, and put to use."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from mpc_engine.control.files.trained_model import MAX_SEALED_CHARACTERS
from mpc_engine.control.post.declarations import MODELER_ALONE, Content, Order, Refusal, Subject
from mpc_engine.control.post.shapes import (
    Digest,
    Id,
    Natural,
    OneApproval,
    SealingKey,
    base64_of,
    text_up_to,
    whole_number,
)
from mpc_engine.control.studies.takeover import MAX_TAKEOVER_BYTES

MAX_SEALED_MODEL_BYTES = 1 << 20
MAX_DEPLOYMENT_CHARACTERS = 1 << 12
_MODEL = Subject("model", ("model_id",))


@dataclass(frozen=True, kw_only=True)
class ModelAccepted(Content, kind="model_accepted", said_by=MODELER_ALONE):
    """A model was taken."""

    study_id: Id
    model_id: Id


@dataclass(frozen=True, kw_only=True)
class ModelRefused(Refusal, kind="model_refused", said_by=MODELER_ALONE):
    """A model was not taken."""

    study_id: Id
    model_id: Id


@dataclass(frozen=True)
class TakeModel(
    Order,
    kind="model",
    to=MODELER_ALONE,
    subject=_MODEL,
    answered_by=(ModelAccepted,),
    refused_by=ModelRefused,
):
    """Take a sealed model."""

    study_id: Id
    model_id: Id
    envelope: Annotated[bytes, base64_of(limit=MAX_SEALED_MODEL_BYTES)]


@dataclass(frozen=True)
class TakeOverModel(
    Order,
    kind="take_over_model",
    to=MODELER_ALONE,
    subject=_MODEL,
    answered_by=(ModelAccepted,),
    refused_by=ModelRefused,
):
    """Copy one of the models that a signed text hands to another study."""

    study_id: Id
    model_id: Id
    text: Annotated[str, text_up_to(MAX_TAKEOVER_BYTES)]
    approval: OneApproval


@dataclass(frozen=True, kw_only=True)
class ModelDeployed(Content, kind="model_deployed", said_by=MODELER_ALONE):
    """The party decides with this model now."""

    study_id: Id
    model_id: Id


@dataclass(frozen=True, kw_only=True)
class DeploymentRefused(Refusal, kind="deployment_refused", said_by=MODELER_ALONE):
    """The party goes on to decide with the model it used before."""

    study_id: Id


@dataclass(frozen=True)
class DeployModel(
    Order,
    kind="deploy_model",
    to=MODELER_ALONE,
    subject=Subject("deploy_model", ("study_id",)),
    answered_by=(ModelDeployed,),
    refused_by=DeploymentRefused,
):
    """Use another model for decisions from now on."""

    study_id: Id
    text: Annotated[str, text_up_to(MAX_DEPLOYMENT_CHARACTERS)]
    approval: OneApproval


@dataclass(frozen=True, kw_only=True)
class ModelSealed(Content, kind="model_sealed", said_by=MODELER_ALONE):
    """A trained model, sealed to a member of the modeler's organisation."""

    study_id: Id
    job_id: Id
    model_id: Id
    recipient: SealingKey
    digest: Digest
    envelope: Annotated[bytes, base64_of(limit=MAX_SEALED_CHARACTERS)]


@dataclass(frozen=True, kw_only=True)
class ModelTrained(Content, kind="model_trained", said_by=MODELER_ALONE):
    """The party holds a trained model; on so many of its rows it is right."""

    study_id: Id
    job_id: Id
    model_id: Id
    right_per_mille: Annotated[int, whole_number(0, 1000)]
    n_rows: Natural
