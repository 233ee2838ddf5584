"""Encryption at rest: AES-256-GCM, every row bound to the place it lies in."""

from __future__ import annotations

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from mpc_engine.crypto.rng import Randomness
from mpc_engine.errors import CheckFailedError, UsageError
from mpc_engine.wire.codec import length_prefixed

STORAGE_KEY_BYTES = 32
_NONCE_BYTES = 12
_LABEL = b"blindjustice/v1/storage"


class StorageCipher:
    """Seals and opens what a party stores; never shown when printed.

    Nonces are random: with 2^32 rows under one key two collide with probability below 2^-32.
    """

    def __init__(self, key: bytes, rng: Randomness) -> None:
        if len(key) != STORAGE_KEY_BYTES:
            raise UsageError(f"A storage key has {STORAGE_KEY_BYTES} bytes.")
        self._aead = AESGCM(key)
        self._rng = rng

    def __repr__(self) -> str:
        return "StorageCipher(<secret>)"

    def seal(self, place: str, ids: tuple[bytes, ...], plaintext: bytes) -> bytes:
        """Return ``nonce 12 | ciphertext | tag 16``; it opens at the same place and ids only."""
        nonce = self._rng.bytes(_NONCE_BYTES)
        return nonce + self._aead.encrypt(nonce, plaintext, _bound(place, ids))

    def open(self, place: str, ids: tuple[bytes, ...], sealed: bytes) -> bytes:
        """Return the plaintext; CheckFailedError (``STORE_ALTERED``) if it isn't the stored row."""
        try:
            return self._aead.decrypt(
                sealed[:_NONCE_BYTES], sealed[_NONCE_BYTES:], _bound(place, ids)
            )
        except (InvalidTag, ValueError):
            raise CheckFailedError(
                "A stored row was altered, moved, or written under another key.",
                code="STORE_ALTERED",
            ) from None


def _bound(place: str, ids: tuple[bytes, ...]) -> bytes:
    return length_prefixed(_LABEL, place.encode("ascii"), *ids)
