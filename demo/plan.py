"""What the demo expects of everything it plays: people, answers, limits, models."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
from sklearn.pipeline import Pipeline

from demo.expectations import FAIL, PASS, Measured
from demo.limits import CERTIFY_AT
from demo.models import divided, trained_by_the_parties
from demo.oracle import PlainPeople
from demo.scoring import UNITS, Rows, measured_among, right_among, scores_of
from demo.sweep import C_LADDER
from mpc_engine.client.linear import read_linear_score
from mpc_engine.errors import CheckFailedError

UNCONSTRAINED = "Unconstrained model"
DIVISOR = 100
"""A model divided by this decides the same and has a covariance near 0."""


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

    ``decisions``: of all people, in the order of the data. ``c``: the bound that the parties
    trained it under, "" for a model that is handed in.
    """

    name: str
    fitted: Pipeline
    measured: Measured
    accuracy: Accuracy
    decisions: tuple[int, ...]
    largest_score_error: float
    decisions_changed: int
    c: str = ""


@dataclass(frozen=True)
class Plan:
    """``rows`` raw features, ``rows_fixed`` encoded; ``answers`` 0, 1 or DECLINES (final ones).

    ``training`` and ``held_out``: numbers of the people in either study. ``rehearsed``: what a
    training gives at each c of the ladder, with rows in another order than the site will draw.
    ``models``: what is put to certification; empty until training is over.
    """

    rows: Rows
    rows_fixed: Rows
    good: tuple[int, ...]
    answers: tuple[int, ...]
    training: tuple[int, ...]
    held_out: tuple[int, ...]
    unconstrained: Pipeline
    rehearsed: tuple[Pipeline, ...]
    permuted: bool
    models: tuple[PlannedModel, ...] = ()

    def verdict(self, model: PlannedModel) -> str:
        """Return PASS if the model should be certified, else FAIL."""
        return model.measured.verdict(CERTIFY_AT)

    @property
    def trained(self) -> tuple[PlannedModel, ...]:
        """Return the models of the sweep, the loosest c first."""
        return tuple(model for model in self.models if model.c)

    @property
    def handed_in(self) -> tuple[PlannedModel, ...]:
        """Return the models that the bank hands in itself."""
        return tuple(model for model in self.models if not model.c)

    @property
    def divided(self) -> PlannedModel:
        """Return the failing model divided by `DIVISOR`."""
        return self.models[-1]

    def model(self, outcome: str) -> PlannedModel:
        """Return the model that stands for ``outcome``: the one fitted freely, or a trained one.

        Of the trained ones the strictest that should get it.

        Raises:
            CheckFailedError: none should; the order of rows that the site drew made another model
                than every order that was rehearsed.
        """
        is_trained = (outcome == PASS) != self.permuted
        for model in reversed(self.trained) if is_trained else self.handed_in[:1]:
            if self.verdict(model) == outcome:
                return model
        raise CheckFailedError(f"With this order of rows no trained model would {outcome}.")

    def plain(self, people: Sequence[int]) -> PlainPeople:
        """Return what these people share, in this order."""
        return PlainPeople(
            rows=np.array([self.rows_fixed[index] for index in people], dtype=np.int64),
            good=np.array([self.good[index] for index in people], dtype=np.uint8),
            answers=tuple(self.answers[index] for index in people),
        )

    def with_trained(self, trained: Sequence[Pipeline]) -> Plan:
        """Return the plan with what is put to certification; ``trained``: one model for each c.

        Beside them the one that was fitted freely, and the failing one divided.
        """
        models = [
            self._planned(f"Trained with c = {c}", model, c)
            for c, model in zip(C_LADDER, trained, strict=True)
        ]
        models.append(self._planned(UNCONSTRAINED, self.unconstrained))
        failing = replace(self, models=tuple(models)).model(FAIL)
        models.append(
            self._planned(f"{failing.name} / {DIVISOR}", divided(failing.fitted, DIVISOR))
        )
        return replace(self, models=tuple(models))

    def with_integers(self, models: Sequence[Sequence[int]]) -> Plan:
        """Return `with_trained` of models given as encoded coefficients."""
        return self.with_trained([trained_by_the_parties(theta, UNITS) for theta in models])

    def _planned(self, name: str, fitted: Pipeline, c: str = "") -> PlannedModel:
        scores = scores_of(fitted, self.rows_fixed)
        exact = np.array([float(score) for score in scores])
        score = read_linear_score(fitted)
        weights = np.array([float(weight) for weight in score.coefficients])
        floating = np.array(self.rows, dtype=np.float64) @ weights + float(score.intercept)
        return PlannedModel(
            name=name,
            fitted=fitted,
            measured=measured_among(scores, self.answers, self.held_out),
            accuracy=Accuracy(
                in_training=right_among(scores, self.good, self.training),
                held_out=right_among(scores, self.good, self.held_out),
                percent_in_training=measured_among(scores, self.answers, self.training).percent,
            ),
            decisions=tuple(int(score >= 0) for score in scores),
            largest_score_error=float(np.abs(exact - floating).max()),
            decisions_changed=int(((exact >= 0) != (floating >= 0)).sum()),
            c=c,
        )
