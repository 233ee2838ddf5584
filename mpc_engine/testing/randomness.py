"""Reproducible randomness for tests: never reachable from production code."""

from __future__ import annotations

import hashlib

import numpy as np
from numpy.typing import NDArray

from mpc_engine.crypto.prg import SEED_BYTES, Prg
from mpc_engine.crypto.rng import Randomness, unpack_bits


class SeededRandomness:
    """The stream of one seed, cut as the caller draws."""

    def __init__(self, seed: int) -> None:
        digest = hashlib.sha256(b"blindjustice/v1/testing/randomness" + str(seed).encode()).digest()
        self._prg = Prg(digest[:SEED_BYTES])

    def bytes(self, n: int) -> bytes:
        """Return the next ``n`` bytes."""
        return self._prg.bytes(n)

    def words(self, *shape: int) -> NDArray[np.uint64]:
        """Return the next uint64 words of ``shape``."""
        return self._prg.words(*shape)

    def bits(self, n: int) -> NDArray[np.uint8]:
        """Return the next ``n`` bits as uint8 zeros and ones."""
        return unpack_bits(self._prg.bytes((n + 7) // 8), n)


def seeded_randomness(seed: int) -> Randomness:
    """Return a source that gives the same draws for the same ``seed``."""
    return SeededRandomness(seed)
