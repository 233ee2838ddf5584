"""Slow twin of ``mpc_engine.kernels.gf128``: schoolbook multiplication of Python integers."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

_MODULUS = (1 << 128) | 0b10000111


def multiply_integers(left: int, right: int) -> int:
    """Multiply two polynomials over GF(2), given as bit strings, modulo the field polynomial."""
    product = 0
    for bit in range(128):
        if right >> bit & 1:
            product ^= left << bit
    for bit in range(254, 127, -1):
        if product >> bit & 1:
            product ^= _MODULUS << (bit - 128)
    return product


def powers(base: NDArray[np.uint64], n: int) -> NDArray[np.uint64]:
    """Return ``base^1 .. base^n`` as uint64[n, 2]."""
    (element,) = _integers(base.reshape(1, 2))
    result = [element]
    for _ in range(n - 1):
        result.append(multiply_integers(result[-1], element))
    return _blocks(result[:n])


def inner_products(
    vectors: NDArray[np.uint64], coefficients: NDArray[np.uint64]
) -> NDArray[np.uint64]:
    """Return for each vector uint64[n, 2] of a stack its inner product with the coefficients."""
    results = []
    for vector in vectors:
        total = 0
        for a, b in zip(_integers(vector), _integers(coefficients), strict=True):
            total ^= multiply_integers(a, b)
        results.append(total)
    return _blocks(results)


def _integers(blocks: NDArray[np.uint64]) -> list[int]:
    return [int(low) | int(high) << 64 for low, high in blocks]


def _blocks(integers: list[int]) -> NDArray[np.uint64]:
    words = [[value & (1 << 64) - 1, value >> 64] for value in integers]
    return np.array(words, dtype=np.uint64).reshape(-1, 2)
