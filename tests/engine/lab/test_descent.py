"""The two other methods and their arithmetic, against definitions."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from mpc_engine.experiments.float_training import train_in_floats
from mpc_engine.lab.arithmetic import FixedPoint, FloatingPoint
from mpc_engine.lab.descent import (
    Descent,
    by_log_barrier,
    by_printed_lagrange,
    by_projected_gradients,
    by_projection,
    nearest_inside,
    solved,
)
from mpc_engine.lab.failures import Failure, RunFailed
from mpc_engine.lab.points import ORDER_SEEDS
from mpc_engine.lab.sigmoids import clamp
from mpc_engine.protocols.training.hyperparameters import THETA_FRAC_BITS, Preset
from tests.engine.lab.reference import problem_of


def _descent(c: float, n_steps: int = 300) -> Descent:
    problem = problem_of("Synthetic")
    spec = problem.spec(Preset.PAPER, c, n_steps, ORDER_SEEDS[0], THETA_FRAC_BITS)
    return Descent(spec, problem.scaled[: problem.n], problem.targets, problem.matrix, c, clamp)


def test_fixed_point_rounds_to_the_nearest_and_refuses_what_does_not_fit() -> None:
    numbers = FixedPoint(4, 2)
    one, three = numbers.of(1.0), numbers.of(3.0)
    assert numbers.of(np.array([0.12, 0.13, -0.13])).tolist() == [0, 1, -1]
    assert numbers.real(numbers.times(numbers.of(0.25), numbers.of(0.5))) == 0.25
    assert numbers.real(numbers.over(one, three)) == 0.25
    assert numbers.real(numbers.halved(three, 1)) == 1.5
    for wrong in (
        lambda: numbers.of(17.0),
        lambda: numbers.times(numbers.of(5.0), numbers.of(4.0)),
    ):
        with pytest.raises(RunFailed) as caught:
            wrong()
        assert caught.value.kind is Failure.OVERFLOW
    with pytest.raises(RunFailed) as caught:
        numbers.over(one, numbers.of(0.0))
    assert caught.value.kind is Failure.SINGULAR


def test_a_product_that_64_bits_do_not_hold_is_an_overflow() -> None:
    numbers = FixedPoint(40, 16)
    with pytest.raises(RunFailed) as caught:
        numbers.times(numbers.of(2.0**30), numbers.of(2.0**30))
    assert caught.value.kind is Failure.OVERFLOW


def test_floating_point_that_explodes_is_a_failure() -> None:
    for wrong in (np.array([1e7]), np.array([np.nan]), np.array([np.inf])):
        with pytest.raises(RunFailed) as caught:
            FloatingPoint().checked(wrong)
        assert caught.value.kind is Failure.EXPLODED


@pytest.mark.parametrize("size", [1, 2, 5])
def test_elimination_solves_in_both_kinds_of_numbers(size: int) -> None:
    dice = np.random.default_rng(size)
    root = dice.normal(size=(size, size)) + 2 * np.eye(size)
    square, right = root @ root.T, dice.normal(size=size)
    expected = np.linalg.solve(square, right)
    np.testing.assert_allclose(solved(FloatingPoint(), square, right), expected, rtol=1e-8)
    fixed = FixedPoint()
    found = fixed.real(solved(fixed, fixed.of(square), fixed.of(right)))
    np.testing.assert_allclose(found, expected, atol=0.02)
    with pytest.raises(RunFailed):
        solved(fixed, fixed.of(np.zeros((size, size))), fixed.of(right))


def test_projected_gradients_do_not_move_along_a_violated_constraint() -> None:
    descent = _descent(1e-3)
    value = abs(float(descent.matrix[0] @ by_projected_gradients(descent, FloatingPoint())))
    one_step = 1e-4 * np.abs(descent.rows).max() * np.abs(descent.matrix).sum()
    assert 1e-3 < value < 1e-3 + one_step


def test_without_a_bound_all_methods_take_the_same_steps() -> None:
    descent = _descent(1e4)
    projected = by_projected_gradients(descent, FloatingPoint())
    np.testing.assert_allclose(by_projection(descent), projected, atol=1e-12)
    np.testing.assert_allclose(by_log_barrier(descent, FloatingPoint()), projected, atol=1e-9)


def test_projection_ends_inside() -> None:
    descent = _descent(1e-3)
    assert abs(float(descent.matrix[0] @ by_projection(descent))) <= 1e-3 + 1e-12


def test_the_nearest_point_inside_is_the_nearest_of_many() -> None:
    dice = np.random.default_rng(3)
    matrix, theta = dice.normal(size=(2, 3)), 3 * dice.normal(size=3)
    found = nearest_inside(theta, matrix, 0.5)
    assert (np.abs(matrix @ found) <= 0.5 + 1e-6).all()
    others = found + 0.3 * dice.normal(size=(50_000, 3))
    others = others[(np.abs(others @ matrix.T) <= 0.5).all(axis=1)]
    distances = np.linalg.norm(others - theta, axis=1)
    assert len(others) > 100
    assert np.linalg.norm(found - theta) <= distances.min() + 1e-6


def test_the_barrier_keeps_inside_or_says_that_it_left() -> None:
    descent = _descent(0.05)
    assert abs(float(descent.matrix[0] @ by_log_barrier(descent, FloatingPoint()))) < 0.05
    for numbers in (FloatingPoint(), FixedPoint()):
        with pytest.raises(RunFailed) as caught:
            by_log_barrier(_descent(1e-4), numbers)
        assert caught.value.kind is Failure.OUTSIDE


@pytest.mark.parametrize("c", [1e-3, 1.0])
def test_the_printed_algorithm_is_the_paper_preset_in_floats(c: float) -> None:
    """But for the multipliers' rate of 0.05, 1/16 in the preset, and for rounded rates."""
    problem, descent = problem_of("Synthetic"), _descent(c)
    preset = train_in_floats(
        descent.spec, descent.rows, descent.targets, problem.entries[: problem.n]
    )
    printed = by_printed_lagrange(descent, FloatingPoint())
    np.testing.assert_allclose(printed, preset, atol=2e-4)
    assert np.linalg.norm(printed) > 1e-3


def test_few_fractional_bits_stand_still() -> None:
    """With 8 of them the rate 1e-4 rounds to nothing."""
    descent = replace(_descent(1.0), bound=1.0)
    assert not by_printed_lagrange(descent, FixedPoint(16, 8)).any()
    assert by_printed_lagrange(descent, FixedPoint(16, 20)).any()
