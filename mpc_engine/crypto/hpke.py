"""Hybrid public-key encryption (RFC 9180), base mode, one pinned suite.

X25519, HKDF-SHA256, AES-128-GCM, empty associated data. Base mode authenticates nobody: whoever
needs to know the sender signs outside the seal.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
from cryptography.hazmat.primitives.hpke import AEAD, KDF, KEM, Suite

from mpc_engine.crypto.digests import key_id
from mpc_engine.errors import CheckFailedError, UsageError

if TYPE_CHECKING:
    from mpc_engine.crypto.rng import Randomness

PUBLIC_KEY_BYTES = 32
ENC_BYTES = 32
TAG_BYTES = 16
OVERHEAD_BYTES = ENC_BYTES + TAG_BYTES

_SUITE = Suite(KEM.X25519, KDF.HKDF_SHA256, AEAD.AES_128_GCM)
_ANY_KEY = X25519PrivateKey.from_private_bytes(bytes([1] * PUBLIC_KEY_BYTES))
"""Not secret: with any key the exchange fails exactly for points of low order."""


class HpkePrivateKey:
    """A recipient's X25519 key; never shown when printed."""

    def __init__(self, private_bytes: bytes) -> None:
        if len(private_bytes) != PUBLIC_KEY_BYTES:
            raise UsageError("An HPKE private key has 32 bytes.")
        self._key = X25519PrivateKey.from_private_bytes(private_bytes)
        self.public_bytes = self._key.public_key().public_bytes_raw()
        self.key_id = key_id(self.public_bytes)

    @classmethod
    def generate(cls, rng: Randomness) -> HpkePrivateKey:
        """Draw a fresh key."""
        return cls(rng.bytes(PUBLIC_KEY_BYTES))

    def __repr__(self) -> str:
        return f"<HpkePrivateKey {self.key_id.hex()}>"

    def private_bytes(self) -> bytes:
        """Return the 32 secret bytes, for an encrypted store only."""
        return self._key.private_bytes_raw()

    def open(self, info: bytes, sealed: bytes) -> bytes:
        """Open ``enc | ciphertext``; CheckFailedError unless all three fit."""
        try:
            return _SUITE.decrypt(sealed, self._key, info)
        except (InvalidTag, ValueError):
            raise CheckFailedError(
                "The sealed bytes do not open with this key and context.", code="SEAL_NOT_OPENED"
            ) from None


def check_public_key(public_key: bytes) -> None:
    """Raise UsageError unless a raw X25519 key can be sealed to: 32 bytes, not of low order."""
    try:
        recipient = X25519PublicKey.from_public_bytes(public_key)
        _ANY_KEY.exchange(recipient)
    except ValueError:
        raise UsageError("The recipient's public key is not a usable X25519 key.") from None


def hpke_seal(public_key: bytes, info: bytes, plaintext: bytes) -> bytes:
    """Seal ``plaintext`` to a raw X25519 key and return ``enc 32 | ciphertext | tag 16``.

    The ephemeral key is drawn by the library from the operating system. UsageError if the public
    key is not usable.
    """
    try:
        recipient = X25519PublicKey.from_public_bytes(public_key)
        return _SUITE.encrypt(plaintext, recipient, info)
    except ValueError:
        raise UsageError("The recipient's public key is not a usable X25519 key.") from None
