"""Slow twin of ``mpc_engine.kernels.bits``: NumPy unpacks, transposes and packs."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def transpose_columns(columns: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Return rows uint64[64 w, 2] of the bit matrix with columns uint64[128, w]."""
    bits = np.unpackbits(columns.view(np.uint8), axis=1, bitorder="little")
    return np.packbits(np.ascontiguousarray(bits.T), axis=1, bitorder="little").view(np.uint64)
