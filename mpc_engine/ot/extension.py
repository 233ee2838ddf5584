"""Random oblivious transfers in bulk from 128 base OTs, secure against a malicious receiver.

Source: Ishai, Kilian, Nissim, Petrank, CRYPTO 2003, in the form of Asharov, Lindell, Schneider,
Zohner, CCS 2013; consistency check of Roy, CRYPTO 2022 (see :mod:`.consistency`); key hash of Guo,
Katz, Wang, Yu, IEEE S&P 2020.

Set-up, with the roles of the base OTs reversed: the sender draws ``delta`` (128 bits) and receives,
for each i, the seed ``s_i^(delta_i)``; the receiver holds both ``s_i^0`` and ``s_i^1``. Each seed
starts a stream that all later calls continue. One call for m transfers:

1. The receiver completes its m choice bits with random ones to whole blocks of 128, and adds the
   mask block, to the string ``x``. From the streams it takes columns ``t_i`` (of ``s_i^0``) and
   ``t'_i`` (of ``s_i^1``) of that length and sends ``u_i = t_i xor t'_i xor x`` for all i.
2. The sender takes the columns of its seeds and adds ``u_i`` where ``delta_i = 1``; this gives
   ``q_i = t_i xor delta_i x``. Then it draws the challenge; the check follows.
3. Read by rows, ``q^j = t^j xor x_j delta``. The sender's keys of transfer j are ``H(q^j, j)`` and
   ``H(q^j xor delta, j)``, the receiver's is ``H(t^j, j)``, which is the one it chose. The tweak is
   (random-OT domain, number of the call, j): no (delta, tweak) recurs.

Security: a malicious receiver gets one key per transfer and may learn c bits of delta only with
probability 2^-c (:mod:`.consistency`); a malicious sender learns nothing about the choices, as long
as the streams are pseudorandom. After a failed check the sender forgets delta: retrying on the same
one would let it be learnt bit by bit. Each session must have a ``session_id`` of its own.

Cost of a call, with b = ceil(m / 128) + 1 blocks: three messages (columns, challenge, answer), for
one of which the receiver waits; it sends 2048 b + 2064 bytes, the sender 16. Set-up: base OTs, two
messages, 8192 bytes by the sender and 4096 by the receiver; or, from an extension of the other
direction, one call of 128 transfers. Frame headers come on top.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from mpc_engine.crypto.prg import Prg
from mpc_engine.crypto.rng import Randomness
from mpc_engine.crypto.tweaked_hash import HashDomain, TweakedHash
from mpc_engine.errors import OTConsistencyError, UsageError
from mpc_engine.kernels.bits import COLUMNS, transpose_columns
from mpc_engine.ot.base_ot import recv_base_ots, send_base_ots
from mpc_engine.ot.consistency import (
    BLOCK_ROWS,
    BLOCK_WORDS,
    RESPONSE_SHAPE,
    answer_challenge,
    check_answer,
)
from mpc_engine.transport.channel import Channel, closing_on_error
from mpc_engine.transport.frame import HEADER_BYTES
from mpc_engine.transport.tags import MessageTag

_ALL_ONES = np.uint64(0xFFFFFFFFFFFFFFFF)
_WORD_BYTES = 8
_PIECE_ROWS = 1 << 12
"""Transfers hashed at once: few enough to stay in the processor's cache."""


def call_bytes(m: int) -> tuple[int, int]:
    """Return the bytes that receiver and sender of a call for m send, frame headers included."""
    columns = COLUMNS * _column_words(m) * _WORD_BYTES
    answer = math.prod(RESPONSE_SHAPE) * _WORD_BYTES
    return columns + answer + 2 * HEADER_BYTES, BLOCK_WORDS * _WORD_BYTES + HEADER_BYTES


class RandomOTSender:
    """Gets both keys of every transfer; its ``delta`` is drawn inside and never leaves."""

    def __init__(
        self,
        channel: Channel,
        session_id: bytes,
        rng: Randomness,
        hash: TweakedHash,
        *,
        bootstrap: RandomOTReceiver | None = None,
    ) -> None:
        """Run the set-up with the peer's :class:`RandomOTReceiver`.

        With ``bootstrap``, a receiver of an extension in the other direction whose sender the peer
        passes as its own ``bootstrap``, the seeds come from that extension without public keys.
        """
        self._channel = channel
        self._rng = rng
        self._hash = hash
        self._calls = 0
        self._alive = True
        delta = rng.words(BLOCK_WORDS)
        bits = np.unpackbits(delta.view(np.uint8), bitorder="little")
        self._delta = delta
        self._delta_mask = np.where(bits, _ALL_ONES, np.uint64(0)).reshape(COLUMNS, 1)
        seeds = (
            bootstrap.extend(bits)
            if bootstrap is not None
            else recv_base_ots(channel, bits, session_id, rng)
        )
        self._streams = [Prg(seed.tobytes()) for seed in seeds]

    def __repr__(self) -> str:
        return f"RandomOTSender(calls={self._calls}, <secret>)"

    def move(self, channel: Channel, rng: Randomness) -> None:
        """Go on over another line and source, at the same call as the peer."""
        self._channel, self._rng = channel, rng

    def extend(self, m: int) -> NDArray[np.uint64]:
        """Run m more transfers; return both keys of each, uint64[m, 2, 2].

        Result [j, x] is the key of choice x. Raises :class:`OTConsistencyError` if the receiver
        cheated; the channel is then closed and this object is of no further use.
        """
        if not self._alive:
            raise OTConsistencyError("This session ended with a failed check.")
        _check_count(m)
        n_words = _column_words(m)
        columns = _next_columns(self._streams, n_words)  # while the receiver makes its own
        corrections = self._channel.recv_array(MessageTag.OT_COLUMNS, np.uint64, (COLUMNS, n_words))
        corrections &= self._delta_mask
        columns ^= corrections
        self._check(columns)
        call, self._calls = self._calls, self._calls + 1
        rows = transpose_columns(columns)[:m]
        keys = np.empty((m, 2, 2), np.uint64)
        for start in range(0, m, _PIECE_ROWS):
            piece = slice(start, min(start + _PIECE_ROWS, m))
            numbers = range(piece.start, piece.stop)
            keys[piece, 0] = self._hash(rows[piece], HashDomain.RANDOM_OT, call, numbers)
            rows[piece] ^= self._delta
            keys[piece, 1] = self._hash(rows[piece], HashDomain.RANDOM_OT, call, numbers)
        return keys

    def _check(self, columns: NDArray[np.uint64]) -> None:
        """Challenge the receiver over columns that have all arrived; end the session on failure."""
        challenge = self._rng.words(BLOCK_WORDS)
        self._channel.send_array(MessageTag.OT_CHALLENGE, challenge)
        response = self._channel.recv_array(MessageTag.OT_CHECK, np.uint64, RESPONSE_SHAPE)
        with closing_on_error(self._channel):
            try:
                check_answer(challenge, self._delta_mask, columns, response)
            except OTConsistencyError:
                self._forget()
                raise

    def _forget(self) -> None:
        self._alive = False
        self._delta.fill(0)
        self._delta_mask.fill(0)
        self._streams.clear()


class RandomOTReceiver:
    """Gets, for each choice bit, the key it chose."""

    def __init__(
        self,
        channel: Channel,
        session_id: bytes,
        rng: Randomness,
        hash: TweakedHash,
        *,
        bootstrap: RandomOTSender | None = None,
    ) -> None:
        """Run the set-up with the peer's :class:`RandomOTSender`; see there for ``bootstrap``."""
        self._channel = channel
        self._rng = rng
        self._hash = hash
        self._calls = 0
        seeds = (
            bootstrap.extend(COLUMNS)
            if bootstrap is not None
            else send_base_ots(channel, COLUMNS, session_id, rng)
        )
        self._streams = [Prg(seed.tobytes()) for seed in seeds[:, 0]]
        self._other_streams = [Prg(seed.tobytes()) for seed in seeds[:, 1]]

    def __repr__(self) -> str:
        return f"RandomOTReceiver(calls={self._calls}, <secret>)"

    def move(self, channel: Channel, rng: Randomness) -> None:
        """Go on over another line and source, at the same call as the peer."""
        self._channel, self._rng = channel, rng

    def extend(self, choices: NDArray[np.uint8]) -> NDArray[np.uint64]:
        """Run one transfer for each choice bit uint8[m]; return the chosen keys, uint64[m, 2].

        Learns nothing about the other keys; a wrong challenge of the sender cannot change that.
        """
        m = len(choices)
        _check_count(m)
        packed = self._pad_choices(choices)
        columns, corrections = self._columns(packed)
        self._channel.send_array(MessageTag.OT_COLUMNS, corrections)
        challenge = self._channel.recv_array(MessageTag.OT_CHALLENGE, np.uint64, (BLOCK_WORDS,))
        response = answer_challenge(challenge, packed, columns)
        self._channel.send_array(MessageTag.OT_CHECK, response)
        call, self._calls = self._calls, self._calls + 1
        rows = transpose_columns(columns)[:m]
        return self._hash(rows, HashDomain.RANDOM_OT, call, range(m))

    def _pad_choices(self, choices: NDArray[np.uint8]) -> NDArray[np.uint64]:
        """Pack the choices, random padding and the mask block into uint64[words]."""
        if choices.dtype != np.uint8 or choices.ndim != 1 or choices.max(initial=0) > 1:
            raise UsageError("Choices are bits, uint8[m].")
        bits = self._rng.bits(BLOCK_ROWS // BLOCK_WORDS * _column_words(len(choices)))
        bits[: len(choices)] = choices
        return np.packbits(bits, bitorder="little").view(np.uint64)

    def _columns(self, packed: NDArray[np.uint64]) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
        """Return the columns t and the corrections u, uint64[128, words] each."""
        columns = _next_columns(self._streams, len(packed))
        corrections = _next_columns(self._other_streams, len(packed))
        corrections ^= columns
        corrections ^= packed
        return columns, corrections


def _next_columns(streams: list[Prg], n_words: int) -> NDArray[np.uint64]:
    """Continue every stream by one column; returns uint64[128, n_words]."""
    columns = np.empty((COLUMNS, n_words), np.uint64)
    for stream, column in zip(streams, columns, strict=True):
        stream.fill(column)
    return columns


def _column_words(m: int) -> int:
    """Return the words of a column for m transfers: whole blocks, and the mask block."""
    return BLOCK_WORDS * (-(-m // BLOCK_ROWS) + 1)


def _check_count(m: int) -> None:
    if m < 1:
        raise UsageError("An extension makes at least one transfer.")
