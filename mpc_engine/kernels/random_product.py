"""The inner loops of products of random values: seeds, streams, corrections, shares in one pass.

A stream is ``H(leaf, i)``, two columns a block. All blocks of a leaf hash the same leaf, so
``pi(leaf)`` is computed once and a block costs one AES. What the chooser holds is selected by
arithmetic: neither memory nor branches follow a secret. See `mpc_engine.secure_ops.random_product`
for the protocol and the layout of tweaks; the twin is in `mpc_engine.testing.twins`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mpc_engine.kernels.aes import AES_PATH, AesPath, encrypt_four, hash_two, key_schedule
from mpc_engine.kernels.byte_columns import WORD_BYTES, get_column, put_column
from mpc_engine.kernels.jit import compiled, read_only
from mpc_engine.kernels.leaf_streams import encrypt_three, expand_leaves, whole_vectors

Words = NDArray[np.uint64]

CHUNK_BITS = 2
PRODUCT_LEAF_SHIFT = 60
PAD_INDEX = 4
"""Third word of the seeds' tweaks: 0 to 3 for leaf x, and from here on for the pads of the sums."""

_U = np.uint64
_ALL_ONES = _U(0xFFFFFFFFFFFFFFFF)


@dataclass(frozen=True)
class Elements:
    """Public shape and tweaks of a block of n elements, which may start inside a step.

    ``first`` is the number of its first element in the batch, where each step has ``per_step``.
    Chunk j of element e has ``number = e chunks + j``; the second word of its tweaks is
    ``seed_high + number`` for seeds and ``pad_high + number`` for streams.
    """

    first: int
    n: int
    per_step: int
    width: int
    seed_high: int
    pad_high: int

    @property
    def chunks(self) -> int:
        """Return the chunks of a value."""
        return chunk_count(self.width)

    def payload_bytes(self, n_columns: int) -> int:
        """Return the bytes of all corrections."""
        return self.n * n_columns * column_bytes(self.width)


def chunk_count(width: int) -> int:
    """Return the chunks of a value of ``width`` bits."""
    return (width + CHUNK_BITS - 1) // CHUNK_BITS


def column_bytes(width: int) -> int:
    """Return the bytes of one value's corrections for one column: whole bytes a chunk."""
    return sum((width - position + 7) // 8 for position in range(0, width, CHUNK_BITS))


@compiled
def _send_into(
    keys: Words,
    rows: Words,
    first: int,
    per_step: int,
    width: int,
    seed_high: np.uint64,
    pad_high: np.uint64,
    schedule: Any,
    sums: Words,
    payload: NDArray[np.uint8],
    kept: Words,
) -> None:
    none, one, two, three = _U(0), _U(1), _U(2), _U(3)
    leaf_1, leaf_2, leaf_3 = _U(1) << _U(60), _U(2) << _U(60), _U(3) << _U(60)
    n_columns = rows.shape[1]
    n_chunks = (width + 1) >> 1
    inner = np.empty((n_chunks, 8), np.uint64)
    streams = np.empty((4, whole_vectors(n_columns)), np.uint64)
    row, sent, own = np.zeros_like(streams[0]), np.empty_like(streams[0]), np.empty_like(streams[0])
    at = 0
    for e in range(rows.shape[0]):
        step = (first + e) // per_step
        row[:n_columns] = rows[e]
        own[:] = _U(0)
        for j in range(n_chunks):
            chunk = e * n_chunks + j
            number = _U((first + e) * n_chunks + j)
            a00, a01 = keys[chunk, 0, 0, 0], keys[chunk, 0, 0, 1]
            a10, a11 = keys[chunk, 0, 1, 0], keys[chunk, 0, 1, 1]
            k00, k01 = keys[chunk, 1, 0, 0], keys[chunk, 1, 0, 1]
            k10, k11 = keys[chunk, 1, 1, 0], keys[chunk, 1, 1, 1]
            a = encrypt_four((a00, a01, a10, a11, none, none, none, none), schedule)
            h = seed_high + number
            g = encrypt_four(
                (
                    a[0],
                    a[1] ^ h,
                    a[0] ^ one,
                    a[1] ^ h,
                    a[2] ^ two,
                    a[3] ^ h,
                    a[2] ^ three,
                    a[3] ^ h,
                ),
                schedule,
            )
            l0, l1, l2, l3 = g[0] ^ a[0], g[1] ^ a[1], g[2] ^ a[0], g[3] ^ a[1]
            l4, l5, l6, l7 = g[4] ^ a[2], g[5] ^ a[3], g[6] ^ a[2], g[7] ^ a[3]
            pads = hash_two(
                (k00, k01, k10, k11), (_U(PAD_INDEX), h, _U(PAD_INDEX + 1), h), schedule
            )
            sums[chunk, 0, 0], sums[chunk, 0, 1] = l0 ^ l4 ^ pads[0], l1 ^ l5 ^ pads[1]
            sums[chunk, 1, 0], sums[chunk, 1, 1] = l2 ^ l6 ^ pads[2], l3 ^ l7 ^ pads[3]
            i = encrypt_four((l0, l1, l2, l3, l4, l5, l6, l7), schedule)
            for word in range(8):
                inner[j, word] = i[word]
        for j in range(n_chunks):
            ring_bits = width - 2 * j
            mask = _ALL_ONES >> _U(64 - ring_bits)
            n_bytes = (ring_bits + 7) >> 3
            shift = _U(2 * j)
            i = (
                inner[j, 0],
                inner[j, 1],
                inner[j, 2],
                inner[j, 3],
                inner[j, 4],
                inner[j, 5],
                inner[j, 6],
                inner[j, 7],
            )
            high = pad_high + _U((first + e) * n_chunks + j)
            bases = (
                i[0],
                i[1] ^ high,
                i[2] ^ leaf_1,
                i[3] ^ high,
                i[4] ^ leaf_2,
                i[5] ^ high,
                i[6] ^ leaf_3,
                i[7] ^ high,
            )
            expand_leaves(i, bases, none, schedule, streams, streams.shape[1])
            s0, s1, s2, s3 = streams[0], streams[1], streams[2], streams[3]
            for column in range(s0.shape[0]):
                total = s0[column] + s1[column] + s2[column] + s3[column]
                sent[column] = (row[column] - total) & mask
                own[column] += (s1[column] + two * s2[column] + three * s3[column]) << shift
            at = put_column(payload, at, n_bytes, sent, n_columns)
        for column in range(n_columns):
            kept[step, column] += own[column]


@compiled
def _recv_into(
    keys: Words,
    values: Words,
    first: int,
    per_step: int,
    width: int,
    seed_high: np.uint64,
    pad_high: np.uint64,
    schedule: Any,
    sums: Words,
    payload: NDArray[np.uint8],
    received: Words,
) -> None:
    none, one, two, three = _U(0), _U(1), _U(2), _U(3)
    n_columns = received.shape[1]
    n_chunks = (width + 1) >> 1
    streams = np.empty((3, whole_vectors(n_columns)), np.uint64)
    sent, own = np.zeros_like(streams[0]), np.empty_like(streams[0])
    at = 0
    for e in range(values.shape[0]):
        step = (first + e) // per_step
        own[:] = _U(0)
        for j in range(n_chunks):
            chunk = e * n_chunks + j
            number = _U((first + e) * n_chunks + j)
            n_bytes = (width - 2 * j + 7) >> 3
            shift = _U(2 * j)
            delta = (values[e] >> shift) & three
            d0, top = delta & one, delta & two
            known, bottom = top ^ two, d0 ^ one
            a0, a1 = keys[chunk, 0, 0], keys[chunk, 0, 1]
            k0, k1 = keys[chunk, 1, 0], keys[chunk, 1, 1]
            a = encrypt_four((a0, a1, k0, k1, none, none, none, none), schedule)
            h = seed_high + number
            x1, opened = known | one, _U(PAD_INDEX) + bottom
            g = encrypt_three(
                (a[0] ^ known, a[1] ^ h, a[0] ^ x1, a[1] ^ h, a[2] ^ opened, a[3] ^ h),
                schedule,
            )
            l0, l1, l2, l3 = g[0] ^ a[0], g[1] ^ a[1], g[2] ^ a[0], g[3] ^ a[1]
            odd = none - bottom
            even = ~odd
            l4 = g[4] ^ a[2] ^ ((sums[chunk, 0, 0] ^ l0) & even) ^ ((sums[chunk, 1, 0] ^ l2) & odd)
            l5 = g[5] ^ a[3] ^ ((sums[chunk, 0, 1] ^ l1) & even) ^ ((sums[chunk, 1, 1] ^ l3) & odd)
            x2 = top | bottom
            i = encrypt_three((l0, l1, l2, l3, l4, l5), schedule)
            high = pad_high + number
            leaf = _U(PRODUCT_LEAF_SHIFT)
            bases = (
                i[0] ^ (known << leaf),
                i[1] ^ high,
                i[2] ^ (x1 << leaf),
                i[3] ^ high,
                i[4] ^ (x2 << leaf),
                i[5] ^ high,
            )
            expand_leaves(i, bases, none, schedule, streams, streams.shape[1])
            at = get_column(payload, at, n_bytes, sent, n_columns)
            f0, f1, f2 = delta - known, delta - x1, delta - x2
            s0, s1, s2 = streams[0], streams[1], streams[2]
            for column in range(s0.shape[0]):
                added = f0 * s0[column] + f1 * s1[column] + f2 * s2[column]
                own[column] += (added + delta * sent[column]) << shift
        for column in range(n_columns):
            received[step, column] += own[column]


def send_elements(
    keys: Words,
    rows: Words,
    elements: Elements,
    kept: Words,
    round_keys: Words,
    path: AesPath = AES_PATH,
) -> tuple[Words, NDArray[np.uint8]]:
    """Return the sums of seeds and the corrections of a block; add its shares to ``kept``.

    ``keys`` uint64 (n chunks, 2, 2, 2): both keys of a chunk's two transfers; ``rows`` uint64
    (n, c); ``kept`` uint64 (steps, c), unreduced. Returns uint64 (n chunks, 2, 2) and the payload
    uint8, by element, chunk and column.
    """
    sums = np.empty((len(keys), 2, 2), np.uint64)
    n_bytes = elements.payload_bytes(rows.shape[1])
    payload = np.empty(n_bytes + WORD_BYTES, np.uint8)
    _send_into(
        read_only(keys),
        read_only(rows),
        elements.first,
        elements.per_step,
        elements.width,
        _U(elements.seed_high),
        _U(elements.pad_high),
        key_schedule(round_keys, path),
        sums,
        payload,
        kept,
    )
    return sums, payload[:n_bytes]


def recv_elements(
    keys: Words,
    values: Words,
    elements: Elements,
    sums: Words,
    payload: NDArray[np.uint8],
    received: Words,
    round_keys: Words,
    path: AesPath = AES_PATH,
) -> None:
    """Add the shares of a block to ``received`` uint64 (steps, c), unreduced.

    ``keys`` uint64 (n chunks, 2, 2): the chosen key of a chunk's two transfers; ``values`` uint64
    (n,), below ``2^width``; ``sums`` and ``payload`` as `send_elements` makes them, of exactly
    those sizes.
    """
    _recv_into(
        read_only(keys),
        read_only(values),
        elements.first,
        elements.per_step,
        elements.width,
        _U(elements.seed_high),
        _U(elements.pad_high),
        key_schedule(round_keys, path),
        read_only(sums),
        read_only(payload),
        received,
    )
