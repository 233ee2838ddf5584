"""The demo's choices, drawn from its seed: the same seed repeats the same run.

Keys, shares and ids never come from here; they come from the operating system.
"""

from __future__ import annotations

import hashlib


def shuffled(count: int, seed: int, purpose: str) -> list[int]:
    """Return 0 .. count - 1 in an order that depends on ``seed`` and ``purpose`` only."""

    def place(index: int) -> bytes:
        return hashlib.sha256(f"blindjustice demo {purpose} {seed} {index}".encode()).digest()

    return sorted(range(count), key=place)


def stand_in_seed(seed: int, number: int) -> bytes:
    """Return 16 bytes in the place of the seed that the site draws for the order of rows."""
    return hashlib.sha256(f"blindjustice demo order {seed} {number}".encode()).digest()[:16]
