"""Field arithmetic equals the schoolbook twin on every path, and obeys the field's laws."""

from __future__ import annotations

import numpy as np
import pytest

from mpc_engine.kernels.gf128 import (
    FIELD_PATH,
    GF128_PATHS,
    FieldPath,
    inner_products,
    powers,
)
from mpc_engine.testing.twins import gf128 as twin
from tests.engine.kernels.paths import EVERY_FIELD_PATH

EDGES = [
    [0, 0],
    [1, 0],
    [2, 0],
    [0, 1 << 63],
    [0, 1],
    [2**64 - 1, 2**64 - 1],
]


def words(seed: int, *shape: int) -> np.ndarray:
    return np.random.default_rng(seed).integers(0, 2**64, shape, dtype=np.uint64)


def test_the_fastest_path_of_the_machine_is_chosen() -> None:
    assert FIELD_PATH is GF128_PATHS[0]


@EVERY_FIELD_PATH
def test_the_top_power_wraps_to_the_field_polynomial(path: FieldPath) -> None:
    x_to_127 = np.array([[[0, 1 << 63]]], dtype=np.uint64)
    x = np.array([[2, 0]], dtype=np.uint64)
    assert inner_products(x_to_127, x, path).tolist() == [[0b10000111, 0]]


@pytest.mark.slow
@EVERY_FIELD_PATH
@pytest.mark.parametrize("left", EDGES)
@pytest.mark.parametrize("right", EDGES)
def test_products_at_the_edges_equal_their_twin(
    path: FieldPath, left: list[int], right: list[int]
) -> None:
    vectors = np.array([[left]], dtype=np.uint64)
    coefficients = np.array([right], dtype=np.uint64)
    assert np.array_equal(
        inner_products(vectors, coefficients, path), twin.inner_products(vectors, coefficients)
    )


@EVERY_FIELD_PATH
@pytest.mark.parametrize(
    ("n_vectors", "n"), [(0, 3), (1, 0), (1, 1), (5, 7), (129, 2), (3, 16), (2, 19)]
)
def test_inner_products_equal_their_twin(path: FieldPath, n_vectors: int, n: int) -> None:
    vectors, coefficients = words(n, n_vectors, n, 2), words(n_vectors, n, 2)
    assert np.array_equal(
        inner_products(vectors, coefficients, path), twin.inner_products(vectors, coefficients)
    )


@EVERY_FIELD_PATH
@pytest.mark.parametrize("n", [0, 1, 2, 40])
def test_powers_equal_their_twin(path: FieldPath, n: int) -> None:
    base = words(n, 2)
    assert np.array_equal(powers(base, n, path), twin.powers(base, n))


@EVERY_FIELD_PATH
def test_every_element_is_its_own_power_two_to_the_128(path: FieldPath) -> None:
    element = words(5, 2)
    square = element
    for _ in range(128):
        square = powers(square, 2, path)[1]
    assert np.array_equal(square, element)


@pytest.mark.parametrize(
    ("vectors", "coefficients"),
    [
        (np.zeros((1, 3, 2), np.int64), np.zeros((3, 2), np.uint64)),
        (np.zeros((1, 3, 2), np.uint64), np.zeros((4, 2), np.uint64)),
        (np.zeros((3, 2), np.uint64), np.zeros((3, 2), np.uint64)),
    ],
)
def test_other_types_and_shapes_are_refused(vectors: np.ndarray, coefficients: np.ndarray) -> None:
    with pytest.raises(ValueError, match="uint64"):
        inner_products(vectors, coefficients)
