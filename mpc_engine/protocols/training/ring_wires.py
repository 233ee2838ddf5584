"""Integers to wires and back, and the two inputs of every circuit of training."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mpc_engine.garbling.labels import BitArray
from mpc_engine.protocols.instances import bits_of
from mpc_engine.secure_ops.garbler_inputs import GarblerInputs

RingWords = NDArray[np.uint64]
_WORD_BITS = 64


def ring_mask(width_bits: int) -> np.uint64:
    """Return 2^width - 1."""
    return np.uint64((1 << width_bits) - 1)


def signed_words(values: RingWords, width_bits: int) -> NDArray[np.int64]:
    """Read ring elements of ``width_bits`` as signed integers."""
    shift = np.int64(_WORD_BITS - width_bits)
    return (values.astype(np.uint64) << np.uint64(shift)).view(np.int64) >> shift


def ring_words(bits: BitArray) -> RingWords:
    """Return the integers of bits uint8 (n, width), low bit first, uint64 (n,)."""
    packed = np.zeros((len(bits), _WORD_BITS // 8), dtype=np.uint8)
    filled = np.packbits(bits, axis=1, bitorder="little")
    packed[:, : filled.shape[1]] = filled
    return packed.view(np.uint64).reshape(-1)


def own_labels(inputs: GarblerInputs, values: RingWords, width_bits: int) -> RingWords:
    """Return zero labels uint64 (n, width, 2) of the garbler's own integers uint64 (n,)."""
    bits = bits_of(values, width_bits).reshape(len(values), width_bits)
    return inputs.zero_labels(bits)
