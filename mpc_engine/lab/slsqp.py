"""The baseline of the paper and its unconstrained model, in float64 by scipy."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from mpc_engine.lab.failures import Failure, RunFailed

Reals = NDArray[np.float64]


def fit_by_slsqp(rows: Reals, targets: NDArray[np.uint8], matrix: Reals, bound: float) -> Reals:
    """Return theta of the least mean logistic loss with ``abs(matrix theta) <= bound``.

    RunFailed where the optimiser gives up.
    """
    both = np.vstack([-matrix, matrix])
    found = minimize(
        _Loss(rows, targets),
        np.zeros(rows.shape[1]),
        jac=True,
        method="SLSQP",
        constraints=[{"type": "ineq", "fun": lambda t: bound + both @ t, "jac": lambda _: both}],
        options={"maxiter": 1_000, "ftol": 1e-9},
    )
    if not found.success:
        raise RunFailed(Failure.NOT_CONVERGED, f"SLSQP gave up: {found.message}")
    return np.asarray(found.x)


def fit_unconstrained(rows: Reals, targets: NDArray[np.uint8]) -> Reals:
    """Return theta of the least mean logistic loss, without a penalty or a constraint."""
    found = minimize(
        _Loss(rows, targets),
        np.zeros(rows.shape[1]),
        jac=True,
        method="L-BFGS-B",
        options={"maxiter": 5_000, "ftol": 1e-14, "gtol": 1e-8, "maxcor": 30},
    )
    return np.asarray(found.x)


class _Loss:
    """The mean logistic loss and its gradient."""

    def __init__(self, rows: Reals, targets: NDArray[np.uint8]) -> None:
        self._rows, self._signs = rows, targets * 2.0 - 1.0

    def __call__(self, theta: Reals) -> tuple[float, Reals]:
        margins = self._signs * (self._rows @ theta)
        weights = self._signs * np.exp(-np.logaddexp(0.0, margins))
        return float(np.logaddexp(0.0, -margins).mean()), -(self._rows.T @ weights) / len(weights)
