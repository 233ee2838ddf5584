"""Ring elements of l bits on the wire: whole bytes, little-endian."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def packed_bytes(n_values: int, width_bits: int) -> int:
    """Return the bytes of ``n_values`` packed values."""
    return n_values * ((width_bits + 7) // 8)


def pack_words(values: NDArray[np.uint64], width_bits: int) -> bytes:
    """Return the low ``width_bits`` bits of every value, uint64 of any shape, in C order."""
    n_bytes = (width_bits + 7) // 8
    raw = np.ascontiguousarray(values).view(np.uint8).reshape(*values.shape, 8)
    return raw[..., :n_bytes].tobytes()


def unpack_words(payload: bytes, shape: tuple[int, ...], width_bits: int) -> NDArray[np.uint64]:
    """Return packed values as uint64 of ``shape``; ``payload`` has exactly their bytes."""
    n_bytes = (width_bits + 7) // 8
    raw = np.zeros((*shape, 8), dtype=np.uint8)
    raw[..., :n_bytes] = np.frombuffer(payload, dtype=np.uint8).reshape(*shape, n_bytes)
    values: NDArray[np.uint64] = raw.reshape(-1).view(np.uint64).reshape(shape)
    return values
