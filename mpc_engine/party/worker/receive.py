"""One door for orders: read, act, and turn every refusal into a signed message."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from typing import Any

from mpc_engine.control.post.jobs import parse_job
from mpc_engine.control.post.orders import (
    ORDER_KINDS,
    AcceptConfiguration,
    AddInvitations,
    CancelJob,
    CheckLine,
    DeployModel,
    ListRevocations,
    MakeStudyKey,
    Order,
    ReportStatus,
    Resynchronise,
    RunJob,
    SignRevocation,
    TakeChallenge,
    TakeData,
    TakeModel,
    TakeOverModel,
    TakeRevocation,
    TakeSubmission,
    read_order,
)
from mpc_engine.errors import EngineError
from mpc_engine.party.jobs.protocol_table import PRODUCTION, ProtocolTable
from mpc_engine.party.jobs.runner import run_job
from mpc_engine.party.jobs.told import REPEATED
from mpc_engine.party.services.cancellations import cancel_job
from mpc_engine.party.services.challenges import take_challenge
from mpc_engine.party.services.configurations import accept_configuration
from mpc_engine.party.services.data_rows import take_data
from mpc_engine.party.services.intake import count_refusals, take_submission
from mpc_engine.party.services.invitations import add_invitations
from mpc_engine.party.services.models import deploy_model, take_model
from mpc_engine.party.services.resynchronise import resynchronise
from mpc_engine.party.services.revocations import (
    list_revocations,
    sign_certificate_revocation,
    take_revocation,
)
from mpc_engine.party.services.study_keys import make_study_key
from mpc_engine.party.services.takeovers import take_over_model
from mpc_engine.party.studies.known_study import KEY_RETIRED
from mpc_engine.party.worker.line_check import check_line
from mpc_engine.party.worker.status import report_status
from mpc_engine.party.zone.faults import as_engine_error, refusal_values
from mpc_engine.party.zone.party import Party

_log = logging.getLogger(__name__)

_SERVICES: dict[type[Any], Callable[[Party, Any], None]] = {
    MakeStudyKey: make_study_key,
    AcceptConfiguration: accept_configuration,
    AddInvitations: add_invitations,
    TakeSubmission: take_submission,
    TakeModel: take_model,
    TakeOverModel: take_over_model,
    DeployModel: deploy_model,
    SignRevocation: sign_certificate_revocation,
    TakeRevocation: take_revocation,
    ListRevocations: lambda party, _: list_revocations(party),
    TakeData: take_data,
    TakeChallenge: take_challenge,
    CancelJob: cancel_job,
    CheckLine: check_line,
    Resynchronise: resynchronise,
    ReportStatus: lambda party, _: report_status(party),
}

_SUBMISSION_IDS = ("study_id", "record_id", "submission_id", "sequence")
_REFUSALS: dict[str, tuple[str, tuple[str, ...]]] = {
    "make_study_key": ("study_key_refused", ("study_id",)),
    "accept_configuration": ("configuration_refused", ("study_id", "attempt_id")),
    "invitations": ("invitations_refused", ("study_id",)),
    "submission": ("submission_refused", _SUBMISSION_IDS),
    "model": ("model_refused", ("study_id", "model_id")),
    "take_over_model": ("model_refused", ("study_id", "model_id")),
    "deploy_model": ("deployment_refused", ("study_id",)),
    "sign_revocation": ("revocation_refused", ("study_id", "certificate_id")),
    "take_revocation": ("revocation_refused", ("study_id", "certificate_id")),
    "data": ("data_refused", ("study_id", "upload_id")),
    "challenge": ("challenge_refused", ("challenge_id",)),
    "cancel_job": ("cancel_refused", ("job_id",)),
}
"""For each kind of order, the message that refuses it and the fields it repeats."""


def receive(party: Party, kind: object, payload: object, table: ProtocolTable = PRODUCTION) -> bool:
    """Carry out one order; a refusal becomes a signed message with a stable code.

    Return False if the order is to be put back: another one comes first.

    Raises nothing that an order can cause: the worker lives on.
    """
    try:
        return _act(party, read_order(kind, payload), table)
    except Exception as error:
        refusal = as_engine_error(error)
        name = kind if isinstance(kind, str) and kind in ORDER_KINDS else "unknown"
        _log.info("refused an order of kind %s: %s", name, refusal.code)
        try:
            _refuse(party, name, payload, refusal)
        except Exception as failure:
            as_engine_error(failure)
        return True


def _act(party: Party, order: Order, table: ProtocolTable) -> bool:
    if isinstance(order, RunJob):
        return run_job(party, order, table)
    _SERVICES[type(order)](party, order)
    return True


def _refuse(party: Party, kind: str, payload: object, refusal: EngineError) -> None:
    reason = refusal_values(refusal)
    values = payload if isinstance(payload, Mapping) else {}
    try:
        message, ids = _refusal_for(kind, values, refusal)
        party.outbox.tell(message, {**ids, **reason})
    except EngineError:
        party.outbox.tell("order_refused", {"order": kind, **reason})
        return
    if refusal.code == KEY_RETIRED:  # the web hands out an older key than this party's
        make_study_key(party, MakeStudyKey(bytes.fromhex(str(values["study_id"]))))
    if message == "submission_refused":
        count_refusals(party, bytes.fromhex(str(values["study_id"])), refusal.code)


def _refusal_for(
    kind: str, values: Mapping[str, object], refusal: EngineError
) -> tuple[str, dict[str, object]]:
    """Return the refusing message's kind and ids; EngineError if the order has no usable ids.

    A repeated attempt is refused as an order: the attempt it repeats may still be running, and
    must not be reported as failed.
    """
    if kind == "run_job" and refusal.code != REPEATED:
        job_id = parse_job(str(values.get("spec"))).job_id
        return "job_failed", {"job_id": job_id.hex(), "attempt": values.get("attempt")}
    if kind not in _REFUSALS:
        return "order_refused", {"order": kind}
    message, names = _REFUSALS[kind]
    return message, {name: values.get(name) for name in names}
