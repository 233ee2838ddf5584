"""Fixed bytes for vectors: SHA-256 in counter mode over a label."""

from __future__ import annotations

import hashlib


class Stream:
    """The bytes of one label, cut as the caller draws."""

    def __init__(self, label: str) -> None:
        self._label = label.encode()
        self._counter = 0
        self._left = b""

    def bytes(self, n: int) -> bytes:
        """Return the next ``n`` bytes."""
        while len(self._left) < n:
            counter = self._counter.to_bytes(8, "little")
            self._left += hashlib.sha256(b"vectors" + counter + self._label).digest()
            self._counter += 1
        taken, self._left = self._left[:n], self._left[n:]
        return taken

    def below(self, bound: int) -> int:
        """Return a number in [0, bound); the bias of 16 bytes doesn't matter to a vector."""
        return int.from_bytes(self.bytes(16), "little") % bound
