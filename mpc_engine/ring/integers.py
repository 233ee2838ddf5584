"""Residues modulo 2^bits held as uint64, and their signed values."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mpc_engine.errors import UsageError
from mpc_engine.params import RING_BITS

Residues = NDArray[np.uint64]


def ring_mask(bits: int) -> np.uint64:
    """Return 2^bits - 1 as uint64; bits in 1..64, UsageError otherwise."""
    if not 1 <= bits <= RING_BITS:
        raise UsageError(f"A ring has 1 to {RING_BITS} bits, not {bits}.")
    return np.uint64((1 << bits) - 1)


def reduce_to(values: Residues, bits: int) -> Residues:
    """Return ``values`` (uint64, any shape) modulo 2^bits."""
    _require_uint64(values)
    return values & ring_mask(bits)


def to_ring(values: NDArray[np.int64], bits: int = RING_BITS) -> Residues:
    """Return signed integers (int64, any shape) as residues modulo 2^bits."""
    if values.dtype != np.int64:
        raise UsageError(f"Signed values are int64, not {values.dtype}.")
    return values.view(np.uint64) & ring_mask(bits)


def to_signed(values: Residues, bits: int = RING_BITS) -> NDArray[np.int64]:
    """Return the representatives in [-2^(bits-1), 2^(bits-1)) of residues (uint64, any shape)."""
    _require_uint64(values)
    ring_mask(bits)
    shift = np.uint64(RING_BITS - bits)
    return (values << shift).view(np.int64) >> np.int64(RING_BITS - bits)


def _require_uint64(values: Residues) -> None:
    if values.dtype != np.uint64:
        raise UsageError(f"Residues are uint64, not {values.dtype}.")
