"""People in blocks: what a party holds of anybody during a certification lives for one block.

A block is read from the party's records, its transfers are extended and checked, its item keys are
made under two locks and used; then all of it is dropped. A block is cut further into parts, whose
scores and tables live for a part.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from mpc_engine.protocols.certification.spec import CertificationSpec
from mpc_engine.protocols.instances import blocks_of, people_blocks
from mpc_engine.protocols.session import EvaluatorSession, GarblerSession
from mpc_engine.sharing.records import HeldRecords

PART_RECORDS = 2048
"""People a part; even, since the scores' streams hold two people a cipher block."""


def range_blocks(spec: CertificationSpec, people: slice) -> list[slice]:
    """Return the places of each block of a range's people: whole parts, but for the last's."""
    blocks = people_blocks(people.stop - people.start, len(spec.real_entries), PART_RECORDS)
    return [slice(people.start + block.start, people.start + block.stop) for block in blocks]


def worker_ranges(spec: CertificationSpec, n_records: int, most: int) -> list[slice]:
    """Return the places of the people of each worker: at most ``most`` ranges, as even as can be.

    Ranges are whole parts, and no more than the cohort has blocks: public, so both parties cut
    alike.
    """
    n_workers = min(most, len(range_blocks(spec, slice(0, n_records))))
    n_parts = -(-n_records // PART_RECORDS)
    edges = [n_parts * number // n_workers * PART_RECORDS for number in range(n_workers)]
    return [slice(*pair) for pair in pairwise([*edges, n_records])]


@dataclass(frozen=True, repr=False)
class Block:
    """Some people of a cohort, at the places ``people``, and one party's keys of their items.

    ``own_bits`` uint8 (m, J) of the real categories ``entries`` uint64 (J,); ``item_keys`` uint64
    (m, J, 2, 2) at the regulator, (m, J, 2) of its own bits at the modeler.
    """

    people: slice
    records: HeldRecords
    entries: NDArray[np.uint64]
    own_bits: NDArray[np.uint8]
    item_keys: NDArray[np.uint64]

    def __len__(self) -> int:
        return self.people.stop - self.people.start

    def parts(self) -> Iterator[Block]:
        """Yield the block's people again, `PART_RECORDS` at a time."""
        for part in blocks_of(len(self), PART_RECORDS):
            places = slice(self.people.start + part.start, self.people.start + part.stop)
            yield Block(
                places,
                self.records.read(part),
                self.entries,
                self.own_bits[part],
                self.item_keys[part],
            )


def regulator_block(
    session: GarblerSession,
    records: HeldRecords,
    people: slice,
    entries: NDArray[np.uint64],
    ot_keys: NDArray[np.uint64],
) -> Block:
    """Return a block of ``records`` under two locks; ``ot_keys`` uint64 (m J, 2, 2)."""
    columns = entries.astype(np.int64)
    item_keys = session.sender_keys(
        ot_keys.reshape(len(records), -1, 2, 2),
        np.ascontiguousarray(records.sender_keys[:, columns]),
        entries,
        people.start,
    )
    own_bits = np.ascontiguousarray(records.low_bits[:, columns])
    return Block(people, records, entries, own_bits, item_keys)


def own_choices(records: HeldRecords, entries: NDArray[np.uint64]) -> NDArray[np.uint8]:
    """Return the modeler's choices uint8 (m J,): its bits of the real categories."""
    return np.ascontiguousarray(records.low_bits[:, entries.astype(np.int64)]).reshape(-1)


def modeler_block(
    session: EvaluatorSession,
    records: HeldRecords,
    people: slice,
    entries: NDArray[np.uint64],
    ot_keys: NDArray[np.uint64],
) -> Block:
    """Return a block of ``records`` under two locks; ``ot_keys`` uint64 (m J, 2)."""
    n_records = len(records)
    item_keys = session.chooser_keys(
        ot_keys.reshape(n_records, -1, 2),
        np.ascontiguousarray(records.chosen_keys[:, entries.astype(np.int64)]),
        entries,
        people.start,
    )
    own_bits = own_choices(records, entries).reshape(n_records, -1)
    return Block(people, records, entries, own_bits, item_keys)
