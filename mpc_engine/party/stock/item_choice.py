"""One item for one verification: each side spends it before it says so, or both do without.

The modeler tells what it holds; the regulator takes the first of it that it holds too. Both words
carry a digest of the item and of the job's fresh keys, so an item serves the job it was taken for.
What one side lacks, or can't open, is no error: the job makes its material itself.
"""

from __future__ import annotations

from mpc_engine.crypto.digests import sha256
from mpc_engine.errors import CheckFailedError, ProtocolViolationError
from mpc_engine.party.line.tags import PartyTag
from mpc_engine.party.stock.store import Binding, ready_items, spend_item
from mpc_engine.party.zone.party import Party
from mpc_engine.protocols.verification.preparation import STOCK_ID_BYTES
from mpc_engine.roles import Role
from mpc_engine.transport.channel import Channel
from mpc_engine.wire.codec import ByteReader, length_prefixed, u8

MAX_OFFERED = 32
_WORD_BYTES = 32
_NONE = bytes(_WORD_BYTES)
_LABEL = b"blindjustice/v1/stock/taken"


def take_as_modeler(
    party: Party, channel: Channel, bound: Binding, job_digest: bytes
) -> tuple[bytes, bytes] | None:
    """Return id and side of the item both took, spent on disk; None if both do without.

    Raises ProtocolViolationError if the other party takes what was not offered, or another job's.
    """
    with party.database.reading() as connection:
        offered = ready_items(party, connection, bound)[:MAX_OFFERED]
    channel.send(PartyTag.STOCK_OFFER, u8(len(offered)) + b"".join(offered))
    if not offered:
        return None
    chosen = ByteReader(
        channel.recv(PartyTag.STOCK_CHOSEN, size=STOCK_ID_BYTES + _WORD_BYTES), "chosen item"
    )
    stock_id, word = chosen.take(STOCK_ID_BYTES), chosen.take(_WORD_BYTES)
    if stock_id == _NONE:
        return None
    if stock_id not in offered or word != _word(Role.REGULATOR, stock_id, job_digest):
        raise ProtocolViolationError("The other party took an item nobody offered for this job.")
    side = _spend(party, bound, stock_id)
    own_word = _NONE if side is None else _word(Role.MODELER, stock_id, job_digest)
    channel.send(PartyTag.STOCK_TAKEN, own_word)
    return None if side is None else (stock_id, side)


def take_as_regulator(
    party: Party, channel: Channel, bound: Binding, job_digest: bytes
) -> tuple[bytes, bytes] | None:
    """Choose and spend an item; see `take_as_modeler`. One round, below 1200 bytes."""
    data = channel.recv(PartyTag.STOCK_OFFER, limit=1 + MAX_OFFERED * STOCK_ID_BYTES)
    reader = ByteReader(data, "offer of items")
    offered = [reader.take(STOCK_ID_BYTES) for _ in range(reader.u8())]
    reader.finish()
    if not offered:
        return None
    with party.database.reading() as connection:
        held = ready_items(party, connection, bound)
    stock_id = next((one for one in held if one in offered), _NONE)
    side = None if stock_id == _NONE else _spend(party, bound, stock_id)
    if side is None:
        channel.send(PartyTag.STOCK_CHOSEN, _NONE + _NONE)
        return None
    word = _word(Role.REGULATOR, stock_id, job_digest)
    channel.send(PartyTag.STOCK_CHOSEN, stock_id + word)
    answer = channel.recv(PartyTag.STOCK_TAKEN, size=_WORD_BYTES)
    if answer == _NONE:
        return None
    if answer != _word(Role.MODELER, stock_id, job_digest):
        raise ProtocolViolationError("The other party took an item for another job.")
    return stock_id, side


def _spend(party: Party, bound: Binding, stock_id: bytes) -> bytes | None:
    try:
        return spend_item(party, bound, stock_id)
    except CheckFailedError:
        return None


def _word(role: Role, stock_id: bytes, job_digest: bytes) -> bytes:
    return sha256(length_prefixed(_LABEL, role.value.encode("ascii"), stock_id, job_digest))
