"""Pseudorandom generator: AES-128 in counter mode under a one-use seed."""

from __future__ import annotations

import numpy as np
from cryptography.hazmat.primitives.ciphers import Cipher, CipherContext
from cryptography.hazmat.primitives.ciphers.algorithms import AES
from cryptography.hazmat.primitives.ciphers.modes import CTR
from numpy.typing import NDArray

from mpc_engine.errors import UsageError

SEED_BYTES = 16
_ZERO_COUNTER = bytes(16)
_ZEROS = memoryview(bytes(1 << 16))


class Prg:
    """Stream of pseudorandom bytes from a 16-byte seed; every call continues the stream.

    Two objects with the same seed give the same stream, however the draws are cut. The counter
    starts at zero, so a seed must never key anything else.
    """

    def __init__(self, seed: bytes) -> None:
        if len(seed) != SEED_BYTES:
            raise UsageError(f"A generator seed has {SEED_BYTES} bytes.")
        self._stream: CipherContext = Cipher(AES(seed), CTR(_ZERO_COUNTER)).encryptor()

    def __repr__(self) -> str:
        return "Prg(<secret>)"

    def bytes(self, n: int) -> bytes:
        """Return the next ``n`` bytes."""
        return self._stream.update(_ZEROS[:n] if n <= len(_ZEROS) else bytes(n))

    def words(self, *shape: int) -> NDArray[np.uint64]:
        """Return the next uniform words, uint64 of ``shape``, read little-endian."""
        result = np.empty(shape, dtype="<u8")
        self.fill(result)
        return result

    def fill(self, words: NDArray[np.uint64]) -> None:
        """Overwrite a C-contiguous uint64 array with the next words of the stream."""
        target = words.reshape(-1).data.cast("B")
        for start in range(0, len(target), len(_ZEROS)):
            piece = target[start : start + len(_ZEROS)]
            self._stream.update_into(_ZEROS[: len(piece)], piece)
