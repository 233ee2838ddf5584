"""What a worker remembers of its stock in memory alone, so that a store set back reuses nothing.

All processes of a worker share an epoch: it is made before they are forked. An item opens in the
epoch that made it only, so none outlives its worker, and a copy of the store put back under another
worker holds no item. Under the same worker the mark holds: items are used in the order in which
they were made, and none up to the last used one, whatever the store says.
"""

from __future__ import annotations

import mmap
import os

ID_BYTES = 32
_MARK = slice(0, 8)
_SPOILT = 8


class StockEpoch:
    """An id that is never written down, and two words of memory that forked processes share."""

    def __init__(self) -> None:
        self.epoch_id = os.urandom(ID_BYTES)
        self._shared = mmap.mmap(-1, mmap.PAGESIZE)

    def __repr__(self) -> str:
        return f"<StockEpoch up to item {self.last_used}>"

    @property
    def last_used(self) -> int:
        """Return the number of the last item used; none with this number or below is used again."""
        return int.from_bytes(self._shared[_MARK], "little")

    def claim(self, number: int) -> bool:
        """Move the mark to an item, within an immediate transaction; False if it is behind."""
        if number <= self.last_used:
            return False
        self._shared[_MARK] = number.to_bytes(8, "little")
        return True

    @property
    def is_spoilt(self) -> bool:
        """Return whether the other party cheated in a preparation."""
        return self._shared[_SPOILT] != 0

    def spoil(self) -> None:
        """Make no more stock with this peer until an operator has restarted the worker."""
        self._shared[_SPOILT] = 1
