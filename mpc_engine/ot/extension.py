"""Random oblivious transfers in bulk from 128 base OTs, secure against a malicious receiver.

Source: Ishai, Kilian, Nissim, Petrank, CRYPTO 2003, in the form of Asharov, Lindell, Schneider,
Zohner, CCS 2013; consistency check of Roy, CRYPTO 2022 (see :mod:`.consistency`); key hash of Guo,
Katz, Wang, Yu, IEEE S&P 2020.

Set-up, with the roles of the base OTs reversed: the sender draws ``delta`` (128 bits) and receives,
for each i, the seed ``s_i^(delta_i)``; the receiver holds both ``s_i^0`` and ``s_i^1``. Each seed
starts a stream that all later calls continue. A call is made in parts of 32,768 transfers or fewer,
each for itself:

1. The receiver completes its choice bits with random ones to whole blocks of 128, and adds the
   mask block, to the string ``x``. From the streams it takes columns ``t_i`` (of ``s_i^0``) and
   ``t'_i`` (of ``s_i^1``) of that length and sends ``u_i = t_i xor t'_i xor x`` for all i.
2. The sender takes the columns of its seeds and adds ``u_i`` where ``delta_i = 1``; this gives
   ``q_i = t_i xor delta_i x``. Then it draws the part's challenge; the check follows.
3. Read by rows, ``q^j = t^j xor x_j delta``. The sender's keys of transfer j are ``H(q^j, j)`` and
   ``H(q^j xor delta, j)``, the receiver's is ``H(t^j, j)``, which is the one it chose. The tweak is
   (random-OT domain, number of the call, j), j counted over all parts: no (delta, tweak) recurs.

Both sides work at once: the receiver sends columns up to six parts ahead of the answer that is due,
and the sender makes keys while it waits for answers. A protocol may `begin` a call, exchange other
messages, and finish it. No key leaves a call before every part of it passed its check.

Security: a malicious receiver gets one key per transfer and may learn c bits of delta only with
probability 2^-c (:mod:`.consistency`); a malicious sender learns nothing about the choices, as long
as the streams are pseudorandom. After a failed check the sender forgets delta: retrying on the same
one would let it be learnt bit by bit. Each session must have a ``session_id`` of its own.

Cost of a part of m, with b = ceil(m / 128) + 1 blocks: three messages (columns, challenge, answer),
for one of which the receiver waits; it sends 2048 b + 2064 bytes, the sender 16. Set-up: base OTs,
two messages, 307,200 bytes by the sender and 282,624 by the receiver; or, from an extension of the
other direction, one call of 128 transfers. Frame headers come on top.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mpc_engine.crypto.prg import PrgRows
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
    check_response,
    column_hash,
)
from mpc_engine.transport.channel import Channel, closing_on_error
from mpc_engine.transport.frame import HEADER_BYTES
from mpc_engine.transport.tags import MessageTag

_ALL_ONES = np.uint64(0xFFFFFFFFFFFFFFFF)
_WORD_BYTES = 8
_NOTHING, _EVERYTHING = np.zeros(COLUMNS, np.uint64), np.full(COLUMNS, _ALL_ONES)
PART_TRANSFERS = 1 << 15
"""Transfers of a part: few enough for all that is made of them to stay in the processor's cache."""
PARTS_AHEAD = 6
"""Parts whose columns may be on their way while an earlier one's challenge is not answered."""
FinishCall = Callable[[], NDArray[np.uint64]]
"""Finishes a call that has begun, and returns its keys."""


def call_bytes(m: int) -> tuple[int, int]:
    """Return the bytes that receiver and sender of a call for m send, frame headers included."""
    parts = _parts(m)
    columns = sum(COLUMNS * _column_words(len(part)) * _WORD_BYTES for part in parts)
    answer = math.prod(RESPONSE_SHAPE) * _WORD_BYTES + 2 * HEADER_BYTES
    return columns + answer * len(parts), (BLOCK_WORDS * _WORD_BYTES + HEADER_BYTES) * len(parts)


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
        self._calls = _Calls()
        self._alive = True
        delta = rng.words(BLOCK_WORDS)
        bits = np.unpackbits(delta.view(np.uint8), bitorder="little")
        self._delta = delta
        self._delta_mask = np.where(bits, _ALL_ONES, np.uint64(0))
        seeds = (
            bootstrap.extend(bits)
            if bootstrap is not None
            else recv_base_ots(channel, bits, session_id, rng)
        )
        self._streams = PrgRows(seeds)

    def __repr__(self) -> str:
        return f"RandomOTSender(calls={self._calls.number}, <secret>)"

    def move(self, channel: Channel, rng: Randomness) -> None:
        """Go on over another line and source, at the same call as the peer; no call is open."""
        self._calls.require_none()
        self._channel, self._rng = channel, rng

    def extend(self, m: int) -> NDArray[np.uint64]:
        """Run m more transfers; return both keys of each, uint64[m, 2, 2].

        Result [j, x] is the key of choice x. Raises :class:`OTConsistencyError` if the receiver
        cheated; the channel is then closed and this object is of no further use.
        """
        return self._begin(_parts(m), m)()

    def begin(self, m: int) -> FinishCall:
        """Take and challenge the columns of a call that the receiver begins too.

        The result finishes it as `extend` does, once; other messages can travel while the answers
        do. One call is open at a time. ValueError for more transfers than are sent ahead.
        """
        return self._begin(_parts_ahead(m), m)

    def _begin(self, parts: list[range], m: int) -> FinishCall:
        if not self._alive:
            raise OTConsistencyError("This session ended with a failed check.")
        call = self._calls.open()
        keys = np.empty((m, 2, 2), np.uint64)
        unanswered: deque[NDArray[np.uint64]] = deque()

        def take(part: range) -> None:
            columns = self._recv_columns(_column_words(len(part)))
            unanswered.append(self._challenge(columns))
            rows = transpose_columns(columns)[: len(part)]
            made = keys[part.start : part.stop]
            self._hash.pairs(rows, self._delta, HashDomain.RANDOM_OT, call, part, made)

        def finish() -> NDArray[np.uint64]:
            self._calls.close(call)
            for part in parts[PARTS_AHEAD + 1 :]:
                self._check(unanswered.popleft())
                take(part)
            while unanswered:
                self._check(unanswered.popleft())
            return keys

        for part in parts[: PARTS_AHEAD + 1]:
            take(part)
        return finish

    def _recv_columns(self, n_words: int) -> NDArray[np.uint64]:
        """Return the columns q of a part, uint64[128, n_words]."""
        shape = (COLUMNS, n_words)
        corrections = self._channel.recv_array(MessageTag.OT_COLUMNS, np.uint64, shape)
        return self._streams.add(corrections, self._delta_mask)

    def _challenge(self, columns: NDArray[np.uint64]) -> NDArray[np.uint64]:
        """Challenge the receiver over columns that have all arrived; return their hashes."""
        challenge = self._rng.words(BLOCK_WORDS)
        self._channel.send_array(MessageTag.OT_CHALLENGE, challenge)
        return column_hash(challenge, columns.shape[1])(columns)

    def _check(self, column_hashes: NDArray[np.uint64]) -> None:
        """Receive the answer to a challenge; end the session if it does not fit."""
        response = self._channel.recv_array(MessageTag.OT_CHECK, np.uint64, RESPONSE_SHAPE)
        with closing_on_error(self._channel):
            try:
                check_response(self._delta_mask, column_hashes, response)
            except OTConsistencyError:
                self._forget()
                raise

    def _forget(self) -> None:
        self._alive = False
        self._delta.fill(0)
        self._delta_mask.fill(0)
        self._streams.forget()


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
        self._calls = _Calls()
        seeds = (
            bootstrap.extend(COLUMNS)
            if bootstrap is not None
            else send_base_ots(channel, COLUMNS, session_id, rng)
        )
        self._streams = PrgRows(seeds[:, 0])
        self._other_streams = PrgRows(seeds[:, 1])

    def __repr__(self) -> str:
        return f"RandomOTReceiver(calls={self._calls.number}, <secret>)"

    def move(self, channel: Channel, rng: Randomness) -> None:
        """Go on over another line and source, at the same call as the peer; no call is open."""
        self._calls.require_none()
        self._channel, self._rng = channel, rng

    def extend(self, choices: NDArray[np.uint8]) -> NDArray[np.uint64]:
        """Run one transfer for each choice bit uint8[m]; return the chosen keys, uint64[m, 2].

        Learns nothing about the other keys; a wrong challenge of the sender cannot change that.
        """
        return self._begin(_parts(len(choices)), choices)()

    def begin(self, choices: NDArray[np.uint8]) -> FinishCall:
        """Send the columns of a call; see `RandomOTSender.begin`."""
        return self._begin(_parts_ahead(len(choices)), choices)

    def _begin(self, parts: list[range], choices: NDArray[np.uint8]) -> FinishCall:
        self._check_choices(choices)
        call = self._calls.open()
        keys = np.empty((len(choices), 2), np.uint64)
        unanswered: deque[_Part] = deque()

        def send(numbers: range) -> None:
            packed = self._pad_choices(choices[numbers.start : numbers.stop])
            columns, corrections = self._columns(packed)
            self._channel.send_array(MessageTag.OT_COLUMNS, corrections)
            unanswered.append(_Part(numbers, packed, columns))

        def finish() -> NDArray[np.uint64]:
            self._calls.close(call)
            for numbers in parts[PARTS_AHEAD + 1 :]:
                self._finish(call, unanswered.popleft(), keys)
                send(numbers)
            while unanswered:
                self._finish(call, unanswered.popleft(), keys)
            return keys

        for numbers in parts[: PARTS_AHEAD + 1]:
            send(numbers)
        return finish

    def _finish(self, call: int, part: _Part, keys: NDArray[np.uint64]) -> None:
        """Answer the challenge over a part, then make its keys."""
        challenge = self._channel.recv_array(MessageTag.OT_CHALLENGE, np.uint64, (BLOCK_WORDS,))
        response = answer_challenge(challenge, part.choices, part.columns)
        self._channel.send_array(MessageTag.OT_CHECK, response)
        rows = transpose_columns(part.columns)[: len(part.numbers)]
        keys[part.numbers.start : part.numbers.stop] = self._hash(
            rows, HashDomain.RANDOM_OT, call, part.numbers
        )

    def _pad_choices(self, choices: NDArray[np.uint8]) -> NDArray[np.uint64]:
        """Pack the choices, random padding and the mask block into uint64[words]."""
        bits = np.empty(BLOCK_ROWS // BLOCK_WORDS * _column_words(len(choices)), np.uint8)
        bits[: len(choices)] = choices
        bits[len(choices) :] = self._rng.bits(len(bits) - len(choices))
        return np.packbits(bits, bitorder="little").view(np.uint64)

    def _columns(self, packed: NDArray[np.uint64]) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
        """Return the columns t and the corrections u, uint64[128, words] each."""
        x = np.broadcast_to(packed, (COLUMNS, len(packed)))
        columns = self._streams.add(x, _NOTHING)
        corrections = self._other_streams.add(x, _EVERYTHING)
        corrections ^= columns
        return columns, corrections

    @staticmethod
    def _check_choices(choices: NDArray[np.uint8]) -> None:
        if choices.dtype != np.uint8 or choices.ndim != 1 or choices.max(initial=0) > 1:
            raise UsageError("Choices are bits, uint8[m].")


@dataclass(frozen=True, repr=False)
class _Part:
    """What a receiver keeps of a part until its challenge comes."""

    numbers: range
    choices: NDArray[np.uint64]
    columns: NDArray[np.uint64]


@dataclass
class _Calls:
    """How many calls there were; one is open at a time, so that the streams go on in order."""

    number: int = 0
    is_open: bool = False

    def open(self) -> int:
        """Return the number of a call that begins; ValueError while another is open."""
        self.require_none()
        self.is_open, self.number = True, self.number + 1
        return self.number - 1

    def close(self, call: int) -> None:
        """Note that the open call is being finished; ValueError for any other, or again."""
        if not self.is_open or call != self.number - 1:
            raise ValueError("A call is finished once, whether that goes well or not.")
        self.is_open = False

    def require_none(self) -> None:
        """Raise ValueError while a call is open."""
        if self.is_open:
            raise ValueError("The call before is not finished.")


def _parts(m: int) -> list[range]:
    """Return the numbers of the transfers of each part of a call for m."""
    if m < 1:
        raise UsageError("An extension makes at least one transfer.")
    return [range(start, min(start + PART_TRANSFERS, m)) for start in range(0, m, PART_TRANSFERS)]


def _parts_ahead(m: int) -> list[range]:
    """Return the parts of a call all of whose columns are sent ahead."""
    parts = _parts(m)
    if len(parts) > PARTS_AHEAD + 1:
        raise ValueError("So many transfers are not sent ahead.")
    return parts


def _column_words(m: int) -> int:
    """Return the words of a part's column for m transfers: whole blocks, and the mask block."""
    return BLOCK_WORDS * (-(-m // BLOCK_ROWS) + 1)
