"""The approximations are those that the paper names."""

from __future__ import annotations

import numpy as np
import pytest

from mpc_engine.lab.sigmoids import SQUASHES, Sigmoid, exact, pieces


def test_the_exact_function_stays_within_0_and_1() -> None:
    x = np.array([-1e6, -1.0, 0.0, 1.0, 1e6])
    assert exact(x) == pytest.approx([0.0, 1 / (1 + np.e), 0.5, np.e / (1 + np.e), 1.0])


def test_the_clamp_is_that_of_secureml() -> None:
    x = np.array([-3.0, -0.5, -0.25, 0.0, 0.25, 0.5, 3.0])
    assert SQUASHES[Sigmoid.CLAMP](x).tolist() == [0.0, 0.0, 0.25, 0.5, 0.75, 1.0, 1.0]


@pytest.mark.parametrize("start", range(-5, 5))
def test_each_piece_is_the_best_line_of_its_interval(start: int) -> None:
    """Chebyshev: the best line errs alike at both ends, and as much the other way between."""
    x = np.linspace(start, start + 1, 10_001)[:-1]
    errors = pieces(x) - exact(x)
    assert errors[0] == pytest.approx(errors[-1], abs=1e-4)
    inner = errors.max() if errors[0] < 0 else errors.min()
    assert inner == pytest.approx(-errors[0], abs=1e-6)


def test_beyond_five_the_pieces_are_constant() -> None:
    assert pieces(np.array([-5.01, -100.0, 5.0, 100.0])).tolist() == [0.0, 0.0, 1.0, 1.0]


def test_the_pieces_are_far_closer_than_the_clamp() -> None:
    x = np.linspace(-4.9, 4.9, 1_001)
    far = {s: np.abs(SQUASHES[s](x) - exact(x)).max() for s in (Sigmoid.CLAMP, Sigmoid.PIECES)}
    assert far[Sigmoid.PIECES] < 0.01 < 0.3 < far[Sigmoid.CLAMP]
