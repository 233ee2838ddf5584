"""Inputs of circuits in bulk: blocks of instances, shared labels, bits of integers."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

BLOCK_ITEMS = 1 << 16
"""Items of people, one transfer each, in a block."""


def blocks_of(n: int, size: int) -> list[slice]:
    """Cut ``range(n)`` into slices of ``size``, the last one shorter where need be."""
    return [slice(start, min(start + size, n)) for start in range(0, n, size)]


def people_blocks(n_people: int, items_each: int, multiple: int = 1) -> list[slice]:
    """Cut a cohort into the blocks whose material is held at a time, the last one shorter.

    A block has about `BLOCK_ITEMS` items, ``items_each`` a person, and a multiple of ``multiple``
    people: public, so that both parties cut alike.
    """
    parts = max(1, BLOCK_ITEMS // (items_each * multiple))
    return blocks_of(n_people, parts * multiple)


def with_shared_labels(shared: NDArray[np.uint64], own: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Prepend shared labels uint64 (w, 2) to every instance's own, uint64 (m, v, 2)."""
    repeated = np.broadcast_to(shared, (len(own), *shared.shape))
    return np.ascontiguousarray(np.concatenate([repeated, own], axis=1))


def bits_of(values: NDArray[np.uint64], width: int) -> NDArray[np.uint8]:
    """Return the low ``width`` bits of every value, low bit first, uint8 (values * width,)."""
    octets = np.ascontiguousarray(values, dtype="<u8").reshape(-1, 1).view(np.uint8)
    return np.unpackbits(octets, axis=1, bitorder="little", count=width).reshape(-1)
