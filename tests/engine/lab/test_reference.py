"""Fits of the lab are those of independent ones on the same rows, and SLSQP's are optimal."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import nnls

from mpc_engine.lab.measures import measured
from mpc_engine.lab.slsqp import fit_by_slsqp, fit_unconstrained
from tests.engine.lab.reference import NAMES, problem_of, reference

LARGE = ("Adult", "Bank")
"""Sets on which SLSQP takes many seconds: the whole matrix is for `--all`."""


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_unconstrained_models_are_those_of_the_reference(name: str) -> None:
    expected, problem = reference(name), problem_of(name)
    found = measured(problem, fit_unconstrained(problem.scaled[: problem.n], problem.targets))
    one_row = 1 / len(problem.split.targets[problem.n :])
    assert found["accuracy"] == pytest.approx(expected["test"]["accuracy"], abs=1.5 * one_row)
    assert found["training_accuracy"] == pytest.approx(expected["train"]["accuracy"], abs=2e-4)
    assert found["loss"] == pytest.approx(expected["train"]["nll"], abs=1e-6)
    assert found["abs_a_theta"] == pytest.approx(max(expected["train"]["abs_A_theta"]), abs=1e-4)
    for group, known in zip(found["groups"], expected["test"]["per_attribute"], strict=True):
        assert group["n"] == known["n_z1"]
        assert group["positive"] == pytest.approx(
            [known["acc_rate_z1"], known["acc_rate_z0"]], abs=2.5 / known["n_z1"]
        )
        assert group["p_percent"] == pytest.approx(100 * known["p_ratio"], abs=0.5)


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", [pytest.param(n, marks=pytest.mark.thorough if n in LARGE else ()) for n in NAMES]
)
def test_without_an_active_bound_slsqp_is_the_reference(name: str) -> None:
    expected, problem = reference(name), problem_of(name)
    rows = problem.scaled[: problem.n]
    found = measured(problem, fit_by_slsqp(rows, problem.targets, problem.matrix, 1.0))
    assert found["loss"] == pytest.approx(expected["train"]["nll"], abs=1e-6)
    assert found["accuracy"] == pytest.approx(expected["test"]["accuracy"], abs=1e-3)


@pytest.mark.parametrize("name", ["German", "Synthetic", "COMPAS"])
@pytest.mark.parametrize("c", [1e-4, 1e-3, 1e-2, 1e-1])
def test_slsqp_is_optimal_under_its_bound(name: str, c: float) -> None:
    """Karush-Kuhn-Tucker: active constraints alone, each with its sign, balance the gradient."""
    problem = problem_of(name)
    rows, targets = problem.scaled[: problem.n], problem.targets
    theta = fit_by_slsqp(rows, targets, problem.matrix, c)
    values = problem.matrix @ theta
    assert np.abs(values).max() <= c + 1e-8
    gradient = rows.T @ (1 / (1 + np.exp(-rows @ theta)) - targets) / len(rows)
    active = np.abs(values) > c - 1e-6
    outward = np.sign(values[active])[:, None] * problem.matrix[active]
    left = nnls(outward.T, -gradient)[1] if active.any() else np.linalg.norm(gradient)
    assert left < 1e-3
