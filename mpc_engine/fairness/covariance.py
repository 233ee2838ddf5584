"""The covariance criterion: ``abs(A theta) <= c`` for every attribute entry, in integers.

With ``P_jk = sum_i z_ij x_ik``, ``N_j`` the people of category j and ``N'`` those who answered,
``U_j = sum_k P_jk theta_k``, the integer ``T_j = N' U_j - N_j sum_j U_j`` is ``N'^2 (A_j theta)``
exactly, so that no mean is rounded. The intercept drops out and people who prefer not to say fall
out. A bound ``c = c_num / c_den`` holds iff ``abs(T_j) c_den <= c_num N'^2 2^scale_bits``; equality
holds.

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
from mpc_engine.fairness.groups import all_of, total


@dataclass(frozen=True)
class AttributeSums(Generic[Int]):
    """Sums over the people of one attribute: ``sums[j][k]`` = P_jk, ``counts[j]`` = N_j."""

    sums: Sequence[Sequence[Int]]
    counts: Sequence[Int]


def covariance_bounds(
    algebra: IntegerAlgebra[Int, Bit],
    thresholds: Sequence[Fraction],
    scale_bits: int,
    attributes: Sequence[AttributeSums[Int]],
    theta: Sequence[Int],
) -> tuple[Bit, ...]:
    """Return for each threshold whether every tested entry of every attribute respects it.

    ``theta``: d encoded coefficients, without the intercept; ``scale_bits``: fractional bits of
    ``x theta``. Meaningless for empty groups: `groups.conclude` decides those.
    """
    within: list[list[Bit]] = [[] for _ in thresholds]
    for attribute in attributes:
        answered = total(algebra, attribute.counts)
        scores = [algebra.inner_product(row, theta) for row in attribute.sums]
        score_total = total(algebra, scores)
        answered_squared = algebra.multiply(answered, answered)
        tested = scores[:1] if len(scores) == 2 else scores
        for score, count in zip(tested, attribute.counts, strict=False):
            distance = algebra.absolute(
                algebra.subtract(
                    algebra.multiply(answered, score), algebra.multiply(count, score_total)
                )
            )
            for index, bound in enumerate(thresholds):
                within[index].append(
                    algebra.less_equal(
                        algebra.scale(distance, bound.denominator),
                        algebra.scale(answered_squared, bound.numerator << scale_bits),
                    )
                )
    return tuple(all_of(algebra, bits) for bits in within)
