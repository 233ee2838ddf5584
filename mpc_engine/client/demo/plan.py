"""What the demo decides before it meets the site: answers, models, limits, expectations."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from sklearn.pipeline import Pipeline

from mpc_engine.client.demo.choices import shuffled
from mpc_engine.client.demo.data import COLUMNS, OVER_25, UP_TO_25, CreditData
from mpc_engine.client.demo.expectations import FAIL, PASS, Measured, exact_scores, measured
from mpc_engine.client.demo.limits import Limits, separating_limits
from mpc_engine.client.demo.models import TrainingSet, divided, fit_fairly, fit_freely
from mpc_engine.client.linear import decimal_text, read_linear_score
from mpc_engine.errors import ResourceError
from mpc_engine.params import DEFAULT_THETA_FRAC_BITS, DEFAULT_X_FRAC_BITS
from mpc_engine.ring.decimal_encoding import encode_decimal

N_TRAINING = 512
N_DECLINING = 20
CATEGORIES = 2
DECLINES = CATEGORIES
ATTEMPTS = 32
UNCONSTRAINED, FAIR = "Unconstrained model", "Fair model"
DIVISOR = 1000
"""A model divided by this decides the same and passes any covariance limit."""

Rows = tuple[tuple[int, ...], ...]


@dataclass(frozen=True)
class PlannedModel:
    """A fitted model, how it treats the groups, and how far its integers are from its floats."""

    name: str
    fitted: Pipeline
    measured: Measured
    decisions: tuple[int, ...]
    largest_score_error: float
    decisions_changed: int


@dataclass(frozen=True)
class Plan:
    """``rows`` raw features, ``rows_fixed`` encoded; ``answers`` 0, 1 or DECLINES (final ones)."""

    rows: Rows
    rows_fixed: Rows
    good: tuple[int, ...]
    answers: tuple[int, ...]
    policy: tuple[Limits, ...]
    models: tuple[PlannedModel, ...]

    def verdict(self, model: PlannedModel) -> str:
        """Return PASS if the model should be certified, else FAIL."""
        held = [model.measured.verdict(one.criterion, one.certify_at) for one in self.policy]
        return PASS if all(verdict == PASS for verdict in held) else FAIL

    @property
    def divided(self) -> PlannedModel:
        """Return the failing model divided by `DIVISOR`."""
        return self.models[-1]

    def model(self, outcome: str) -> PlannedModel:
        """Return the first model expected to get ``outcome``, as it was fitted."""
        return next(model for model in self.models if self.verdict(model) == outcome)


def make_plan(data: CreditData, seed: int, *, permute_labels: bool) -> Plan:
    """Fit both models on a random half and choose limits that tell them apart.

    The same limits tell them apart the other way round when people's answers are permuted. A half
    that leaves no room for such limits is replaced by the next one. A third model is the one that
    fails, divided by `DIVISOR`.

    Raises:
        ResourceError: no half tried leaves room (DEMO_MODELS_TOO_CLOSE).
    """
    rows_fixed = tuple(_encoded_row(row) for row in data.rows)
    answers = list(data.age_group)
    for index in shuffled(len(data.rows), seed, "declines")[:N_DECLINING]:
        answers[index] = DECLINES
    for attempt in range(ATTEMPTS):
        training = shuffled(len(data.rows), seed, f"training {attempt}")[:N_TRAINING]
        fitted = _fitted(data, training)
        scores = {name: _scores(model, rows_fixed) for name, model in fitted.items()}
        permuted = _permuted(answers, scores[UNCONSTRAINED], scores[FAIR])
        found = {
            name: [measured(scores[name], group, CATEGORIES) for group in (answers, permuted)]
            for name in fitted
        }
        policy = separating_limits(
            passing=[found[FAIR][0], found[UNCONSTRAINED][1]],
            failing=[found[UNCONSTRAINED][0], found[FAIR][1]],
        )
        if policy:
            final = permuted if permute_labels else answers
            failing = FAIR if permute_labels else UNCONSTRAINED
            fitted[f"{failing} / {DIVISOR}"] = divided(fitted[failing], DIVISOR)
            return Plan(
                rows=data.rows,
                rows_fixed=rows_fixed,
                good=data.good,
                answers=tuple(final),
                policy=tuple(policy),
                models=tuple(
                    _planned(name, model, data, rows_fixed, final) for name, model in fitted.items()
                ),
            )
    raise ResourceError(
        "The two models are too close with this seed; try another.", code="DEMO_MODELS_TOO_CLOSE"
    )


def _fitted(data: CreditData, training: Sequence[int]) -> dict[str, Pipeline]:
    people = TrainingSet(
        x=np.array(data.rows, dtype=np.float64)[training],
        good=np.array(data.good, dtype=np.int64)[training],
        group=np.array(data.age_group, dtype=np.int64)[training],
    )
    return {UNCONSTRAINED: fit_freely(people), FAIR: fit_fairly(people, 0.0)}


def _planned(
    name: str, fitted: Pipeline, data: CreditData, rows_fixed: Rows, answers: Sequence[int]
) -> PlannedModel:
    scores = _scores(fitted, rows_fixed)
    exact = np.array([float(score) for score in scores])
    floating = fitted.decision_function(np.array(data.rows, dtype=np.float64))
    return PlannedModel(
        name=name,
        fitted=fitted,
        measured=measured(scores, answers, CATEGORIES),
        decisions=tuple(int(score >= 0) for score in scores),
        largest_score_error=float(np.abs(exact - floating).max()),
        decisions_changed=int(((exact >= 0) != (floating >= 0)).sum()),
    )


def _encoded_row(row: Sequence[int]) -> tuple[int, ...]:
    return tuple(
        encode_decimal(value, str(column.unit), DEFAULT_X_FRAC_BITS)
        for value, column in zip(row, COLUMNS, strict=True)
    )


def _scores(fitted: Pipeline, rows_fixed: Rows) -> list[Fraction]:
    """Return the exact scores of the model as its exported file gives it."""
    score = read_linear_score(fitted)
    units = [Fraction(1), *(Fraction(1, column.unit) for column in COLUMNS)]
    theta = [
        encode_decimal(decimal_text(value), unit, DEFAULT_THETA_FRAC_BITS)
        for value, unit in zip((score.intercept, *score.coefficients), units, strict=True)
    ]
    return exact_scores(theta, rows_fixed, DEFAULT_X_FRAC_BITS, DEFAULT_THETA_FRAC_BITS)


def _permuted(
    answers: Sequence[int], unconstrained: Sequence[Fraction], fair: Sequence[Fraction]
) -> list[int]:
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
