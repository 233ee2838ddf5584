"""Sums over people: bit times row by correlated OT, with one MAC column.

For every entry bit ``z = a xor b`` (a with the modeler, b with the regulator) and public-width row
``x`` held by the regulator, the correlation ``D = (1 - 2b) x`` turns a correlated OT with choice a
into shares of ``z x``; only the sums over people are kept. The modeler adds what it receives as
integers, not reduced: ``V``. The regulator keeps ``r`` with ``sum z x = V - r mod 2^l``.

The MAC column carries ``<alpha, m>`` of the very message m that was added, so that later
`bound_reentry` can tell whether the modeler enters the sums it received.
Source: the project's constructions page, sections "Sums over people" and "Bound re-entry";
correlated OT after Asharov et al. (2013); the MAC is the information-theoretic one of
Bendlin et al. (2011) over F_q, q = 2^61 - 1.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mpc_engine.crypto.tweaked_hash import HashDomain, TweakedHash
from mpc_engine.kernels.field61 import block_residues, inner_products, residue_sum
from mpc_engine.params import MAC_PRIME
from mpc_engine.roles import OTDirection
from mpc_engine.secure_ops.packing import pack_words, unpack_words
from mpc_engine.secure_ops.tags import OpTag
from mpc_engine.transport.channel import Channel

_BLOCK_RECORDS = 4096
_DIRECTION = OTDirection.REGULATOR_SENDS


@dataclass(frozen=True, repr=False)
class SenderSums:
    """What the regulator keeps: ``r`` uint64 (e, c), and beta, a residue mod q."""

    r: NDArray[np.uint64]
    beta: int


@dataclass(frozen=True, repr=False)
class ReceiverSums:
    """What the modeler keeps: ``v`` uint64 (e, c), integers below n 2^l, and t, a residue mod q."""

    v: NDArray[np.uint64]
    t: int


def row_width_bits(max_abs: int, n_records: int) -> int:
    """Return l, the ring width in which every signed sum of ``n_records`` values fits."""
    return max(max_abs, 1).bit_length() + max(n_records, 1).bit_length() + 1


def _pads(
    hash_: TweakedHash, keys: NDArray[np.uint64], first: int, entry: int, n_columns: int
) -> NDArray[np.uint64]:
    """Expand item keys uint64 (m, 2) of records ``first ..`` into pads uint64 (m, n_columns)."""
    m = len(keys)
    n_blocks = (n_columns + 1) // 2
    records = np.arange(first, first + m, dtype=np.uint64) | np.uint64(int(_DIRECTION) << 48)
    blocks = np.repeat(keys, n_blocks, axis=0)
    indices = np.tile(np.arange(n_blocks, dtype=np.uint64), m) | np.uint64(entry << 32)
    expanded = hash_(blocks, HashDomain.PAD, np.repeat(records, n_blocks), indices)
    return expanded.reshape(m, 2 * n_blocks)[:, :n_columns]


def _mac_pads(
    hash_: TweakedHash, keys: NDArray[np.uint64], first: int, entry: int
) -> NDArray[np.uint64]:
    m = len(keys)
    records = np.arange(first, first + m, dtype=np.uint64) | np.uint64(int(_DIRECTION) << 48)
    indices = np.full(m, entry << 32, dtype=np.uint64)
    return block_residues(hash_(np.ascontiguousarray(keys), HashDomain.MAC, records, indices))


def _blocks(n_records: int) -> Iterator[slice]:
    for start in range(0, n_records, _BLOCK_RECORDS):
        yield slice(start, min(start + _BLOCK_RECORDS, n_records))


def send_row_sums(
    channel: Channel,
    hash_: TweakedHash,
    item_keys: NDArray[np.uint64],
    entries: NDArray[np.uint64],
    own_bits: NDArray[np.uint8],
    rows: NDArray[np.int64],
    width_bits: int,
    alpha: NDArray[np.uint64],
) -> SenderSums:
    """Run the regulator's side for every entry, streamed in blocks of records.

    ``item_keys`` uint64 (n, e, 2, 2) under two locks; ``entries`` uint64 (e,), the configuration's
    numbers of these entries; ``own_bits`` uint8 (n, e); ``rows`` int64 (n, c), encoded features and
    a last column of ones; ``alpha`` uint64 (e, c), secret residues mod q drawn for this job.
    Sends ``n e (c ceil(l/8) + 8)`` bytes. The regulator learns nothing.
    """
    n_records, n_entries = own_bits.shape
    n_columns = rows.shape[1]
    mask = np.uint64((1 << width_bits) - 1)
    q = np.uint64(MAC_PRIME)
    words = rows.astype(np.uint64) & mask
    r = np.zeros((n_entries, n_columns), dtype=np.uint64)
    beta = 0
    for e in range(n_entries):
        entry = int(entries[e])
        for block in _blocks(n_records):
            keys = item_keys[block, e]
            bits = own_bits[block, e].astype(np.uint64)[:, None]
            zero = _pads(hash_, keys[:, 0], block.start, entry, n_columns) & mask
            pad_one = _pads(hash_, keys[:, 1], block.start, entry, n_columns)
            correlation = words[block] * (np.uint64(1) - np.uint64(2) * bits)
            one = (zero + correlation) & mask
            channel.send(OpTag.ROW_CORRECTIONS, pack_words((pad_one - one) & mask, width_bits))
            mac_zero = _mac_pads(hash_, keys[:, 0], block.start, entry)
            mac_one = _mac_pads(hash_, keys[:, 1], block.start, entry)
            mu_zero = inner_products(zero, alpha[e])
            mu_one = inner_products(one, alpha[e])
            correction = (mac_one + (q - mac_zero) + (q - mu_one) + mu_zero) % q
            channel.send_array(OpTag.MAC_CORRECTIONS, correction)
            beta += residue_sum(mac_zero) - residue_sum(mu_zero)
            r[e] += zero.sum(axis=0, dtype=np.uint64) - (words[block] * bits).sum(
                axis=0, dtype=np.uint64
            )
    return SenderSums(r & mask, beta % MAC_PRIME)


def recv_row_sums(
    channel: Channel,
    hash_: TweakedHash,
    item_keys: NDArray[np.uint64],
    entries: NDArray[np.uint64],
    own_bits: NDArray[np.uint8],
    n_columns: int,
    width_bits: int,
) -> ReceiverSums:
    """Run the modeler's side: ``item_keys`` uint64 (n, e, 2), ``own_bits`` uint8 (n, e).

    The modeler learns its integer sums V, which the regulator's pads keep uniform mod 2^l.
    """
    n_records, n_entries = own_bits.shape
    mask = np.uint64((1 << width_bits) - 1)
    n_bytes = (width_bits + 7) // 8
    v = np.zeros((n_entries, n_columns), dtype=np.uint64)
    t = 0
    for e in range(n_entries):
        entry = int(entries[e])
        for block in _blocks(n_records):
            m = block.stop - block.start
            payload = channel.recv(OpTag.ROW_CORRECTIONS, size=m * n_columns * n_bytes)
            corrections = unpack_words(payload, (m, n_columns), width_bits)
            mac_corrections = channel.recv_array(OpTag.MAC_CORRECTIONS, np.uint64, (m,))
            keys = item_keys[block, e]
            bits = own_bits[block, e].astype(np.uint64)
            pads = _pads(hash_, keys, block.start, entry, n_columns)
            messages = (pads - corrections * bits[:, None]) & mask
            v[e] += messages.sum(axis=0, dtype=np.uint64)
            macs = _mac_pads(hash_, keys, block.start, entry)
            t += residue_sum(macs) - residue_sum((mac_corrections % np.uint64(MAC_PRIME)) * bits)
    return ReceiverSums(v, t % MAC_PRIME)
