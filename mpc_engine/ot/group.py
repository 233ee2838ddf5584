"""The prime-order subgroup of edwards25519, as base OTs use it (libsodium through PyNaCl).

Points are 32 bytes in canonical encoding, scalars 32 bytes reduced modulo the group order.
"""

from __future__ import annotations

import hashlib

from nacl import bindings
from nacl.exceptions import RuntimeError as SodiumError

from mpc_engine.crypto.rng import Randomness
from mpc_engine.errors import ProtocolViolationError

POINT_BYTES = bindings.crypto_core_ed25519_BYTES
_HASH_LABEL = b"blindjustice/v1/base-ot/hash-to-group"


def draw_scalar(rng: Randomness) -> bytes:
    """Return a uniform scalar; 512 drawn bits leave a bias below 2^-250."""
    wide = rng.bytes(bindings.crypto_core_ed25519_NONREDUCEDSCALARBYTES)
    return bindings.crypto_core_ed25519_scalar_reduce(wide)


def multiply_base(scalar: bytes) -> bytes:
    """Return ``scalar * G``."""
    return bindings.crypto_scalarmult_ed25519_base_noclamp(scalar)


def multiply_point(scalar: bytes, point: bytes) -> bytes:
    """Return ``scalar * point``; ProtocolViolationError if ``point`` is not in the subgroup.

    The neutral point and points of small order are refused too, also where a point computed from
    the peer's bytes turns out to be one.
    """
    try:
        return bindings.crypto_scalarmult_ed25519_noclamp(scalar, point)
    except SodiumError:
        raise ProtocolViolationError("A point from the other party is not usable.") from None


def add_points(left: bytes, right: bytes) -> bytes:
    """Return the sum of two points."""
    return bindings.crypto_core_ed25519_add(left, right)


def subtract_points(left: bytes, right: bytes) -> bytes:
    """Return ``left - right``."""
    return bindings.crypto_core_ed25519_sub(left, right)


def hash_to_point(data: bytes) -> bytes:
    """Map bytes to a point whose discrete logarithm nobody knows, as a random oracle.

    One Elligator map reaches about half of the points, unevenly. The sum of two maps of independent
    hash halves is indistinguishable from uniform (Brier et al., CRYPTO 2010, the "encode twice"
    construction of RFC 9380; the hash and its encoding are our own, not an RFC suite).
    """
    digest = hashlib.sha512(_HASH_LABEL + data).digest()
    half = len(digest) // 2
    return add_points(
        bindings.crypto_core_ed25519_from_uniform(digest[:half]),
        bindings.crypto_core_ed25519_from_uniform(digest[half:]),
    )


def check_point(point: bytes) -> None:
    """Raise ProtocolViolationError unless ``point`` is canonical and in the prime-order subgroup.

    The neutral point and points of small order fail too.
    """
    if not bindings.crypto_core_ed25519_is_valid_point(point):
        raise ProtocolViolationError("The other party sent an invalid curve point.")
