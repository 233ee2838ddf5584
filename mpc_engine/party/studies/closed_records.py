"""The closed cohort at rest: blocks of people's records, encrypted under the party's own key."""

from __future__ import annotations

import sqlite3

import numpy as np

from mpc_engine.errors import ResourceError
from mpc_engine.party.zone.storage_cipher import StorageCipher
from mpc_engine.sharing.records import HeldRecords

_PLACE = "closed-records"
BLOCK_RECORDS = 8192


def store_closed_records(
    connection: sqlite3.Connection, cipher: StorageCipher, study_id: bytes, records: HeldRecords
) -> None:
    """Store a cohort in place of any stored before."""
    connection.execute("DELETE FROM closed_records WHERE study_id = ?", (study_id,))
    for chunk, start in enumerate(range(0, len(records), BLOCK_RECORDS)):
        mask = np.zeros(len(records), dtype=np.bool_)
        mask[start : start + BLOCK_RECORDS] = True
        sealed = cipher.seal(_PLACE, _ids(study_id, chunk), records.select(mask).to_bytes())
        connection.execute(
            "INSERT INTO closed_records (study_id, chunk, sealed) VALUES (?, ?, ?)",
            (study_id, chunk, sealed),
        )


def read_closed_records(
    connection: sqlite3.Connection, cipher: StorageCipher, study_id: bytes, people: slice
) -> HeldRecords:
    """Return the cohort's records of these places, start and stop given.

    ResourceError (``STORE_INCOMPLETE``) if somebody is missing among them.
    """
    first, last = people.start // BLOCK_RECORDS, (people.stop - 1) // BLOCK_RECORDS
    rows = connection.execute(
        "SELECT chunk, sealed FROM closed_records"
        " WHERE study_id = ? AND chunk BETWEEN ? AND ? ORDER BY chunk",
        (study_id, first, last),
    )
    blocks = [
        HeldRecords.from_bytes(cipher.open(_PLACE, _ids(study_id, row["chunk"]), row["sealed"]))
        for row in rows
    ]
    offset = first * BLOCK_RECORDS
    sizes = [len(block) for block in blocks]
    is_whole = len(blocks) == last - first + 1 and set(sizes[:-1]) <= {BLOCK_RECORDS}
    if not is_whole or offset + sum(sizes) < people.stop:
        raise ResourceError("The stored cohort is not complete.", code="STORE_INCOMPLETE")
    asked = slice(people.start - offset, people.stop - offset)
    return HeldRecords.joined(blocks).read(asked)


def _ids(study_id: bytes, chunk: int) -> tuple[bytes, ...]:
    return study_id, chunk.to_bytes(4, "little")
