"""What the demo expects, computed in exact rationals and by none of the engine's own code.

A second definition of the p%-rule: if the engine's were wrong, the two would differ.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

CONFIRMED, DIFFERENT_DECISION, DIFFERENT_MODEL = (
    "CONFIRMED",
    "DIFFERENT_DECISION",
    "DIFFERENT_MODEL",
)
PASS, FAIL = "PASS", "FAIL"
P_RULE = "p_rule"


@dataclass(frozen=True)
class Measured:
    """How a model treats two groups: the ratio of acceptance rates in percent, the covariance."""

    percent: Fraction
    covariance: Fraction

    def verdict(self, threshold: str) -> str:
        """Return PASS if the p%-rule holds at a threshold, equality included, else FAIL."""
        return PASS if self.percent >= Fraction(threshold) else FAIL


def measured(scores: Sequence[Fraction], answers: Sequence[int], categories: int) -> Measured:
    """Return how a model treats the categories; ``answers[i]`` is the chosen category.

    An answer of ``categories`` or more (prefer not to say) takes the person out. Every category
    must have people, and somebody must be selected.
    """
    return Measured(
        percent=100 * smallest_ratio(scores, answers, categories),
        covariance=largest_covariance(scores, answers, categories),
    )


def exact_scores(
    theta: Sequence[int], rows: Sequence[Sequence[int]], x_frac_bits: int, theta_frac_bits: int
) -> list[Fraction]:
    """Return each person's exact score; ``theta`` (intercept first) and ``rows`` are encoded."""
    one = 1 << (x_frac_bits + theta_frac_bits)
    return [Fraction((theta[0] << x_frac_bits) + _dot(theta[1:], row), one) for row in rows]


def smallest_ratio(scores: Sequence[Fraction], answers: Sequence[int], categories: int) -> Fraction:
    """Return the lowest acceptance rate of a category by the highest; a score of 0 is accepted."""
    rates = []
    for category in range(categories):
        inside = [s for s, answer in zip(scores, answers, strict=True) if answer == category]
        rates.append(Fraction(sum(score >= 0 for score in inside), len(inside)))
    return min(rates) / max(rates)


def largest_covariance(
    scores: Sequence[Fraction], answers: Sequence[int], categories: int
) -> Fraction:
    """Return the largest ``abs(mean((z_j - mean z_j) * score))`` over the categories j."""
    kept = [(a, s) for a, s in zip(answers, scores, strict=True) if a < categories]
    count = len(kept)
    total = sum((score for _, score in kept), Fraction())
    largest = Fraction()
    for category in range(categories):
        inside = [score for answer, score in kept if answer == category]
        covariance = (sum(inside, Fraction()) - Fraction(len(inside), count) * total) / count
        largest = max(largest, abs(covariance))
    return largest


def _dot(weights: Sequence[int], row: Sequence[int]) -> int:
    return sum(w * x for w, x in zip(weights, row, strict=True))
