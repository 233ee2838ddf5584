"""What a party keeps of an accepted submission."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mpc_engine.crypto.digests import DIGEST_BYTES
from mpc_engine.sharing.layout import ID_BYTES
from mpc_engine.vocabulary.rates import UNKNOWN_LABEL
from mpc_engine.wire.codec import ByteReader, u8, u16, u32

_FORMAT = 1
_NO_LABEL = 255


@dataclass
class HeldShare:
    """A party's share of one person: low bits, its keys, the data if it holds them; secret.

    ``low_bits`` uint8 (e,); ``sender_keys`` uint64 (e, 2, 2): both keys of the direction in which
    this party sends; ``chosen_keys`` uint64 (e, 2): the key of its bit in the other direction.
    Words are little-endian. ``features`` int64 (d,) and ``label`` (0, 1, 2 = unknown) at the
    data-holder where people send them, None elsewhere.
    """

    record_id: bytes
    submission_id: bytes
    sequence: int
    common_digest: bytes
    low_bits: NDArray[np.uint8]
    sender_keys: NDArray[np.uint64]
    chosen_keys: NDArray[np.uint64]
    features: NDArray[np.int64] | None
    label: int | None

    def __repr__(self) -> str:
        return f"<HeldShare of record {self.record_id.hex()}, sequence {self.sequence}>"

    def to_bytes(self) -> bytes:
        """Return the share for an encrypted store."""
        n_features = 0 if self.features is None else len(self.features)
        return b"".join(
            (
                u8(_FORMAT),
                self.record_id,
                self.submission_id,
                u32(self.sequence),
                self.common_digest,
                u16(len(self.low_bits)),
                u8(_NO_LABEL if self.label is None else self.label),
                u16(n_features),
                self.low_bits.tobytes(),
                self.sender_keys.astype("<u8").tobytes(),
                self.chosen_keys.astype("<u8").tobytes(),
                b"" if self.features is None else self.features.astype("<i8").tobytes(),
            )
        )

    @classmethod
    def from_bytes(cls, data: bytes) -> HeldShare:
        """Read what ``to_bytes`` wrote; DecodeError if it is anything else."""
        reader = ByteReader(data, "stored share")
        if reader.u8() != _FORMAT:
            raise reader.error("has an unknown format")
        record_id, submission_id = reader.take(ID_BYTES), reader.take(ID_BYTES)
        sequence = reader.u32()
        common_digest = reader.take(DIGEST_BYTES)
        n_entries, label, n_features = reader.u16(), reader.u8(), reader.u16()
        if label > UNKNOWN_LABEL and (label != _NO_LABEL or n_features):
            raise reader.error("holds an outcome that no study knows")
        share = cls(
            record_id=record_id,
            submission_id=submission_id,
            sequence=sequence,
            common_digest=common_digest,
            low_bits=reader.array("u1", (n_entries,)),
            sender_keys=reader.array("<u8", (n_entries, 2, 2)),
            chosen_keys=reader.array("<u8", (n_entries, 2)),
            features=None if label == _NO_LABEL else reader.array("<i8", (n_features,)),
            label=None if label == _NO_LABEL else label,
        )
        reader.finish()
        return share
