"""Which groups are held against each other, and the bounds that two groups' rates must keep to.

With ``s_a`` successes of ``c_a`` cases and an exact threshold t, and nothing ever divided:

- ratio: ``s_a / c_a`` is at least t percent of ``s_b / c_b`` iff ``100 s_a c_b >= t s_b c_a``, both
  ways. On acceptance rates this is the p%-rule (Kilbertus et al. 2018, eq. 7).
- difference: the rates differ by at most t percentage points iff
  ``100 abs(s_a c_b - s_b c_a) <= t c_a c_b``.
- z test: with ``S = s_a + s_b``, ``C = c_a + c_b`` the pooled two-proportion statistic is at most z
  iff ``(s_a c_b - s_b c_a)^2 C <= z^2 c_a c_b S (C - S)``.

Equality holds everywhere. A pair with a group that is left out holds.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Generic

from mpc_engine.fairness.algebra import Bit, Int, IntegerAlgebra
from mpc_engine.fairness.groups import any_of, total
from mpc_engine.fairness.rates import Rate
from mpc_engine.vocabulary.criteria import Bound
from mpc_engine.vocabulary.policies import Comparison


@dataclass(frozen=True)
class Pair(Generic[Int]):
    """Two rates that are compared; ``groups``: the numbers of those that are one group's own."""

    groups: tuple[int, ...]
    own: Rate[Int]
    other: Rate[Int]


def compared(
    algebra: IntegerAlgebra[Int, Bit],
    comparison: Comparison,
    rates: Sequence[Rate[Int]],
    leads: Sequence[Bit],
) -> list[Pair[Int]]:
    """Return the unordered pairs of rates.

    ``leads``: of `leading`, used by ``MOST_SELECTED`` only. Groups left out have rates 0 of 0.
    """
    if comparison is Comparison.MOST_SELECTED:
        reference = rates[0]
        for better, rate in zip(leads, rates[1:], strict=True):
            reference = Rate(
                algebra.choose(better, rate.successes, reference.successes),
                algebra.choose(better, rate.cases, reference.cases),
            )
        return [Pair((number,), rate, reference) for number, rate in enumerate(rates)]
    if comparison is Comparison.EACH_PAIR or len(rates) == 2:
        return [
            Pair((i, j), rates[i], rates[j])
            for i in range(len(rates))
            for j in range(i + 1, len(rates))
        ]
    successes = total(algebra, [rate.successes for rate in rates])
    cases = total(algebra, [rate.cases for rate in rates])
    return [
        Pair(
            (number,),
            rate,
            Rate(algebra.subtract(successes, rate.successes), algebra.subtract(cases, rate.cases)),
        )
        for number, rate in enumerate(rates)
    ]


def leading(
    algebra: IntegerAlgebra[Int, Bit],
    acceptance: Sequence[Rate[Int]],
    included: Sequence[Bit] | None,
) -> list[Bit]:
    """Return for each group but the first whether its acceptance rate tops all groups before it.

    A group that is left out never leads (``included``; None where none is left out).
    """
    best = acceptance[0]
    found = None if included is None else included[0]
    leads: list[Bit] = []
    for number, rate in enumerate(acceptance[1:], start=1):
        better = algebra.less_than(
            algebra.multiply(best.successes, rate.cases),
            algebra.multiply(rate.successes, best.cases),
        )
        if included is not None and found is not None:
            better = algebra.both(included[number], algebra.either(algebra.negated(found), better))
            found = algebra.either(found, included[number])
        best = Rate(
            algebra.choose(better, rate.successes, best.successes),
            algebra.choose(better, rate.cases, best.cases),
        )
        leads.append(better)
    return leads


def keeps(
    algebra: IntegerAlgebra[Int, Bit],
    bound: Bound,
    thresholds: Sequence[Fraction],
    own: Rate[Int],
    other: Rate[Int],
) -> list[list[Bit]]:
    """Return for each threshold the bits that all hold if the two rates keep to the bound."""
    first = algebra.multiply(own.successes, other.cases)
    second = algebra.multiply(other.successes, own.cases)
    if bound is Bound.RATIO:
        ways = ((first, second), (second, first))
        return [
            [_reaches(algebra, percent, low, high) for low, high in ways] for percent in thresholds
        ]
    distance = algebra.absolute(algebra.subtract(first, second))
    if bound is Bound.DIFFERENCE:
        return [
            [_is_within(algebra, points, distance, algebra.multiply(own.cases, other.cases))]
            for points in thresholds
        ]
    successes = algebra.add(own.successes, other.successes)
    cases = algebra.add(own.cases, other.cases)
    squared = algebra.multiply(algebra.multiply(distance, distance), cases)
    variance = algebra.multiply(
        algebra.multiply(own.cases, other.cases),
        algebra.multiply(successes, algebra.subtract(cases, successes)),
    )
    return [
        [
            algebra.less_equal(
                algebra.scale(squared, (z * z).denominator),
                algebra.scale(variance, (z * z).numerator),
            )
        ]
        for z in thresholds
    ]


def keeps_one_way(
    algebra: IntegerAlgebra[Int, Bit],
    bound: Bound,
    thresholds: Sequence[Fraction],
    low: Rate[Int],
    high: Rate[Int],
) -> list[Bit]:
    """Return for each threshold whether ``low`` is not too far below ``high``; no z test."""
    first = algebra.multiply(low.successes, high.cases)
    second = algebra.multiply(high.successes, low.cases)
    if bound is Bound.RATIO:
        return [_reaches(algebra, percent, first, second) for percent in thresholds]
    shortfall = algebra.subtract(second, first)
    product = algebra.multiply(low.cases, high.cases)
    return [_is_within(algebra, points, shortfall, product) for points in thresholds]


def _reaches(algebra: IntegerAlgebra[Int, Bit], percent: Fraction, low: Int, high: Int) -> Bit:
    """Return whether ``low`` is at least ``percent`` of ``high``."""
    return algebra.less_equal(
        algebra.scale(high, percent.numerator), algebra.scale(low, 100 * percent.denominator)
    )


def _is_within(
    algebra: IntegerAlgebra[Int, Bit], points: Fraction, distance: Int, product: Int
) -> Bit:
    """Return whether ``distance / product`` is at most ``points`` percentage points."""
    return algebra.less_equal(
        algebra.scale(distance, 100 * points.denominator), algebra.scale(product, points.numerator)
    )


def too_few_decided(
    algebra: IntegerAlgebra[Int, Bit],
    minimum: int,
    rates: Sequence[Rate[Int]],
    included: Sequence[Bit] | None,
) -> Bit:
    """Return whether a compared group has fewer than ``minimum`` successes or failures of a rate.

    ``rates``: one a group; ``included``: which groups are compared, None where all are. Without
    this floor a model that selects one person, and a group's rate with her or without her, would
    tell her group (`docs/protocols/security.md`).
    """
    floor = algebra.constant(minimum)
    few = [
        any_of(
            algebra,
            [
                algebra.less_than(rate.successes, floor),
                algebra.less_than(algebra.subtract(rate.cases, rate.successes), floor),
            ],
        )
        for rate in rates
    ]
    return _in_compared(algebra, few, included)


def too_few_of_a_class(
    algebra: IntegerAlgebra[Int, Bit],
    minimum: int,
    sizes: Sequence[Int],
    included: Sequence[Bit] | None,
) -> Bit:
    """Return whether a compared group has fewer than ``minimum`` of a class that some group has.

    ``sizes``: of the class, one a group, also of groups left out: a class that only such a group
    has must not look like one that nobody is in. ``included``: which groups are compared, None
    where all are.
    """
    floor = algebra.constant(minimum)
    few = _in_compared(algebra, [algebra.less_than(size, floor) for size in sizes], included)
    return algebra.both(few, algebra.less_than(algebra.constant(0), total(algebra, sizes)))


def _in_compared(
    algebra: IntegerAlgebra[Int, Bit], bits: Sequence[Bit], included: Sequence[Bit] | None
) -> Bit:
    """Return whether the bit of some compared group is set."""
    if included is not None:
        bits = [algebra.both(own, bit) for own, bit in zip(included, bits, strict=True)]
    return any_of(algebra, bits)
