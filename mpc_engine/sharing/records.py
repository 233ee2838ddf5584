"""A cohort's shares as arrays, sorted by record id on both sides."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from mpc_engine.errors import UsageError
from mpc_engine.sharing.held_share import HeldShare
from mpc_engine.sharing.layout import ID_BYTES
from mpc_engine.vocabulary.rates import UNKNOWN_LABEL
from mpc_engine.wire.codec import ByteReader, u8, u16, u64

_FORMAT = 1


def records_without_data(n_missing: int) -> UsageError:
    """Return the error for ``n_missing`` records of which a data file has no row."""
    return UsageError(
        f"{n_missing} records have no row in the data file.", code="RECORDS_WITHOUT_DATA"
    )


class RecordSource(Protocol):
    """A cohort in order of record id, of which one block at a time need be in memory."""

    def __len__(self) -> int:
        """Return the number of records."""

    def read(self, people: slice) -> HeldRecords:
        """Return the records of these places, start and stop given; the same at every call."""


@dataclass
class HeldRecords:
    """One party's records of a cohort, rows in order of record id; secret.

    ``low_bits`` uint8 (n, e); ``sender_keys`` uint64 (n, e, 2, 2): at R (k0, k1), at M (k'0, k'1);
    ``chosen_keys`` uint64 (n, e, 2): at R k'_b, at M k_a. ``features`` int64 (n, d) and ``labels``
    uint8 (n,), 2 = unknown, at the data-holder, None elsewhere.
    """

    record_ids: tuple[bytes, ...]
    low_bits: NDArray[np.uint8]
    sender_keys: NDArray[np.uint64]
    chosen_keys: NDArray[np.uint64]
    features: NDArray[np.int64] | None
    labels: NDArray[np.uint8] | None

    def __repr__(self) -> str:
        return f"<HeldRecords of {len(self.record_ids)} people>"

    def __len__(self) -> int:
        return len(self.record_ids)

    @classmethod
    def from_shares(cls, shares: Sequence[HeldShare]) -> HeldRecords:
        """Stack one share per record; UsageError if a record comes twice or shapes differ."""
        if not shares:
            raise UsageError("There are no records.")
        ordered = sorted(shares, key=lambda share: share.record_id)
        record_ids = tuple(share.record_id for share in ordered)
        if len(set(record_ids)) != len(record_ids):
            raise UsageError("A record comes twice.")
        features = [share.features for share in ordered if share.features is not None]
        labels = [share.label for share in ordered if share.label is not None]
        n_holding = len(features)
        shapes = {len(share.low_bits) for share in ordered}, {len(row) for row in features}
        if (
            max(map(len, shapes)) > 1
            or n_holding not in (0, len(ordered))
            or (n_holding != len(labels))
        ):
            raise UsageError("The records do not belong to one study.")
        return cls(
            record_ids=record_ids,
            low_bits=np.stack([share.low_bits for share in ordered]),
            sender_keys=np.stack([share.sender_keys for share in ordered]),
            chosen_keys=np.stack([share.chosen_keys for share in ordered]),
            features=np.stack(features) if features else None,
            labels=np.array(labels, dtype=np.uint8) if labels else None,
        )

    @classmethod
    def joined(cls, parts: Sequence[HeldRecords]) -> HeldRecords:
        """Return parts of one cohort as one, in the order given; UsageError if there is none."""
        if not parts:
            raise UsageError("There are no records.")
        if len(parts) == 1:
            return parts[0]
        features = [part.features for part in parts if part.features is not None]
        labels = [part.labels for part in parts if part.labels is not None]
        return cls(
            record_ids=tuple(record_id for part in parts for record_id in part.record_ids),
            low_bits=np.concatenate([part.low_bits for part in parts]),
            sender_keys=np.concatenate([part.sender_keys for part in parts]),
            chosen_keys=np.concatenate([part.chosen_keys for part in parts]),
            features=np.concatenate(features) if features else None,
            labels=np.concatenate(labels) if labels else None,
        )

    def read(self, people: slice) -> HeldRecords:
        """Return the records of these places as views: a cohort in memory is a `RecordSource`."""
        return HeldRecords(
            record_ids=self.record_ids[people],
            low_bits=self.low_bits[people],
            sender_keys=self.sender_keys[people],
            chosen_keys=self.chosen_keys[people],
            features=None if self.features is None else self.features[people],
            labels=None if self.labels is None else self.labels[people],
        )

    def select(self, mask: NDArray[np.bool_]) -> HeldRecords:
        """Return the rows where ``mask`` (bool, (n,)) is true."""
        if mask.dtype != np.bool_ or mask.shape != (len(self),):
            raise UsageError("A selection is one boolean per record.")
        kept = np.flatnonzero(mask)
        return HeldRecords(
            record_ids=tuple(self.record_ids[i] for i in kept),
            low_bits=self.low_bits[kept],
            sender_keys=self.sender_keys[kept],
            chosen_keys=self.chosen_keys[kept],
            features=None if self.features is None else self.features[kept],
            labels=None if self.labels is None else self.labels[kept],
        )

    def require_features(self) -> NDArray[np.int64]:
        """Return the features int64 (n, d); UsageError ``NO_FEATURES`` where another holds them."""
        if self.features is None:
            raise UsageError("This party holds no features for the cohort.", code="NO_FEATURES")
        return self.features

    def require_labels(self) -> NDArray[np.uint8]:
        """Return the outcomes uint8 (n,); UsageError ``NO_FEATURES`` where another holds them."""
        if self.labels is None:
            raise UsageError("This party holds no outcomes for the cohort.", code="NO_FEATURES")
        return self.labels

    def with_data(self, rows: Mapping[bytes, tuple[Sequence[int], int]]) -> HeldRecords:
        """Return the records joined with a file's rows (x, y) by record id.

        UsageError RECORDS_WITHOUT_DATA if a record has no row; rows without a record are left out.
        """
        missing = sum(record_id not in rows for record_id in self.record_ids)
        if missing:
            raise records_without_data(missing)
        joined = [rows[record_id] for record_id in self.record_ids]
        return HeldRecords(
            record_ids=self.record_ids,
            low_bits=self.low_bits,
            sender_keys=self.sender_keys,
            chosen_keys=self.chosen_keys,
            features=np.array([features for features, _ in joined], dtype=np.int64),
            labels=np.array([label for _, label in joined], dtype=np.uint8),
        )

    def to_bytes(self) -> bytes:
        """Return the records for an encrypted store."""
        has_data = self.features is not None and self.labels is not None
        n_features = 0 if self.features is None else self.features.shape[1]
        header = (u8(_FORMAT), u64(len(self)), u16(self.low_bits.shape[1]), u16(n_features))
        arrays = [
            self.low_bits.tobytes(),
            self.sender_keys.astype("<u8").tobytes(),
            self.chosen_keys.astype("<u8").tobytes(),
        ]
        if self.features is not None and self.labels is not None:
            arrays += [self.features.astype("<i8").tobytes(), self.labels.tobytes()]
        return b"".join((*header, u8(int(has_data)), *self.record_ids, *arrays))

    @classmethod
    def from_bytes(cls, data: bytes) -> HeldRecords:
        """Read what ``to_bytes`` wrote; DecodeError if it is anything else."""
        reader = ByteReader(data, "record store")
        if reader.u8() != _FORMAT:
            raise reader.error("has an unknown format")
        n, e, d, has_data = reader.u64(), reader.u16(), reader.u16(), reader.u8()
        if has_data > 1 or (d and not has_data):
            raise reader.error("does not say clearly whether it holds data")
        ids = reader.take(n * ID_BYTES)
        records = cls(
            record_ids=tuple(ids[i : i + ID_BYTES] for i in range(0, len(ids), ID_BYTES)),
            low_bits=reader.array("u1", (n, e)),
            sender_keys=reader.array("<u8", (n, e, 2, 2)),
            chosen_keys=reader.array("<u8", (n, e, 2)),
            features=reader.array("<i8", (n, d)) if has_data else None,
            labels=reader.array("u1", (n,)) if has_data else None,
        )
        reader.finish()
        if records.labels is not None and (records.labels > UNKNOWN_LABEL).any():
            raise reader.error("holds an outcome that no study knows")
        return records
