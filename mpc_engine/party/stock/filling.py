"""Making stock at a meeting, when no job waits: a few items, for the certificates that have fewest.

Both parties tell what they hold; what one of them lacks is deleted at the other. From then on both
know the same and plan the same. Before each item each side says whether it goes on: a job that
begins, a full disk or an earlier failed check ends the making. Of two meetings at one time only one
makes stock: what the other saw would be half done.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass

from mpc_engine.control.files.certificate import Certificate
from mpc_engine.errors import CheckFailedError, EngineError
from mpc_engine.party.line.tags import PartyTag
from mpc_engine.party.stock.store import (
    MAX_CERTIFICATES,
    Binding,
    alone_at_the_stock,
    binding,
    forget_others,
    forget_useless,
    keep,
    ready_items,
    stored_bytes,
    valid_certificates,
)
from mpc_engine.party.studies.known_study import load_study
from mpc_engine.party.studies.protocol_terms import verification_spec
from mpc_engine.party.zone.party import Party
from mpc_engine.protocols.session import JobContext
from mpc_engine.protocols.verification.preparation import (
    STOCK_ID_BYTES,
    EvaluatorItem,
    GarblerItem,
    prepare_as_modeler,
    prepare_as_regulator,
)
from mpc_engine.protocols.verification.spec import VerificationSpec
from mpc_engine.roles import Role
from mpc_engine.transport.channel import Channel
from mpc_engine.wire.codec import ByteReader, u8, u16

MADE_AT_ONCE = 4
"""Items made at one meeting, at most: the line is soon free again."""
MAX_ITEMS = 32
"""Items for one certificate, at most."""
_ID_BYTES = 16
_LIST_LIMIT = 2 + MAX_CERTIFICATES * (_ID_BYTES + 2 + MAX_ITEMS * STOCK_ID_BYTES)
_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class _Shelf:
    """What there is for one certificate: ``held`` item ids, of ``wanted``."""

    wanted: int
    held: tuple[bytes, ...]


@dataclass(frozen=True)
class _Purpose:
    """What items for one certificate are made with."""

    certificate: Certificate
    spec: VerificationSpec
    bound: Binding


def fill_stock(party: Party, channel: Channel) -> int:
    """Make what is missing, ``MADE_AT_ONCE`` items at most; return how many were made.

    Makes none while another meeting of either party does. Raises what the line raises,
    OTConsistencyError if the modeler cheats: this party then makes no more stock. One round to
    agree, then a round and a preparation each.
    """
    with alone_at_the_stock(party) as alone:
        purposes = _purposes(party) if alone else {}
        own = _shelves(party, purposes)
        channel.send(PartyTag.STOCK_HELD, u8(alone) + _encode(own))
        told = channel.recv(PartyTag.STOCK_HELD, limit=1 + _LIST_LIMIT)
        both_alone = told[:1] == u8(1) and alone
        return _fill(party, channel, purposes, own, _decode(told[1:])) if both_alone else 0


def _fill(
    party: Party,
    channel: Channel,
    purposes: dict[bytes, _Purpose],
    own: dict[bytes, _Shelf],
    peer: dict[bytes, _Shelf],
) -> int:
    common = {key: set(own[key].held) & set(peer[key].held) for key in own.keys() & peer.keys()}
    with party.database.transaction() as connection:
        for key, purpose in purposes.items():
            forget_others(connection, purpose.bound, common.get(key, set()))
    wanted = {key: min(own[key].wanted, peer[key].wanted) for key in common}
    made = 0
    for key in _plan({key: len(ids) for key, ids in common.items()}, wanted):
        if not _both_go_on(party, channel):
            break
        _make(party, channel, purposes[key])
        made += 1
    return made


def _purposes(party: Party) -> dict[bytes, _Purpose]:
    with party.database.transaction() as connection:
        forget_useless(party, connection)
        certificates = valid_certificates(party, connection)
    found = {}
    for certificate in certificates:
        try:
            study = load_study(party, certificate.study_id)
        except EngineError:
            continue
        spec = verification_spec(study.configuration)
        bound = binding(party, certificate, spec)
        found[certificate.certificate_id] = _Purpose(certificate, spec, bound)
    return found


def _shelves(party: Party, purposes: dict[bytes, _Purpose]) -> dict[bytes, _Shelf]:
    wanted = 0 if party.stock_epoch.is_spoilt else party.config.stock_items
    with party.database.reading() as connection:
        return {
            key: _Shelf(wanted, tuple(ready_items(party, connection, purpose.bound)[:MAX_ITEMS]))
            for key, purpose in purposes.items()
        }


def _plan(n_held: dict[bytes, int], wanted: dict[bytes, int]) -> list[bytes]:
    """Return for which certificates to make items, in order: always for the one with fewest."""
    counts = dict(n_held)
    plan: list[bytes] = []
    while len(plan) < MADE_AT_ONCE:
        missing = [key for key in counts if counts[key] < wanted[key]]
        if not missing:
            break
        key = min(missing, key=lambda one: (counts[one], one))
        counts[key] += 1
        plan.append(key)
    return plan


def _both_go_on(party: Party, channel: Channel) -> bool:
    own = _may_go_on(party)
    channel.send(PartyTag.STOCK_NEXT, u8(own))
    return channel.recv(PartyTag.STOCK_NEXT, size=1) == u8(1) and own


def _may_go_on(party: Party) -> bool:
    if job_has_begun(party):
        return False
    with party.database.reading() as connection:
        return stored_bytes(connection) < party.config.stock_megabytes << 20


def job_has_begun(party: Party) -> bool:
    """Return whether this party works on a job, which stock is not to hold up."""
    with party.database.reading() as connection:
        query = "SELECT 1 FROM attempts WHERE state = 'RUNNING'"
        return connection.execute(query).fetchone() is not None


def _make(party: Party, channel: Channel, purpose: _Purpose) -> None:
    ctx = JobContext(
        role=party.role,
        channel=channel,
        job_digest=purpose.bound.job_digest,
        rng=party.rng,
        progress=lambda stage, done, total: None,
    )
    try:
        made: GarblerItem | EvaluatorItem = (
            prepare_as_regulator(ctx, purpose.spec, purpose.certificate.model_signature)
            if party.role is Role.REGULATOR
            else prepare_as_modeler(ctx, purpose.spec)
        )
    except CheckFailedError:
        party.stock_epoch.spoil()
        _log.error("the other party cheated in a preparation; no more stock is made")
        raise
    keep(party, purpose.bound, made.stock_id, made.encode())


def _encode(shelves: dict[bytes, _Shelf]) -> bytes:
    rows = [
        key + u8(shelf.wanted) + u8(len(shelf.held)) + b"".join(shelf.held)
        for key, shelf in shelves.items()
    ]
    return u16(len(rows)) + b"".join(rows)


def _decode(data: bytes) -> dict[bytes, _Shelf]:
    reader = ByteReader(data, "list of stock")
    found = {}
    for _ in range(reader.u16()):
        key, wanted = reader.take(_ID_BYTES), reader.u8()
        held = tuple(reader.take(STOCK_ID_BYTES) for _ in range(reader.u8()))
        found[key] = _Shelf(wanted, held)
    reader.finish()
    return found
