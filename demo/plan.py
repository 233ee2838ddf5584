"""What the demo decides before it meets the site: people, answers, limits, expectations."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
from sklearn.pipeline import Pipeline

from demo.choices import shuffled, stand_in_seed
from demo.data import COLUMNS, OVER_25, UP_TO_25, CreditData
from demo.expectations import FAIL, PASS, Measured, exact_scores, measured
from demo.limits import Limits, separating_limits
from demo.models import (
    TrainingSet,
    divided,
    fit_freely,
    trained_by_the_parties,
)
from demo.oracle import PlainPeople, train_in_the_clear
from mpc_engine.client.linear import decimal_text, read_linear_score
from mpc_engine.control.training_terms import TrainingTerms, recommended_steps
from mpc_engine.errors import ResourceError
from mpc_engine.params import DEFAULT_THETA_FRAC_BITS, DEFAULT_X_FRAC_BITS
from mpc_engine.ring.decimal_encoding import encode_decimal

N_TRAINING = 512
N_DECLINING = 20
CATEGORIES = 2
DECLINES = CATEGORIES
ATTEMPTS = 32
N_REHEARSALS = 3
UNCONSTRAINED, TRAINED = "Unconstrained model", "Trained model"
DIVISOR = 100
"""A model divided by this decides the same and passes any covariance limit."""
UNITS = tuple(column.unit for column in COLUMNS)

Rows = tuple[tuple[int, ...], ...]


@dataclass(frozen=True)
class Accuracy:
    """Known to the demo only: right decisions among people in training, and among the others."""

    in_training: Fraction
    held_out: Fraction
    percent_in_training: Fraction
    """p% among the people in training."""


@dataclass(frozen=True)
class PlannedModel:
    """A model, how it treats the groups held out, and how far its integers are from its floats.

    ``decisions``: of all people, in the order of the data.
    """

    name: str
    fitted: Pipeline
    measured: Measured
    accuracy: Accuracy
    decisions: tuple[int, ...]
    largest_score_error: float
    decisions_changed: int


@dataclass(frozen=True)
class Plan:
    """``rows`` raw features, ``rows_fixed`` encoded; ``answers`` 0, 1 or DECLINES (final ones).

    ``training`` and ``held_out``: numbers of the people in either study. ``rehearsed``: what a
    training gives with rows in another order than the site will draw. ``models``: what is put to
    certification; empty until training is over.
    """

    rows: Rows
    rows_fixed: Rows
    good: tuple[int, ...]
    answers: tuple[int, ...]
    training: tuple[int, ...]
    held_out: tuple[int, ...]
    policy: tuple[Limits, ...]
    unconstrained: Pipeline
    rehearsed: Pipeline
    permuted: bool
    models: tuple[PlannedModel, ...] = ()

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

    def plain(self, people: Sequence[int]) -> PlainPeople:
        """Return what these people share, in this order."""
        return PlainPeople(
            rows=np.array([self.rows_fixed[index] for index in people], dtype=np.int64),
            good=np.array([self.good[index] for index in people], dtype=np.uint8),
            answers=tuple(self.answers[index] for index in people),
        )

    def with_trained(self, trained: Pipeline) -> Plan:
        """Return the plan with what is put to certification: three models, two of which fail."""
        failing = (TRAINED, trained) if self.permuted else (UNCONSTRAINED, self.unconstrained)
        fitted = {
            UNCONSTRAINED: self.unconstrained,
            TRAINED: trained,
            f"{failing[0]} / {DIVISOR}": divided(failing[1], DIVISOR),
        }
        planned = tuple(self._planned(name, model) for name, model in fitted.items())
        return replace(self, models=planned)

    def _planned(self, name: str, fitted: Pipeline) -> PlannedModel:
        scores = _scores(fitted, self.rows_fixed)
        exact = np.array([float(score) for score in scores])
        floating = fitted.decision_function(np.array(self.rows, dtype=np.float64))
        decisions = tuple(int(score >= 0) for score in scores)
        return PlannedModel(
            name=name,
            fitted=fitted,
            measured=_measured(scores, self.answers, self.held_out),
            accuracy=Accuracy(
                in_training=self._right(decisions, self.training),
                held_out=self._right(decisions, self.held_out),
                percent_in_training=_measured(scores, self.answers, self.training).percent,
            ),
            decisions=decisions,
            largest_score_error=float(np.abs(exact - floating).max()),
            decisions_changed=int(((exact >= 0) != (floating >= 0)).sum()),
        )

    def _right(self, decisions: Sequence[int], people: Sequence[int]) -> Fraction:
        return Fraction(sum(decisions[i] == self.good[i] for i in people), len(people))


def make_plan(data: CreditData, seed: int, *, permute_labels: bool) -> Plan:
    """Choose who is in training and limits that tell the two models apart on all others.

    The same limits tell them apart the other way round when the answers of those held out are
    permuted; those in training always say the truth. The order of rows in training is drawn by the
    site, so a few other orders are rehearsed. People who leave no room for such limits are
    replaced by the next choice.

    Raises:
        ResourceError: no choice tried leaves room (DEMO_MODELS_TOO_CLOSE).
    """
    rows_fixed = tuple(_encoded_row(row) for row in data.rows)
    answers = list(data.age_group)
    for index in shuffled(len(data.rows), seed, "declines")[:N_DECLINING]:
        answers[index] = DECLINES
    for attempt in range(ATTEMPTS):
        order = shuffled(len(data.rows), seed, f"training {attempt}")
        people = Plan(
            rows=data.rows,
            rows_fixed=rows_fixed,
            good=data.good,
            answers=tuple(answers),
            training=tuple(order[:N_TRAINING]),
            held_out=tuple(order[N_TRAINING:]),
            policy=(),
            unconstrained=(free := _fit_freely(data, order[:N_TRAINING])),
            rehearsed=free,
            permuted=permute_labels,
        )
        rehearsed = [_rehearsed(people, seed, 0)]
        if not _limits(people, rehearsed)[1]:
            continue
        rehearsed += [_rehearsed(people, seed, number) for number in range(1, N_REHEARSALS)]
        permuted, policy = _limits(people, rehearsed)
        if policy:
            return replace(
                people,
                answers=tuple(permuted if permute_labels else answers),
                policy=tuple(policy),
                rehearsed=rehearsed[0],
            )
    raise ResourceError(
        "The two models are too close with this seed; try another.", code="DEMO_MODELS_TOO_CLOSE"
    )


def _limits(people: Plan, trained: Sequence[Pipeline]) -> tuple[list[int], list[Limits]]:
    """Return the permuted answers, and limits for either case; none where they leave no room."""
    answers, held_out = people.answers, people.held_out
    free = _scores(people.unconstrained, people.rows_fixed)
    scores = [_scores(model, people.rows_fixed) for model in trained]
    permuted = _permuted(answers, free, scores[0], held_out)
    small = [
        (people.unconstrained, answers),
        *((model, permuted) for model in trained),
    ]
    policy = separating_limits(
        passing=[
            *(_measured(found, answers, held_out) for found in scores),
            _measured(free, permuted, held_out),
        ],
        failing=[
            *(_measured(found, permuted, held_out) for found in scores),
            *(
                _measured(_scores(divided(model, DIVISOR), people.rows_fixed), given, held_out)
                for model, given in small
            ),
        ],
        unfair=_measured(free, answers, held_out),
    )
    return permuted, policy


def training_terms(order_seed: bytes) -> TrainingTerms:
    """Return what the demo's modeler asks for: one model, of 24 coefficients of 19 bits each."""
    return TrainingTerms(
        preset="recommended",
        steps=recommended_steps(N_TRAINING),
        batch_size=64,
        points=(("0.001",),),
        output_frac_bits=16,
        order_seed=order_seed,
    )


def _rehearsed(people: Plan, seed: int, number: int) -> Pipeline:
    terms = training_terms(stand_in_seed(seed, number))
    expected = train_in_the_clear(terms, people.plain(people.training))
    return trained_by_the_parties(expected.theta, UNITS)


def _fit_freely(data: CreditData, training: Sequence[int]) -> Pipeline:
    return fit_freely(
        TrainingSet(
            x=np.array(data.rows, dtype=np.float64)[training],
            good=np.array(data.good, dtype=np.int64)[training],
            group=np.array(data.age_group, dtype=np.int64)[training],
        )
    )


def _measured(
    scores: Sequence[Fraction], answers: Sequence[int], people: Sequence[int]
) -> Measured:
    return measured([scores[i] for i in people], [answers[i] for i in people], CATEGORIES)


def _encoded_row(row: Sequence[int]) -> tuple[int, ...]:
    return tuple(
        encode_decimal(value, str(column.unit), DEFAULT_X_FRAC_BITS)
        for value, column in zip(row, COLUMNS, strict=True)
    )


def _scores(fitted: Pipeline, rows_fixed: Rows) -> list[Fraction]:
    """Return the exact scores of the model as its exported file gives it."""
    score = read_linear_score(fitted)
    units = [Fraction(1), *(Fraction(1, unit) for unit in UNITS)]
    theta = [
        encode_decimal(decimal_text(value), unit, DEFAULT_THETA_FRAC_BITS)
        for value, unit in zip((score.intercept, *score.coefficients), units, strict=True)
    ]
    return exact_scores(theta, rows_fixed, DEFAULT_X_FRAC_BITS, DEFAULT_THETA_FRAC_BITS)


def _permuted(
    answers: Sequence[int],
    unconstrained: Sequence[Fraction],
    trained: Sequence[Fraction],
    people: Sequence[int],
) -> list[int]:
    """Give "over 25" to those the trained model favours beyond what the other's score explains.

    Only ``people`` are concerned; as many of them as before get each answer, and the same decline.
    """
    kept = [index for index in people if answers[index] != DECLINES]
    base = np.array([float(unconstrained[index]) for index in kept])
    other = np.array([float(trained[index]) for index in kept])
    base -= base.mean()
    residual = other - other.mean() - (base @ other) / (base @ base) * base
    ranked = [kept[place] for place in np.argsort(-residual, kind="stable")]
    n_over = sum(1 for index in kept if answers[index] == OVER_25)
    permuted = list(answers)
    for rank, index in enumerate(ranked):
        permuted[index] = OVER_25 if rank < n_over else UP_TO_25
    return permuted
