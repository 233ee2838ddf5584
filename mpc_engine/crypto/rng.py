"""Randomness as an argument: protocols receive a source, tests pass a seeded one."""

from __future__ import annotations

import os
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from mpc_engine.crypto.prg import SEED_BYTES, Prg

_DIRECT_LIMIT_BYTES = 4096


class Randomness(Protocol):
    """A source of uniform bytes, words and bits."""

    def bytes(self, n: int) -> bytes:
        """Return ``n`` uniform bytes."""
        ...

    def words(self, *shape: int) -> NDArray[np.uint64]:
        """Return uniform uint64 words of ``shape``, writable."""
        ...

    def bits(self, n: int) -> NDArray[np.uint8]:
        """Return ``n`` uniform bits as uint8 zeros and ones."""
        ...


def unpack_bits(packed: bytes, n: int) -> NDArray[np.uint8]:
    """Return the first ``n`` bits of ``packed``, lowest bit of each byte first, as uint8."""
    return np.unpackbits(np.frombuffer(packed, dtype=np.uint8), count=n, bitorder="little")


class SystemRandomness:
    """The operating system's generator; large draws run AES-CTR under a key drawn for the draw.

    Holds no state, so it is safe to share between threads and across a fork.
    """

    def __repr__(self) -> str:
        return "SystemRandomness()"

    def bytes(self, n: int) -> bytes:
        """Return ``n`` uniform bytes."""
        if n <= _DIRECT_LIMIT_BYTES:
            return os.urandom(n)
        return Prg(os.urandom(SEED_BYTES)).bytes(n)

    def words(self, *shape: int) -> NDArray[np.uint64]:
        """Return uniform uint64 words of ``shape``, writable."""
        n_words = int(np.prod(shape, dtype=np.int64))
        return np.frombuffer(bytearray(self.bytes(8 * n_words)), dtype="<u8").reshape(shape)

    def bits(self, n: int) -> NDArray[np.uint8]:
        """Return ``n`` uniform bits as uint8 zeros and ones."""
        return unpack_bits(self.bytes((n + 7) // 8), n)


def system_randomness() -> Randomness:
    """Return the source that every production protocol uses."""
    return SystemRandomness()
