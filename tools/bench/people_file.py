"""A synthetic cohort in files, dealt and read block by block, so that no process holds it whole."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from mpc_engine.crypto.rng import system_randomness
from mpc_engine.party.studies.closed_records import BLOCK_RECORDS
from mpc_engine.protocols.certification.spec import CertificationSpec
from mpc_engine.protocols.instances import blocks_of
from mpc_engine.roles import Role
from mpc_engine.sharing.records import HeldRecords
from mpc_engine.testing.people import deal_records, one_hot


class RecordsFile:
    """One party's records in a file, in chunks as the closed cohort's: a `RecordSource`.

    Chunks are read by ``pread``; what the system keeps of the file is not the process's memory.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._starts = [0]
        self._n_records = 0

    def __len__(self) -> int:
        return self._n_records

    def append(self, chunk: HeldRecords) -> None:
        """Add people; every chunk but the last has `BLOCK_RECORDS`."""
        data = chunk.to_bytes()
        with self._path.open("ab") as file:
            file.write(data)
        self._starts.append(self._starts[-1] + len(data))
        self._n_records += len(chunk)

    def read(self, people: slice) -> HeldRecords:
        """Return the records of these places."""
        first, last = people.start // BLOCK_RECORDS, (people.stop - 1) // BLOCK_RECORDS
        chunks = [self._chunk(number) for number in range(first, last + 1)]
        offset = first * BLOCK_RECORDS
        asked = slice(people.start - offset, people.stop - offset)
        return HeldRecords.joined(chunks).read(asked)

    def chunks(self) -> Iterator[HeldRecords]:
        """Yield everybody, chunk by chunk."""
        return map(self._chunk, range(len(self._starts) - 1))

    def _chunk(self, number: int) -> HeldRecords:
        start, stop = self._starts[number : number + 2]
        with self._path.open("rb") as file:
            return HeldRecords.from_bytes(os.pread(file.fileno(), stop - start, start))


def deal_into_files(
    folder: Path, n_records: int, spec: CertificationSpec, dice: np.random.Generator
) -> dict[Role, RecordsFile]:
    """Deal fresh people into a file a party."""
    files = {role: RecordsFile(folder / f"{role.value}-{n_records}") for role in Role}
    rng = system_randomness()
    low, high = (int(value) for value in np.array(spec.feature_ranges)[0])
    for block in blocks_of(n_records, BLOCK_RECORDS):
        m = block.stop - block.start
        choices = np.stack([dice.integers(0, count, m) for count in spec.entry_counts], axis=1)
        features = dice.integers(low, high + 1, (m, spec.n_features))
        labels = dice.integers(0, 2, m).astype(np.uint8)
        answers = one_hot(choices, spec.entry_counts)
        dealt = deal_records(answers, features, rng, labels)
        ids = tuple(place.to_bytes(16, "big") for place in range(block.start, block.stop))
        for role, records in zip((Role.MODELER, Role.REGULATOR), dealt, strict=True):
            files[role].append(replace(records, record_ids=ids))
    return files


def open_people(
    files: dict[Role, RecordsFile],
) -> tuple[NDArray[np.uint8], NDArray[np.int64], NDArray[np.uint8]]:
    """Return everybody's answers, features and outcomes in the clear, for the oracle."""
    answers, features, labels = [], [], []
    for m, r in zip(files[Role.MODELER].chunks(), files[Role.REGULATOR].chunks(), strict=True):
        answers.append(m.low_bits ^ r.low_bits)
        features.append(r.require_features())
        labels.append(r.require_labels())
    return np.concatenate(answers), np.concatenate(features), np.concatenate(labels)
