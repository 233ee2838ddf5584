"""Pseudorandom generator: AES-128 in counter mode under a one-use seed, alone or many together."""

from __future__ import annotations

import numpy as np
from cryptography.hazmat.primitives.ciphers import Cipher, CipherContext
from cryptography.hazmat.primitives.ciphers.algorithms import AES
from cryptography.hazmat.primitives.ciphers.modes import CTR
from numpy.typing import NDArray

from mpc_engine.errors import UsageError
from mpc_engine.kernels.aes import AES_PATH, AesPath
from mpc_engine.kernels.stream_rows import add_streams, stream_schedules

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


class PrgRows:
    """The streams of many :class:`Prg` objects, continued together, each a row of a matrix.

    Where the processor has AES on vectors a kernel makes them, elsewhere the objects themselves;
    the bytes are the same.
    """

    def __init__(self, seeds: NDArray[np.uint64], path: AesPath = AES_PATH) -> None:
        """Start a stream for each seed uint64[n, 2]."""
        self._n_rows = len(seeds)
        self._blocks = 0
        self._schedules = stream_schedules(seeds) if path is AesPath.VECTOR else None
        self._streams = [] if path is AesPath.VECTOR else [Prg(seed.tobytes()) for seed in seeds]

    def __repr__(self) -> str:
        return f"PrgRows(rows={self._n_rows}, <secret>)"

    def add(self, source: NDArray[np.uint64], masks: NDArray[np.uint64]) -> NDArray[np.uint64]:
        """Return the next words of every stream, uint64[n, w] with w even, added to masked rows.

        Row i is ``stream xor (source[i] & masks[i])``, for ``source`` uint64[n, w] and ``masks``
        uint64[n].
        """
        if not self._n_rows:
            raise UsageError("These streams have ended.")
        made = np.empty(source.shape, np.uint64)
        if self._schedules is not None:
            add_streams(self._schedules, self._blocks, source, masks, made)
        else:
            for stream, row in zip(self._streams, made, strict=True):
                stream.fill(row)
            made ^= source & masks[:, None]
        self._blocks += source.shape[1] // 2
        return made

    def forget(self) -> None:
        """Overwrite the keys; no stream goes on."""
        if self._schedules is not None:
            self._schedules.fill(0)
        self._schedules, self._streams, self._n_rows = None, [], 0
