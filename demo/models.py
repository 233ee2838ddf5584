"""Linear models of credit: one fitted freely, one trained by the parties, one of them divided.

All come out as a scikit-learn ``Pipeline`` that ends in a ``LogisticRegression``, so that the
documented export applies to each.
Source of the constraint: Zafar et al. (2017), as in Kilbertus et al. (2018), section 3.2.
"""

from __future__ import annotations

import copy
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
    steps = [("scale", StandardScaler()), ("fit", LogisticRegression(solver="newton-cholesky"))]
    return Pipeline(steps).fit(people.x, people.good)


def fit_fairly(people: TrainingSet, bound: float) -> Pipeline:
    """Fit with ``abs(covariance(group, score)) <= bound`` by sequential least squares (SLSQP).

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
    return Pipeline([("scale", scaler), ("fit", fitted)])


def trained_by_the_parties(theta: Sequence[int], units: Sequence[int]) -> Pipeline:
    """Return the model of encoded coefficients, intercept first.

    ``units`` are those of the study's features.
    """
    one = float(1 << DEFAULT_THETA_FRAC_BITS)
    fitted = LogisticRegression()
    fitted.classes_ = np.array([0, 1])
    fitted.intercept_ = np.array([theta[0] / one])
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
