"""The inner loops of sums over people: pads, corrections, sums and MAC column in one pass.

Record i's pads for one entry are ``H(key, (base + block, high + i))``, two columns a block, and its
MAC pad is the hash of the same key under ``mac_high + i``: ``pi(key)`` is computed once. See
`mpc_engine.secure_ops.row_sums` for the protocol; the twin is `mpc_engine.testing.twins`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mpc_engine.kernels.aes import AES_PATH, AesPath, encrypt_four, key_schedule
from mpc_engine.kernels.field61 import reduce_wide, reduce_word
from mpc_engine.kernels.jit import compiled, read_only
from mpc_engine.kernels.wide import multiply_add_wide
from mpc_engine.params import MAC_PRIME

Words = NDArray[np.uint64]

_Q = np.uint64(MAC_PRIME)
_U = np.uint64
_FOLD_BLOCKS = 32
"""Blocks between two reductions: 64 products below 2^61 2^60 stay below 2^128."""


@dataclass(frozen=True)
class Tweaks:
    """Words of the tweaks of one entry's pads and MAC pads; a record's number is added to both."""

    low: int
    pad_high: int
    mac_high: int


@compiled
def _send_into(
    keys: Words,
    bits: NDArray[np.uint8],
    rows: Words,
    width: np.uint64,
    alpha: Words,
    low: np.uint64,
    pad_high: np.uint64,
    mac_high: np.uint64,
    schedule: Any,
    payload: NDArray[np.uint8],
    macs: Words,
    r: Words,
) -> np.uint64:
    none, one = _U(0), _U(1)
    mask = (one << width) - one
    n_bytes = (width + _U(7)) >> _U(3)
    n_columns = rows.shape[1]
    n_blocks = (n_columns + 1) >> 1
    at = 0
    beta = none
    for i in range(rows.shape[0]):
        record = _U(i)
        e = encrypt_four(
            (keys[i, 0, 0], keys[i, 0, 1], keys[i, 1, 0], keys[i, 1, 1], none, none, none, none),
            schedule,
        )
        a0, a1, b0, b1 = e[0], e[1], e[2], e[3]
        mac_up = mac_high + record
        high = pad_high + record
        negative = none - _U(bits[i])
        mu_zero, mu_one = none, none
        for start in range(0, n_blocks, _FOLD_BLOCKS):
            low_0, up_0, low_1, up_1 = none, none, none, none
            stop = min(start + _FOLD_BLOCKS, n_blocks)
            for block in range(start, stop, 2):
                here, next_ = low + _U(block), low + _U(block + 1)
                e = encrypt_four(
                    (
                        a0 ^ here,
                        a1 ^ high,
                        b0 ^ here,
                        b1 ^ high,
                        a0 ^ next_,
                        a1 ^ high,
                        b0 ^ next_,
                        b1 ^ high,
                    ),
                    schedule,
                )
                pads = (
                    e[0] ^ a0,
                    e[1] ^ a1,
                    e[4] ^ a0,
                    e[5] ^ a1,
                    e[2] ^ b0,
                    e[3] ^ b1,
                    e[6] ^ b0,
                    e[7] ^ b1,
                )
                for lane in range(4):
                    column = 2 * block + lane
                    if column < n_columns:
                        x, weight = rows[i, column], alpha[column]
                        zero = pads[lane] & mask
                        message = (zero + ((x ^ negative) - negative)) & mask
                        sent = (pads[lane + 4] - message) & mask
                        for _ in range(n_bytes):
                            payload[at] = np.uint8(sent & _U(0xFF))
                            sent >>= _U(8)
                            at += 1
                        low_0, up_0 = multiply_add_wide(low_0, up_0, zero, weight)
                        low_1, up_1 = multiply_add_wide(low_1, up_1, message, weight)
                        r[column] += zero - (x & negative)
            mu_zero = reduce_word(mu_zero + reduce_wide(low_0, up_0))
            mu_one = reduce_word(mu_one + reduce_wide(low_1, up_1))
        e = encrypt_four(
            (a0 ^ low, a1 ^ mac_up, b0 ^ low, b1 ^ mac_up, none, none, none, none),
            schedule,
        )
        mac_zero = reduce_wide(e[0] ^ a0, e[1] ^ a1)
        mac_one = reduce_wide(e[2] ^ b0, e[3] ^ b1)
        macs[i] = reduce_word(mac_one + (_Q - mac_zero) + (_Q - mu_one) + mu_zero)
        beta = reduce_word(beta + mac_zero + (_Q - mu_zero))
    return beta


@compiled
def _recv_into(
    keys: Words,
    bits: NDArray[np.uint8],
    width: np.uint64,
    low: np.uint64,
    pad_high: np.uint64,
    mac_high: np.uint64,
    schedule: Any,
    payload: NDArray[np.uint8],
    macs: Words,
    v: Words,
) -> np.uint64:
    none, one = _U(0), _U(1)
    mask = (one << width) - one
    n_bytes = (width + _U(7)) >> _U(3)
    n_columns = v.shape[0]
    n_blocks = (n_columns + 1) >> 1
    at = 0
    total = none
    for i in range(keys.shape[0]):
        record = _U(i)
        e = encrypt_four((keys[i, 0], keys[i, 1], none, none, none, none, none, none), schedule)
        a0, a1 = e[0], e[1]
        high = pad_high + record
        chosen = none - _U(bits[i])
        for block in range(0, n_blocks, 4):
            here = low + _U(block)
            e = encrypt_four(
                (
                    a0 ^ here,
                    a1 ^ high,
                    a0 ^ (here + _U(1)),
                    a1 ^ high,
                    a0 ^ (here + _U(2)),
                    a1 ^ high,
                    a0 ^ (here + _U(3)),
                    a1 ^ high,
                ),
                schedule,
            )
            for lane in range(8):
                column = 2 * block + lane
                if column < n_columns:
                    sent = none
                    for byte in range(n_bytes):
                        sent |= _U(payload[at]) << _U(8 * byte)
                        at += 1
                    pad = e[lane] ^ (a0 if lane & 1 == 0 else a1)
                    v[column] += (pad - (sent & chosen)) & mask
        e = encrypt_four(
            (a0 ^ low, a1 ^ (mac_high + record), none, none, none, none, none, none), schedule
        )
        taken = reduce_word(macs[i]) & chosen
        total = reduce_word(total + reduce_wide(e[0] ^ a0, e[1] ^ a1) + (_Q - taken))
    return total


def send_rows(
    keys: Words,
    bits: NDArray[np.uint8],
    rows: Words,
    width: int,
    alpha: Words,
    tweaks: Tweaks,
    round_keys: Words,
    path: AesPath = AES_PATH,
) -> tuple[NDArray[np.uint8], Words, Words, int]:
    """Return the row corrections, the MAC corrections, the kept sums r and beta.

    ``keys`` uint64 (m, 2, 2), both item keys; ``bits`` uint8 (m,), own bits; ``rows`` uint64
    (m, c), mod 2^width; ``alpha`` uint64 (c,), residues; ``width`` below 61. Returns the payload
    uint8 (m c ceil(width / 8),), uint64 (m,), uint64 (c,) unreduced, and a residue.
    """
    n_records, n_columns = rows.shape
    payload = np.empty(n_records * n_columns * ((width + 7) // 8), np.uint8)
    macs = np.empty(n_records, np.uint64)
    r = np.zeros(n_columns, np.uint64)
    beta = _send_into(
        read_only(keys),
        read_only(bits),
        read_only(rows),
        _U(width),
        read_only(alpha),
        _U(tweaks.low),
        _U(tweaks.pad_high),
        _U(tweaks.mac_high),
        key_schedule(round_keys, path),
        payload,
        macs,
        r,
    )
    return payload, macs, r, int(beta)


def recv_rows(
    keys: Words,
    bits: NDArray[np.uint8],
    n_columns: int,
    width: int,
    tweaks: Tweaks,
    payload: NDArray[np.uint8],
    macs: Words,
    round_keys: Words,
    path: AesPath = AES_PATH,
) -> tuple[Words, int]:
    """Return the received sums v uint64 (c,), integers, and this block's part of t, a residue.

    ``keys`` uint64 (m, 2) of ``bits`` uint8 (m,); ``payload`` and ``macs`` as `send_rows` makes
    them, of exactly those sizes; ``macs`` may be any words.
    """
    v = np.zeros(n_columns, np.uint64)
    total = _recv_into(
        read_only(keys),
        read_only(bits),
        _U(width),
        _U(tweaks.low),
        _U(tweaks.pad_high),
        _U(tweaks.mac_high),
        key_schedule(round_keys, path),
        read_only(payload),
        read_only(macs),
        v,
    )
    return v, int(total)
