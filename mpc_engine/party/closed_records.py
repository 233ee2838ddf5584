"""The closed cohort at rest: blocks of people's records, encrypted under the party's own key."""

from __future__ import annotations

import sqlite3

import numpy as np

from mpc_engine.errors import ResourceError
from mpc_engine.party.storage_cipher import StorageCipher
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


def load_closed_records(
    connection: sqlite3.Connection, cipher: StorageCipher, study_id: bytes, n_records: int
) -> HeldRecords:
    """Return the cohort; ResourceError (``STORE_INCOMPLETE``) if people are missing from it."""
    rows = connection.execute(
        "SELECT chunk, sealed FROM closed_records WHERE study_id = ? ORDER BY chunk", (study_id,)
    )
    blocks = [
        HeldRecords.from_bytes(cipher.open(_PLACE, _ids(study_id, row["chunk"]), row["sealed"]))
        for row in rows
    ]
    if sum(map(len, blocks)) != n_records or not blocks:
        raise ResourceError("The stored cohort is not complete.", code="STORE_INCOMPLETE")
    features = [block.features for block in blocks if block.features is not None]
    labels = [block.labels for block in blocks if block.labels is not None]
    return HeldRecords(
        record_ids=tuple(record_id for block in blocks for record_id in block.record_ids),
        low_bits=np.concatenate([block.low_bits for block in blocks]),
        sender_keys=np.concatenate([block.sender_keys for block in blocks]),
        chosen_keys=np.concatenate([block.chosen_keys for block in blocks]),
        features=np.concatenate(features) if features else None,
        labels=np.concatenate(labels) if labels else None,
    )


def _ids(study_id: bytes, chunk: int) -> tuple[bytes, ...]:
    return study_id, chunk.to_bytes(4, "little")
