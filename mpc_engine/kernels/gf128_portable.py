"""Carry-less multiplication by ordinary multiplications, for other processors.

Integers whose bits stand four apart multiply without a carry reaching the next bit: at most 16
terms meet at one position, and 16 meet only at the top, where the carry leaves the word. So 16
masked products give the low word, and the same on reversed bits gives the high word. Only masks,
shifts and multiplications: no table is indexed by data and nothing branches.

Source: the technique of T. Pornin's BearSSL, "Constant-Time Mul", section on GHASH.
"""

from __future__ import annotations

import numpy as np

from mpc_engine.kernels.jit import compiled

_U = np.uint64
_EVERY_4_0 = _U(0x1111111111111111)
_EVERY_4_1 = _U(0x2222222222222222)
_EVERY_4_2 = _U(0x4444444444444444)
_EVERY_4_3 = _U(0x8888888888888888)


@compiled
def _low_word(left: np.uint64, right: np.uint64) -> np.uint64:
    x0, x1 = left & _EVERY_4_0, left & _EVERY_4_1
    x2, x3 = left & _EVERY_4_2, left & _EVERY_4_3
    y0, y1 = right & _EVERY_4_0, right & _EVERY_4_1
    y2, y3 = right & _EVERY_4_2, right & _EVERY_4_3
    z0 = (x0 * y0) ^ (x1 * y3) ^ (x2 * y2) ^ (x3 * y1)
    z1 = (x0 * y1) ^ (x1 * y0) ^ (x2 * y3) ^ (x3 * y2)
    z2 = (x0 * y2) ^ (x1 * y1) ^ (x2 * y0) ^ (x3 * y3)
    z3 = (x0 * y3) ^ (x1 * y2) ^ (x2 * y1) ^ (x3 * y0)
    low = (z0 & _EVERY_4_0) | (z1 & _EVERY_4_1)
    return low | (z2 & _EVERY_4_2) | (z3 & _EVERY_4_3)


@compiled
def _swap(word: np.uint64, distance: np.uint64, mask: np.uint64) -> np.uint64:
    return ((word >> distance) & mask) | ((word & mask) << distance)


@compiled
def _reverse(word: np.uint64) -> np.uint64:
    word = _swap(word, _U(1), _U(0x5555555555555555))
    word = _swap(word, _U(2), _U(0x3333333333333333))
    word = _swap(word, _U(4), _U(0x0F0F0F0F0F0F0F0F))
    word = _swap(word, _U(8), _U(0x00FF00FF00FF00FF))
    word = _swap(word, _U(16), _U(0x0000FFFF0000FFFF))
    return (word >> _U(32)) | (word << _U(32))


@compiled
def multiply_words(left: np.uint64, right: np.uint64) -> tuple[np.uint64, np.uint64]:
    """Multiply two uint64 as polynomials over GF(2); return the low and the high word."""
    high = _reverse(_low_word(_reverse(left), _reverse(right))) >> _U(1)
    return _low_word(left, right), high
