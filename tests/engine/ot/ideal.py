"""Ideal base OTs: what a trusted dealer would give both parties, without public keys.

For tests whose subject comes after the base OTs. The real ones take longer than all the rest of a
small run; they have tests of their own (`tests/engine/ot`) and run wherever a session is set up in
earnest (`test_real_protocols`, `test_frames`, the hostile lines). The stand-ins exchange the same
two messages of the same sizes, bytes that say nothing, and derive both keys of each transfer from
the session id and these messages: whoever alters one gets other keys, as with the real ones.
"""

from __future__ import annotations

import hashlib

import numpy as np
import pytest
from numpy.typing import NDArray

from mpc_engine.crypto.prg import SEED_BYTES, Prg
from mpc_engine.crypto.rng import Randomness
from mpc_engine.ot import extension
from mpc_engine.ot.base_ot import ANSWER_BYTES, OFFER_BYTES
from mpc_engine.transport.channel import Channel
from mpc_engine.transport.tags import MessageTag


def use_ideal_base_ots(patch: pytest.MonkeyPatch, *, masked: bool = True) -> None:
    """Let every extension start from ideal base OTs.

    Without ``masked`` both keys of a transfer are equal: an extension's columns lose their mask.
    """

    def pairs(count: int, *heard: bytes) -> NDArray[np.uint64]:
        """Return both keys of each transfer, uint64[count, 2, 2]."""
        drawn = _stream(*heard).words(count, 2, 2)
        if not masked:
            drawn[:, 1] = drawn[:, 0]
        return drawn

    def send(
        channel: Channel, count: int, session_id: bytes, rng: Randomness
    ) -> NDArray[np.uint64]:
        offers = channel.recv(MessageTag.BASE_OT_OFFERS, size=count * OFFER_BYTES)
        answers = _stream(rng.bytes(SEED_BYTES)).bytes(count * ANSWER_BYTES)
        channel.send(MessageTag.BASE_OT_ANSWERS, answers)
        return pairs(count, session_id, offers, answers)

    def receive(
        channel: Channel, choices: NDArray[np.uint8], session_id: bytes, rng: Randomness
    ) -> NDArray[np.uint64]:
        count = len(choices)
        offers = _stream(rng.bytes(SEED_BYTES)).bytes(count * OFFER_BYTES)
        channel.send(MessageTag.BASE_OT_OFFERS, offers)
        answers = channel.recv(MessageTag.BASE_OT_ANSWERS, size=count * ANSWER_BYTES)
        both = pairs(count, session_id, offers, answers)
        return both[np.arange(count), choices.astype(np.int64)]

    patch.setattr(extension, "send_base_ots", send)
    patch.setattr(extension, "recv_base_ots", receive)


def _stream(*parts: bytes) -> Prg:
    """Return a stream that hangs on all parts."""
    hasher = hashlib.sha256()
    for part in parts:
        hasher.update(len(part).to_bytes(8, "little") + part)
    return Prg(hasher.digest()[:SEED_BYTES])
