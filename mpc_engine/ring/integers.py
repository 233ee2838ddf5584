"""Residues modulo 2^bits held as uint64."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mpc_engine.errors import UsageError
from mpc_engine.params import RING_BITS

Residues = NDArray[np.uint64]


def reduce_to(values: Residues, bits: int) -> Residues:
    """Return ``values`` (uint64, any shape) modulo 2^bits; UsageError for other types or widths."""
    if values.dtype != np.uint64:
        raise UsageError(f"Residues are uint64, not {values.dtype}.")
    if not 1 <= bits <= RING_BITS:
        raise UsageError(f"A ring has 1 to {RING_BITS} bits, not {bits}.")
    return values & np.uint64((1 << bits) - 1)
