"""Encapsulations that can be made again: the library draws its own, so no seed gives them twice.

For tests that compare the bytes of two runs. The stand-in has the sizes of ML-KEM-768 and follows
from the public key alone: whoever knows that opens it. Keys and vectors stay those of ML-KEM.
"""

from __future__ import annotations

import hashlib

import pytest
from cryptography.hazmat.primitives.asymmetric.mlkem import MLKEM768PrivateKey

from mpc_engine.crypto.prg import SEED_BYTES, Prg
from mpc_engine.ot import lattice


def use_fixed_kem(patch: pytest.MonkeyPatch) -> None:
    """Let what is encapsulated follow from the public key."""

    def encapsulate(public_key: bytes) -> tuple[bytes, bytes]:
        stream = Prg(hashlib.sha256(public_key).digest()[:SEED_BYTES])
        ciphertext = stream.bytes(lattice.CIPHERTEXT_BYTES)
        return _secret(public_key, ciphertext), ciphertext

    def decapsulate(key: MLKEM768PrivateKey, ciphertext: bytes) -> bytes:
        return _secret(key.public_key().public_bytes_raw(), ciphertext)

    patch.setattr(lattice, "encapsulate", encapsulate)
    patch.setattr(lattice, "decapsulate", decapsulate)


def _secret(public_key: bytes, ciphertext: bytes) -> bytes:
    return hashlib.sha256(public_key + ciphertext).digest()
