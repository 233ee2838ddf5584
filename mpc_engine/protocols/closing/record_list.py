"""The list of records both parties hold, compared entry by entry.

The current answer of a person is the highest sequence for which both parties signed a receipt with
an equal digest of the common block; records without one leave the list and are counted. A party
that signed a receipt cannot later leave that record out.
Source: the project's envelope format, section "Closing".
"""

from __future__ import annotations

import hashlib
import itertools
from collections.abc import Iterable
from dataclasses import dataclass

from mpc_engine.errors import DecodeError, ProtocolViolationError
from mpc_engine.sharing.intake import HeldShare
from mpc_engine.wire.codec import ByteReader, u32

_ENTRY_BYTES = 16 + 4 + 32
_RECORD_SET_TAG = b"blindjustice/v1/closing/record-set"

ListEntry = tuple[bytes, int, bytes]
"""Record id (16 bytes), sequence, SHA-256 of the common block."""


@dataclass(frozen=True, repr=False)
class ListedShare:
    """A share this party accepted and signed a receipt for."""

    record_id: bytes
    sequence: int
    common_digest: bytes
    share: HeldShare

    @property
    def entry(self) -> ListEntry:
        """Return what of this share is public."""
        return self.record_id, self.sequence, self.common_digest


def encode_entries(entries: Iterable[ListEntry]) -> bytes:
    """Return the entries sorted, 52 bytes each."""
    return b"".join(
        record_id + sequence.to_bytes(4, "little") + digest
        for record_id, sequence, digest in sorted(entries)
    )


def decode_entries(payload: bytes) -> set[ListEntry]:
    """Parse a peer's list; raise DecodeError unless it is sorted and without repetition."""
    if len(payload) % _ENTRY_BYTES:
        raise DecodeError("The peer's record list has a broken length.")
    entries: list[ListEntry] = []
    for start in range(0, len(payload), _ENTRY_BYTES):
        item = payload[start : start + _ENTRY_BYTES]
        entries.append((item[:16], int.from_bytes(item[16:20], "little"), item[20:]))
    if any(
        (first[0], first[1]) >= (second[0], second[1])
        for first, second in itertools.pairwise(entries)
    ):
        raise DecodeError("The peer's record list is not sorted, or repeats a record.")
    return set(entries)


def agree(
    own: set[ListEntry], peer: set[ListEntry], peer_receipts: set[ListEntry]
) -> tuple[list[ListEntry], int]:
    """Return the current entry of every agreed record, sorted, and how many records disagreed.

    Raises ProtocolViolationError ``RECEIPT_WITHDRAWN`` when the peer leaves out an entry for which
    its signed receipt is known.
    """
    if peer_receipts - peer:
        raise ProtocolViolationError(
            "The other party signed receipts for records that it now leaves out.",
            code="RECEIPT_WITHDRAWN",
        )
    current: dict[bytes, ListEntry] = {}
    for entry in own & peer:
        known = current.get(entry[0])
        if known is None or entry[1] > known[1]:
            current[entry[0]] = entry
    records = {entry[0] for entry in own | peer}
    return sorted(current.values()), len(records) - len(current)


@dataclass(frozen=True, repr=False)
class JudgedList:
    """The agreed list, and what one party evaluated of it: secret until both opened the same.

    ``entries`` sorted; ``valid`` one byte 0 or 1 for each; ``n_disagreed`` left the list before.
    """

    entries: list[ListEntry]
    valid: bytes
    n_disagreed: int

    def encode(self) -> bytes:
        """Return it as bytes, 53 an entry whatever was evaluated, and 4."""
        return u32(self.n_disagreed) + self.valid + encode_entries(self.entries)

    @classmethod
    def decode(cls, data: bytes) -> JudgedList:
        """Return it from its bytes; DecodeError if they are of another shape."""
        reader = ByteReader(data, "judged list of a closing")
        n_disagreed = reader.u32()
        n_entries = (len(data) - 4) // (_ENTRY_BYTES + 1)
        valid = reader.take(n_entries)
        entries = sorted(decode_entries(reader.take(n_entries * _ENTRY_BYTES)))
        reader.finish()
        return cls(entries, valid, n_disagreed)


def record_set_digest(config_digest: bytes, entries: Iterable[ListEntry]) -> bytes:
    """Return the digest of a cohort: its configuration and its sorted entries."""
    return hashlib.sha256(_RECORD_SET_TAG + config_digest + encode_entries(entries)).digest()
