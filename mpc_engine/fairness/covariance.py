"""The covariance criterion: ``abs(A theta) <= c`` for every attribute entry, in integers.

With ``P_jk = sum_i z_ij x_ik``, ``N_j`` the people of category j and ``N'`` those who answered,
``U_j = sum_k P_jk theta_k`` and ``T_j = N' U_j - N_j sum_j U_j`` equals ``N'^2 (A_j theta)`` exactly,
so that no mean is rounded. The intercept drops out and people who prefer not to say fall out.
A bound ``c = c_num / c_den`` holds iff ``abs(T_j) c_den <= c_num N'^2 2^scale_bits``; equality holds.

Source: Kilbertus et al. (2018), section 3.2, after Zafar et al. (2017); the paper's ``A`` divides
by n and ours by the people who answered. In an attribute of two categories ``T_1 = -T_0``, so that
one entry is tested.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Generic

from mpc_engine.fairness.algebra import Bit, Int, IntegerAlgebra


@dataclass(frozen=True)
class CovariancePolicy:
    """Public parameters of the criterion.

    ``category_counts``: real categories of each attribute, without "prefer not to say";
    ``thresholds``: increasing bounds on ``abs(A_j theta)`` in units of the score;
    ``minimum_group``: the smallest number of people of a category for a verdict, at least 1;
    ``scale_bits``: fractional bits of ``x theta``.
    """

    category_counts: tuple[int, ...]
    thresholds: tuple[Fraction, ...]
    minimum_group: int
    scale_bits: int


@dataclass(frozen=True)
class AttributeSums(Generic[Int]):
    """Sums over the people of one attribute: ``sums[j][k]`` = P_jk, ``counts[j]`` = N_j."""

    sums: Sequence[Sequence[Int]]
    counts: Sequence[Int]


@dataclass(frozen=True)
class VerdictBits(Generic[Bit]):
    """The predicate's outcome: at most one of the first two is set, and then no pass bit is."""

    no_answers: Bit
    under_floor: Bit
    passes: tuple[Bit, ...]


def _total(algebra: IntegerAlgebra[Int, Bit], values: Sequence[Int]) -> Int:
    total = values[0]
    for value in values[1:]:
        total = algebra.add(total, value)
    return total


def evaluate_covariance(
    algebra: IntegerAlgebra[Int, Bit],
    policy: CovariancePolicy,
    attributes: Sequence[AttributeSums[Int]],
    theta: Sequence[Int],
) -> VerdictBits[Bit]:
    """Evaluate the criterion for coefficients ``theta`` (d integers, without the intercept).

    Returns for each threshold whether every tested entry respects it, and why there may be no
    verdict: nobody answered an attribute, or a category has fewer people than the floor.
    """
    one = algebra.constant(1)
    floor = algebra.constant(policy.minimum_group)
    no_answers: Bit | None = None
    under_floor: Bit | None = None
    passes: list[Bit | None] = [None] * len(policy.thresholds)
    for attribute in attributes:
        answered = _total(algebra, attribute.counts)
        empty = algebra.less_than(answered, one)
        no_answers = empty if no_answers is None else algebra.either(no_answers, empty)
        for count in attribute.counts:
            small = algebra.less_than(count, floor)
            under_floor = small if under_floor is None else algebra.either(under_floor, small)
        scores = [algebra.inner_product(row, theta) for row in attribute.sums]
        score_total = _total(algebra, scores)
        answered_squared = algebra.multiply(answered, answered)
        tested = scores[:1] if len(scores) == 2 else scores
        for score, count in zip(tested, attribute.counts, strict=False):
            distance = algebra.absolute(
                algebra.subtract(
                    algebra.multiply(answered, score), algebra.multiply(count, score_total)
                )
            )
            for index, bound in enumerate(policy.thresholds):
                within = algebra.less_equal(
                    algebra.scale(distance, bound.denominator),
                    algebra.scale(answered_squared, bound.numerator << policy.scale_bits),
                )
                before = passes[index]
                passes[index] = within if before is None else algebra.both(before, within)
    if no_answers is None or under_floor is None:
        raise ValueError("A study has at least one sensitive attribute.")
    decided = algebra.negated(algebra.either(no_answers, under_floor))
    return VerdictBits(
        no_answers=no_answers,
        under_floor=algebra.both(under_floor, algebra.negated(no_answers)),
        passes=tuple(algebra.both(decided, bit) for bit in passes if bit is not None),
    )
