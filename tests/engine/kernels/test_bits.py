"""The packed transpose equals its NumPy twin."""

from __future__ import annotations

import numpy as np
import pytest

from mpc_engine.kernels.bits import flip_blocks, transpose_columns
from mpc_engine.testing.twins import bits as twin


@pytest.mark.parametrize("n_words", [0, 1, 2, 7, 8, 9, 40])
def test_transposing_equals_its_twin(n_words: int) -> None:
    columns = np.random.default_rng(n_words).integers(0, 2**64, (128, n_words), dtype=np.uint64)
    assert np.array_equal(transpose_columns(columns), twin.transpose_columns(columns))


@pytest.mark.parametrize(("column", "row"), [(0, 0), (127, 0), (63, 64), (64, 63), (5, 191)])
def test_one_bit_lands_where_the_docstring_says(column: int, row: int) -> None:
    columns = np.zeros((128, 3), np.uint64)
    columns[column, row // 64] = np.uint64(1) << np.uint64(row % 64)
    rows = transpose_columns(columns)
    assert rows[row, column // 64] == np.uint64(1) << np.uint64(column % 64)
    assert np.count_nonzero(rows) == 1


@pytest.mark.parametrize(
    "columns", [np.zeros((127, 2), np.uint64), np.zeros((128, 2), np.int64), np.zeros(128, "u8")]
)
def test_other_types_and_shapes_are_refused(columns: np.ndarray) -> None:
    with pytest.raises(ValueError, match="uint64"):
        transpose_columns(columns)


@pytest.mark.parametrize("shape", [(), (1,), (7,), (3, 5)])
def test_blocks_are_turned_by_their_bits(shape: tuple[int, ...]) -> None:
    rng = np.random.default_rng(3)
    blocks = rng.integers(0, 2**64, (*shape, 2), dtype=np.uint64)
    bits, offset = rng.integers(0, 2, shape, dtype=np.uint8), blocks.reshape(-1, 2)[0] + 1
    expected = blocks ^ (bits.astype(np.uint64)[..., None] * offset)
    assert np.array_equal(flip_blocks(blocks, bits, offset), expected)


def test_a_block_without_a_bit_is_not_turned() -> None:
    with pytest.raises(ValueError, match="one bit for each block"):
        flip_blocks(np.zeros((3, 2), np.uint64), np.zeros(2, np.uint8), np.zeros(2, np.uint64))
