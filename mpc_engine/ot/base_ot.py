"""Base oblivious transfers by public keys: endemic OT of Masny and Rindal.

Source: D. Masny, P. Rindal, "Endemic Oblivious Transfer", ACM CCS 2019, the construction from
Diffie-Hellman key agreement. For transfer i with choice c, over the group of :mod:`.group` with
generator G and random oracles ``H_0, H_1`` into the group:

1. The receiver draws ``a`` and a uniform point ``r_(1-c)``, sets ``r_c = a G - H_c(r_(1-c))`` and
   sends ``(r_0, r_1)``. Both are uniform, whatever c is: the sender learns nothing, without any
   assumption.
2. The sender computes ``A_x = r_x + H_x(r_(1-x))`` for x = 0, 1, draws a fresh ``t``, sends ``T = t
   G`` and derives key x from ``t A_x``.
3. The receiver derives key c from ``a T``, since ``A_c = a G``. It cannot know both keys: when the
   later of the two queries ``H_0(r_1)``, ``H_1(r_0)`` is made both points are fixed, so one ``A_x``
   is uniform, and its key would take solving a Diffie-Hellman problem.

*Endemic* means that a cheating party may choose the keys it gets itself: both as the sender, one as
the receiver. The extension of :mod:`.extension` needs no more: there, a party that fixes its own
seeds only gives up its own protection.

``H_x`` takes the session id, i, x and the point. A key is SHA-256 over a label, the digest of the
whole batch (session id, count, every point of both parties), i, x and the shared point, cut to 16
bytes; so a key agrees only if both saw the same batch in the same session.

Deviations from the paper: the sender draws ``t`` for each transfer, so that no assumption about
reusing its message is needed; the sender answers after the receiver's message instead of at the
same time. Every received point must be canonical and in the prime-order subgroup; a computed
``A_x`` that is the neutral point is refused.

Cost for n transfers: two messages; the receiver sends 64 n bytes, then the sender 32 n.
"""

from __future__ import annotations

import hashlib

import numpy as np
from numpy.typing import NDArray

from mpc_engine.crypto.rng import Randomness
from mpc_engine.errors import UsageError
from mpc_engine.ot import group
from mpc_engine.transport.channel import Channel, closing_on_error
from mpc_engine.transport.tags import MessageTag

_BATCH_LABEL = b"blindjustice/v1/base-ot/batch"
_KEY_LABEL = b"blindjustice/v1/base-ot/key"
_KEY_BYTES = 16


def send_base_ots(
    channel: Channel, count: int, session_id: bytes, rng: Randomness
) -> NDArray[np.uint64]:
    """Run ``count`` random OTs as sender; return both keys of each, uint64[count, 2, 2].

    Result [i, x] is the key of choice x. Raises :class:`ProtocolViolationError` on an invalid
    point, the receiver's fault; the channel is then closed. Learns nothing about the choices.
    """
    received = channel.recv(MessageTag.BASE_OT_POINTS, size=2 * count * group.POINT_BYTES)
    with closing_on_error(channel):
        offers = _split(received)
        scalars = [group.draw_scalar(rng) for _ in range(count)]
        answers = [group.multiply_base(scalar) for scalar in scalars]
        channel.send(MessageTag.BASE_OT_ANSWERS, b"".join(answers))
        batch = _batch_digest(session_id, offers, answers)
        keys = []
        for i, scalar in enumerate(scalars):
            pair = offers[2 * i : 2 * i + 2]
            for x in range(2):
                public = group.add_points(pair[x], _oracle(session_id, i, x, pair[1 - x]))
                keys.append(_key(batch, i, x, group.multiply_point(scalar, public)))
    return _key_array(keys).reshape(count, 2, 2)


def recv_base_ots(
    channel: Channel, choices: NDArray[np.uint8], session_id: bytes, rng: Randomness
) -> NDArray[np.uint64]:
    """Run one random OT for each choice bit uint8[count]; return the chosen keys, uint64[count, 2].

    Raises :class:`ProtocolViolationError` on an invalid point, the sender's fault; the channel is
    then closed. Learns nothing about the other keys.
    """
    bits = [int(choice) for choice in choices]
    if any(bit not in (0, 1) for bit in bits):
        raise UsageError("Choices are bits.")
    scalars = [group.draw_scalar(rng) for _ in bits]
    offers: list[bytes] = []
    for i, (bit, scalar) in enumerate(zip(bits, scalars, strict=True)):
        other = group.multiply_base(group.draw_scalar(rng))
        chosen = group.subtract_points(
            group.multiply_base(scalar), _oracle(session_id, i, bit, other)
        )
        offers += [other, chosen] if bit else [chosen, other]
    channel.send(MessageTag.BASE_OT_POINTS, b"".join(offers))
    received = channel.recv(MessageTag.BASE_OT_ANSWERS, size=len(bits) * group.POINT_BYTES)
    with closing_on_error(channel):
        answers = _split(received)
        batch = _batch_digest(session_id, offers, answers)
        keys = [
            _key(batch, i, bit, group.multiply_point(scalars[i], answers[i]))
            for i, bit in enumerate(bits)
        ]
    return _key_array(keys)


def _split(received: bytes) -> list[bytes]:
    """Cut a message into points and check each."""
    size = group.POINT_BYTES
    points = [received[start : start + size] for start in range(0, len(received), size)]
    for point in points:
        group.check_point(point)
    return points


def _oracle(session_id: bytes, index: int, branch: int, point: bytes) -> bytes:
    prefix = len(session_id).to_bytes(4, "little") + session_id
    return group.hash_to_point(prefix + index.to_bytes(4, "little") + bytes([branch]) + point)


def _batch_digest(session_id: bytes, offers: list[bytes], answers: list[bytes]) -> bytes:
    prefix = len(session_id).to_bytes(4, "little") + session_id
    count = len(answers).to_bytes(4, "little")
    return hashlib.sha256(b"".join([_BATCH_LABEL, prefix, count, *offers, *answers])).digest()


def _key(batch: bytes, index: int, branch: int, shared: bytes) -> bytes:
    position = index.to_bytes(4, "little") + bytes([branch])
    return hashlib.sha256(_KEY_LABEL + batch + position + shared).digest()[:_KEY_BYTES]


def _key_array(keys: list[bytes]) -> NDArray[np.uint64]:
    return np.frombuffer(bytearray(b"".join(keys)), dtype="<u8").reshape(-1, 2)
