"""Public keys of ML-KEM-768 as vectors that can be added, as base OTs use them.

A key is 1,184 bytes: a vector of three polynomials in the transformed domain, 768 coefficients
modulo q = 3329 of twelve bits each (1,152 bytes), then rho, the seed of its matrix (32). Keys are
made, encapsulated to and decapsulated with by `cryptography` alone; here their vectors are read,
added and hashed to, many at once. A key of a uniform vector hides what is encapsulated to it while
module-LWE is hard, and nobody has its private key.

Source: FIPS 203, algorithms 5 and 6 (encoding), 7 (uniform coefficients), 16 to 18 (the KEM).

In tables a row is a transfer, in order. Encoded vectors are uint8 (n, 1152), others int16 (n, 768)
with values from 0 to q - 1.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

import numpy as np
from cryptography.hazmat.primitives.asymmetric.mlkem import (
    MLKEM768PrivateKey,
    MLKEM768PublicKey,
)
from numpy.typing import NDArray

from mpc_engine.crypto.rng import Randomness
from mpc_engine.errors import ProtocolViolationError

Q = 3329
COEFFICIENTS = 768
VECTOR_BYTES = 1152
RHO_BYTES = 32
CIPHERTEXT_BYTES = 1088
_KEY_SEED_BYTES = 64
_VECTOR_SEED_BYTES = 32
_STREAM_BYTES = 12 * 168
"""Twelve blocks of SHAKE-128, 1,344 values of twelve bits: fewer than 768 are below q, and
ValueError is raised, with probability under 2^-290 (Chernoff) a vector."""
_HASH_LABEL = b"blindjustice/v1/base-ot/hash-to-vector"
_DRAW_LABEL = b"blindjustice/v1/base-ot/draw-vector"

Rows = NDArray[np.uint8]
Vectors = NDArray[np.int16]


def draw_key(rng: Randomness) -> MLKEM768PrivateKey:
    """Return a fresh private key."""
    return MLKEM768PrivateKey.from_seed_bytes(rng.bytes(_KEY_SEED_BYTES))


def encapsulate(public_key: bytes) -> tuple[bytes, bytes]:
    """Return a shared secret (32 bytes) and its ciphertext (1,088) for a key of 1,184 bytes.

    What it needs is drawn by the library from the operating system.
    """
    return MLKEM768PublicKey.from_public_bytes(public_key).encapsulate()


def decapsulate(key: MLKEM768PrivateKey, ciphertext: bytes) -> bytes:
    """Return the shared secret (32 bytes) of a ciphertext of 1,088 bytes, without a word if wrong.

    Of a ciphertext that was not made by encapsulating to this key it returns bytes that only the
    private key tells (implicit rejection).
    """
    return key.decapsulate(ciphertext)


def public_rows(keys: Iterable[MLKEM768PrivateKey]) -> Rows:
    """Return the public keys, uint8 (n, 1184): the encoded vector, then rho."""
    joined = b"".join(key.public_key().public_bytes_raw() for key in keys)
    return np.frombuffer(joined, np.uint8).reshape(-1, VECTOR_BYTES + RHO_BYTES)


def draw_vectors(count: int, rng: Randomness) -> Vectors:
    """Return uniform vectors, each from a seed of 32 bytes of its own."""
    return _sample(_DRAW_LABEL + rng.bytes(_VECTOR_SEED_BYTES) for _ in range(count))


def hash_to_vectors(session_id: bytes, branches: Rows, rhos: Rows, vectors: Rows) -> Vectors:
    """Map each row to a vector, as a random oracle.

    It hashes the session's id, the number of the row, ``branches`` (0 or 1, uint8 (n,)), ``rhos``
    (uint8 (n, 32)) and ``vectors`` (encoded).
    """
    numbers = np.arange(len(branches), dtype="<u4").view(np.uint8).reshape(-1, 4)
    rows = np.concatenate([numbers, branches[:, None], rhos, vectors], axis=1)
    prefix = _HASH_LABEL + len(session_id).to_bytes(4, "little") + session_id
    return _sample(prefix + row.tobytes() for row in rows)


def add_vectors(left: Vectors, right: Vectors) -> Vectors:
    """Return the sums of vectors, row by row."""
    return (left + right) % np.int16(Q)


def subtract_vectors(left: Vectors, right: Vectors) -> Vectors:
    """Return ``left - right``, row by row."""
    return (left - right) % np.int16(Q)


def encode_vectors(vectors: Vectors) -> Rows:
    """Return the one encoding of each vector."""
    even, odd = vectors[:, ::2], vectors[:, 1::2]
    encoded = np.empty((len(vectors), VECTOR_BYTES), np.uint8)
    encoded[:, ::3] = even & 255
    encoded[:, 1::3] = even >> 8 | (odd & 15) << 4
    encoded[:, 2::3] = odd >> 4
    return encoded


def read_vectors(encoded: Rows) -> Vectors:
    """Return encoded vectors; ProtocolViolationError unless every coefficient is below q."""
    vectors = _unpack(encoded)
    if np.any(vectors >= Q):
        raise ProtocolViolationError("The other party sent a lattice vector that is not reduced.")
    return vectors


def _unpack(packed: Rows) -> Vectors:
    """Return values of twelve bits, two of each three bytes."""
    first, second, third = (packed[:, i::3].astype(np.int16) for i in range(3))
    values = np.empty((len(packed), 2 * first.shape[1]), np.int16)
    values[:, ::2] = first | (second & 15) << 8
    values[:, 1::2] = second >> 4 | third << 4
    return values


def _sample(inputs: Iterable[bytes]) -> Vectors:
    """Return, for each input, the first values below q of its stream of SHAKE-128."""
    streams = b"".join(hashlib.shake_128(data).digest(_STREAM_BYTES) for data in inputs)
    values = _unpack(np.frombuffer(streams, np.uint8).reshape(-1, _STREAM_BYTES))
    kept = values < Q
    kept &= np.cumsum(kept, axis=1) <= COEFFICIENTS
    return values[kept].reshape(len(values), COEFFICIENTS)
