"""What the demo decides before it meets the site: answers, models, threshold, expectations."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from sklearn.pipeline import Pipeline

from mpc_engine.client.demo.choices import shuffled
from mpc_engine.client.demo.data import COLUMNS, OVER_25, UP_TO_25, CreditData
from mpc_engine.client.demo.expectations import largest_covariance, scores, verdict
from mpc_engine.client.demo.models import TrainingSet, fit_fairly, fit_freely
from mpc_engine.client.linear import decimal_text, read_linear_score
from mpc_engine.errors import ResourceError
from mpc_engine.params import DEFAULT_THETA_FRAC_BITS, DEFAULT_X_FRAC_BITS
from mpc_engine.ring.decimal_encoding import encode_decimal

N_TRAINING = 512
N_DECLINING = 20
CATEGORIES = 2
DECLINES = CATEGORIES
ATTEMPTS = 8
UNCONSTRAINED, FAIR = "Unconstrained model", "Fair model"
SMALLEST_MARGIN = Fraction(11, 10)
"""The chosen threshold keeps at least this factor to every covariance it is compared with."""


@dataclass(frozen=True)
class PlannedModel:
    """A fitted model, what it should get, and how far its integers are from its floats."""

    name: str
    fitted: Pipeline
    covariance: Fraction
    verdict: str
    decisions: tuple[int, ...]
    largest_score_error: float
    decisions_changed: int


@dataclass(frozen=True)
class Plan:
    """``rows`` raw features, ``rows_fixed`` encoded; ``answers`` 0, 1 or DECLINES (final ones)."""

    rows: tuple[tuple[int, ...], ...]
    rows_fixed: tuple[tuple[int, ...], ...]
    good: tuple[int, ...]
    answers: tuple[int, ...]
    thresholds: tuple[str, ...]
    certify_at: str
    models: tuple[PlannedModel, ...]

    def model(self, outcome: str) -> PlannedModel:
        """Return the model expected to get ``outcome``."""
        return next(model for model in self.models if model.verdict == outcome)


def make_plan(data: CreditData, seed: int, *, permute_labels: bool) -> Plan:
    """Fit both models on a random half and choose a threshold that tells them apart.

    The same threshold tells them apart the other way round when people's answers are permuted. A
    half that leaves no room for such a threshold is replaced by the next one.

    Raises:
        ResourceError: no half tried leaves room (DEMO_MODELS_TOO_CLOSE).
    """
    rows_fixed = tuple(_encoded_row(row) for row in data.rows)
    true_answers = list(data.age_group)
    for index in shuffled(len(data.rows), seed, "declines")[:N_DECLINING]:
        true_answers[index] = DECLINES
    for attempt in range(ATTEMPTS):
        training = shuffled(len(data.rows), seed, f"training {attempt}")[:N_TRAINING]
        fitted = _fitted(data, training)
        values = {name: _scores(model, rows_fixed) for name, model in fitted.items()}
        permuted = _permuted(true_answers, values[UNCONSTRAINED], values[FAIR])
        covariances = {
            name: tuple(
                largest_covariance(values[name], answers, CATEGORIES)
                for answers in (true_answers, permuted)
            )
            for name in fitted
        }
        certify_at = _separating_threshold(
            passing=max(covariances[FAIR][0], covariances[UNCONSTRAINED][1]),
            failing=min(covariances[UNCONSTRAINED][0], covariances[FAIR][1]),
        )
        if certify_at is None:
            continue
        bound = Fraction(certify_at)
        return Plan(
            rows=data.rows,
            rows_fixed=rows_fixed,
            good=data.good,
            answers=tuple(permuted if permute_labels else true_answers),
            thresholds=tuple(_threshold_text(bound * k) for k in (Fraction(1, 2), 1, 2, 4)),
            certify_at=certify_at,
            models=tuple(
                _planned(
                    name, model, data, values[name], covariances[name][permute_labels], certify_at
                )
                for name, model in fitted.items()
            ),
        )
    raise ResourceError(
        "The two models are too close with this seed; try another.", code="DEMO_MODELS_TOO_CLOSE"
    )


def _fitted(data: CreditData, training: list[int]) -> dict[str, Pipeline]:
    people = TrainingSet(
        x=np.array(data.rows, dtype=np.float64)[training],
        good=np.array(data.good, dtype=np.int64)[training],
        group=np.array(data.age_group, dtype=np.int64)[training],
    )
    return {UNCONSTRAINED: fit_freely(people), FAIR: fit_fairly(people, 0.0)}


def _planned(
    name: str,
    fitted: Pipeline,
    data: CreditData,
    values: list[Fraction],
    covariance: Fraction,
    certify_at: str,
) -> PlannedModel:
    exact = np.array([float(value) for value in values])
    floating = fitted.decision_function(np.array(data.rows, dtype=np.float64))
    return PlannedModel(
        name=name,
        fitted=fitted,
        covariance=covariance,
        verdict=verdict(covariance, certify_at),
        decisions=tuple(int(value >= 0) for value in values),
        largest_score_error=float(np.abs(exact - floating).max()),
        decisions_changed=int(((exact >= 0) != (floating >= 0)).sum()),
    )


def _encoded_row(row: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(
        encode_decimal(value, str(column.unit), DEFAULT_X_FRAC_BITS)
        for value, column in zip(row, COLUMNS, strict=True)
    )


def _scores(fitted: Pipeline, rows_fixed: tuple[tuple[int, ...], ...]) -> list[Fraction]:
    """Return the exact scores of the model as its exported file gives it."""
    score = read_linear_score(fitted)
    units = [Fraction(1), *(Fraction(1, column.unit) for column in COLUMNS)]
    theta = [
        encode_decimal(decimal_text(value), unit, DEFAULT_THETA_FRAC_BITS)
        for value, unit in zip((score.intercept, *score.coefficients), units, strict=True)
    ]
    return scores(theta, rows_fixed, DEFAULT_X_FRAC_BITS, DEFAULT_THETA_FRAC_BITS)


def _permuted(answers: list[int], unconstrained: list[Fraction], fair: list[Fraction]) -> list[int]:
    """Give "over 25" to those the fair model favours beyond what the other model's score explains.

    As many people as before get each answer, and the same people decline.
    """
    kept = [index for index, answer in enumerate(answers) if answer != DECLINES]
    base = np.array([float(unconstrained[index]) for index in kept])
    other = np.array([float(fair[index]) for index in kept])
    base -= base.mean()
    residual = other - other.mean() - (base @ other) / (base @ base) * base
    ranked = [kept[place] for place in np.argsort(-residual, kind="stable")]
    n_over = sum(1 for index in kept if answers[index] == OVER_25)
    permuted = list(answers)
    for rank, index in enumerate(ranked):
        permuted[index] = OVER_25 if rank < n_over else UP_TO_25
    return permuted


def _separating_threshold(*, passing: Fraction, failing: Fraction) -> str | None:
    """Return the middle between the two, or None if it is too near to either."""
    text = _threshold_text((passing + failing) / 2)
    roomy = passing * SMALLEST_MARGIN <= Fraction(text) <= failing / SMALLEST_MARGIN
    return text if roomy else None


def _threshold_text(value: Fraction) -> str:
    return decimal_text(round(value * 10_000) * Fraction(1, 10_000))
