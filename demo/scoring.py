"""Exact scores of models on the demo's people, and how they treat the two groups."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from sklearn.pipeline import Pipeline

from demo.data import DATA_COLUMNS
from demo.expectations import Measured, exact_scores, measured
from mpc_engine.client.linear import decimal_text, read_linear_score
from mpc_engine.params import DEFAULT_THETA_FRAC_BITS, DEFAULT_X_FRAC_BITS
from mpc_engine.ring.decimal_encoding import encode_decimal

CATEGORIES = 2
DECLINES = CATEGORIES
UNITS = tuple(column.unit for column in DATA_COLUMNS)

Rows = tuple[tuple[int, ...], ...]
Scores = Sequence[Fraction]


def encoded_row(row: Sequence[int]) -> tuple[int, ...]:
    """Return raw features as the study encodes them."""
    return tuple(
        encode_decimal(value, str(unit), DEFAULT_X_FRAC_BITS)
        for value, unit in zip(row, UNITS, strict=True)
    )


def encoded_theta(fitted: Pipeline) -> list[int]:
    """Return the model's coefficients as its exported file gives them, intercept first."""
    score = read_linear_score(fitted)
    units = [Fraction(1), *(Fraction(1, unit) for unit in UNITS)]
    return [
        encode_decimal(decimal_text(value), unit, DEFAULT_THETA_FRAC_BITS)
        for value, unit in zip((score.intercept, *score.coefficients), units, strict=True)
    ]


def scores_of(fitted: Pipeline, rows_fixed: Rows) -> list[Fraction]:
    """Return the exact score of each row under the model as its exported file gives it."""
    theta = encoded_theta(fitted)
    return exact_scores(theta, rows_fixed, DEFAULT_X_FRAC_BITS, DEFAULT_THETA_FRAC_BITS)


def measured_among(scores: Scores, answers: Sequence[int], people: Sequence[int]) -> Measured:
    """Return what the criteria look at among some people."""
    return measured([scores[i] for i in people], [answers[i] for i in people], CATEGORIES)


def fewest_decided(scores: Scores, answers: Sequence[int], people: Sequence[int]) -> int:
    """Return the fewest decisions of one kind in a group, among some people."""
    groups = [[scores[i] >= 0 for i in people if answers[i] == c] for c in range(CATEGORIES)]
    return min(min(sum(own), len(own) - sum(own)) for own in groups)


def right_among(scores: Scores, good: Sequence[int], people: Sequence[int]) -> Fraction:
    """Return the share of right decisions among some people; a score of 0 is accepted."""
    return Fraction(sum((scores[i] >= 0) == bool(good[i]) for i in people), len(people))
