"""Hybrid public-key encryption (RFC 9180), base mode, one pinned suite.

X-Wing (ML-KEM-768 and X25519 together, KEM id 0x647a), HKDF-SHA256, AES-128-GCM, empty associated
data. A seal opens for nobody else while either assumption stands, so what is recorded today stays
closed to whoever has a quantum computer later. Base mode authenticates nobody: whoever needs to
know the sender signs outside the seal.

Source: Barbosa, Connolly, Duarte, Kaiser, Schwabe, Varner and Westerbaan, "X-Wing", CiC 1(1), 2024;
draft-connolly-cfrg-xwing-kem.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.asymmetric.mlkem import (
    MLKEM768PrivateKey,
    MLKEM768PublicKey,
)
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
from cryptography.hazmat.primitives.hpke import (
    AEAD,
    KDF,
    KEM,
    MLKEM768X25519PrivateKey,
    MLKEM768X25519PublicKey,
    Suite,
)

from mpc_engine.crypto.digests import key_id
from mpc_engine.errors import CheckFailedError, UsageError

if TYPE_CHECKING:
    from mpc_engine.crypto.rng import Randomness

LATTICE_SEED_BYTES = 64
LATTICE_PUBLIC_BYTES = 1184
CURVE_BYTES = 32
PRIVATE_KEY_BYTES = LATTICE_SEED_BYTES + CURVE_BYTES
PUBLIC_KEY_BYTES = LATTICE_PUBLIC_BYTES + CURVE_BYTES
ENC_BYTES = 1120
TAG_BYTES = 16
OVERHEAD_BYTES = ENC_BYTES + TAG_BYTES

_SUITE = Suite(KEM.MLKEM768_X25519, KDF.HKDF_SHA256, AEAD.AES_128_GCM)
_ANY_KEY = X25519PrivateKey.from_private_bytes(bytes([1] * CURVE_BYTES))
"""Not secret: with any key the exchange fails exactly for points of low order."""


class HpkePrivateKey:
    """A recipient's key: ML-KEM-768's seed and an X25519 key; never shown when printed.

    ``private_bytes``: 96 bytes, ``d | z`` of ML-KEM (64) and the X25519 key (32): what X-Wing
    expands its own seed to.
    """

    def __init__(self, private_bytes: bytes) -> None:
        if len(private_bytes) != PRIVATE_KEY_BYTES:
            raise UsageError(f"An HPKE private key has {PRIVATE_KEY_BYTES} bytes.")
        self._lattice = MLKEM768PrivateKey.from_seed_bytes(private_bytes[:LATTICE_SEED_BYTES])
        self._curve = X25519PrivateKey.from_private_bytes(private_bytes[LATTICE_SEED_BYTES:])
        self._key = MLKEM768X25519PrivateKey(self._lattice, self._curve)
        self.public_bytes = (
            self._lattice.public_key().public_bytes_raw()
            + self._curve.public_key().public_bytes_raw()
        )
        self.key_id = key_id(self.public_bytes)

    @classmethod
    def generate(cls, rng: Randomness) -> HpkePrivateKey:
        """Draw a fresh key."""
        return cls(rng.bytes(PRIVATE_KEY_BYTES))

    def __repr__(self) -> str:
        return f"<HpkePrivateKey {self.key_id.hex()}>"

    def private_bytes(self) -> bytes:
        """Return the 96 secret bytes, for an encrypted store only."""
        return self._lattice.private_bytes_raw() + self._curve.private_bytes_raw()

    def open(self, info: bytes, sealed: bytes) -> bytes:
        """Open ``enc | ciphertext``; CheckFailedError unless all three fit."""
        try:
            return _SUITE.decrypt(sealed, self._key, info)
        except (InvalidTag, ValueError):
            raise CheckFailedError(
                "The sealed bytes do not open with this key and context.", code="SEAL_NOT_OPENED"
            ) from None


def check_public_key(public_key: bytes) -> None:
    """Raise UsageError unless a raw key can be sealed to.

    1,216 bytes: an ML-KEM-768 key whose coefficients are reduced, an X25519 key not of low order.
    """
    _read_public_key(public_key)


def hpke_seal(public_key: bytes, info: bytes, plaintext: bytes) -> bytes:
    """Seal ``plaintext`` to a raw key of 1,216 bytes: ``enc 1120 | ciphertext | tag 16``.

    What the encapsulation needs is drawn by the library from the operating system. UsageError if
    the public key is not usable.
    """
    return _SUITE.encrypt(plaintext, _read_public_key(public_key), info)


def _read_public_key(public_key: bytes) -> MLKEM768X25519PublicKey:
    try:
        lattice = MLKEM768PublicKey.from_public_bytes(public_key[:LATTICE_PUBLIC_BYTES])
        curve = X25519PublicKey.from_public_bytes(public_key[LATTICE_PUBLIC_BYTES:])
        _ANY_KEY.exchange(curve)
    except ValueError:
        raise UsageError("The recipient's public key is not a usable X-Wing key.") from None
    return MLKEM768X25519PublicKey(lattice, curve)
