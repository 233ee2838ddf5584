"""Open a trained model that was sealed to a key of one's own.

The key is made before the training is asked for (`HpkePrivateKey.generate`) and kept by whoever
asks; without it the model is only at the modeler's party, whose command ``export-model`` writes it.
"""

from __future__ import annotations

from typing import Any

from mpc_engine.client.http import Session
from mpc_engine.client.study import PublicStudy
from mpc_engine.control.files.trained_model import TrainedModel, parse_trained_model
from mpc_engine.control.post.exchanges.about_models import ModelSealed
from mpc_engine.crypto.digests import key_id
from mpc_engine.crypto.hpke import HpkePrivateKey
from mpc_engine.errors import InvalidSignatureError, UsageError
from mpc_engine.roles import Role
from mpc_engine.sharing.sealed import Purpose, SealContext, open_envelope, unpad_message


def open_trained_model(
    session: Session, study: PublicStudy, model_id: str, key: HpkePrivateKey
) -> TrainedModel:
    """Fetch, check and open a trained model: its files are ``model`` and ``estimator``.

    Raises:
        InvalidSignatureError: what the site holds is not this model as the modeler's party signed
            it. UsageError (``MODEL_FOR_OTHER_KEY``): it was sealed to another key. IntakeError: the
            seal does not open. CheckFailedError (``TRAINED_MODEL_DIFFERENT``): another model is
            inside.
    """
    statement: Any = session.get_json(f"/api/v1/models/{model_id}/sealed")
    message = study.verified(statement)
    sealed = message.content
    if (
        not isinstance(sealed, ModelSealed)
        or message.role is not Role.MODELER
        or (sealed.study_id, sealed.model_id.hex()) != (study.configuration.study_id, model_id)
    ):
        raise InvalidSignatureError("The site hands out another model.", code="MODEL_DIFFERENT")
    if sealed.recipient != key.public_bytes:
        raise UsageError("The model was sealed to another key.", code="MODEL_FOR_OTHER_KEY")
    context = SealContext(
        Purpose.TRAINED_MODEL,
        Role.MODELER,
        study.configuration.study_id,
        study.configuration.digest,
        key_id(key.public_bytes),
        sealed.model_id,
        sealed.job_id,
    )
    text = unpad_message(open_envelope(context, key, sealed.envelope))
    trained = parse_trained_model(text, sealed.digest)
    inside = (trained.job_id, trained.study_id, trained.model_id.hex())
    if inside != (sealed.job_id, study.configuration.study_id, model_id):
        raise InvalidSignatureError("Another model is inside.", code="MODEL_DIFFERENT")
    trained.read(study.configuration)
    return trained
