"""Bits and blocks: transpose 128 columns of bits into blocks, turn blocks by a bit each."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mpc_engine.kernels.jit import compiled, read_only

COLUMNS = 128
_WORD_BITS = 64
_TILE_WORDS = 8
"""Words of a column taken at once: a cache line, since columns lie far apart in memory."""


@compiled
def _transpose_squares(squares: NDArray[np.uint64]) -> None:
    """Transpose eight 64 x 64 bit squares in place; word r of square s is ``squares[r, s]``.

    Halving swaps, Knuth, The Art of Computer Programming 4A, section 7.1.3. The squares lie side by
    side so that one vector instruction swaps in all of them.
    """
    width = 32
    mask = np.uint64(0x00000000FFFFFFFF)
    while width:
        shift = np.uint64(width)
        for first in range(0, 64, 2 * width):
            for low in range(first, first + width):
                for square in range(_TILE_WORDS):
                    above = squares[low + width, square]
                    moved = ((squares[low, square] >> shift) ^ above) & mask
                    squares[low, square] ^= moved << shift
                    squares[low + width, square] = above ^ moved
        width >>= 1
        mask ^= mask << np.uint64(width)


@compiled
def _transpose_into(columns: NDArray[np.uint64], rows: NDArray[np.uint64]) -> None:
    squares = np.zeros((64, _TILE_WORDS), np.uint64)
    for first in range(0, columns.shape[1], _TILE_WORDS):
        count = min(_TILE_WORDS, columns.shape[1] - first)
        for half in range(2):
            for column in range(64):
                for word in range(count):
                    squares[column, word] = columns[64 * half + column, first + word]
            _transpose_squares(squares)
            for word in range(count):
                for row in range(64):
                    rows[64 * (first + word) + row, half] = squares[row, word]


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
def _turn_into(
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


def turn_blocks(
    blocks: NDArray[np.uint64], bits: NDArray[np.uint8], offset: NDArray[np.uint64]
) -> NDArray[np.uint64]:
    """Return blocks uint64[..., 2], ``offset`` uint64[2] added where the bit uint8[...] is one.

    Neither time nor memory follows a bit.
    """
    if blocks.shape != (*bits.shape, 2) or offset.shape != (2,):
        raise ValueError("there is one bit for each block, and the offset is a block")
    result = np.empty((bits.size, 2), np.uint64)
    _turn_into(
        read_only(blocks).reshape(-1, 2), read_only(bits).reshape(-1), read_only(offset), result
    )
    return result.reshape(blocks.shape)
