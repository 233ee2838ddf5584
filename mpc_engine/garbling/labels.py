"""Labels of wires: uint64 with a last axis of 2; the lowest bit of word 0 is the colour.

The zero label of a wire stands for 0 and ``zero xor delta`` for 1.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mpc_engine.errors import UsageError

Labels = NDArray[np.uint64]
BitArray = NDArray[np.uint8]


def encode_bits(zero_labels: Labels, bits: BitArray, delta: Labels) -> Labels:
    """Return the labels uint64[..., 2] that stand for bits uint8[...] of 0/1."""
    require_labels(zero_labels)
    if bits.dtype != np.uint8 or bits.shape != zero_labels.shape[:-1]:
        raise UsageError("Bits are uint8, one for each label.")
    return zero_labels ^ (bits.astype(np.uint64)[..., None] * delta)


def colour_bits(labels: Labels) -> BitArray:
    """Return the colours uint8[...] of labels; garbler's xor evaluator's is the wire's bit."""
    require_labels(labels)
    return (labels[..., 0] & np.uint64(1)).astype(np.uint8)


def require_labels(labels: Labels) -> None:
    """Raise ``UsageError`` unless the array is uint64 with a last axis of 2."""
    if labels.dtype != np.uint64 or labels.ndim < 1 or labels.shape[-1] != 2:
        raise UsageError("Labels are uint64 with a last axis of 2.")
