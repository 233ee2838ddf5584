"""Base oblivious transfers by public keys of a curve and of a lattice: endemic OT of Masny, Rindal.

Source: D. Masny, P. Rindal, "Endemic Oblivious Transfer", ACM CCS 2019, the construction from key
agreement, run once from Diffie-Hellman over the group of :mod:`.group` with generator G, once from
ML-KEM-768 over the vectors of :mod:`.lattice`. For transfer i with choice c, and random oracles
``H_0, H_1`` into the group, or the vectors:

1. The receiver draws ``a`` and a uniform point ``r_(1-c)``, sets ``r_c = a G - H_c(r_(1-c))`` and
   sends ``(r_0, r_1)``. Likewise it makes a key of ML-KEM, with vector t and matrix seed rho, draws
   a uniform vector ``v_(1-c)``, sets ``v_c = t - H_c(rho, v_(1-c))`` and sends ``(v_0, v_1, rho)``.
   The points are uniform, whatever c is; vectors look uniform while module-LWE is hard: the
   sender learns nothing about c under that assumption.
2. The sender computes ``A_x = r_x + H_x(r_(1-x))`` for x = 0, 1, draws a fresh ``s`` and sends
   ``S = s G``; it encapsulates to ``(v_x + H_x(rho, v_(1-x)), rho)`` for x = 0, 1 and sends both
   ciphertexts. Key x comes from ``s A_x`` and the secret that was encapsulated, together.
3. The receiver derives key c from ``a S`` and by decapsulating ciphertext c. It cannot know both
   keys: when the later of the two queries of a pair is made the pair (and rho) is fixed, so one
   public key is uniform, and what belongs to it would take solving a Diffie-Hellman problem, and
   one of module-LWE as well: key 1-c stays hidden while either is hard.

*Endemic* means that a cheating party may choose the keys it gets itself: both as the sender, one as
the receiver. The extension of :mod:`.extension` needs no more: there, a party that fixes its own
seeds only gives up its own protection. A sender that spoils ciphertext x leaves the receiver, if c
is x, with a key that neither expects (implicit rejection), and no error: that is a guess of c,
which the extension's check counts (``docs/protocols/security.md``).

``H_x`` takes the session id, i, x, and the point, or rho and the vector. A key is SHA-256 over a
label, the digest of the whole batch (session id, count, both messages as sent), i, x, the shared
point and the encapsulated secret, cut to 16 bytes; so a key agrees only if both saw the same batch
in the same session.

Deviations from the paper: the sender draws ``s`` for each transfer, so that no assumption about
reusing its message is needed; the sender answers after the receiver's message instead of at the
same time. Every received point must be canonical and in the prime-order subgroup, every coefficient
reduced; a computed ``A_x`` that is the neutral point is refused.

Time does not depend on choices where points, vectors and ciphertexts are picked (by masks), nor on
keys in libsodium and in the KEM. It may depend on them in what ``H_c`` of vectors keeps of its
stream, values below q, and where Python turns a choice into the byte that is hashed.

Cost for n transfers: two messages; the receiver sends 2,400 n bytes, then the sender 2,208 n.
"""

from __future__ import annotations

import hashlib

import numpy as np
from cryptography.hazmat.primitives.asymmetric.mlkem import MLKEM768PrivateKey
from numpy.typing import NDArray

from mpc_engine.crypto.rng import Randomness
from mpc_engine.errors import UsageError
from mpc_engine.ot import group, lattice
from mpc_engine.transport.channel import Channel, closing_on_error
from mpc_engine.transport.tags import MessageTag

_BATCH_LABEL = b"blindjustice/v1/base-ot/batch"
_KEY_LABEL = b"blindjustice/v1/base-ot/key"
_KEY_BYTES = 16
_PAIR_BYTES = 2 * lattice.VECTOR_BYTES
OFFER_BYTES = 2 * group.POINT_BYTES + _PAIR_BYTES + lattice.RHO_BYTES
"""Of a transfer, by the receiver: two points; two vectors and rho."""
ANSWER_BYTES = group.POINT_BYTES + 2 * lattice.CIPHERTEXT_BYTES
"""Of a transfer, by the sender: a point; two ciphertexts."""

Rows = NDArray[np.uint8]


def send_base_ots(
    channel: Channel, count: int, session_id: bytes, rng: Randomness
) -> NDArray[np.uint64]:
    """Run ``count`` random OTs as sender; return both keys of each, uint64[count, 2, 2].

    Result [i, x] is the key of choice x. Raises :class:`ProtocolViolationError` on an invalid point
    or an unreduced coefficient, the receiver's fault; the channel is then closed. Learns nothing
    about the choices.
    """
    received = channel.recv(MessageTag.BASE_OT_OFFERS, size=count * OFFER_BYTES)
    with closing_on_error(channel):
        vectors = 2 * count * group.POINT_BYTES
        offers = _split_points(received[:vectors])
        publics = _lattice_publics(_as_rows(received[vectors:], count), session_id)
        scalars = [group.draw_scalar(rng) for _ in range(count)]
        answers = [group.multiply_base(scalar) for scalar in scalars]
        secrets, ciphertexts = zip(*map(lattice.encapsulate, publics), strict=True)
        sent = b"".join([*answers, *ciphertexts])
        channel.send(MessageTag.BASE_OT_ANSWERS, sent)
        batch = _batch_digest(session_id, count, received, sent)
        keys = []
        for i, scalar in enumerate(scalars):
            pair = offers[2 * i : 2 * i + 2]
            for x in range(2):
                public = group.add_points(pair[x], _oracle(session_id, i, x, pair[1 - x]))
                shared = group.multiply_point(scalar, public)
                keys.append(_key(batch, i, x, shared, secrets[2 * i + x]))
    return _key_array(keys).reshape(count, 2, 2)


def recv_base_ots(
    channel: Channel, choices: NDArray[np.uint8], session_id: bytes, rng: Randomness
) -> NDArray[np.uint64]:
    """Run one random OT for each choice bit uint8[count]; return the chosen keys, uint64[count, 2].

    Raises :class:`ProtocolViolationError` on an invalid point, the sender's fault; the channel is
    then closed. A ciphertext that is wrong is no error: its key is one that the sender does not
    know. Learns nothing about the other keys.
    """
    if choices.dtype != np.uint8 or choices.ndim != 1 or choices.max(initial=0) > 1:
        raise UsageError("Choices are bits, uint8[count].")
    count = len(choices)
    scalars, points = _point_offers(choices, session_id, rng)
    keys, vectors = _lattice_offers(choices, session_id, rng)
    sent = points.tobytes() + vectors.tobytes()
    channel.send(MessageTag.BASE_OT_OFFERS, sent)
    received = channel.recv(MessageTag.BASE_OT_ANSWERS, size=count * ANSWER_BYTES)
    with closing_on_error(channel):
        ciphertexts = count * group.POINT_BYTES
        answers = _split_points(received[:ciphertexts])
        secrets = _decapsulated(keys, choices, _as_rows(received[ciphertexts:], count))
        batch = _batch_digest(session_id, count, sent, received)
        chosen = [
            _key(batch, i, int(bit), group.multiply_point(scalars[i], answers[i]), secrets[i])
            for i, bit in enumerate(choices)
        ]
    return _key_array(chosen)


def _point_offers(
    choices: NDArray[np.uint8], session_id: bytes, rng: Randomness
) -> tuple[list[bytes], Rows]:
    """Return a scalar and an offer uint8 (n, 64) for each choice: two points."""
    scalars = [group.draw_scalar(rng) for _ in choices]
    others = [group.multiply_base(group.draw_scalar(rng)) for _ in choices]
    chosen = [
        group.subtract_points(
            group.multiply_base(scalar), _oracle(session_id, i, int(choice), other)
        )
        for i, (scalar, choice, other) in enumerate(zip(scalars, choices, others, strict=True))
    ]
    return scalars, _in_order(choices, *(_as_rows(b"".join(p), len(p)) for p in (chosen, others)))


def _lattice_offers(
    choices: NDArray[np.uint8], session_id: bytes, rng: Randomness
) -> tuple[list[MLKEM768PrivateKey], Rows]:
    """Return a private key and an offer uint8 (n, 2336) for each choice: two vectors, then rho."""
    keys = [lattice.draw_key(rng) for _ in choices]
    encoded, rhos = _parted(lattice.public_rows(keys), lattice.VECTOR_BYTES)
    other = lattice.encode_vectors(lattice.draw_vectors(len(choices), rng))
    oracle = lattice.hash_to_vectors(session_id, choices, rhos, other)
    chosen = lattice.encode_vectors(lattice.subtract_vectors(lattice.read_vectors(encoded), oracle))
    return keys, np.concatenate([_in_order(choices, chosen, other), rhos], axis=1)


def _lattice_publics(offers: Rows, session_id: bytes) -> list[bytes]:
    """Return both public keys of each offer uint8 (n, 2336), in order."""
    encoded, rhos = _parted(offers, _PAIR_BYTES)
    pair = _parted(encoded, lattice.VECTOR_BYTES)
    vectors = [lattice.read_vectors(rows) for rows in pair]
    publics = []
    for x in range(2):
        branches = np.full(len(offers), x, np.uint8)
        oracle = lattice.hash_to_vectors(session_id, branches, rhos, pair[1 - x])
        public = lattice.encode_vectors(lattice.add_vectors(vectors[x], oracle))
        publics.append(np.concatenate([public, rhos], axis=1))
    return [row.tobytes() for row in np.stack(publics, axis=1).reshape(2 * len(offers), -1)]


def _decapsulated(
    keys: list[MLKEM768PrivateKey], choices: NDArray[np.uint8], ciphertexts: Rows
) -> list[bytes]:
    """Return the secrets of the chosen ones of ciphertexts uint8 (n, 2176), two a row."""
    chosen = _picked(choices, *_parted(ciphertexts, lattice.CIPHERTEXT_BYTES))
    return [lattice.decapsulate(key, row.tobytes()) for key, row in zip(keys, chosen, strict=True)]


def _picked(choices: NDArray[np.uint8], zero: Rows, one: Rows) -> Rows:
    """Return each row of ``zero`` or ``one`` by its choice, in a time that does not tell it."""
    picked: Rows = zero ^ ((zero ^ one) & np.negative(choices)[:, None])
    return picked


def _in_order(choices: NDArray[np.uint8], chosen: Rows, other: Rows) -> Rows:
    """Return rows of pairs, in which what is chosen stands where the choice says."""
    pair = _picked(choices, chosen, other), _picked(choices, other, chosen)
    return np.concatenate(pair, axis=1)


def _parted(rows: Rows, at: int) -> tuple[Rows, Rows]:
    return rows[:, :at], rows[:, at:]


def _as_rows(received: bytes, count: int) -> Rows:
    return np.frombuffer(received, np.uint8).reshape(count, -1)


def _split_points(received: bytes) -> list[bytes]:
    """Cut points apart and check each."""
    size = group.POINT_BYTES
    points = [received[start : start + size] for start in range(0, len(received), size)]
    for point in points:
        group.check_point(point)
    return points


def _oracle(session_id: bytes, index: int, branch: int, point: bytes) -> bytes:
    prefix = len(session_id).to_bytes(4, "little") + session_id
    return group.hash_to_point(prefix + index.to_bytes(4, "little") + bytes([branch]) + point)


def _batch_digest(session_id: bytes, count: int, offers: bytes, answers: bytes) -> bytes:
    prefix = len(session_id).to_bytes(4, "little") + session_id
    length = count.to_bytes(4, "little")
    return hashlib.sha256(b"".join([_BATCH_LABEL, prefix, length, offers, answers])).digest()


def _key(batch: bytes, index: int, branch: int, point: bytes, secret: bytes) -> bytes:
    position = index.to_bytes(4, "little") + bytes([branch])
    return hashlib.sha256(_KEY_LABEL + batch + position + point + secret).digest()[:_KEY_BYTES]


def _key_array(keys: list[bytes]) -> NDArray[np.uint64]:
    return np.frombuffer(bytearray(b"".join(keys)), dtype="<u8").reshape(-1, 2)
