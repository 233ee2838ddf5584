"""The modeler's models: taken sealed, kept encrypted, and which of them is in use."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence

from mpc_engine.control.files.model_file import parse_model
from mpc_engine.control.post.exchanges.about_models import (
    DeployModel,
    ModelAccepted,
    ModelDeployed,
    TakeModel,
)
from mpc_engine.control.studies.configuration import Configuration
from mpc_engine.control.studies.study_texts import parse_approved_body, parse_deployment
from mpc_engine.control.texts.approvals import require_approvals
from mpc_engine.control.texts.fields import format_time
from mpc_engine.crypto.digests import sha256
from mpc_engine.errors import UsageError
from mpc_engine.party.services.certificates import require_usable_model
from mpc_engine.party.studies.known_study import get_study, load_study, open_for_study
from mpc_engine.party.zone.carrying import carries_out
from mpc_engine.party.zone.party import Party
from mpc_engine.roles import Role
from mpc_engine.sharing.sealed import Purpose

_PLACE = "model"


@carries_out(TakeModel)
def take_model(party: Party, order: TakeModel) -> None:
    """Take a sealed model that the modeler's approver signed.

    Codes besides those of seals, approvals and `control.model_file`: ``STUDY_UNKNOWN``,
    ``MODEL_NOT_READABLE``, ``MODEL_ID_TAKEN``.
    """
    study = load_study(party, order.study_id)
    digest = sha256(order.envelope)
    if _is_known(party, order, digest):
        party.outbox.tell(_accepted(order))
        return
    plaintext = open_for_study(
        party, study.configuration, Purpose.MODEL, order.model_id, order.envelope
    )
    body, approval = parse_approved_body(plaintext, "model", "MODEL_NOT_READABLE")
    require_approvals("model", body, [approval], party.trusted_approvers(), [Role.MODELER])
    theta = parse_model(body, study.configuration)
    with party.database.transaction() as connection:
        store_model(party, connection, order.study_id, order.model_id, digest, theta)
        party.outbox.add(connection, _accepted(order))
    party.outbox.flush()


@carries_out(DeployModel)
def deploy_model(party: Party, order: DeployModel) -> None:
    """Use another accepted model for decisions from now on.

    Codes besides those of approvals and texts: ``STUDY_UNKNOWN``, ``DEPLOYMENT_OTHER_STUDY``,
    ``MODEL_UNKNOWN``, ``DEPLOYMENT_OUTDATED``, ``CERTIFICATE_REVOKED``.
    """
    study_id, model_id, deployed_at = parse_deployment(order.text)
    if study_id != order.study_id:
        raise UsageError("The deployment belongs to another study.", code="DEPLOYMENT_OTHER_STUDY")
    require_approvals(
        "deployment", order.text, [order.approval], party.trusted_approvers(), [Role.MODELER]
    )
    with party.database.transaction() as connection:
        get_study(connection, study_id)
        model_theta(party, connection, study_id, model_id)
        known = connection.execute(
            "SELECT text, deployed_at FROM deployments WHERE study_id = ?", (study_id,)
        ).fetchone()
        moment = format_time(deployed_at)
        if known is not None and known["text"] != order.text and known["deployed_at"] >= moment:
            raise UsageError(
                "A later deployment is known already; date this one after it.",
                code="DEPLOYMENT_OUTDATED",
            )
        if known is None or known["text"] != order.text:
            require_usable_model(connection, study_id, model_id)
        connection.execute(
            "INSERT OR REPLACE INTO deployments (study_id, model_id, text, deployed_at)"
            " VALUES (?, ?, ?, ?)",
            (study_id, model_id, order.text, moment),
        )
        party.outbox.add(connection, ModelDeployed(study_id=study_id, model_id=model_id))
    party.outbox.flush()


def model_theta(
    party: Party, connection: sqlite3.Connection, study_id: bytes, model_id: bytes
) -> list[int]:
    """Return the encoded coefficients of a model, intercept first.

    UsageError (``MODEL_UNKNOWN``) if this party has no such model for the study.
    """
    row = connection.execute(
        "SELECT sealed FROM models WHERE study_id = ? AND model_id = ?", (study_id, model_id)
    ).fetchone()
    if row is None:
        raise UsageError("The modeler's party has no such model.", code="MODEL_UNKNOWN")
    theta: list[int] = json.loads(party.cipher.open(_PLACE, (study_id, model_id), row["sealed"]))
    return theta


def require_free_model_id(party: Party, model_id: bytes, origin: bytes) -> None:
    """Raise UsageError (``MODEL_ID_TAKEN``) if this party has another model of this number.

    ``origin``: what the model comes from, the digest of an envelope or of a training job.
    """
    with party.database.reading() as connection:
        row = connection.execute(
            "SELECT envelope_digest FROM models WHERE model_id = ?", (model_id,)
        ).fetchone()
    if row is not None and row["envelope_digest"] != origin:
        raise UsageError("Another model has this number already.", code="MODEL_ID_TAKEN")


def store_model(
    party: Party,
    connection: sqlite3.Connection,
    study_id: bytes,
    model_id: bytes,
    origin: bytes,
    theta: Sequence[int],
) -> None:
    """Keep a model encrypted: its encoded coefficients, intercept first."""
    sealed = party.cipher.seal(
        _PLACE, (study_id, model_id), json.dumps(list(theta)).encode("ascii")
    )
    connection.execute(
        "INSERT INTO models (model_id, study_id, envelope_digest, sealed) VALUES (?, ?, ?, ?)",
        (model_id, study_id, origin, sealed),
    )


def has_model(connection: sqlite3.Connection, model_id: bytes) -> bool:
    """Return whether this party holds a model of this number."""
    row = connection.execute("SELECT 1 FROM models WHERE model_id = ?", (model_id,)).fetchone()
    return row is not None


def find_model(party: Party, model_id: bytes) -> tuple[Configuration, list[int]]:
    """Return a model with its study's configuration; UsageError ``MODEL_UNKNOWN``."""
    with party.database.reading() as connection:
        row = connection.execute(
            "SELECT study_id FROM models WHERE model_id = ?", (model_id,)
        ).fetchone()
        study_id = bytes(16) if row is None else bytes(row["study_id"])
        theta = model_theta(party, connection, study_id, model_id)
        return get_study(connection, study_id).configuration, theta


def model_in_use(connection: sqlite3.Connection, study_id: bytes, certified: bytes) -> bytes:
    """Return the id of the deployed model, the certified one where none was deployed."""
    row = connection.execute(
        "SELECT model_id FROM deployments WHERE study_id = ?", (study_id,)
    ).fetchone()
    return certified if row is None else bytes(row["model_id"])


def require_party_role(party: Party, role: Role) -> None:
    """Raise UsageError (``NOT_FOR_THIS_PARTY``) unless this is the party of ``role``."""
    if party.role is not role:
        raise UsageError(
            f"Only the {role.value}'s party takes this kind of order.", code="NOT_FOR_THIS_PARTY"
        )


def _is_known(party: Party, order: TakeModel, digest: bytes) -> bool:
    """Return whether exactly this envelope was accepted; ``MODEL_ID_TAKEN`` if another one was."""
    require_free_model_id(party, order.model_id, digest)
    with party.database.reading() as connection:
        return has_model(connection, order.model_id)


def _accepted(order: TakeModel) -> ModelAccepted:
    return ModelAccepted(study_id=order.study_id, model_id=order.model_id)
