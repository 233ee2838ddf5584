"""What a worker remembers of its stock in memory alone, so that a store set back reuses nothing.

All processes of a worker share an epoch: it is made before they are forked. An item opens in the
epoch that made it only, so none outlives its worker, and a copy of the store put back under another
worker holds no item. Under the same worker a mark for each certificate holds: its items are used in
the order in which they were made, and none up to the last used one, whatever the store says.
"""

from __future__ import annotations

import mmap
import os
import struct

ID_BYTES = 32
MAX_MARKS = 128
"""Certificates remembered one by one; of more, the marks made first hold for every certificate."""
_HEAD = struct.Struct("<QQ")
"""The mark that holds for every certificate; how many certificates got one of their own."""
_MARK = struct.Struct("<16sQ")
_SPOILT = _HEAD.size
_MARKS = _SPOILT + 1


class StockEpoch:
    """An id that is never written down, and marks in memory that forked processes share.

    Only who holds the store's write lock (an immediate transaction) may `claim`.
    """

    def __init__(self) -> None:
        self.epoch_id = os.urandom(ID_BYTES)
        self._shared = mmap.mmap(-1, _MARKS + MAX_MARKS * _MARK.size)

    def __repr__(self) -> str:
        return "<StockEpoch>"

    def last_used(self, certificate_id: bytes) -> int:
        """Return the number of the last item used; none with this number or below is used again."""
        others, made = _HEAD.unpack_from(self._shared)
        marks = [self._mark(place) for place in range(min(made, MAX_MARKS))]
        own = [number for known, number in marks if known == certificate_id]
        return int(max(others, *own, 0))

    def claim(self, certificate_id: bytes, number: int) -> bool:
        """Move a certificate's mark to an item; False if the item is not above it."""
        if number <= self.last_used(certificate_id):
            return False
        offset = self._offset(self._place(certificate_id))
        _MARK.pack_into(self._shared, offset, certificate_id, number)
        return True

    @property
    def is_spoilt(self) -> bool:
        """Return whether the other party cheated in a preparation."""
        return self._shared[_SPOILT] != 0

    def spoil(self) -> None:
        """Make no more stock with this peer until an operator has restarted the worker."""
        self._shared[_SPOILT] = 1

    def _place(self, certificate_id: bytes) -> int:
        """Return where a certificate's mark is, or make room: an older mark then holds for all."""
        others, made = _HEAD.unpack_from(self._shared)
        for place in range(min(made, MAX_MARKS)):
            if self._mark(place)[0] == certificate_id:
                return place
        place = made % MAX_MARKS
        if made >= MAX_MARKS:
            others = max(others, self._mark(place)[1])
        _HEAD.pack_into(self._shared, 0, others, made + 1)
        return int(place)

    def _mark(self, place: int) -> tuple[bytes, int]:
        known, number = _MARK.unpack_from(self._shared, self._offset(place))
        return known, number

    @staticmethod
    def _offset(place: int) -> int:
        return _MARKS + place * _MARK.size
