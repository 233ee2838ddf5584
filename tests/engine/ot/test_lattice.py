"""Vectors of ML-KEM's keys: encoded one way, added modulo q, hashed to from all that they bind."""

from __future__ import annotations

import hashlib

import numpy as np
import pytest
from cryptography.hazmat.primitives.asymmetric.mlkem import MLKEM768PrivateKey

from mpc_engine.errors import ProtocolViolationError
from mpc_engine.ot import base_ot, lattice
from mpc_engine.testing.randomness import seeded_randomness
from tests.vectors.reference_ml_kem import encapsulate

SESSION = b"session"
N = 3


def _encoded(seed: int = 1) -> np.ndarray:
    return lattice.encode_vectors(lattice.draw_vectors(N, seeded_randomness(seed)))


def _rhos(seed: int = 5) -> np.ndarray:
    return np.frombuffer(seeded_randomness(seed).bytes(32 * N), np.uint8).reshape(N, 32)


def _hashed(
    session: bytes = SESSION,
    branch: int = 0,
    rhos: np.ndarray | None = None,
    vectors: np.ndarray | None = None,
) -> np.ndarray:
    return lattice.hash_to_vectors(
        session,
        np.full(N, branch, np.uint8),
        _rhos() if rhos is None else rhos,
        _encoded() if vectors is None else vectors,
    )


def _slowly(data: bytes) -> list[int]:
    """FIPS 203, algorithm 7, for 768 coefficients in one stream."""
    stream, at = hashlib.shake_128(data).digest(4096), 0
    found: list[int] = []
    while len(found) < 768:
        a, b, c = stream[at : at + 3]
        found += [value for value in (a + 256 * (b % 16), b // 16 + 16 * c) if value < 3329]
        at += 3
    return found[:768]


def test_a_hash_is_that_of_algorithm_7_over_all_it_binds() -> None:
    found = _hashed(b"id", 1)
    for i in range(N):
        start = b"blindjustice/v1/base-ot/hash-to-vector" + b"\2\0\0\0id" + bytes([i, 0, 0, 0, 1])
        assert found[i].tolist() == _slowly(start + _rhos()[i].tobytes() + _encoded()[i].tobytes())


def test_a_hash_depends_on_session_branch_rho_and_vector() -> None:
    whole = [
        _hashed(),
        _hashed(b"other"),
        _hashed(branch=1),
        _hashed(rhos=_rhos(6)),
        _hashed(vectors=_encoded(2)),
    ]
    assert len({vector.tobytes() for vectors in whole for vector in vectors}) == len(whole) * N


def test_a_hash_depends_on_the_number_of_the_transfer() -> None:
    same = np.repeat(_encoded()[:1], N, axis=0)
    found = _hashed(vectors=same, rhos=np.zeros((N, 32), np.uint8))
    assert len({vector.tobytes() for vector in found}) == N


def test_vectors_are_uniform_below_q() -> None:
    """Of 64 drawn vectors: the largest, and the mean within 6 deviations. Seeded."""
    drawn = lattice.draw_vectors(64, seeded_randomness(8))
    assert drawn.min() == 0
    assert drawn.max() == 3328
    assert abs(float(drawn.mean()) - 1664) < 6 * 3329 / 12**0.5 / drawn.size**0.5
    assert len({vector.tobytes() for vector in drawn}) == 64


def test_encodings_are_those_of_the_library() -> None:
    keys = [lattice.draw_key(seeded_randomness(seed)) for seed in range(N)]
    rows = lattice.public_rows(keys)
    assert [row.tobytes() for row in rows] == [k.public_key().public_bytes_raw() for k in keys]
    packed = rows[:, :1152]
    vectors = lattice.read_vectors(packed)
    whole = [int.from_bytes(row.tobytes(), "little") for row in packed]
    assert vectors.tolist() == [[n >> (12 * i) & 4095 for i in range(768)] for n in whole]
    assert np.array_equal(lattice.encode_vectors(vectors), packed)


def test_sums_and_differences_are_modulo_q() -> None:
    left, right = (lattice.draw_vectors(N, seeded_randomness(seed)) for seed in (1, 2))
    wide = left.astype(int), right.astype(int)
    assert np.array_equal(lattice.add_vectors(left, right), (wide[0] + wide[1]) % 3329)
    assert np.array_equal(lattice.subtract_vectors(left, right), (wide[0] - wide[1]) % 3329)


@pytest.mark.parametrize("value", [3329, 3330, 4095])
@pytest.mark.parametrize("place", [0, 1, 766, 767])
def test_a_coefficient_that_is_not_reduced_is_refused(place: int, value: int) -> None:
    vectors = lattice.draw_vectors(N, seeded_randomness(1))
    vectors[1, place] = value
    with pytest.raises(ProtocolViolationError, match="not reduced"):
        lattice.read_vectors(lattice.encode_vectors(vectors))
    vectors[1, place] = 3328
    assert np.array_equal(lattice.read_vectors(lattice.encode_vectors(vectors)), vectors)


def test_a_seed_gives_a_key_again() -> None:
    first, second = (lattice.draw_key(seeded_randomness(1)) for _ in range(2))
    assert first.public_key() == second.public_key()


@pytest.mark.parametrize("choice", [0, 1])
def test_the_receivers_key_is_the_chosen_one_of_the_senders_and_no_other(choice: int) -> None:
    """Encapsulated to by a second writing of ML-KEM."""
    choices = np.full(N, choice, np.uint8)
    keys, offers = base_ot._lattice_offers(choices, SESSION, seeded_randomness(3))
    publics = base_ot._lattice_publics(offers, SESSION)
    own = [key.public_key().public_bytes_raw() for key in keys]
    assert publics[choice::2] == own
    assert not set(publics[1 - choice :: 2]) & set(own)
    for key, public in zip(keys, own, strict=True):
        secret, ciphertext = encapsulate(public, b"m" * 32)
        assert lattice.decapsulate(key, ciphertext) == secret


def test_offers_of_one_session_give_other_public_keys_in_another() -> None:
    keys, offers = base_ot._lattice_offers(np.zeros(N, np.uint8), SESSION, seeded_randomness(3))
    own = {key.public_key().public_bytes_raw() for key in keys}
    assert not own & set(base_ot._lattice_publics(offers, b"other"))


def test_a_wrong_ciphertext_gives_a_secret_that_the_private_key_alone_tells() -> None:
    seed = seeded_randomness(1).bytes(64)
    key, other = (MLKEM768PrivateKey.from_seed_bytes(seed[:32] + end * 32) for end in (b"a", b"b"))
    assert key.public_key() == other.public_key()
    secrets = [lattice.decapsulate(k, bytes(1088)) for k in (key, key, other)]
    assert secrets[0] == secrets[1] != secrets[2]
