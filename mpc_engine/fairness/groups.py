"""Reasons for having no verdict, decided inside the computation.

Of several reasons the first of `NoVerdict` that holds is given, and with a reason no criterion
passes: "nobody was selected" is never "fair".
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import Generic

from mpc_engine.fairness.algebra import Bit, Int, IntegerAlgebra


class NoVerdict(IntEnum):
    """Why a computation is undetermined, in the order in which reasons are given."""

    TOO_FEW_ANSWERS = 0
    """Fewer people than the policy's minimum answered an attribute."""
    GROUP_EMPTY = 1
    """Nobody belongs to some category."""
    GROUP_UNDER_FLOOR = 2
    """Some category has fewer people than the smallest group of the policy."""
    NOBODY_SELECTED = 3
    """The model selects nobody among those who answered an attribute."""


@dataclass(frozen=True)
class Floors:
    """The policy's minima: of people in every category, and of answers to every attribute."""

    minimum_group: int
    minimum_answers: int


@dataclass(frozen=True)
class VerdictBits(Generic[Bit]):
    """The predicate's outcome: at most one reason bit, and then no pass bit.

    ``passes[i][t]``: criterion i at its threshold t.
    """

    reasons: tuple[Bit, ...]
    passes: tuple[tuple[Bit, ...], ...]


def any_of(algebra: IntegerAlgebra[Int, Bit], bits: Sequence[Bit]) -> Bit:
    """Return whether some bit of a non-empty sequence is set."""
    found = bits[0]
    for bit in bits[1:]:
        found = algebra.either(found, bit)
    return found


def all_of(algebra: IntegerAlgebra[Int, Bit], bits: Sequence[Bit]) -> Bit:
    """Return whether every bit of a non-empty sequence is set."""
    held = bits[0]
    for bit in bits[1:]:
        held = algebra.both(held, bit)
    return held


def total(algebra: IntegerAlgebra[Int, Bit], values: Sequence[Int]) -> Int:
    """Return the sum of a non-empty sequence."""
    result = values[0]
    for value in values[1:]:
        result = algebra.add(result, value)
    return result


def size_reasons(
    algebra: IntegerAlgebra[Int, Bit], floors: Floors, sizes: Sequence[Sequence[Int]]
) -> list[Bit]:
    """Return the bits of the first three reasons; ``sizes[t][j]``: people of category j.

    The three may hold at once; `conclude` picks the first.
    """
    one = algebra.constant(1)
    floor = algebra.constant(floors.minimum_group)
    fewest = algebra.constant(floors.minimum_answers)
    few = [algebra.less_than(total(algebra, counts), fewest) for counts in sizes]
    empty = [algebra.less_than(count, one) for counts in sizes for count in counts]
    small = [algebra.less_than(count, floor) for counts in sizes for count in counts]
    return [any_of(algebra, bits) for bits in (few, empty, small)]


def conclude(
    algebra: IntegerAlgebra[Int, Bit],
    reasons: Sequence[Bit],
    passes: Sequence[Sequence[Bit]],
) -> VerdictBits[Bit]:
    """Keep the first reason only, and let criteria pass only where there is none."""
    first: list[Bit] = [reasons[0]]
    found = reasons[0]
    for reason in reasons[1:]:
        first.append(algebra.both(reason, algebra.negated(found)))
        found = algebra.either(found, reason)
    decided = algebra.negated(found)
    return VerdictBits(
        reasons=tuple(first),
        passes=tuple(tuple(algebra.both(decided, bit) for bit in row) for row in passes),
    )
