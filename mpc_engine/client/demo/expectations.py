"""What the demo expects, computed in exact rationals and by none of the engine's own code.

A second definition of the covariance criterion: if the engine's were wrong, the two would differ.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

CONFIRMED, DIFFERENT_DECISION, DIFFERENT_MODEL = (
    "CONFIRMED",
    "DIFFERENT_DECISION",
    "DIFFERENT_MODEL",
)
PASS, FAIL = "PASS", "FAIL"


def scores(
    theta: Sequence[int], rows: Sequence[Sequence[int]], x_frac_bits: int, theta_frac_bits: int
) -> list[Fraction]:
    """Return each person's exact score; ``theta`` (intercept first) and ``rows`` are encoded."""
    one = 1 << (x_frac_bits + theta_frac_bits)
    return [Fraction((theta[0] << x_frac_bits) + _dot(theta[1:], row), one) for row in rows]


def largest_covariance(
    values: Sequence[Fraction], answers: Sequence[int], categories: int
) -> Fraction:
    """Return the largest ``abs(mean((z_j - mean z_j) * score))`` over the categories j.

    ``answers[i]`` is the chosen category; a value of ``categories`` or more (prefer not to say)
    takes the person out.
    """
    kept = [(a, v) for a, v in zip(answers, values, strict=True) if a < categories]
    count = len(kept)
    total = sum((value for _, value in kept), Fraction())
    largest = Fraction()
    for category in range(categories):
        inside = [value for answer, value in kept if answer == category]
        covariance = (sum(inside, Fraction()) - Fraction(len(inside), count) * total) / count
        largest = max(largest, abs(covariance))
    return largest


def verdict(covariance: Fraction, threshold: str) -> str:
    """Return PASS if the covariance is at most the threshold, else FAIL."""
    return PASS if covariance <= Fraction(threshold) else FAIL


def decision(score: Fraction) -> int:
    """Return 1 for a score of zero or more, else 0."""
    return 1 if score >= 0 else 0


def _dot(weights: Sequence[int], row: Sequence[int]) -> int:
    return sum(w * x for w, x in zip(weights, row, strict=True))
