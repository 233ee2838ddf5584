"""How many people each of two groups needs for a z test to notice a ratio of their rates."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import isqrt
from statistics import NormalDist

POWER = Fraction(80, 100)
SIGNIFICANCE = Fraction(5, 100)
DIGITS = 4
"""Quantiles of the normal distribution are taken to so many decimal places, and then exact."""


@dataclass(frozen=True)
class SampleDesign:
    """Rates ``base`` and ``ratio * base``; ``z_alpha`` for both sides of the test, ``z_beta`` for
    the power.
    """

    base: Fraction
    ratio: Fraction
    z_alpha: Fraction
    z_beta: Fraction


def quantile(probability: Fraction) -> Fraction:
    """Return the quantile of the standard normal distribution, rounded to four places."""
    return Fraction(str(round(NormalDist().inv_cdf(float(probability)), DIGITS)))


def two_sided_quantile(significance: Fraction) -> Fraction:
    """Return the z that a two-sided test at a level of significance exceeds."""
    return quantile(1 - significance / 2)


def people_needed(question: SampleDesign) -> int | None:
    """Return the people needed in each group; None where the two rates are the same.

    ``n = (z_a sqrt(2 p q) + z_b sqrt(p1 q1 + p2 q2))^2 / (p1 - p2)^2`` with ``p = (p1 + p2) / 2``:
    Fleiss, Levin and Paik, Statistical Methods for Rates and Proportions, 3rd edition, chapter 4,
    without continuity correction. The smallest such integer is found without a root: with
    ``A = z_a^2 2 p q`` and ``B = z_b^2 (p1 q1 + p2 q2)``, n is enough iff
    ``x = n (p1 - p2)^2 - A - B`` is not negative and ``x^2 >= 4 A B``.
    """
    first, second = question.base, question.ratio * question.base
    gap = (first - second) ** 2
    if gap == 0:
        return None
    mean = (first + second) / 2
    under_null = question.z_alpha**2 * 2 * mean * (1 - mean)
    under_other = question.z_beta**2 * (first * (1 - first) + second * (1 - second))

    def is_enough(n_people: int) -> bool:
        rest = n_people * gap - under_null - under_other
        return rest >= 0 and rest**2 >= 4 * under_null * under_other

    product = 4 * under_null * under_other
    root = Fraction(isqrt((product.numerator << 256) // product.denominator), 1 << 128)
    n_people = max(1, int((under_null + under_other + root) / gap))
    while not is_enough(n_people):
        n_people += 1
    return n_people
