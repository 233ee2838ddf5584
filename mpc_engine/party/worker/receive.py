"""One door for orders: read, act, and turn every refusal into a signed message."""

from __future__ import annotations

import logging
from collections.abc import Mapping

from mpc_engine.control.post.declarations import Order, OrderRefused, Refusal
from mpc_engine.control.post.exchanges.about_jobs import RunJob
from mpc_engine.control.post.exchanges.about_people import SubmissionRefused
from mpc_engine.control.post.exchanges.about_studies import MakeStudyKey
from mpc_engine.control.post.messages import read_refusal
from mpc_engine.control.post.orders import read_order
from mpc_engine.control.post.table import ORDERS
from mpc_engine.errors import EngineError
from mpc_engine.party.jobs.protocol_table import PRODUCTION, ProtocolTable
from mpc_engine.party.jobs.runner import run_job
from mpc_engine.party.jobs.told import ATTEMPT_REPEATED
from mpc_engine.party.services import (
    cancellations,
    challenges,
    configurations,
    data_rows,
    intake,
    invitations,
    models,
    resynchronise,
    revocations,
    study_keys,
    takeovers,
)
from mpc_engine.party.studies.known_study import KEY_RETIRED
from mpc_engine.party.worker import line_check, status
from mpc_engine.party.zone.carrying import CARRIERS
from mpc_engine.party.zone.faults import as_engine_error, refusal_values
from mpc_engine.party.zone.party import Party

_log = logging.getLogger(__name__)

CARRYING = (
    cancellations,
    challenges,
    configurations,
    data_rows,
    intake,
    invitations,
    line_check,
    models,
    resynchronise,
    revocations,
    status,
    study_keys,
    takeovers,
)
"""The modules in which something carries out an order, so that all are loaded with this one."""


def receive(party: Party, kind: object, payload: object, table: ProtocolTable = PRODUCTION) -> bool:
    """Carry out one order; a refusal becomes a signed message with a stable code.

    Return False if the order is to be put back: another one comes first.

    Raises nothing that an order can cause: the worker lives on.
    """
    try:
        return _act(party, read_order(kind, payload), table)
    except Exception as error:
        refusal = as_engine_error(error)
        name = kind if isinstance(kind, str) and kind in ORDERS else "unknown"
        _log.info("refused an order of kind %s: %s", name, refusal.code)
        try:
            _refuse(party, name, payload, refusal)
        except Exception as failure:
            as_engine_error(failure)
        return True


def _act(party: Party, order: Order, table: ProtocolTable) -> bool:
    """Carry out an order; UsageError (``NOT_FOR_THIS_PARTY``) where only the other party may."""
    if party.role not in order.to:
        models.require_party_role(party, party.role.peer)
    if isinstance(order, RunJob):
        return run_job(party, order, table)
    CARRIERS[type(order)](party, order)
    return True


def _refuse(party: Party, kind: str, payload: object, refusal: EngineError) -> None:
    values = payload if isinstance(payload, Mapping) else {}
    told = _refusal_of(kind, values, refusal)
    party.outbox.tell(told)
    if isinstance(told, OrderRefused):
        return
    if refusal.code == KEY_RETIRED:  # the web hands out an older key than this party's
        order = MakeStudyKey(bytes.fromhex(str(values["study_id"])))
        study_keys.make_study_key(party, order)
    if isinstance(told, SubmissionRefused):
        intake.count_refusals(party, told.study_id, refusal.code)


def _refusal_of(kind: str, values: Mapping[str, object], refusal: EngineError) -> Refusal:
    """Return the message that refuses an order; that of any order if it has no usable ids.

    A repeated attempt is refused as an order: the attempt it repeats may still be running, and
    must not be reported as failed.
    """
    reason = refusal_values(refusal)
    order = ORDERS.get(kind)
    is_repeated = refusal.code == ATTEMPT_REPEATED
    if order is not None and order.refused_by is not OrderRefused and not is_repeated:
        try:
            return read_refusal(order.refused_by, {**order.ids_to_refuse(values), **reason})
        except EngineError:
            pass
    return OrderRefused(order=kind, **reason)
