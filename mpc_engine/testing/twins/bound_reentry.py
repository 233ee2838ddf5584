"""Slow twin of ``mpc_engine.kernels.bound_reentry``: Python integers.

`wire_hashes` is the only place that hashes, so that a test can watch it.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mpc_engine.kernels.aes import AES_PATH, AesPath, hash_blocks
from mpc_engine.params import MAC_PRIME

Words = NDArray[np.uint64]


def wire_hashes(blocks: Words, tweaks: Words, round_keys: Words) -> Words:
    """Hash blocks uint64 (n, 2) under tweaks uint64 (n, 2)."""
    return hash_blocks(blocks, tweaks, round_keys)


def _residues(labels: Words, first: tuple[int, int], round_keys: Words) -> list[int]:
    tweaks = np.empty(labels.shape, dtype=np.uint64)
    tweaks[:, 0] = np.arange(first[0], first[0] + len(labels), dtype=np.uint64)
    tweaks[:, 1] = first[1]
    hashed = wire_hashes(np.ascontiguousarray(labels), tweaks, round_keys)
    return [(int(low) | int(high) << 64) % MAC_PRIME for low, high in hashed]


def bind_wires(
    zero_labels: Words,
    delta: Words,
    alpha: Words,
    width: int,
    first: tuple[int, int],
    round_keys: Words,
    path: AesPath = AES_PATH,
) -> tuple[Words, int]:
    """Return the corrections uint64 (m,) and the sum of the zero labels' hashes."""
    zero = _residues(zero_labels, first, round_keys)
    one = _residues(zero_labels ^ delta, first, round_keys)
    weights = [int(value) << bit for value in alpha for bit in range(width)]
    corrections = [(o - z - w) % MAC_PRIME for o, z, w in zip(one, zero, weights, strict=True)]
    return np.array(corrections, dtype=np.uint64), sum(zero) % MAC_PRIME


def take_wires(
    labels: Words,
    bits: NDArray[np.uint8],
    corrections: Words,
    first: tuple[int, int],
    round_keys: Words,
    path: AesPath = AES_PATH,
) -> int:
    """Return the sum of ``H(L_b) - b correction`` mod q."""
    own = _residues(labels, first, round_keys)
    taken = [int(c) * int(b) for c, b in zip(corrections, bits, strict=True)]
    return (sum(own) - sum(taken)) % MAC_PRIME
