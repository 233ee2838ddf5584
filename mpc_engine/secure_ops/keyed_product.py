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

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mpc_engine.crypto.tweaked_hash import HashDomain, TweakedHash
from mpc_engine.errors import UsageError
from mpc_engine.kernels.field61 import block_residues, inner_products, residue_sum
from mpc_engine.params import MAC_PRIME
from mpc_engine.secure_ops.packing import pack_words, packed_bytes, unpack_words
from mpc_engine.secure_ops.tags import OpTag
from mpc_engine.transport.channel import Channel

_CHUNK_BITS = 2
_LEAVES = 4
_LEAF_SHIFT = 60


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
    leaves = np.empty((len(low), _LEAVES, 2), dtype=np.uint64)
    for top in (0, 1):
        node = _seed_hash(hash_, high ^ (delta if top == 0 else np.uint64(0)), 0)
        for bottom in (0, 1):
            leaves[:, 2 * top + bottom] = _seed_hash(hash_, node, 1 + bottom)
    sums = np.empty((len(low), 2, 2), dtype=np.uint64)
    for bottom in (0, 1):
        lock = _seed_hash(hash_, low ^ (delta if bottom == 0 else np.uint64(0)), 3 + bottom)
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
    node = _seed_hash(hash_, high, 0)
    leaves = np.zeros((n, _LEAVES, 2), dtype=np.uint64)
    for bottom in (0, 1):
        leaves[rows, 2 * (1 - high_bits) + bottom] = _seed_hash(hash_, node, 1 + bottom)
    other = 1 - low_bits
    locks = np.stack([_seed_hash(hash_, low, 3), _seed_hash(hash_, low, 4)], axis=1)
    sibling = leaves[rows, 2 * (1 - high_bits) + other]
    leaves[rows, 2 * high_bits + other] = sums[rows, other] ^ locks[rows, other] ^ sibling
    return ReceiverSeeds(leaves, (2 * high_bits + low_bits).astype(np.uint8), low, high)


def _expand(
    hash_: TweakedHash, leaves: NDArray[np.uint64], chunk: Chunk, people: slice
) -> NDArray[np.uint64]:
    """Return the leaves' streams for ``people`` (an even start): uint64 (4, m)."""
    m = people.stop - people.start
    n_blocks = (m + 1) // 2
    numbers = np.arange(people.start // 2, people.start // 2 + n_blocks, dtype=np.uint64)
    indices = np.concatenate([numbers | np.uint64(leaf << _LEAF_SHIFT) for leaf in range(_LEAVES)])
    blocks = np.repeat(leaves[chunk.index], n_blocks, axis=0)
    stream = hash_(blocks, HashDomain.CHUNK_PAD, chunk.index, indices)
    return stream.reshape(_LEAVES, 2 * n_blocks)[:, :m]


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
    numbers = np.arange(len(low), dtype=np.uint64)
    instances = (numbers * np.uint64(_LEAVES) + values) << np.uint64(1)
    top = hash_(np.ascontiguousarray(high), HashDomain.CHUNK_MAC, instances | np.uint64(1), block)
    bottom = hash_(np.ascontiguousarray(low), HashDomain.CHUNK_MAC, instances, block)
    return block_residues(top ^ bottom)


def _as_words(values: Sequence[int]) -> NDArray[np.uint64]:
    return np.array([value & 0xFFFFFFFFFFFFFFFF for value in values], dtype=np.uint64)


def _corrections(
    chunks: Sequence[Chunk], width_bits: int
) -> Iterator[tuple[Chunk, int, np.uint64, np.uint64]]:
    for chunk in chunks:
        ring_bits = width_bits - chunk.position
        yield chunk, ring_bits, np.uint64((1 << ring_bits) - 1), np.uint64(chunk.position)


def send_products(
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

    ``rows`` int64 (m, coefficients) of ``people``; ``alpha`` uint64 (m,), fresh secret residues.
    The regulator learns nothing.
    """
    q = np.uint64(MAC_PRIME)
    words = rows.astype(np.uint64)
    r = np.zeros(len(rows), dtype=np.uint64)
    mu = np.empty((len(chunks), _LEAVES), dtype=np.uint64)
    for chunk, ring_bits, mask, shift in _corrections(chunks, width_bits):
        streams = _expand(hash_, seeds.leaves, chunk, people) & mask
        values = _as_words(chunk.values)
        sent = (words[:, chunk.coefficient] - streams.sum(axis=0, dtype=np.uint64)) & mask
        channel.send(OpTag.CHUNK_CORRECTIONS, pack_words(sent, ring_bits))
        kept = (np.uint64(0) - (values[:, None] * streams).sum(axis=0, dtype=np.uint64)) & mask
        r += kept << shift
        messages = ((kept + values[:, None] * words[:, chunk.coefficient]) & mask) << shift
        mu[chunk.index] = inner_products(messages, alpha)
    pads = np.empty((len(chunks), _LEAVES), dtype=np.uint64)
    for value in range(_LEAVES):
        high, low = seeds.high_pairs[:, value >> 1], seeds.low_pairs[:, value & 1]
        values = np.full(len(chunks), value, dtype=np.uint64)
        pads[:, value] = _mac_pads(hash_, high, low, values, block)
    differences = (pads[:, 1:] + (q - pads[:, :1]) + (q - mu[:, 1:]) + mu[:, :1]) % q
    channel.send_array(OpTag.CHUNK_MACS, differences)
    return r & np.uint64((1 << width_bits) - 1), residue_sum(pads[:, 0]) - residue_sum(mu[:, 0])


def recv_products(
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
    for chunk, ring_bits, mask, shift in _corrections(chunks, width_bits):
        payload = channel.recv(OpTag.CHUNK_CORRECTIONS, size=packed_bytes(m, ring_bits))
        sent = unpack_words(payload, (m,), ring_bits)
        own = chunk.values[seeds.chosen[chunk.index]]
        factors = _as_words([own - value for value in chunk.values])
        streams = _expand(hash_, seeds.leaves, chunk, people)
        added = (factors[:, None] * streams).sum(axis=0, dtype=np.uint64) + _as_words([own]) * sent
        v += (added & mask) << shift
    macs = channel.recv_array(OpTag.CHUNK_MACS, np.uint64, (len(chunks), _LEAVES - 1))
    pads = _mac_pads(hash_, seeds.high, seeds.low, seeds.chosen.astype(np.uint64), block)
    padded = np.concatenate([np.zeros((len(chunks), 1), dtype=np.uint64), macs], axis=1)
    taken = padded[np.arange(len(chunks)), seeds.chosen] % np.uint64(MAC_PRIME)
    return v, residue_sum(pads) - residue_sum(taken)
