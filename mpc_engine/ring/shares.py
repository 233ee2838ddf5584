"""Additive shares of the modeler and the regulator: value = x_M + x_R modulo 2^bits."""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from mpc_engine.params import RING_BITS
from mpc_engine.ring.integers import Residues, reduce_to


class WordSource(Protocol):
    """What sharing needs of a source of randomness."""

    def words(self, *shape: int) -> NDArray[np.uint64]:
        """Return uniform uint64 of ``shape``."""


def split(values: Residues, rng: WordSource, bits: int = RING_BITS) -> tuple[Residues, Residues]:
    """Return (x_M, x_R) of residues (uint64, any shape); x_R is uniform, x_M = value - x_R.

    The paper's sharing: the regulator's share is the mask.
    """
    share_r = reduce_to(rng.words(*values.shape), bits)
    return reduce_to(values - share_r, bits), share_r


def low_bits(share: Residues) -> NDArray[np.uint8]:
    """Return each share's lowest bit as uint8; the two parties' low bits XOR to the value's."""
    return (share & np.uint64(1)).astype(np.uint8)
