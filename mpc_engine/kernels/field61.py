"""Arithmetic in F_q, q = 2^61 - 1, for the MAC column of bound re-entry.

Products of two residues are formed from 32-bit limbs and folded with 2^61 = 1 (mod q); every
intermediate fits 64 bits. The NumPy twins in this file compute the same with Python integers.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mpc_engine.kernels.jit import compiled
from mpc_engine.params import MAC_PRIME

_Q = np.uint64(MAC_PRIME)
_LOW32 = np.uint64(0xFFFFFFFF)
_LOW29 = np.uint64((1 << 29) - 1)
_S3 = np.uint64(3)
_S29 = np.uint64(29)
_S32 = np.uint64(32)
_S61 = np.uint64(61)


@compiled
def reduce_word(value: np.uint64) -> np.uint64:
    """Return any word mod q."""
    folded = (value & _Q) + (value >> _S61)
    if folded >= _Q:
        folded -= _Q
    return folded


@compiled
def multiply(a: np.uint64, b: np.uint64) -> np.uint64:
    """Return ``a b mod q`` for values below 2^61."""
    a_high = a >> _S32
    a_low = a & _LOW32
    b_high = b >> _S32
    b_low = b & _LOW32
    middle = a_high * b_low + a_low * b_high
    low = a_low * b_low
    total = (
        ((a_high * b_high) << _S3)
        + (middle >> _S29)
        + ((middle & _LOW29) << _S32)
        + (low & _Q)
        + (low >> _S61)
    )
    return reduce_word(total)


@compiled
def reduce_wide(low: np.uint64, high: np.uint64) -> np.uint64:
    """Return ``high 2^64 + low mod q``."""
    return reduce_word(reduce_word(low) + reduce_word(reduce_word(high) << _S3))


@compiled
def _inner_products(rows: NDArray[np.uint64], weights: NDArray[np.uint64]) -> NDArray[np.uint64]:
    n_rows, n_columns = rows.shape
    sums = np.empty(n_rows, dtype=np.uint64)
    for i in range(n_rows):
        total = np.uint64(0)
        for k in range(n_columns):
            total = reduce_word(total + multiply(rows[i, k], weights[k]))
        sums[i] = total
    return sums


@compiled
def _block_residues(blocks: NDArray[np.uint64]) -> NDArray[np.uint64]:
    n = blocks.shape[0]
    out = np.empty(n, dtype=np.uint64)
    for i in range(n):
        out[i] = reduce_wide(blocks[i, 0], blocks[i, 1])
    return out


def field_inner_products(
    rows: NDArray[np.uint64], weights: NDArray[np.uint64]
) -> NDArray[np.uint64]:
    """Return ``sum_k rows[i, k] * weights[k] mod q`` for every row.

    ``rows`` uint64 (n, k), any values below 2^61; ``weights`` uint64 (k,), residues below q.
    Returns uint64 (n,), residues below q.
    """
    return _inner_products(np.ascontiguousarray(rows), np.ascontiguousarray(weights))


def inner_products_numpy(
    rows: NDArray[np.uint64], weights: NDArray[np.uint64]
) -> NDArray[np.uint64]:
    """Return the same as `field_inner_products`, with Python integers; the oracle of the kernel."""
    exact = rows.astype(object) @ weights.astype(object)
    return np.array([int(value) % MAC_PRIME for value in exact], dtype=np.uint64)


@compiled
def _outer_products(a: NDArray[np.uint64], b: NDArray[np.uint64]) -> NDArray[np.uint64]:
    out = np.empty((a.size, b.size), dtype=np.uint64)
    for i in range(a.size):
        for j in range(b.size):
            out[i, j] = multiply(a[i], b[j])
    return out


def outer_products(a: NDArray[np.uint64], b: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Return ``a[i] b[j] mod q``, uint64 (i, j), of values below 2^61."""
    return _outer_products(np.ascontiguousarray(a), np.ascontiguousarray(b))


def residue_sum(values: NDArray[np.uint64]) -> int:
    """Return the sum mod q of values below 2^61, at most 2^32 of them, exactly."""
    low = int((values & _LOW32).sum(dtype=np.uint64))
    high = int((values >> _S32).sum(dtype=np.uint64))
    return (low + (high << 32)) % MAC_PRIME


def block_residues(blocks: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Reduce 128-bit blocks modulo q; a uniform block gives a residue within 2^-122 of uniform.

    ``blocks`` uint64 (n, 2), word 0 the low half. Returns uint64 (n,), residues below q.
    """
    return _block_residues(np.ascontiguousarray(blocks))


def block_residues_numpy(blocks: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Return the same as `block_residues`, with Python integers; the oracle of the kernel."""
    return np.array(
        [((int(high) << 64) | int(low)) % MAC_PRIME for low, high in blocks], dtype=np.uint64
    )
