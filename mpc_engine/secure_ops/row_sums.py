"""Sums over people: bit times row by correlated OT, with one MAC column.

For every entry bit ``z = a xor b`` (a with the receiver, b with the sender) and public-width row
``x`` held by the sender, the correlation ``D = (1 - 2b) x`` turns a correlated OT with choice a
into shares of ``z x``; only the sums over people are kept. The receiver adds what it receives as
integers, not reduced: ``V``. The sender keeps ``r`` with ``sum z x = V - r mod 2^l``. ``apart``
keeps shares of every ``z x`` instead, for sums over parts of the people that are taken later.

The MAC column carries ``<alpha, m>`` of the very message m that was added, so that later
`bound_reentry` can tell whether the receiver enters the sums it received. In certification the
regulator sends, in training the modeler.
Source: the project's constructions page, sections "Sums over people" and "Bound re-entry";
correlated OT after Asharov et al. (2013); the MAC is the information-theoretic one of
Bendlin et al. (2011) over F_q, q = 2^61 - 1.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mpc_engine.crypto.tweak_plan import row_tweaks
from mpc_engine.crypto.tweaked_hash import TweakedHash
from mpc_engine.kernels.row_sums import recv_rows, send_rows
from mpc_engine.params import MAC_PRIME
from mpc_engine.roles import OTDirection
from mpc_engine.secure_ops.tags import OpTag
from mpc_engine.transport.channel import Channel
from mpc_engine.transport.frame import HEADER_BYTES

_BLOCK_RECORDS = 4096
_MAC_BYTES = 8


@dataclass(frozen=True, repr=False)
class SenderSums:
    """What the sender keeps: ``r`` uint64 (e, c), or (e, n, c) apart, and beta, a residue mod q."""

    r: NDArray[np.uint64]
    beta: int


@dataclass(frozen=True, repr=False)
class ReceiverSums:
    """What the receiver keeps: ``v`` uint64 (e, c), below n 2^l, and t, a residue mod q.

    Apart, v is (e, n, c), below 2^l.
    """

    v: NDArray[np.uint64]
    t: int


def row_width_bits(max_abs: int, n_records: int) -> int:
    """Return l, the ring width in which every signed sum of ``n_records`` values fits."""
    return max(max_abs, 1).bit_length() + max(n_records, 1).bit_length() + 1


def _blocks(n_records: int) -> Iterator[slice]:
    for start in range(0, n_records, _BLOCK_RECORDS):
        yield slice(start, min(start + _BLOCK_RECORDS, n_records))


def sums_bytes(n_records: int, n_entries: int, n_columns: int, width_bits: int) -> int:
    """Return the bytes that the sender sends, frame headers included."""
    each = n_columns * ((width_bits + 7) // 8) + _MAC_BYTES
    n_frames = 2 * sum(1 for _ in _blocks(n_records))
    return n_entries * (n_records * each + n_frames * HEADER_BYTES)


def _nothing(n_entries: int, n_records: int, n_columns: int, apart: bool) -> NDArray[np.uint64]:
    return np.zeros((n_entries, n_records if apart else 1, n_columns), dtype=np.uint64)


def send_row_sums(
    channel: Channel,
    hash_: TweakedHash,
    direction: OTDirection,
    item_keys: NDArray[np.uint64],
    entries: NDArray[np.uint64],
    own_bits: NDArray[np.uint8],
    rows: NDArray[np.int64],
    width_bits: int,
    alpha: NDArray[np.uint64],
    first_record: int = 0,
    apart: bool = False,
) -> SenderSums:
    """Run the sender's side for every entry, streamed in blocks of records.

    ``item_keys`` uint64 (n, e, 2, 2) under two locks; ``entries`` uint64 (e,), the configuration's
    numbers of these entries; ``own_bits`` uint8 (n, e); ``rows`` int64 (n, c), encoded features and
    a last column of ones; ``alpha`` uint64 (e, c), secret residues mod q drawn for this job;
    ``first_record`` is the place of the first record in the cohort: calls for parts of a cohort
    share no tweak, and what they return adds up.
    Sends ``n e (c ceil(l/8) + 8)`` bytes. The sender learns nothing.
    """
    n_records, n_entries = own_bits.shape
    n_columns = rows.shape[1]
    mask = np.uint64((1 << width_bits) - 1)
    words = rows.astype(np.uint64) & mask
    r = _nothing(n_entries, n_records, n_columns, apart)
    beta = 0
    for e in range(n_entries):
        for block in _blocks(n_records):
            payload, macs, kept, kept_macs = send_rows(
                item_keys[block, e],
                own_bits[block, e],
                words[block],
                width_bits,
                alpha[e],
                row_tweaks(direction, first_record + block.start, int(entries[e])),
                hash_.round_keys,
                apart=apart,
            )
            channel.send_array(OpTag.ROW_CORRECTIONS, payload)
            channel.send_array(OpTag.MAC_CORRECTIONS, macs)
            r[e, block if apart else 0] += kept
            beta += kept_macs
    return SenderSums((r if apart else r[:, 0]) & mask, beta % MAC_PRIME)


def recv_row_sums(
    channel: Channel,
    hash_: TweakedHash,
    direction: OTDirection,
    item_keys: NDArray[np.uint64],
    entries: NDArray[np.uint64],
    own_bits: NDArray[np.uint8],
    n_columns: int,
    width_bits: int,
    first_record: int = 0,
    apart: bool = False,
) -> ReceiverSums:
    """Run the receiver's side: ``item_keys`` uint64 (n, e, 2), ``own_bits`` uint8 (n, e).

    It learns its integer sums V, which the sender's pads keep uniform mod 2^l.
    """
    n_records, n_entries = own_bits.shape
    n_bytes = (width_bits + 7) // 8
    v = _nothing(n_entries, n_records, n_columns, apart)
    t = 0
    for e in range(n_entries):
        for block in _blocks(n_records):
            m = block.stop - block.start
            size = m * n_columns * n_bytes
            payload = channel.recv_array(OpTag.ROW_CORRECTIONS, np.uint8, (size,))
            macs = channel.recv_array(OpTag.MAC_CORRECTIONS, np.uint64, (m,))
            added, added_macs = recv_rows(
                item_keys[block, e],
                own_bits[block, e],
                n_columns,
                width_bits,
                row_tweaks(direction, first_record + block.start, int(entries[e])),
                payload,
                macs,
                hash_.round_keys,
                apart=apart,
            )
            v[e, block if apart else 0] += added
            t += added_macs
    return ReceiverSums(v if apart else v[:, 0], t % MAC_PRIME)
