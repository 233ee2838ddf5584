"""Linear models of credit: one fitted freely, one trained by the parties, one of them divided.

The bank grants a credit where the probability of a good one is at least 3/4: to it a bad credit
granted costs three times what a good one refused does. All models come out as a scikit-learn
``Pipeline`` that ends in a ``LogisticRegression``, so that the documented export applies to each.
Source of the constraint: Zafar et al. (2017), as in Kilbertus et al. (2018), section 3.2.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import StandardScaler

from mpc_engine.errors import ResourceError
from mpc_engine.params import DEFAULT_THETA_FRAC_BITS

Floats = NDArray[np.float64]

STEPS = 500
COST_OF_BAD_CREDIT = 3
RIDGE = 1.0
"""Weight of half the squared coefficients against the summed loss: scikit-learn's C = 1."""


@dataclass(frozen=True)
class TrainingSet:
    """The people that the modeler fits on.

    ``x`` f64[n, d]: raw features; ``good`` i64[n]: 1 for good credit; ``group`` i64[n]: the
    sensitive attribute, 0 or 1, which only the constrained fit looks at.
    """

    x: Floats
    good: NDArray[np.int64]
    group: NDArray[np.int64]


def fit_freely(people: TrainingSet) -> Pipeline:
    """Fit without any constraint."""
    steps = [("scale", StandardScaler()), ("fit", LogisticRegression(max_iter=STEPS))]
    return _cautious(Pipeline(steps).fit(people.x, people.good), COST_OF_BAD_CREDIT)


def fit_fairly(people: TrainingSet, bound: float, *, cost: int = COST_OF_BAD_CREDIT) -> Pipeline:
    """Fit with ``abs(covariance(group, score)) <= bound`` by sequential least squares (SLSQP).

    ``cost``: how many times dearer it is to accept a bad one than to refuse a good one.

    Raises:
        ResourceError: the optimiser found no solution.
    """
    scaler = StandardScaler().fit(people.x)
    x = np.column_stack([np.ones(len(people.x)), scaler.transform(people.x)])
    sign = np.where(people.good == 1, 1.0, -1.0)
    covariance = (people.group - people.group.mean()) @ x / len(x)
    covariance[0] = 0.0
    constraints = [
        {
            "type": "ineq",
            "fun": lambda theta, side=side: bound + side * (covariance @ theta),
            "jac": lambda theta, side=side: side * covariance,
        }
        for side in (1.0, -1.0)
    ]

    def loss_and_slope(theta: Floats) -> tuple[float, Floats]:
        margin = sign * (x @ theta)
        weights = np.r_[0.0, theta[1:]]
        loss = np.logaddexp(0.0, -margin).sum() + RIDGE / 2 * weights @ weights
        slope = -(sign / (1.0 + np.exp(margin))) @ x + RIDGE * weights
        return float(loss) / len(x), slope / len(x)

    found = minimize(
        loss_and_slope,
        np.zeros(x.shape[1]),
        jac=True,
        method="SLSQP",
        constraints=constraints,
        options={"maxiter": STEPS, "ftol": 1e-10},
    )
    if not found.success:
        raise ResourceError("The fair model could not be fitted.", code="DEMO_FIT_FAILED")
    fitted = LogisticRegression()
    fitted.classes_ = np.array([0, 1])
    fitted.intercept_ = found.x[:1].copy()
    fitted.coef_ = found.x[1:].reshape(1, -1).copy()
    fitted.n_features_in_ = people.x.shape[1]
    return _cautious(Pipeline([("scale", scaler), ("fit", fitted)]), cost)


def trained_by_the_parties(theta: Sequence[int], units: Sequence[int]) -> Pipeline:
    """Return the model of encoded coefficients, intercept first, with the bank's line drawn in it.

    Training approximates the probability by ``score + 1/2``, cut to 0 .. 1. ``units`` are those of
    the study's features.
    """
    one = float(1 << DEFAULT_THETA_FRAC_BITS)
    fitted = LogisticRegression()
    fitted.classes_ = np.array([0, 1])
    probability = COST_OF_BAD_CREDIT / (1 + COST_OF_BAD_CREDIT)
    fitted.intercept_ = np.array([theta[0] / one - (probability - 1 / 2)])
    fitted.coef_ = np.array([[w / one / unit for w, unit in zip(theta[1:], units, strict=True)]])
    fitted.n_features_in_ = len(units)
    return Pipeline([("fit", fitted)])


def divided(fitted: Pipeline, divisor: int) -> Pipeline:
    """Return a model whose every score is that of ``fitted`` divided by ``divisor``."""
    smaller = copy.deepcopy(fitted)
    classifier = smaller.steps[-1][1]
    classifier.coef_ = classifier.coef_ / divisor
    classifier.intercept_ = classifier.intercept_ / divisor
    return smaller


def _cautious(fitted: Pipeline, cost: int) -> Pipeline:
    """Move the line between the decisions from odds of 1 to odds of ``cost``, in place."""
    classifier = fitted.steps[-1][1]
    classifier.intercept_ = classifier.intercept_ - math.log(cost)
    return fitted
