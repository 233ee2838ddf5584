"""The field GF(2^128) = GF(2)[X] / (X^128 + X^7 + X^2 + X + 1), for universal hashing.

An element is two little-endian uint64 words; bit i is the coefficient of X^i (the plain order, not
GHASH's mirrored one). The vector, the native and the portable path give the same bytes; none
branches or indexes memory by data. ``FIELD_PATH`` is the faster one of this machine.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mpc_engine.kernels import gf128_native, gf128_portable
from mpc_engine.kernels.aes_vector import LANES
from mpc_engine.kernels.jit import compiled

Elements = NDArray[np.uint64]
_U = np.uint64


@compiled
def _reduce(
    w0: np.uint64, w1: np.uint64, w2: np.uint64, w3: np.uint64
) -> tuple[np.uint64, np.uint64]:
    """Reduce a polynomial of four words: X^128 = X^7 + X^2 + X + 1, top word first."""
    w2 ^= (w3 >> _U(63)) ^ (w3 >> _U(62)) ^ (w3 >> _U(57))
    w1 ^= w3 ^ (w3 << _U(1)) ^ (w3 << _U(2)) ^ (w3 << _U(7))
    w1 ^= (w2 >> _U(63)) ^ (w2 >> _U(62)) ^ (w2 >> _U(57))
    w0 ^= w2 ^ (w2 << _U(1)) ^ (w2 << _U(2)) ^ (w2 << _U(7))
    return w0, w1


@dataclass(frozen=True)
class FieldPath:
    """One way to compute in the field: its compiled loops, each into a given result."""

    name: str
    powers_into: Callable[[Elements, Elements], None]
    inner_products_into: Callable[[Elements, Elements, Elements], None]


def _build(name: str, multiply_words: Any) -> FieldPath:
    @compiled
    def multiply_unreduced(
        a0: np.uint64, a1: np.uint64, b0: np.uint64, b1: np.uint64
    ) -> tuple[np.uint64, np.uint64, np.uint64, np.uint64]:
        low_0, low_1 = multiply_words(a0, b0)
        high_0, high_1 = multiply_words(a1, b1)
        middle_0, middle_1 = multiply_words(a0 ^ a1, b0 ^ b1)
        middle_0 ^= low_0 ^ high_0
        middle_1 ^= low_1 ^ high_1
        return low_0, low_1 ^ middle_0, high_0 ^ middle_1, high_1

    @compiled
    def powers_into(base: Elements, result: Elements) -> None:
        p0, p1 = base[0], base[1]
        for at in range(result.shape[0]):
            result[at, 0], result[at, 1] = p0, p1
            w0, w1, w2, w3 = multiply_unreduced(p0, p1, base[0], base[1])
            p0, p1 = _reduce(w0, w1, w2, w3)

    @compiled
    def inner_products_into(vectors: Elements, coefficients: Elements, result: Elements) -> None:
        for row in range(vectors.shape[0]):
            s0, s1, s2, s3 = _U(0), _U(0), _U(0), _U(0)
            for at in range(vectors.shape[1]):
                w0, w1, w2, w3 = multiply_unreduced(
                    vectors[row, at, 0],
                    vectors[row, at, 1],
                    coefficients[at, 0],
                    coefficients[at, 1],
                )
                s0 ^= w0
                s1 ^= w1
                s2 ^= w2
                s3 ^= w3
            result[row, 0], result[row, 1] = _reduce(s0, s1, s2, s3)

    return FieldPath(name, powers_into, inner_products_into)


@compiled
def _inner_products_of_vectors(vectors: Elements, coefficients: Elements, result: Elements) -> None:
    """Sum products of four elements at once; the last ones are filled up with zeros."""
    n = vectors.shape[1]
    n_vectors = n // LANES
    rest, factors = np.zeros((LANES, 2), np.uint64), np.zeros((LANES, 2), np.uint64)
    for at in range(LANES * n_vectors, n):
        factors[at - LANES * n_vectors] = coefficients[at]
    for row in range(vectors.shape[0]):
        for at in range(LANES * n_vectors, n):
            rest[at - LANES * n_vectors] = vectors[row, at]
        s = gf128_native.sum_products_vectors(vectors[row], coefficients, n_vectors)
        r = gf128_native.sum_products_vectors(rest, factors, 1)
        result[row, 0], result[row, 1] = _reduce(
            s[0] ^ r[0],
            s[1] ^ r[1] ^ s[2] ^ r[2],
            s[4] ^ r[4] ^ s[3] ^ r[3],
            s[5] ^ r[5],
        )


NATIVE = _build("native", gf128_native.multiply_words)
VECTOR = FieldPath("vector", NATIVE.powers_into, _inner_products_of_vectors)
PORTABLE = _build("portable", gf128_portable.multiply_words)
GF128_PATHS = [
    *([VECTOR] if gf128_native.machine_has_vector_multiplication() else []),
    *([NATIVE] if gf128_native.machine_has_carryless_multiplication() else []),
    PORTABLE,
]
"""The ways that this machine has, the fastest first."""
FIELD_PATH = GF128_PATHS[0]


def powers(base: Elements, n: int, path: FieldPath = FIELD_PATH) -> Elements:
    """Return ``base^1 .. base^n`` as uint64[n, 2]; ``base`` is uint64[2]."""
    if base.dtype != np.uint64 or base.shape != (2,):
        raise ValueError("a field element is uint64[2]")
    result = np.empty((n, 2), np.uint64)
    path.powers_into(np.ascontiguousarray(base), result)
    return result


def inner_products(
    vectors: Elements, coefficients: Elements, path: FieldPath = FIELD_PATH
) -> Elements:
    """Return the inner product of each vector with the coefficients, uint64[c, 2].

    ``vectors`` is uint64[c, n, 2], ``coefficients`` uint64[n, 2]. Sums stay unreduced until the
    end: one reduction a vector.
    """
    if vectors.dtype != np.uint64 or vectors.ndim != 3 or vectors.shape[2] != 2:
        raise ValueError("vectors are uint64[c, n, 2]")
    if coefficients.dtype != np.uint64 or coefficients.shape != vectors.shape[1:]:
        raise ValueError("there is one uint64[2] coefficient for each element of a vector")
    result = np.empty((vectors.shape[0], 2), np.uint64)
    path.inner_products_into(
        np.ascontiguousarray(vectors), np.ascontiguousarray(coefficients), result
    )
    return result
