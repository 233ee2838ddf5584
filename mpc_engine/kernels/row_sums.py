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
from mpc_engine.kernels.byte_columns import WORD_BYTES, get_column, put_column
from mpc_engine.kernels.field61 import reduce_wide, reduce_word
from mpc_engine.kernels.jit import compiled, read_only
from mpc_engine.kernels.leaf_streams import expand_one, expand_two, whole_vectors
from mpc_engine.kernels.wide import multiply_add_wide
from mpc_engine.params import MAC_PRIME

Words = NDArray[np.uint64]

_Q = np.uint64(MAC_PRIME)
_U = np.uint64
_FOLD_WORDS = 64
"""Products between two reductions: 64 below 2^61 2^60 stay below 2^128."""


@dataclass(frozen=True)
class Tweaks:
    """Words of the tweaks of one entry's pads and MAC pads; a record's number is added to both."""

    low: int
    pad_high: int
    mac_high: int


@compiled
def _weighed(zeros: Words, messages: Words, alpha: Words) -> tuple[np.uint64, np.uint64]:
    """Return the residues of two sums of words times the same weights."""
    mu_zero, mu_one = _U(0), _U(0)
    for start in range(0, alpha.shape[0], _FOLD_WORDS):
        low_0, up_0, low_1, up_1 = _U(0), _U(0), _U(0), _U(0)
        for column in range(start, min(start + _FOLD_WORDS, alpha.shape[0])):
            weight = alpha[column]
            low_0, up_0 = multiply_add_wide(low_0, up_0, zeros[column], weight)
            low_1, up_1 = multiply_add_wide(low_1, up_1, messages[column], weight)
        mu_zero = reduce_word(mu_zero + reduce_wide(low_0, up_0))
        mu_one = reduce_word(mu_one + reduce_wide(low_1, up_1))
    return mu_zero, mu_one


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
    n_bytes = np.int64((width + _U(7)) >> _U(3))
    n_columns = rows.shape[1]
    n_words = whole_vectors(n_columns)
    streams = np.empty((2, n_words), np.uint64)
    zeros = np.empty(n_columns, np.uint64)
    messages, sent = np.empty_like(zeros), np.empty_like(zeros)
    at = 0
    beta = none
    for i in range(rows.shape[0]):
        record = _U(i)
        kept = r[min(i, r.shape[0] - 1)]
        e = encrypt_four(
            (keys[i, 0, 0], keys[i, 0, 1], keys[i, 1, 0], keys[i, 1, 1], none, none, none, none),
            schedule,
        )
        a0, a1, b0, b1 = e[0], e[1], e[2], e[3]
        mac_up = mac_high + record
        high = pad_high + record
        negative = none - _U(bits[i])
        bases = (a0 ^ low, a1 ^ high, b0 ^ low, b1 ^ high)
        expand_two((a0, a1, b0, b1), bases, schedule, streams, n_words)
        for column in range(n_columns):
            x = rows[i, column]
            zero = streams[0, column] & mask
            message = (zero + ((x ^ negative) - negative)) & mask
            zeros[column], messages[column] = zero, message
            sent[column] = (streams[1, column] - message) & mask
            kept[column] += zero - (x & negative)
        at = put_column(payload, at, n_bytes, sent, n_columns)
        mu_zero, mu_one = _weighed(zeros, messages, alpha)
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
    n_bytes = np.int64((width + _U(7)) >> _U(3))
    n_columns = v.shape[1]
    n_words = whole_vectors(n_columns)
    streams = np.empty((1, n_words), np.uint64)
    sent = np.empty(n_columns, np.uint64)
    at = 0
    total = none
    for i in range(keys.shape[0]):
        record = _U(i)
        kept = v[min(i, v.shape[0] - 1)]
        e = encrypt_four((keys[i, 0], keys[i, 1], none, none, none, none, none, none), schedule)
        a0, a1 = e[0], e[1]
        chosen = none - _U(bits[i])
        bases = (a0 ^ low, a1 ^ (pad_high + record))
        expand_one((a0, a1), bases, schedule, streams, n_words)
        at = get_column(payload, at, n_bytes, sent, n_columns)
        for column in range(n_columns):
            kept[column] += (streams[0, column] - (sent[column] & chosen)) & mask
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
    apart: bool = False,
) -> tuple[NDArray[np.uint8], Words, Words, int]:
    """Return the row corrections, the MAC corrections, the kept sums r and beta.

    ``keys`` uint64 (m, 2, 2), both item keys; ``bits`` uint8 (m,), own bits; ``rows`` uint64
    (m, c), mod 2^width; ``alpha`` uint64 (c,), residues; ``width`` below 61. Returns the payload
    uint8 (m c ceil(width / 8),), uint64 (m,), uint64 (c,) unreduced, and a residue. ``apart``: r is
    not summed, uint64 (m, c).
    """
    n_records, n_columns = rows.shape
    size = n_records * n_columns * ((width + 7) // 8)
    payload = np.empty(size + WORD_BYTES, np.uint8)
    macs = np.empty(n_records, np.uint64)
    r = np.zeros((n_records if apart else 1, n_columns), np.uint64)
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
    return payload[:size], macs, r if apart else r[0], int(beta)


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
    apart: bool = False,
) -> tuple[Words, int]:
    """Return the received sums v uint64 (c,), integers, and this block's part of t, a residue.

    ``keys`` uint64 (m, 2) of ``bits`` uint8 (m,); ``payload`` and ``macs`` as `send_rows` makes
    them, of exactly those sizes; ``macs`` may be any words. ``apart``: v uint64 (m, c), not summed.
    """
    v = np.zeros((len(keys) if apart else 1, n_columns), np.uint64)
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
    return v if apart else v[0], int(total)
