"""The covariance criterion against an independent reference in exact fractions."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from mpc_engine.fairness.algebra import PlainAlgebra
from mpc_engine.fairness.covariance import AttributeSums, covariance_bounds


def _reference_distances(
    answers: list[int], rows: list[list[int]], theta: list[int], n_categories: int, scale_bits: int
) -> list[Fraction] | None:
    """Compute abs(A_j theta) with plain loops; an answer of ``n_categories`` is "not said"."""
    scores = [sum(Fraction(x) * t for x, t in zip(row, theta, strict=True)) for row in rows]
    said = [i for i, answer in enumerate(answers) if answer < n_categories]
    if not said:
        return None
    distances = []
    for category in range(n_categories):
        mean = Fraction(sum(1 for i in said if answers[i] == category), len(said))
        total = Fraction(0)
        for i in said:
            total += ((1 if answers[i] == category else 0) - mean) * scores[i]
        distances.append(abs(total / len(said)) / 2**scale_bits)
    return distances


def _evaluate(
    answers: list[int],
    rows: list[list[int]],
    theta: list[int],
    n_categories: int,
    thresholds: tuple[Fraction, ...],
) -> tuple[bool, ...]:
    sums = [
        [
            sum(rows[i][k] for i in range(len(rows)) if answers[i] == category)
            for k in range(len(theta))
        ]
        for category in range(n_categories)
    ]
    counts = [answers.count(category) for category in range(n_categories)]
    return covariance_bounds(PlainAlgebra(), thresholds, 4, [AttributeSums(sums, counts)], theta)


@pytest.mark.parametrize("n_categories", [2, 3, 5])
def test_verdicts_agree_with_fractions_under_at_and_above_the_true_value(n_categories: int) -> None:
    rng = np.random.default_rng(n_categories)
    for _ in range(40):
        n, d = int(rng.integers(n_categories * 3, 60)), int(rng.integers(1, 6))
        rows = rng.integers(-50, 51, (n, d)).tolist()
        theta = rng.integers(-20, 21, d).tolist()
        answers = [*range(n_categories), *rng.integers(0, n_categories + 1, n - n_categories)]
        answers = [int(answer) for answer in answers]
        distances = _reference_distances(answers, rows, theta, n_categories, 4)
        assert distances is not None
        true_value = max(distances)
        step = Fraction(1, 10**6)
        thresholds = tuple(
            sorted({max(true_value - step, Fraction(0)), true_value, true_value + step})
        )
        passes = _evaluate(answers, rows, theta, n_categories, thresholds)
        assert list(passes) == [bound >= true_value for bound in thresholds]


def test_swapping_the_two_categories_changes_nothing() -> None:
    rows, theta, answers = [[3], [5], [-7], [2]], [9], [0, 1, 1, 0]
    swapped = [1 - answer for answer in answers]
    bounds = tuple(Fraction(k, 64) for k in range(200))
    assert _evaluate(answers, rows, theta, 2, bounds) == _evaluate(swapped, rows, theta, 2, bounds)


def test_people_who_prefer_not_to_say_fall_out() -> None:
    bounds = tuple(Fraction(k, 64) for k in range(200))
    with_silent = _evaluate([0, 1, 1, 0, 2, 2], [[3], [5], [-7], [2], [100], [-90]], [9], 2, bounds)
    without = _evaluate([0, 1, 1, 0], [[3], [5], [-7], [2]], [9], 2, bounds)
    assert with_silent == without
