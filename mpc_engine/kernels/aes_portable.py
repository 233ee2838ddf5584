"""AES-128 on four blocks at once by bitslicing, for processors without AES instructions.

Eight uint64 planes hold the eight bits of all 64 bytes: byte (row, column) of block b is bit
``16 row + 4 column + b``. Only xor, and, shifts: no table is indexed by data and nothing branches,
so time does not depend on keys or blocks.

Source: FIPS 197; S-box circuit of Boyar and Peralta, "A Small Depth-16 Circuit for the AES S-Box",
2012 (113 gates); the layout follows from ShiftRows being a rotation inside 16 bits and MixColumns
one by 16 bits.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mpc_engine.kernels.jit import compiled

Planes = tuple[
    np.uint64, np.uint64, np.uint64, np.uint64, np.uint64, np.uint64, np.uint64, np.uint64
]
"""Eight words: eight planes (least significant bit first), or four blocks of two words."""
Halves = tuple[np.uint64, np.uint64, np.uint64, np.uint64]
"""Two blocks of two words."""

_U = np.uint64
_ROW_0 = _U(0x000000000000FFFF)
_ROW_1 = _U(0x00000000FFFF0000)
_ROW_2 = _U(0x0000FFFF00000000)
_ROW_3 = _U(0xFFFF000000000000)
_LOW_2 = _U(0x0000FFFF0000FFFF)
_LOW_1 = _U(0x00FF00FF00FF00FF)


@compiled
def _exchange(
    left: np.uint64, right: np.uint64, shift: np.uint64, mask: np.uint64
) -> tuple[np.uint64, np.uint64]:
    """Exchange the masked bits of ``left`` with those of ``right`` above them by ``shift``."""
    difference = ((left >> shift) ^ right) & mask
    return left ^ (difference << shift), right ^ difference


@compiled
def _transpose(w: Planes) -> Planes:
    """Transpose each 8 x 8 bit square that the same byte of the eight words makes up."""
    w0, w1, w2, w3, w4, w5, w6, w7 = w
    one, mask = _U(1), _U(0x5555555555555555)
    w0, w1 = _exchange(w0, w1, one, mask)
    w2, w3 = _exchange(w2, w3, one, mask)
    w4, w5 = _exchange(w4, w5, one, mask)
    w6, w7 = _exchange(w6, w7, one, mask)
    two, mask = _U(2), _U(0x3333333333333333)
    w0, w2 = _exchange(w0, w2, two, mask)
    w1, w3 = _exchange(w1, w3, two, mask)
    w4, w6 = _exchange(w4, w6, two, mask)
    w5, w7 = _exchange(w5, w7, two, mask)
    four, mask = _U(4), _U(0x0F0F0F0F0F0F0F0F)
    w0, w4 = _exchange(w0, w4, four, mask)
    w1, w5 = _exchange(w1, w5, four, mask)
    w2, w6 = _exchange(w2, w6, four, mask)
    w3, w7 = _exchange(w3, w7, four, mask)
    return w0, w1, w2, w3, w4, w5, w6, w7


@compiled
def _spread(x: np.uint64) -> np.uint64:
    """Move the four low bytes to the low bytes of the four 16-bit lanes."""
    x = (x | (x << _U(16))) & _LOW_2
    return (x | (x << _U(8))) & _LOW_1


@compiled
def _gather(x: np.uint64) -> np.uint64:
    """Invert ``_spread``; the high bytes of the lanes are ignored."""
    x = x & _LOW_1
    x = (x | (x >> _U(8))) & _LOW_2
    return (x | (x >> _U(16))) & _U(0xFFFFFFFF)


@compiled
def _lanes(low: np.uint64, high: np.uint64, shift: np.uint64) -> np.uint64:
    """Put two columns of a block, one of each half, into the bytes of four lanes."""
    mask = _U(0xFFFFFFFF)
    return _spread((low >> shift) & mask) | (_spread((high >> shift) & mask) << _U(8))


@compiled
def _to_planes(w: Planes) -> Planes:
    """Turn four blocks into planes."""
    none, half = _U(0), _U(32)
    return _transpose(
        (
            _lanes(w[0], w[1], none),
            _lanes(w[2], w[3], none),
            _lanes(w[4], w[5], none),
            _lanes(w[6], w[7], none),
            _lanes(w[0], w[1], half),
            _lanes(w[2], w[3], half),
            _lanes(w[4], w[5], half),
            _lanes(w[6], w[7], half),
        )
    )


@compiled
def _word(even: np.uint64, odd: np.uint64, shift: np.uint64) -> np.uint64:
    """Put one column of each kind of lane word together to half a block."""
    return _gather(even >> shift) | (_gather(odd >> shift) << _U(32))


@compiled
def _to_blocks(planes: Planes) -> Planes:
    """Turn planes into four blocks."""
    w0, w1, w2, w3, w4, w5, w6, w7 = _transpose(planes)
    low, high = _U(0), _U(8)
    return (
        _word(w0, w4, low),
        _word(w0, w4, high),
        _word(w1, w5, low),
        _word(w1, w5, high),
        _word(w2, w6, low),
        _word(w2, w6, high),
        _word(w3, w7, low),
        _word(w3, w7, high),
    )


@compiled
def _sub_bytes(p: Planes) -> Planes:
    """Apply the S-box to all bytes (names of signals as in the paper, x0 the highest bit)."""
    x7, x6, x5, x4, x3, x2, x1, x0 = p
    y14 = x3 ^ x5
    y13 = x0 ^ x6
    y9 = x0 ^ x3
    y8 = x0 ^ x5
    t0 = x1 ^ x2
    y1 = t0 ^ x7
    y4 = y1 ^ x3
    y12 = y13 ^ y14
    y2 = y1 ^ x0
    y5 = y1 ^ x6
    y3 = y5 ^ y8
    t1 = x4 ^ y12
    y15 = t1 ^ x5
    y20 = t1 ^ x1
    y6 = y15 ^ x7
    y10 = y15 ^ t0
    y11 = y20 ^ y9
    y7 = x7 ^ y11
    y17 = y10 ^ y11
    y19 = y10 ^ y8
    y16 = t0 ^ y11
    y21 = y13 ^ y16
    y18 = x0 ^ y16
    t2 = y12 & y15
    t4 = (y3 & y6) ^ t2
    t6 = (y4 & x7) ^ t2
    t7 = y13 & y16
    t9 = (y5 & y1) ^ t7
    t11 = (y2 & y7) ^ t7
    t12 = y9 & y11
    t14 = (y14 & y17) ^ t12
    t16 = (y8 & y10) ^ t12
    t21 = t4 ^ t14 ^ y20
    t22 = t6 ^ t16 ^ y19
    t23 = t9 ^ t14 ^ y21
    t24 = t11 ^ t16 ^ y18
    t25 = t21 ^ t22
    t26 = t21 & t23
    t27 = t24 ^ t26
    t29 = (t25 & t27) ^ t22
    t33 = ((t22 ^ t26) & (t23 ^ t24)) ^ t24
    t36 = t24 & (t27 ^ t33)
    t37 = t36 ^ t23 ^ t33
    t40 = t25 ^ (t29 & (t27 ^ t36))
    t41 = t40 ^ t37
    t42 = t29 ^ t33
    t43 = t29 ^ t40
    t44 = t33 ^ t37
    t45 = t42 ^ t41
    z0 = t44 & y15
    z1 = t37 & y6
    z2 = t33 & x7
    z3 = t43 & y16
    z4 = t40 & y1
    z5 = t29 & y7
    z6 = t42 & y11
    z7 = t45 & y17
    z8 = t41 & y10
    z9 = t44 & y12
    z10 = t37 & y3
    z11 = t33 & y4
    z12 = t43 & y13
    z13 = t40 & y5
    z14 = t29 & y2
    z15 = t42 & y9
    z16 = t45 & y14
    z17 = t41 & y8
    t46 = z15 ^ z16
    t47 = z10 ^ z11
    t48 = z5 ^ z13
    t49 = z9 ^ z10
    t51 = z2 ^ z5
    t52 = z7 ^ z8
    t53 = z0 ^ z3
    t54 = z6 ^ z7
    t55 = z16 ^ z17
    t56 = z12 ^ t48
    t57 = z2 ^ z12 ^ t53
    t58 = z4 ^ t46
    t59 = z3 ^ t54
    t60 = t46 ^ t57
    t61 = z14 ^ t57
    t62 = t52 ^ t58
    t63 = t49 ^ t58
    t64 = z4 ^ t59
    t65 = t61 ^ t62
    t66 = z1 ^ t63
    t67 = t64 ^ t65
    s3 = t53 ^ t66
    return (
        t48 ^ ~t60,
        t56 ^ ~t62,
        t47 ^ t65,
        t51 ^ t66,
        s3,
        t55 ^ ~t67,
        t64 ^ ~s3,
        t59 ^ t63,
    )


@compiled
def _shift_row(p: np.uint64) -> np.uint64:
    """Rotate row r of one plane by r columns."""
    row_1, row_2, row_3 = p & _ROW_1, p & _ROW_2, p & _ROW_3
    return (
        (p & _ROW_0)
        | (((row_1 >> _U(4)) | (row_1 << _U(12))) & _ROW_1)
        | (((row_2 >> _U(8)) | (row_2 << _U(8))) & _ROW_2)
        | (((row_3 >> _U(12)) | (row_3 << _U(4))) & _ROW_3)
    )


@compiled
def _shift_rows(p: Planes) -> Planes:
    return (
        _shift_row(p[0]),
        _shift_row(p[1]),
        _shift_row(p[2]),
        _shift_row(p[3]),
        _shift_row(p[4]),
        _shift_row(p[5]),
        _shift_row(p[6]),
        _shift_row(p[7]),
    )


@compiled
def _mix(plane: np.uint64, doubled: np.uint64) -> np.uint64:
    """Add to ``doubled`` the three other rows' terms of one plane of MixColumns."""
    below = (plane >> _U(16)) | (plane << _U(48))
    pair = plane ^ below
    return doubled ^ below ^ ((pair >> _U(32)) | (pair << _U(32)))


@compiled
def _pair(plane: np.uint64) -> np.uint64:
    """Return each byte plus the one a row below, the part that MixColumns doubles."""
    return plane ^ ((plane >> _U(16)) | (plane << _U(48)))


@compiled
def _mix_columns(p: Planes) -> Planes:
    d0, d1, d2, d3 = _pair(p[0]), _pair(p[1]), _pair(p[2]), _pair(p[3])
    d4, d5, d6, d7 = _pair(p[4]), _pair(p[5]), _pair(p[6]), _pair(p[7])
    return (
        _mix(p[0], d7),
        _mix(p[1], d0 ^ d7),
        _mix(p[2], d1),
        _mix(p[3], d2 ^ d7),
        _mix(p[4], d3 ^ d7),
        _mix(p[5], d4),
        _mix(p[6], d5),
        _mix(p[7], d6),
    )


@compiled
def _add_key(p: Planes, plane_keys: NDArray[np.uint64], number: int) -> Planes:
    return (
        p[0] ^ plane_keys[number, 0],
        p[1] ^ plane_keys[number, 1],
        p[2] ^ plane_keys[number, 2],
        p[3] ^ plane_keys[number, 3],
        p[4] ^ plane_keys[number, 4],
        p[5] ^ plane_keys[number, 5],
        p[6] ^ plane_keys[number, 6],
        p[7] ^ plane_keys[number, 7],
    )


@compiled
def _encrypt_planes(p: Planes, plane_keys: NDArray[np.uint64]) -> Planes:
    p = _add_key(p, plane_keys, 0)
    for number in range(1, 10):
        p = _add_key(_mix_columns(_shift_rows(_sub_bytes(p))), plane_keys, number)
    return _add_key(_shift_rows(_sub_bytes(p)), plane_keys, 10)


@compiled
def plane_keys_of(round_keys: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Spread round keys uint64[22] to planes uint64[11, 8], once for each call of a kernel."""
    planes = np.empty((11, 8), np.uint64)
    for number in range(11):
        low, high = round_keys[2 * number], round_keys[2 * number + 1]
        key = _to_planes((low, high, low, high, low, high, low, high))
        for plane in range(8):
            planes[number, plane] = key[plane]
    return planes


@compiled
def encrypt_four(words: Planes, plane_keys: NDArray[np.uint64]) -> Planes:
    """Encrypt four blocks."""
    return _to_blocks(_encrypt_planes(_to_planes(words), plane_keys))


@compiled
def hash_four(words: Planes, tweaks: Planes, plane_keys: NDArray[np.uint64]) -> Planes:
    """Hash four blocks: pi(pi(x) ^ i) ^ pi(x)."""
    inner = _encrypt_planes(_to_planes(words), plane_keys)
    i = _to_planes(tweaks)
    tweaked = (
        inner[0] ^ i[0],
        inner[1] ^ i[1],
        inner[2] ^ i[2],
        inner[3] ^ i[3],
        inner[4] ^ i[4],
        inner[5] ^ i[5],
        inner[6] ^ i[6],
        inner[7] ^ i[7],
    )
    outer = _encrypt_planes(tweaked, plane_keys)
    return _to_blocks(
        (
            inner[0] ^ outer[0],
            inner[1] ^ outer[1],
            inner[2] ^ outer[2],
            inner[3] ^ outer[3],
            inner[4] ^ outer[4],
            inner[5] ^ outer[5],
            inner[6] ^ outer[6],
            inner[7] ^ outer[7],
        )
    )


@compiled
def hash_two(words: Halves, tweaks: Halves, plane_keys: NDArray[np.uint64]) -> Halves:
    """Hash two blocks; takes as long as four."""
    none = _U(0)
    w = (words[0], words[1], words[2], words[3], none, none, none, none)
    t = (tweaks[0], tweaks[1], tweaks[2], tweaks[3], none, none, none, none)
    hashed = hash_four(w, t, plane_keys)
    return hashed[0], hashed[1], hashed[2], hashed[3]


@compiled
def substitute_word(word: np.uint32) -> np.uint32:
    """Apply the S-box to the four bytes of a uint32."""
    none = _U(0)
    w = (_U(word), none, none, none, none, none, none, none)
    return np.uint32(_to_blocks(_sub_bytes(_to_planes(w)))[0] & _U(0xFFFFFFFF))
