"""The closing circuit: is a person's answer one-hot in every attribute?

Per attribute ``valid = parity AND NOT OR_j(parity_(j-1) AND e_j)``, at most 2m - 2 AND gates for m
entries; a record is valid if all its attributes are.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from mpc_engine.circuits import Circuit, CircuitBuilder, Wire


@lru_cache(maxsize=64)
def validity_circuit(entry_counts: tuple[int, ...]) -> Circuit:
    """Build the circuit for attributes of ``entry_counts`` entries ("prefer not to say" counts).

    Input ``entries``: one bit per entry in configuration order. Output ``valid``: one bit.
    """
    builder = CircuitBuilder()
    bits = builder.input("entries", sum(entry_counts))
    valid: Wire = True
    start = 0
    for count in entry_counts:
        attribute = bits[start : start + count]
        parity = attribute[0]
        overlap: Wire = False
        for bit in attribute[1:]:
            overlap = builder.or_(overlap, builder.and_(parity, bit))
            parity = builder.xor(parity, bit)
        valid = builder.and_(valid, builder.and_(parity, builder.not_(overlap)))
        start += count
    builder.output("valid", [valid])
    return builder.build()


def is_one_hot(entry_counts: Sequence[int], bits: Sequence[int]) -> bool:
    """Return the same in the clear; the oracle of `validity_circuit`."""
    start = 0
    for count in entry_counts:
        if sum(bits[start : start + count]) != 1:
            return False
        start += count
    return True
