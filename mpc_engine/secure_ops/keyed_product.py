"""Products of rows with a vector that the other party holds as labels: ``sum_k v_k x_ik``.

The modeler's coefficients ``v_k`` are on wires; their labels choose, the regulator's features x are
sent. A coefficient is cut into chunks of two bits (the top chunk signed). For the chunk at bit
position p with value D the regulator derives four seeds from the labels of its two bits by a
tree of depth two, so that the modeler gets all seeds but ``s_D``. For person i, in ring 2^(l - p):

* the regulator sends ``x_i - sum_c s_c(i)`` and keeps ``- sum_c c s_c(i)``;
* the modeler adds ``m = sum_(c != D) (D - c) s_c(i) + D (what was sent)``, which is that plus
  ``D x_i``, reduced and shifted to ``m 2^p`` in ``[0, 2^l)``.

The modeler keeps ``V_i``, the sum of its messages as an integer, the regulator ``r_i``, with
``sum_k v_k x_ik = V_i - r_i mod 2^l``. A MAC column binds V for re-entry (`bound_reentry`): per
chunk and block of people ``<alpha, m>`` under a pad of its own for each value, which needs the
labels of both bits.

A malicious modeler may use other values than it received; the re-entry check finds that out. It
cannot use another D than its labels say, for its labels open the other seeds only.
Bytes per person and chunk: ``ceil((l - p) / 8)``; per chunk once 32, per block of people 24.
Source: the project's constructions page, section "X theta, exact"; small-field VOLE from
all-but-one seeds after Roy (CRYPTO 2022); trees after Goldreich, Goldwasser and Micali (1986).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import groupby

import numpy as np
from numpy.typing import NDArray

from mpc_engine.crypto.tweak_plan import (
    SEED_LEAF,
    SEED_LOCK,
    SEED_NODE,
    chunk_mac_instances,
    chunk_pad_word,
)
from mpc_engine.crypto.tweaked_hash import HashDomain, TweakedHash
from mpc_engine.errors import UsageError
from mpc_engine.kernels.field61 import block_residues, residue_sum
from mpc_engine.kernels.keyed_product import LEAVES, ChunkTable, recv_chunks, send_chunks
from mpc_engine.params import MAC_PRIME
from mpc_engine.secure_ops.tags import OpTag
from mpc_engine.transport.channel import Channel

_CHUNK_BITS = 2


@dataclass(frozen=True)
class Chunk:
    """Two bits of one coefficient: wires ``2 index`` and ``2 index + 1`` of the vector."""

    index: int
    coefficient: int
    position: int
    values: tuple[int, int, int, int]


def chunks_of(n_coefficients: int, coefficient_bits: int) -> list[Chunk]:
    """Cut coefficients of an even number of bits into chunks, low ones first."""
    if coefficient_bits % _CHUNK_BITS:
        raise UsageError("Coefficients are cut into chunks of two bits.", code="ODD_COEFFICIENT")
    per_coefficient = coefficient_bits // _CHUNK_BITS
    chunks: list[Chunk] = []
    for index in range(n_coefficients * per_coefficient):
        coefficient, number = divmod(index, per_coefficient)
        top = number == per_coefficient - 1
        values = (0, 1, -2, -1) if top else (0, 1, 2, 3)
        chunks.append(Chunk(index, coefficient, _CHUNK_BITS * number, values))
    return chunks


@dataclass(frozen=True, repr=False)
class SenderSeeds:
    """The regulator's: all leaves uint64 (chunks, 4, 2), and both labels' MAC pads per bit."""

    leaves: NDArray[np.uint64]
    low_pairs: NDArray[np.uint64]
    high_pairs: NDArray[np.uint64]


@dataclass(frozen=True, repr=False)
class ReceiverSeeds:
    """The modeler's: leaves uint64 (chunks, 4, 2) with zeros at D, D as uint8, its labels."""

    leaves: NDArray[np.uint64]
    chosen: NDArray[np.uint8]
    low: NDArray[np.uint64]
    high: NDArray[np.uint64]


def _seed_hash(hash_: TweakedHash, blocks: NDArray[np.uint64], index: int) -> NDArray[np.uint64]:
    instances = np.arange(len(blocks), dtype=np.uint64)
    return hash_(np.ascontiguousarray(blocks), HashDomain.CHUNK_SEED, instances, index)


def send_seeds(
    channel: Channel, hash_: TweakedHash, zero_labels: NDArray[np.uint64], delta: NDArray[np.uint64]
) -> SenderSeeds:
    """Derive every chunk's seeds from its bits' labels; ``zero_labels`` uint64 (2 chunks, 2)."""
    low, high = zero_labels[0::2], zero_labels[1::2]
    leaves = np.empty((len(low), LEAVES, 2), dtype=np.uint64)
    for top in (0, 1):
        node = _seed_hash(hash_, high ^ (delta if top == 0 else np.uint64(0)), SEED_NODE)
        for bottom in (0, 1):
            leaves[:, 2 * top + bottom] = _seed_hash(hash_, node, SEED_LEAF + bottom)
    sums = np.empty((len(low), 2, 2), dtype=np.uint64)
    for bottom in (0, 1):
        label = low ^ (delta if bottom == 0 else np.uint64(0))
        lock = _seed_hash(hash_, label, SEED_LOCK + bottom)
        sums[:, bottom] = leaves[:, bottom] ^ leaves[:, 2 + bottom] ^ lock
    channel.send_array(OpTag.CHUNK_SEEDS, sums)
    return SenderSeeds(
        leaves, np.stack([low, low ^ delta], axis=1), np.stack([high, high ^ delta], axis=1)
    )


def recv_seeds(
    channel: Channel, hash_: TweakedHash, labels: NDArray[np.uint64], bits: NDArray[np.uint8]
) -> ReceiverSeeds:
    """Open all seeds of every chunk but that of its value; ``labels`` of ``bits`` uint8."""
    low, high = np.ascontiguousarray(labels[0::2]), np.ascontiguousarray(labels[1::2])
    low_bits, high_bits = bits[0::2].astype(np.int64), bits[1::2].astype(np.int64)
    n = len(low)
    rows = np.arange(n)
    sums = channel.recv_array(OpTag.CHUNK_SEEDS, np.uint64, (n, 2, 2))
    node = _seed_hash(hash_, high, SEED_NODE)
    leaves = np.zeros((n, LEAVES, 2), dtype=np.uint64)
    for bottom in (0, 1):
        leaves[rows, 2 * (1 - high_bits) + bottom] = _seed_hash(hash_, node, SEED_LEAF + bottom)
    other = 1 - low_bits
    locks = np.stack([_seed_hash(hash_, low, SEED_LOCK + bit) for bit in (0, 1)], axis=1)
    sibling = leaves[rows, 2 * (1 - high_bits) + other]
    leaves[rows, 2 * high_bits + other] = sums[rows, other] ^ locks[rows, other] ^ sibling
    return ReceiverSeeds(leaves, (2 * high_bits + low_bits).astype(np.uint8), low, high)


def _mac_pads(
    hash_: TweakedHash,
    high: NDArray[np.uint64],
    low: NDArray[np.uint64],
    values: NDArray[np.uint64],
    block: int,
) -> NDArray[np.uint64]:
    """Return the pads uint64 (chunks,) of one value a chunk; each needs the labels of both bits.

    The value is in the tweak. Were it not, the four pads of a chunk would be sums of two blocks
    each, their XOR would be zero, and the modeler could compute alpha from the corrections.
    """
    instances = chunk_mac_instances(values)
    top = hash_(np.ascontiguousarray(high), HashDomain.CHUNK_MAC, instances | np.uint64(1), block)
    bottom = hash_(np.ascontiguousarray(low), HashDomain.CHUNK_MAC, instances, block)
    return block_residues(top ^ bottom)


def _as_words(values: Sequence[Sequence[int]]) -> NDArray[np.uint64]:
    return np.array([[v & 0xFFFFFFFFFFFFFFFF for v in row] for row in values], dtype=np.uint64)


@lru_cache(maxsize=16)
def _tables(chunks: tuple[Chunk, ...], width_bits: int) -> tuple[tuple[slice, ChunkTable], ...]:
    """Return, coefficient by coefficient, which chunks are its own and their public shape."""
    tables = []
    for _, group in groupby(chunks, key=lambda chunk: chunk.coefficient):
        own = list(group)
        table = ChunkTable(
            high=np.array([chunk_pad_word(chunk.index) for chunk in own], dtype=np.uint64),
            ring_bits=np.array([width_bits - chunk.position for chunk in own], dtype=np.uint64),
            positions=np.array([chunk.position for chunk in own], dtype=np.uint64),
            values=_as_words([chunk.values for chunk in own]),
        )
        tables.append((slice(own[0].index, own[-1].index + 1), table))
    return tuple(tables)


def send_keyed_products(
    channel: Channel,
    hash_: TweakedHash,
    seeds: SenderSeeds,
    chunks: Sequence[Chunk],
    rows: NDArray[np.int64],
    people: slice,
    width_bits: int,
    alpha: NDArray[np.uint64],
    block: int,
) -> tuple[NDArray[np.uint64], int]:
    """Send one block of people; return r uint64 (m,) and this block's part of beta.

    ``rows`` int64 (m, coefficients) of ``people`` (an even start); ``alpha`` uint64 (m,), fresh
    secret residues. One message a coefficient, so that both sides compute at once. The regulator
    learns nothing.
    """
    q = np.uint64(MAC_PRIME)
    columns = np.ascontiguousarray(rows.astype(np.uint64).T)
    r = np.zeros(len(rows), dtype=np.uint64)
    mu = np.empty((len(chunks), LEAVES), dtype=np.uint64)
    for column, (own, table) in zip(columns, _tables(tuple(chunks), width_bits), strict=True):
        payload, kept, mu[own] = send_chunks(
            seeds.leaves[own], table, column, people.start // 2, alpha, hash_.round_keys
        )
        channel.send_array(OpTag.CHUNK_CORRECTIONS, payload)
        r += kept
    pads = np.empty((len(chunks), LEAVES), dtype=np.uint64)
    for value in range(LEAVES):
        high, low = seeds.high_pairs[:, value >> 1], seeds.low_pairs[:, value & 1]
        values = np.full(len(chunks), value, dtype=np.uint64)
        pads[:, value] = _mac_pads(hash_, high, low, values, block)
    differences = (pads[:, 1:] + (q - pads[:, :1]) + (q - mu[:, 1:]) + mu[:, :1]) % q
    channel.send_array(OpTag.CHUNK_MACS, differences)
    return r & np.uint64((1 << width_bits) - 1), residue_sum(pads[:, 0]) - residue_sum(mu[:, 0])


def recv_keyed_products(
    channel: Channel,
    hash_: TweakedHash,
    seeds: ReceiverSeeds,
    chunks: Sequence[Chunk],
    people: slice,
    width_bits: int,
    block: int,
) -> tuple[NDArray[np.uint64], int]:
    """Receive one block of people; return V uint64 (m,), integers, and this block's part of t."""
    m = people.stop - people.start
    v = np.zeros(m, dtype=np.uint64)
    rows = np.arange(len(chunks))
    chosen = seeds.chosen.astype(np.int64)
    others = (chosen[:, None] + np.arange(1, LEAVES)) % LEAVES
    open_leaves = np.ascontiguousarray(seeds.leaves[rows[:, None], others])
    values = _as_words([chunk.values for chunk in chunks])
    factors = values[rows, chosen][:, None] - values[rows[:, None], others]
    for own, table in _tables(tuple(chunks), width_bits):
        n_bytes = table.payload_bytes(m)
        payload = channel.recv_array(OpTag.CHUNK_CORRECTIONS, np.uint8, (n_bytes,))
        v += recv_chunks(
            open_leaves[own],
            others[own].astype(np.uint64),
            factors[own],
            values[rows, chosen][own],
            table,
            payload,
            m,
            people.start // 2,
            hash_.round_keys,
        )
    macs = channel.recv_array(OpTag.CHUNK_MACS, np.uint64, (len(chunks), LEAVES - 1))
    pads = _mac_pads(hash_, seeds.high, seeds.low, seeds.chosen.astype(np.uint64), block)
    padded = np.concatenate([np.zeros((len(chunks), 1), dtype=np.uint64), macs], axis=1)
    taken = padded[rows, chosen] % np.uint64(MAC_PRIME)
    return v, residue_sum(pads) - residue_sum(taken)
