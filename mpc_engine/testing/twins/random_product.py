"""Slow twin of ``mpc_engine.kernels.random_product``: NumPy, one chunk at a time.

`stream` is the only place that hashes, so that a test can watch or weaken it.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mpc_engine.kernels.aes import AES_PATH, AesPath, hash_blocks
from mpc_engine.kernels.random_product import CHUNK_BITS, PAD_INDEX, PRODUCT_LEAF_SHIFT, Elements

Words = NDArray[np.uint64]


def stream(blocks: Words, tweaks: Words, round_keys: Words) -> Words:
    """Hash blocks uint64 (n, 2) under tweaks uint64 (n, 2)."""
    return hash_blocks(blocks, tweaks, round_keys)


def _hash(block: Words, index: int, high: int, round_keys: Words) -> Words:
    tweaks = np.array([[index, high]], dtype=np.uint64)
    return stream(block[None, :].copy(), tweaks, round_keys)[0]


def _expand(leaf: Words, number: int, high: int, n_columns: int, round_keys: Words) -> Words:
    n_blocks = (n_columns + 1) // 2
    tweaks = np.empty((n_blocks, 2), dtype=np.uint64)
    tweaks[:, 0] = np.arange(n_blocks, dtype=np.uint64) | np.uint64(number << PRODUCT_LEAF_SHIFT)
    tweaks[:, 1] = high
    return stream(np.tile(leaf, (n_blocks, 1)), tweaks, round_keys).reshape(-1)[:n_columns]


def sender_leaves(keys: Words, high: int, round_keys: Words) -> Words:
    """Return the four leaves uint64 (4, 2) of a chunk with keys uint64 (2, 2, 2)."""
    return np.stack([_hash(keys[0, x >> 1], x, high, round_keys) for x in range(4)])


def chooser_leaves(keys: Words, value: int, sums: Words, high: int, round_keys: Words) -> Words:
    """Return the leaves uint64 (4, 2) of a chunk with chosen keys uint64 (2, 2).

    The leaf of the chunk's own ``value`` is zero: the chooser cannot know it.
    """
    leaves = np.zeros((4, 2), dtype=np.uint64)
    known, bottom = 1 - (value >> 1), 1 - (value & 1)
    for x in (2 * known, 2 * known + 1):
        leaves[x] = _hash(keys[0], x, high, round_keys)
    opened = sums[bottom] ^ _hash(keys[1], PAD_INDEX + bottom, high, round_keys)
    leaves[2 * (value >> 1) + bottom] = opened ^ leaves[2 * known + bottom]
    return leaves


def send_elements(
    keys: Words,
    rows: Words,
    elements: Elements,
    kept: Words,
    round_keys: Words,
    path: AesPath = AES_PATH,
) -> tuple[Words, NDArray[np.uint8]]:
    """Return sums uint64 (n chunks, 2, 2) and the payload uint8; add to ``kept``, as the kernel."""
    n_columns = rows.shape[1]
    sums = np.empty((len(keys), 2, 2), dtype=np.uint64)
    parts = []
    for chunk in range(len(keys)):
        e, j = divmod(chunk, elements.chunks)
        number = elements.first * elements.chunks + chunk
        leaves = sender_leaves(keys[chunk], elements.seed_high + number, round_keys)
        for bottom in (0, 1):
            key = keys[chunk, 1, bottom]
            pad = _hash(key, PAD_INDEX + bottom, elements.seed_high + number, round_keys)
            sums[chunk, bottom] = leaves[bottom] ^ leaves[2 + bottom] ^ pad
        streams = np.stack(
            [
                _expand(leaves[x], x, elements.pad_high + number, n_columns, round_keys)
                for x in range(4)
            ]
        )
        ring_bits = elements.width - CHUNK_BITS * j
        sent = rows[e] - streams.sum(axis=0, dtype=np.uint64)
        sent &= np.uint64((1 << ring_bits) - 1)
        n_bytes = (ring_bits + 7) // 8
        parts.append(sent.view(np.uint8).reshape(n_columns, 8)[:, :n_bytes].reshape(-1))
        share = (np.arange(4, dtype=np.uint64)[:, None] * streams).sum(axis=0, dtype=np.uint64)
        kept[(elements.first + e) // elements.per_step] += share << np.uint64(CHUNK_BITS * j)
    return sums, np.concatenate(parts)


def recv_elements(
    keys: Words,
    values: Words,
    elements: Elements,
    sums: Words,
    payload: NDArray[np.uint8],
    received: Words,
    round_keys: Words,
    path: AesPath = AES_PATH,
) -> None:
    """Add the chooser's shares to ``received``, as the kernel does."""
    n_columns = received.shape[1]
    at = 0
    for chunk in range(len(keys)):
        e, j = divmod(chunk, elements.chunks)
        number = elements.first * elements.chunks + chunk
        delta = int(values[e]) >> (CHUNK_BITS * j) & 3
        high = elements.seed_high + number
        leaves = chooser_leaves(keys[chunk], delta, sums[chunk], high, round_keys)
        n_bytes = (elements.width - CHUNK_BITS * j + 7) // 8
        raw = np.zeros((n_columns, 8), dtype=np.uint8)
        raw[:, :n_bytes] = payload[at : at + n_columns * n_bytes].reshape(n_columns, n_bytes)
        at += n_columns * n_bytes
        added = np.uint64(delta) * raw.view(np.uint64).reshape(-1)
        for x in (delta ^ 1, delta ^ 2, delta ^ 3):
            pads = _expand(leaves[x], x, elements.pad_high + number, n_columns, round_keys)
            added += np.uint64((delta - x) % (1 << 64)) * pads
        received[(elements.first + e) // elements.per_step] += added << np.uint64(CHUNK_BITS * j)
