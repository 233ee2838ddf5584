"""Bits and blocks: transpose 128 columns of bits into blocks, flip blocks by a bit each."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mpc_engine.kernels.bit_swaps import TILE_WORDS, swap_far, swap_near
from mpc_engine.kernels.jit import compiled, read_only

COLUMNS = 128
_WORD_BITS = 64


@compiled
def _transpose_tile(
    source: NDArray[np.uint64],
    first: int,
    stride: int,
    squares: NDArray[np.uint64],
    rows: NDArray[np.uint64],
    at: int,
) -> None:
    """Transpose eight words of each column, which lie ``stride`` apart from word ``first`` on."""
    for half in range(2):
        for row in range(8):
            begin = first + stride * (64 * half + row)
            swap_far(source, begin, 8 * stride, squares[half], row)
    for row in range(0, 64, 8):
        swap_near(squares[0], squares[1], row, rows, at)


@compiled
def _transpose_into(columns: NDArray[np.uint64], rows: NDArray[np.uint64]) -> None:
    squares = np.empty((2, 64, TILE_WORDS), np.uint64)
    n_words = columns.shape[1]
    whole = n_words - n_words % TILE_WORDS
    for first in range(0, whole, TILE_WORDS):
        _transpose_tile(columns, first, n_words, squares, rows, 64 * first)
    if whole < n_words:
        last = np.zeros((COLUMNS, TILE_WORDS), np.uint64)
        last[:, : n_words - whole] = columns[:, whole:]
        made = np.empty((64 * TILE_WORDS, 2), np.uint64)
        _transpose_tile(last, 0, TILE_WORDS, squares, made, 0)
        rows[64 * whole :] = made[: 64 * (n_words - whole)]


def transpose_columns(columns: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Return the rows of a bit matrix given by columns.

    ``columns`` is uint64[128, w]: bit j % 64 of word j // 64 is row j of the column. The result is
    uint64[64 w, 2]: bit c % 64 of word c // 64 of row j is column c.
    """
    if columns.dtype != np.uint64 or columns.ndim != 2 or columns.shape[0] != COLUMNS:
        raise ValueError("columns are uint64[128, w]")
    rows = np.empty((_WORD_BITS * columns.shape[1], 2), np.uint64)
    _transpose_into(np.ascontiguousarray(columns), rows)
    return rows


@compiled
def _flip_into(
    blocks: NDArray[np.uint64],
    bits: NDArray[np.uint8],
    offset: NDArray[np.uint64],
    result: NDArray[np.uint64],
) -> None:
    low, high = offset[0], offset[1]
    for at in range(blocks.shape[0]):
        flip = np.uint64(0) - np.uint64(bits[at] & 1)
        result[at, 0] = blocks[at, 0] ^ (low & flip)
        result[at, 1] = blocks[at, 1] ^ (high & flip)


def flip_blocks(
    blocks: NDArray[np.uint64], bits: NDArray[np.uint8], offset: NDArray[np.uint64]
) -> NDArray[np.uint64]:
    """Return blocks uint64[..., 2], ``offset`` uint64[2] added where the bit uint8[...] is one.

    Neither time nor memory follows a bit.
    """
    if blocks.shape != (*bits.shape, 2) or offset.shape != (2,):
        raise ValueError("there is one bit for each block, and the offset is a block")
    result = np.empty((bits.size, 2), np.uint64)
    _flip_into(
        read_only(blocks).reshape(-1, 2), read_only(bits).reshape(-1), read_only(offset), result
    )
    return result.reshape(blocks.shape)
