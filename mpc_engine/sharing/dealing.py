"""Deal people's answers into both parties' records in one place, for experiments and tests.

In a study each person's browser deals its own answers, so that no machine holds them all. Here one
process has the answers anyway: whoever calls this knows everything that the shares hide.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mpc_engine.crypto.rng import Randomness
from mpc_engine.sharing.records import HeldRecords


def one_hot(choices: NDArray[np.int64], entry_counts: tuple[int, ...]) -> NDArray[np.uint8]:
    """Return answers uint8 (n, entries) for the chosen entry of each attribute, int (n, attrs)."""
    blocks = [
        np.eye(count, dtype=np.uint8)[choices[:, index]] for index, count in enumerate(entry_counts)
    ]
    return np.concatenate(blocks, axis=1)


def deal_records(
    answers: NDArray[np.uint8],
    features: NDArray[np.int64] | None,
    rng: Randomness,
    labels: NDArray[np.uint8] | None = None,
) -> tuple[HeldRecords, HeldRecords]:
    """Split answers uint8 (n, entries) into (modeler's, regulator's) records.

    Keys are dealt per entry in both directions; features and labels go to the regulator.
    """
    n_records, n_entries = answers.shape
    record_ids = tuple(index.to_bytes(16, "big") for index in range(n_records))
    b = rng.bits(n_records * n_entries).reshape(n_records, n_entries)
    a = answers ^ b
    keys = rng.words(n_records, n_entries, 2, 2)
    reverse_keys = rng.words(n_records, n_entries, 2, 2)
    rows, columns = np.indices((n_records, n_entries))
    modeler = HeldRecords(
        record_ids=record_ids,
        low_bits=a,
        sender_keys=reverse_keys,
        chosen_keys=np.ascontiguousarray(keys[rows, columns, a]),
        features=None,
        labels=None,
    )
    regulator = HeldRecords(
        record_ids=record_ids,
        low_bits=b,
        sender_keys=keys,
        chosen_keys=np.ascontiguousarray(reverse_keys[rows, columns, b]),
        features=features,
        labels=labels,
    )
    return modeler, regulator
