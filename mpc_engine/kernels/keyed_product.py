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

from mpc_engine.kernels.aes import AES_PATH, AesPath, encrypt_blocks, key_schedule
from mpc_engine.kernels.byte_columns import WORD_BYTES, get_column, put_column
from mpc_engine.kernels.field61 import multiply, reduce_wide, reduce_word
from mpc_engine.kernels.jit import compiled, read_only
from mpc_engine.kernels.leaf_streams import expand_leaves, whole_vectors
from mpc_engine.kernels.wide import multiply_add_wide

Words = NDArray[np.uint64]

LEAVES = 4
LEAF_SHIFT = 60
_U = np.uint64
_FOLD_PEOPLE = 64
"""People between two reductions: 64 products below 2^61 2^60 stay below 2^128."""


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
    streams, sent = np.empty((LEAVES, _FOLD_PEOPLE), np.uint64), np.empty(_FOLD_PEOPLE, np.uint64)
    at = 0
    for c in range(inner.shape[0]):
        mask = (one << ring_bits[c]) - one
        shift = positions[c]
        n_bytes = (np.int64(ring_bits[c]) + 7) >> 3
        i00, i01, i10, i11 = inner[c, 0, 0], inner[c, 0, 1], inner[c, 1, 0], inner[c, 1, 1]
        i20, i21, i30, i31 = inner[c, 2, 0], inner[c, 2, 1], inner[c, 3, 0], inner[c, 3, 1]
        v0, v1, v2, v3 = values[c, 0], values[c, 1], values[c, 2], values[c, 3]
        h01, h11, h21, h31 = i01 ^ high[c], i11 ^ high[c], i21 ^ high[c], i31 ^ high[c]
        leaves = (i00, i01, i10, i11, i20, i21, i30, i31)
        bases = (
            i00,
            h01,
            i10 ^ (_U(1) << _U(LEAF_SHIFT)),
            h11,
            i20 ^ (_U(2) << _U(LEAF_SHIFT)),
            h21,
            i30 ^ (_U(3) << _U(LEAF_SHIFT)),
            h31,
        )
        total_0, total_1, total_2, total_3 = none, none, none, none
        for start in range(0, n_people, _FOLD_PEOPLE):
            low_0, up_0, low_1, up_1 = none, none, none, none
            low_2, up_2, low_3, up_3 = none, none, none, none
            n = min(_FOLD_PEOPLE, n_people - start)
            number = first_number + _U(start >> 1)
            expand_leaves(leaves, bases, number, schedule, streams, whole_vectors(n))
            for i in range(n):
                s0, s1, s2, s3 = streams[0, i], streams[1, i], streams[2, i], streams[3, i]
                x, weight = column[start + i], alpha[start + i]
                sent[i] = (x - s0 - s1 - s2 - s3) & mask
                kept = (none - v0 * s0 - v1 * s1 - v2 * s2 - v3 * s3) & mask
                r[start + i] += kept << shift
                m0, m1 = (kept + v0 * x) & mask, (kept + v1 * x) & mask
                m2, m3 = (kept + v2 * x) & mask, (kept + v3 * x) & mask
                low_0, up_0 = multiply_add_wide(low_0, up_0, m0, weight)
                low_1, up_1 = multiply_add_wide(low_1, up_1, m1, weight)
                low_2, up_2 = multiply_add_wide(low_2, up_2, m2, weight)
                low_3, up_3 = multiply_add_wide(low_3, up_3, m3, weight)
            at = put_column(payload, at, n_bytes, sent, n)
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
    one, top = _U(1), _U(LEAF_SHIFT)
    n_people = v.shape[0]
    streams, sent = np.empty((3, _FOLD_PEOPLE), np.uint64), np.empty(_FOLD_PEOPLE, np.uint64)
    at = 0
    for c in range(inner.shape[0]):
        mask = (one << ring_bits[c]) - one
        shift = positions[c]
        n_bytes = (np.int64(ring_bits[c]) + 7) >> 3
        i00, i01, i10, i11 = inner[c, 0, 0], inner[c, 0, 1], inner[c, 1, 0], inner[c, 1, 1]
        i20, i21 = inner[c, 2, 0], inner[c, 2, 1]
        opened = (i00, i01, i10, i11, i20, i21)
        bases = (
            i00 ^ (leaves[c, 0] << top),
            i01 ^ high[c],
            i10 ^ (leaves[c, 1] << top),
            i11 ^ high[c],
            i20 ^ (leaves[c, 2] << top),
            i21 ^ high[c],
        )
        f0, f1, f2, factor = factors[c, 0], factors[c, 1], factors[c, 2], own[c]
        for start in range(0, n_people, _FOLD_PEOPLE):
            n = min(_FOLD_PEOPLE, n_people - start)
            number = first_number + _U(start >> 1)
            expand_leaves(opened, bases, number, schedule, streams, whole_vectors(n))
            at = get_column(payload, at, n_bytes, sent, n)
            for i in range(n):
                added = f0 * streams[0, i] + f1 * streams[1, i] + f2 * streams[2, i]
                v[start + i] += ((added + factor * sent[i]) & mask) << shift


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
    n_bytes = table.payload_bytes(len(column))
    payload = np.empty(n_bytes + WORD_BYTES, np.uint8)
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
    return payload[:n_bytes], r, mu


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
