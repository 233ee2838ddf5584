"""The canonical bytes of a model, whose SHA-256 is the signature ``s(theta)``.

Block 0 (64 bytes) is public: a tag of 32 bytes and the configuration digest, so that its midstate
is computed in the clear. Then a nonce of 32 bytes, which keeps the regulator from testing guesses,
then the coefficients, intercept first, each a signed 32-bit big-endian integer (one SHA-256 word).
In the circuit a coefficient enters with ``theta_bits`` bits and is sign-extended there, so that no
other value has an encoding.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

MODEL_TAG = b"blindjustice/v1/model".ljust(32, b"\0")
NONCE_BYTES = 32
COEFFICIENT_BYTES = 4


def public_block(config_digest: bytes) -> bytes:
    """Return the 64 public bytes at the start of every model of a configuration."""
    return MODEL_TAG + config_digest


def encode_model(config_digest: bytes, nonce: bytes, theta: Sequence[int]) -> bytes:
    """Return the canonical bytes: ``theta`` holds the encoded integers, intercept first."""
    coefficients = b"".join(value.to_bytes(4, "big", signed=True) for value in theta)
    return public_block(config_digest) + nonce + coefficients


def model_signature(config_digest: bytes, nonce: bytes, theta: Sequence[int]) -> bytes:
    """Return ``s(theta)``, 32 bytes."""
    return hashlib.sha256(encode_model(config_digest, nonce, theta)).digest()
