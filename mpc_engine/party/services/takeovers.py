"""Trained models taken over into the study that certifies them, inside the modeler's party."""

from __future__ import annotations

from mpc_engine.control.files.model_file import model_text, parse_model
from mpc_engine.control.post.exchanges.about_models import ModelAccepted, TakeOverModel
from mpc_engine.control.studies.takeover import parse_takeover
from mpc_engine.control.texts.approvals import require_approvals
from mpc_engine.crypto.digests import sha256
from mpc_engine.errors import UsageError
from mpc_engine.party.services.models import (
    find_model,
    has_model,
    require_free_model_id,
    store_model,
)
from mpc_engine.party.studies.known_study import load_study
from mpc_engine.party.zone.carrying import carries_out
from mpc_engine.party.zone.party import Party
from mpc_engine.roles import Role


@carries_out(TakeOverModel)
def take_over_model(party: Party, order: TakeOverModel) -> None:
    """Copy one model of a takeover that the modeler's approver signed.

    Codes besides those of approvals, texts and `control.model_file`: ``STUDY_UNKNOWN``,
    ``TAKEOVER_OTHER_STUDY``, ``MODEL_UNKNOWN``, ``MODEL_ID_TAKEN``.
    """
    takeover = parse_takeover(order.text)
    configuration = load_study(party, order.study_id).configuration
    if (takeover.study_id, takeover.configuration) != (order.study_id, configuration.digest):
        raise UsageError("The models are handed to another study.", code="TAKEOVER_OTHER_STUDY")
    require_approvals(
        "takeover", order.text, [order.approval], party.trusted_approvers(), [Role.MODELER]
    )
    trained_as = takeover.trained_as.get(order.model_id)
    if trained_as is None:
        raise UsageError("The signed text does not name this model.", code="MODEL_UNKNOWN")
    origin = sha256(order.text.encode("utf-8"))
    require_free_model_id(party, order.model_id, origin)
    source, theta = find_model(party, trained_as)
    # Read back as a model that is handed in, it is checked against the study's features and range.
    encoded = parse_model(model_text(theta, source, configuration), configuration)
    accepted = ModelAccepted(study_id=order.study_id, model_id=order.model_id)
    with party.database.transaction() as connection:
        if not has_model(connection, order.model_id):
            store_model(party, connection, order.study_id, order.model_id, origin, encoded)
        party.outbox.add(connection, accepted)
    party.outbox.flush()
