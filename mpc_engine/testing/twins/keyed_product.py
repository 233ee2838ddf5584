"""Slow twin of ``mpc_engine.kernels.keyed_product``: NumPy, one chunk at a time.

`stream` is the only place that hashes, so that a test can watch or weaken it.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mpc_engine.kernels.aes import AES_PATH, AesPath, hash_blocks
from mpc_engine.kernels.field61 import inner_products_numpy
from mpc_engine.kernels.keyed_product import LEAF_SHIFT, LEAVES, ChunkTable

Words = NDArray[np.uint64]


def stream(blocks: Words, tweaks: Words, round_keys: Words) -> Words:
    """Hash blocks uint64 (n, 2) under tweaks uint64 (n, 2)."""
    return hash_blocks(blocks, tweaks, round_keys)


def _expand(
    leaf: Words, number: int, high: int, n_people: int, first_number: int, round_keys: Words
) -> Words:
    n_blocks = (n_people + 1) // 2
    tweaks = np.empty((n_blocks, 2), dtype=np.uint64)
    tweaks[:, 0] = np.arange(first_number, first_number + n_blocks, dtype=np.uint64)
    tweaks[:, 0] |= np.uint64(number << LEAF_SHIFT)
    tweaks[:, 1] = high
    return stream(np.tile(leaf, (n_blocks, 1)), tweaks, round_keys).reshape(-1)[:n_people]


def send_chunks(
    leaves: Words,
    table: ChunkTable,
    column: Words,
    first_number: int,
    alpha: Words,
    round_keys: Words,
    path: AesPath = AES_PATH,
) -> tuple[NDArray[np.uint8], Words, Words]:
    """Return the payload uint8, r uint64 (m,) and mu uint64 (c, 4), as the kernel does."""
    n_people = len(column)
    r = np.zeros(n_people, dtype=np.uint64)
    mu = np.empty((len(leaves), LEAVES), dtype=np.uint64)
    parts = []
    for c in range(len(leaves)):
        mask = np.uint64((1 << int(table.ring_bits[c])) - 1)
        values = table.values[c][:, None]
        streams = np.stack(
            [
                _expand(leaves[c, x], x, int(table.high[c]), n_people, first_number, round_keys)
                for x in range(LEAVES)
            ]
        )
        sent = (column - streams.sum(axis=0, dtype=np.uint64)) & mask
        n_bytes = (int(table.ring_bits[c]) + 7) // 8
        parts.append(sent.view(np.uint8).reshape(n_people, 8)[:, :n_bytes].reshape(-1))
        kept = (np.uint64(0) - (values * streams).sum(axis=0, dtype=np.uint64)) & mask
        r += kept << table.positions[c]
        messages = ((kept + values * column) & mask) << table.positions[c]
        mu[c] = inner_products_numpy(messages, alpha)
    return np.concatenate(parts), r, mu


def recv_chunks(
    leaves: Words,
    numbers: Words,
    factors: Words,
    own: Words,
    table: ChunkTable,
    payload: NDArray[np.uint8],
    n_people: int,
    first_number: int,
    round_keys: Words,
    path: AesPath = AES_PATH,
) -> Words:
    """Return v uint64 (m,), as the kernel does."""
    v = np.zeros(n_people, dtype=np.uint64)
    at = 0
    for c in range(len(leaves)):
        n_bytes = (int(table.ring_bits[c]) + 7) // 8
        raw = np.zeros((n_people, 8), dtype=np.uint8)
        raw[:, :n_bytes] = payload[at : at + n_people * n_bytes].reshape(n_people, n_bytes)
        at += n_people * n_bytes
        added = own[c] * raw.view(np.uint64).reshape(-1)
        for leaf, number, factor in zip(leaves[c], numbers[c], factors[c], strict=True):
            high = int(table.high[c])
            added += factor * _expand(leaf, int(number), high, n_people, first_number, round_keys)
        v += (added & np.uint64((1 << int(table.ring_bits[c])) - 1)) << table.positions[c]
    return v
