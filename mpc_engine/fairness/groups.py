"""Groups under a policy's floors, and the reasons for having no verdict, decided inside.

Of several reasons the first of `NoVerdict` that holds is given, and with a reason no criterion
passes: "nobody was selected" is never "fair".
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Generic

from mpc_engine.errors import UsageError
from mpc_engine.fairness.algebra import Bit, Int, IntegerAlgebra
from mpc_engine.vocabulary.policies import SmallGroups
from mpc_engine.vocabulary.verdicts import NoVerdict


@dataclass(frozen=True)
class Floors:
    """The policy's minima: of people in every group, of answers, and of decisions of each kind.

    A group is under the floor with fewer than ``minimum_group`` people or with less than
    ``minimum_percent`` of those who answered. Of every group that is compared ``minimum_decided``
    people are to be selected and as many not, and each rate to have as many successes and failures;
    an opened table's counts are held to it too.
    """

    minimum_group: int
    minimum_answers: int
    minimum_decided: int
    minimum_percent: Fraction = Fraction(0)
    small_groups: SmallGroups = SmallGroups.UNDETERMINED

    def __post_init__(self) -> None:
        if self.minimum_decided < 1:
            raise UsageError("A rate rests on one decision of each kind or more.")


@dataclass(frozen=True)
class VerdictBits(Generic[Bit]):
    """The predicate's outcome: at most one reason, and then no pass bit.

    ``passes[i][t]``: criterion i at its threshold t; ``worst`` and ``best`` alike, where the policy
    bounds missing answers.
    """

    reasons: Mapping[NoVerdict, Bit]
    passes: tuple[tuple[Bit, ...], ...]
    worst: tuple[tuple[Bit, ...], ...]
    best: tuple[tuple[Bit, ...], ...]


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


def under_floor(
    algebra: IntegerAlgebra[Int, Bit], floors: Floors, sizes: Sequence[Int]
) -> list[Bit]:
    """Return for each group of a grouping, ``sizes`` people each, whether it is under the floor."""
    floor = algebra.constant(floors.minimum_group)
    small = [algebra.less_than(size, floor) for size in sizes]
    if floors.minimum_percent:
        share = algebra.scale(total(algebra, sizes), floors.minimum_percent.numerator)
        scaled = [algebra.scale(size, 100 * floors.minimum_percent.denominator) for size in sizes]
        small = [
            algebra.either(few, algebra.less_than(size, share))
            for few, size in zip(small, scaled, strict=True)
        ]
    return small


def size_reasons(
    algebra: IntegerAlgebra[Int, Bit],
    floors: Floors,
    sizes: Sequence[Sequence[Int]],
    small: Sequence[Sequence[Bit]],
) -> dict[NoVerdict, Bit]:
    """Return the bits of the reasons that group sizes give; ``sizes[t][j]``: people of group j.

    ``small[t][j]``: of `under_floor`. Several may hold at once; `conclude` picks the first. That a
    group is empty is no reason of its own: of two groups it would tell everybody's.
    """
    fewest = algebra.constant(floors.minimum_answers)
    few = [algebra.less_than(total(algebra, counts), fewest) for counts in sizes]
    reasons = {NoVerdict.TOO_FEW_ANSWERS: any_of(algebra, few)}
    if floors.small_groups is SmallGroups.UNDETERMINED:
        reasons[NoVerdict.GROUP_UNDER_FLOOR] = any_of(
            algebra, [bit for bits in small for bit in bits]
        )
    else:
        reasons[NoVerdict.TOO_FEW_GROUPS] = any_of(
            algebra, [_fewer_than_two_large(algebra, bits) for bits in small]
        )
    return reasons


def _fewer_than_two_large(algebra: IntegerAlgebra[Int, Bit], small: Sequence[Bit]) -> Bit:
    """Return whether all, or all but one, of two or more groups are under the floor."""
    none, at_most_one = algebra.both(small[0], small[1]), algebra.either(small[0], small[1])
    for bit in small[2:]:
        at_most_one = algebra.either(algebra.both(at_most_one, bit), none)
        none = algebra.both(none, bit)
    return at_most_one


def conclude(
    algebra: IntegerAlgebra[Int, Bit],
    reasons: Mapping[NoVerdict, Bit],
    passes: Sequence[Sequence[Bit]],
    worst: Sequence[Sequence[Bit]] = (),
    best: Sequence[Sequence[Bit]] = (),
) -> VerdictBits[Bit]:
    """Keep the first reason only, and let criteria pass only where there is none."""
    first: dict[NoVerdict, Bit] = {}
    found: Bit | None = None
    for reason in (reason for reason in NoVerdict if reason in reasons):
        bit = reasons[reason]
        first[reason] = bit if found is None else algebra.both(bit, algebra.negated(found))
        found = bit if found is None else algebra.either(found, bit)
    if found is None:
        raise ValueError("A policy has reasons for having no verdict.")
    decided = algebra.negated(found)

    def kept(rows: Sequence[Sequence[Bit]]) -> tuple[tuple[Bit, ...], ...]:
        return tuple(tuple(algebra.both(decided, bit) for bit in row) for row in rows)

    return VerdictBits(first, kept(passes), kept(worst), kept(best))
