"""Points give the oracle's own integers, and a failure is told, not raised."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from mpc_engine.experiments.float_training import covariance_rows
from mpc_engine.lab.data_sets import SHARED_FOLDER
from mpc_engine.lab.fitting import fit, integer_sigmoid, run_point
from mpc_engine.lab.points import ORDER_SEEDS, Method, Numbers, Point
from mpc_engine.lab.problems import Problem, Whitening
from mpc_engine.lab.sigmoids import Sigmoid, exact
from mpc_engine.lab.splits import split_of
from mpc_engine.protocols.training.hyperparameters import THETA_FRAC_BITS, X_FRAC_BITS, Preset
from mpc_engine.protocols.training.plaintext import constraint_matrix, train_plaintext
from mpc_engine.vocabulary.constraints import Constraint
from tests.engine.lab.reference import problem_of

ORACLE = Point("Synthetic", Method.LAGRANGE, 0.01, Sigmoid.CLAMP, Numbers.ORACLE, n_steps=80)


@pytest.mark.parametrize("preset", Preset)
def test_a_fixed_point_run_is_the_oracle(preset: Preset) -> None:
    point, problem = replace(ORACLE, preset=preset), problem_of("Synthetic")
    spec = problem.spec(preset, 0.01, 80, ORDER_SEEDS[0], THETA_FRAC_BITS)
    expected = train_plaintext(spec, problem.encoded, problem.targets, problem.entries[: problem.n])
    np.testing.assert_array_equal(fit(point, problem) * 2**16, expected.theta)


@pytest.mark.parametrize("sigmoid", [Sigmoid.EXACT, Sigmoid.CLAMP])
def test_fixed_and_floating_point_are_close(sigmoid: Sigmoid) -> None:
    problem = problem_of("Synthetic")
    fixed, floating = (
        fit(replace(ORACLE, numbers=numbers, sigmoid=sigmoid), problem)
        for numbers in (Numbers.ORACLE, Numbers.FLOAT)
    )
    np.testing.assert_allclose(fixed, floating, atol=1e-4)
    assert np.abs(floating).max() > 1e-3


def test_the_integer_sigmoid_is_the_function_rounded() -> None:
    spec = problem_of("Synthetic").spec(Preset.PAPER, 1.0, 4, ORDER_SEEDS[0], THETA_FRAC_BITS)
    scores = np.arange(-(1 << 36), 1 << 36, 1 << 30)
    expected = exact(scores / 2.0**spec.score_frac_bits)
    found = integer_sigmoid(spec, scores) / 2.0**spec.signal_frac_bits
    assert np.abs(found - expected).max() <= 2.0 ** -(spec.signal_frac_bits + 1)


@pytest.mark.parametrize(("theta_bits", "x_bits"), [(18, X_FRAC_BITS), (THETA_FRAC_BITS, 9)])
def test_other_numbers_of_bits_keep_the_rates(theta_bits: int, x_bits: int) -> None:
    """The same schedule with fewer bits stays near the one in floats."""
    point = replace(
        ORACLE,
        preset=Preset.RECOMMENDED,
        n_steps=200,
        theta_frac_bits=theta_bits,
        x_frac_bits=x_bits,
    )
    problem = Problem(problem_of("Synthetic").split, Whitening.PAPER, None, x_bits)
    floating = fit(replace(point, numbers=Numbers.FLOAT), problem)
    np.testing.assert_allclose(fit(point, problem), floating, atol=0.02)


def test_a_wider_number_sends_more() -> None:
    point = replace(ORACLE, preset=Preset.RECOMMENDED, n_steps=4)
    sizes = [
        run_point(replace(point, theta_frac_bits=bits), SHARED_FOLDER)["bytes_a_step"]
        for bits in (20, 22, 24)
    ]
    assert sizes == sorted(sizes)
    assert sizes[0] < sizes[2]


def test_a_run_without_its_data_is_told_as_a_failure(tmp_path: Path) -> None:
    row = run_point(Point("SQF", Method.UNCONSTRAINED), tmp_path)
    assert row["failure"] == "not available"
    assert "stop_and_frisk_2012.npz" in row["why"]


def test_a_run_that_is_too_wide_is_told_as_refused() -> None:
    row = run_point(replace(ORACLE, theta_frac_bits=50), SHARED_FOLDER)
    assert row["failure"] == "refused"
    assert "bits" in row["why"]


def test_the_authors_array_file_of_sqf_is_read(tmp_path: Path) -> None:
    dice = np.random.default_rng(1)
    n = (1 << 16) + 200
    np.savez(
        tmp_path / "stop_and_frisk_2012.npz",
        dice.normal(size=(n, 22)),
        2 * dice.integers(0, 2, n) - 1,
        dice.integers(0, 2, n),
    )
    split = split_of("SQF", tmp_path)
    assert split is not None
    assert split.features.shape == (n, 22)
    assert split.n_trained == 1 << 16
    assert set(split.targets.tolist()) == {0, 1}
    assert (split.entries.sum(axis=1) == 1).all()


def test_constraints_of_one_outcome_are_covariances_among_its_people() -> None:
    problem = problem_of("German")
    rows, z = problem.scaled[: problem.n], problem.groups[: problem.n, 0].astype(float)
    for constraint, outcome in (
        (Constraint.TRUE_POSITIVE_RATE, 1),
        (Constraint.TRUE_NEGATIVE_RATE, 0),
    ):
        counted = problem.targets == outcome
        expected = (z[counted] - z[counted].mean()) @ rows[counted] / counted.sum()
        np.testing.assert_allclose(problem.matrix_of(constraint), [expected], atol=1e-15)


@pytest.mark.parametrize("constraint", Constraint)
@pytest.mark.parametrize("name", ["German", "COMPAS"])
def test_every_constraint_is_the_one_that_the_protocol_bounds(
    name: str, constraint: Constraint
) -> None:
    problem = problem_of(name)
    bits = (ORDER_SEEDS[0], THETA_FRAC_BITS)
    spec = problem.spec(Preset.RECOMMENDED, 0.1, 4, *bits, constraint)
    n, found = problem.n, problem.matrix_of(constraint)
    own = covariance_rows(spec, problem.scaled[:n], problem.targets, problem.entries[:n])
    np.testing.assert_allclose(found, own, atol=1e-12)
    ours = constraint_matrix(spec, problem.encoded, problem.targets, problem.entries[:n])
    np.testing.assert_allclose(ours / 2.0**spec.x_frac_bits, found, atol=1e-3)


def test_a_run_of_the_oracle_keeps_the_rates_that_it_is_asked_to() -> None:
    point = replace(ORACLE, preset=Preset.RECOMMENDED, n_steps=400, c=1e-3)
    problem = problem_of("Synthetic")
    kinds = (Constraint.TRUE_POSITIVE_RATE, Constraint.TRUE_NEGATIVE_RATE)
    thetas = [fit(replace(point, constraint=kind), problem) for kind in kinds]
    for i, kind in enumerate(kinds):
        values = [float(np.abs(problem.matrix_of(kind) @ theta).max()) for theta in thetas]
        assert values[i] < 0.01 < values[1 - i]


def test_one_attribute_of_several_is_constrained_alone() -> None:
    whole = problem_of("COMPAS")
    assert whole.matrix.shape == (7, 7)
    for only in (1, 6):
        alone = Problem(whole.split, Whitening.PAPER, only)
        np.testing.assert_allclose(alone.matrix[0], whole.matrix[only])
        assert alone.spec(Preset.PAPER, 0.1, 4, ORDER_SEEDS[0], THETA_FRAC_BITS).bounds == (6554,)
