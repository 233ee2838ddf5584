"""The modeler's model as input bits of a circuit, and as words inside it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from mpc_engine.errors import UsageError
from mpc_engine.protocols.model_encoding import NONCE_BYTES


def model_bits(
    theta: Sequence[int], n_features: int, theta_bits: int, nonce: bytes
) -> NDArray[np.uint8]:
    """Return coefficients (intercept first, two's complement, low bit first), then the nonce.

    The nonce's bits go big-endian, as SHA-256 reads them. Raises UsageError when a coefficient
    does not fit or one is missing or too many.
    """
    if len(theta) != n_features + 1:
        raise UsageError("The model has another number of coefficients than the study.")
    bound = 1 << (theta_bits - 1)
    if any(not -bound <= value < bound for value in theta):
        raise UsageError(
            "A coefficient does not fit its bits.", code="MODEL_COEFFICIENT_OUT_OF_RANGE"
        )
    if len(nonce) != NONCE_BYTES:
        raise UsageError("The model's nonce has a wrong length.")
    words = np.array([value & ((1 << theta_bits) - 1) for value in theta], dtype=np.uint64)
    shifts = np.arange(theta_bits, dtype=np.uint64)
    coefficient_bits = ((words[:, None] >> shifts) & np.uint64(1)).astype(np.uint8).reshape(-1)
    nonce_bits = np.unpackbits(np.frombuffer(nonce, dtype=np.uint8), bitorder="big")
    return np.concatenate([coefficient_bits, nonce_bits])
