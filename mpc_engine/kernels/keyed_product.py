"""The inner loops of keyed products: streams, corrections, shares and MAC column in one pass.

A leaf's stream is ``H(leaf, (number | leaf << 60, high))``, two people a block. All blocks hash the
same leaf, so ``pi(leaf)`` is computed once and a block costs one AES. See
`mpc_engine.secure_ops.keyed_product` for the protocol; the twin is `mpc_engine.testing.twins`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mpc_engine.kernels.aes import AES_PATH, AesPath, encrypt_blocks, encrypt_four, key_schedule
from mpc_engine.kernels.field61 import multiply, reduce_wide, reduce_word
from mpc_engine.kernels.jit import compiled, read_only
from mpc_engine.kernels.wide import multiply_add_wide

Words = NDArray[np.uint64]

LEAVES = 4
LEAF_SHIFT = 60
_U = np.uint64
_FOLD_BLOCKS = 32
"""Blocks between two reductions: 64 products below 2^61 2^60 stay below 2^128."""


@dataclass(frozen=True)
class ChunkTable:
    """Public shape of c chunks of one coefficient, low ones first.

    uint64 (c,): ``high`` (second word of every tweak), ``ring_bits`` (below 61), ``positions``;
    uint64 (c, 4): ``values`` mod 2^64.
    """

    high: Words
    ring_bits: Words
    positions: Words
    values: Words

    def payload_bytes(self, n_people: int) -> int:
        """Return the bytes of all corrections: whole bytes a person and chunk, chunk-major."""
        return n_people * int(((self.ring_bits + _U(7)) >> _U(3)).sum())


@compiled
def _send_into(
    inner: Words,
    high: Words,
    ring_bits: Words,
    positions: Words,
    values: Words,
    column: Words,
    first_number: np.uint64,
    alpha: Words,
    schedule: Any,
    payload: NDArray[np.uint8],
    r: Words,
    mu: Words,
) -> None:
    none, one = _U(0), _U(1)
    n_people = column.shape[0]
    at = 0
    for c in range(inner.shape[0]):
        mask = (one << ring_bits[c]) - one
        shift = positions[c]
        n_bytes = (ring_bits[c] + _U(7)) >> _U(3)
        i00, i01, i10, i11 = inner[c, 0, 0], inner[c, 0, 1], inner[c, 1, 0], inner[c, 1, 1]
        i20, i21, i30, i31 = inner[c, 2, 0], inner[c, 2, 1], inner[c, 3, 0], inner[c, 3, 1]
        v0, v1, v2, v3 = values[c, 0], values[c, 1], values[c, 2], values[c, 3]
        h01, h11, h21, h31 = i01 ^ high[c], i11 ^ high[c], i21 ^ high[c], i31 ^ high[c]
        total_0, total_1, total_2, total_3 = none, none, none, none
        n_blocks = (n_people + 1) >> 1
        for start in range(0, n_blocks, _FOLD_BLOCKS):
            low_0, up_0, low_1, up_1 = none, none, none, none
            low_2, up_2, low_3, up_3 = none, none, none, none
            for block in range(start, min(start + _FOLD_BLOCKS, n_blocks)):
                number = first_number + _U(block)
                words = (
                    i00 ^ number,
                    h01,
                    i10 ^ number ^ (_U(1) << _U(LEAF_SHIFT)),
                    h11,
                    i20 ^ number ^ (_U(2) << _U(LEAF_SHIFT)),
                    h21,
                    i30 ^ number ^ (_U(3) << _U(LEAF_SHIFT)),
                    h31,
                )
                e = encrypt_four(words, schedule)
                for half in range(2):
                    person = 2 * block + half
                    if person < n_people:
                        s0 = e[0] ^ i00 if half == 0 else e[1] ^ i01
                        s1 = e[2] ^ i10 if half == 0 else e[3] ^ i11
                        s2 = e[4] ^ i20 if half == 0 else e[5] ^ i21
                        s3 = e[6] ^ i30 if half == 0 else e[7] ^ i31
                        x, weight = column[person], alpha[person]
                        sent = (x - s0 - s1 - s2 - s3) & mask
                        for _ in range(n_bytes):
                            payload[at] = np.uint8(sent & _U(0xFF))
                            sent >>= _U(8)
                            at += 1
                        kept = (none - v0 * s0 - v1 * s1 - v2 * s2 - v3 * s3) & mask
                        r[person] += kept << shift
                        m0, m1 = (kept + v0 * x) & mask, (kept + v1 * x) & mask
                        m2, m3 = (kept + v2 * x) & mask, (kept + v3 * x) & mask
                        low_0, up_0 = multiply_add_wide(low_0, up_0, m0, weight)
                        low_1, up_1 = multiply_add_wide(low_1, up_1, m1, weight)
                        low_2, up_2 = multiply_add_wide(low_2, up_2, m2, weight)
                        low_3, up_3 = multiply_add_wide(low_3, up_3, m3, weight)
            total_0 = reduce_word(total_0 + reduce_wide(low_0, up_0))
            total_1 = reduce_word(total_1 + reduce_wide(low_1, up_1))
            total_2 = reduce_word(total_2 + reduce_wide(low_2, up_2))
            total_3 = reduce_word(total_3 + reduce_wide(low_3, up_3))
        mu[c, 0], mu[c, 1] = multiply(total_0, one << shift), multiply(total_1, one << shift)
        mu[c, 2], mu[c, 3] = multiply(total_2, one << shift), multiply(total_3, one << shift)


@compiled
def _recv_into(
    inner: Words,
    high: Words,
    ring_bits: Words,
    positions: Words,
    leaves: Words,
    factors: Words,
    own: Words,
    payload: NDArray[np.uint8],
    first_number: np.uint64,
    schedule: Any,
    v: Words,
) -> None:
    one = _U(1)
    n_people = v.shape[0]
    n_blocks = (n_people + 1) >> 1
    sums = np.empty(8, np.uint64)
    at = 0
    for c in range(inner.shape[0]):
        mask = (one << ring_bits[c]) - one
        shift = positions[c]
        n_bytes = (ring_bits[c] + _U(7)) >> _U(3)
        for start in range(0, n_blocks, 4):
            sums[:] = _U(0)
            number = first_number + _U(start)
            for leaf in range(inner.shape[1]):
                i0, i1 = inner[c, leaf, 0], inner[c, leaf, 1]
                base, h = i0 ^ (leaves[c, leaf] << _U(LEAF_SHIFT)), i1 ^ high[c]
                factor = factors[c, leaf]
                words = (
                    base ^ number,
                    h,
                    base ^ (number + _U(1)),
                    h,
                    base ^ (number + _U(2)),
                    h,
                    base ^ (number + _U(3)),
                    h,
                )
                e = encrypt_four(words, schedule)
                sums[0] += factor * (e[0] ^ i0)
                sums[1] += factor * (e[1] ^ i1)
                sums[2] += factor * (e[2] ^ i0)
                sums[3] += factor * (e[3] ^ i1)
                sums[4] += factor * (e[4] ^ i0)
                sums[5] += factor * (e[5] ^ i1)
                sums[6] += factor * (e[6] ^ i0)
                sums[7] += factor * (e[7] ^ i1)
            for lane in range(min(8, n_people - 2 * start)):
                sent = _U(0)
                for byte in range(n_bytes):
                    sent |= _U(payload[at]) << _U(8 * byte)
                    at += 1
                v[2 * start + lane] += ((sums[lane] + own[c] * sent) & mask) << shift


def send_chunks(
    leaves: Words,
    table: ChunkTable,
    column: Words,
    first_number: int,
    alpha: Words,
    round_keys: Words,
    path: AesPath = AES_PATH,
) -> tuple[NDArray[np.uint8], Words, Words]:
    """Return a block's corrections, the kept shares and the MACs of all four values.

    ``leaves`` uint64 (c, 4, 2); ``column`` uint64 (m,), people's values mod 2^64; ``first_number``:
    the number of the first person's cipher block; ``alpha`` uint64 (m,), residues; ``round_keys``
    uint64 (22,). Returns the payload (see ``ChunkTable``), r uint64 (m,), unreduced, and mu uint64
    (c, 4): ``<alpha, m>`` mod q of the integers m that the other side adds for each value.
    """
    payload = np.empty(table.payload_bytes(len(column)), np.uint8)
    r = np.zeros(len(column), np.uint64)
    mu = np.empty((len(leaves), LEAVES), np.uint64)
    inner = encrypt_blocks(leaves.reshape(-1, 2), round_keys, path).reshape(leaves.shape)
    _send_into(
        read_only(inner),
        read_only(table.high),
        read_only(table.ring_bits),
        read_only(table.positions),
        read_only(table.values),
        read_only(column),
        _U(first_number),
        read_only(alpha),
        key_schedule(round_keys, path),
        payload,
        r,
        mu,
    )
    return payload, r, mu


def recv_chunks(
    leaves: Words,
    numbers: Words,
    factors: Words,
    own: Words,
    table: ChunkTable,
    payload: NDArray[np.uint8],
    n_people: int,
    first_number: int,
    round_keys: Words,
    path: AesPath = AES_PATH,
) -> Words:
    """Return a block's received shares, uint64 (m,): integers, the sum over these chunks.

    ``leaves`` uint64 (c, 3, 2), the open ones; ``numbers`` and ``factors`` uint64 (c, 3), which
    leaf each is and ``D`` less its value; ``own`` uint64 (c,), D mod 2^64; ``payload`` uint8 of
    exactly ``table.payload_bytes(n_people)``.
    """
    v = np.zeros(n_people, np.uint64)
    inner = encrypt_blocks(leaves.reshape(-1, 2), round_keys, path).reshape(leaves.shape)
    _recv_into(
        read_only(inner),
        read_only(table.high),
        read_only(table.ring_bits),
        read_only(table.positions),
        read_only(numbers),
        read_only(factors),
        read_only(own),
        read_only(payload),
        _U(first_number),
        key_schedule(round_keys, path),
        v,
    )
    return v
