"""Literal readings of the paper's Algorithm 1 that give another gradient than the derivative."""

from __future__ import annotations

import numpy as np

_RNG = np.random.default_rng(20181)
_ROWS = _RNG.normal(size=(200, 4))
_Z = (_RNG.random((200, 1)) < 0.3).astype(np.float64)
_ROWS[:, 1:2] += _Z
_THETA = np.array([0.5, -1.0, 0.25, -0.75])
_LAMBDA = np.array([1.5])


def _penalty(matrix: np.ndarray, theta: np.ndarray) -> float:
    return float(_LAMBDA @ np.abs(matrix @ theta))


def _derivative(matrix: np.ndarray) -> np.ndarray:
    """Return the gradient of ``lambda abs(A theta)`` by central differences."""
    step = 1e-6
    return np.array(
        [
            (_penalty(matrix, _THETA + step * unit) - _penalty(matrix, _THETA - step * unit))
            / (2 * step)
            for unit in np.eye(len(_THETA))
        ]
    )


def _centred() -> np.ndarray:
    return (_Z - _Z.mean(axis=0)).T @ _ROWS / len(_ROWS)


def test_the_sign_of_a_theta_gives_the_derivative() -> None:
    matrix = _centred()
    ours = matrix.T @ (_LAMBDA * np.sign(matrix @ _THETA))
    np.testing.assert_allclose(ours, _derivative(matrix), rtol=1e-6, atol=1e-9)


def test_the_sign_of_a_itself_does_not() -> None:
    matrix = _centred()
    literal = np.sign(matrix[0]) * matrix[0] * _LAMBDA
    assert np.abs(literal - _derivative(matrix)).max() > 0.1


def test_without_centring_the_constraint_has_another_gradient() -> None:
    literal = _Z.T @ _ROWS / len(_ROWS)
    ours = _centred()
    assert np.abs(_derivative(literal) - _derivative(ours)).max() > 0.05


def test_without_centring_a_shift_of_all_scores_moves_the_constraint() -> None:
    rows = _ROWS.copy()
    rows[:, 0] = 1.0
    shift = np.array([1.0, 0.0, 0.0, 0.0])
    uncentred = _Z.T @ rows / len(rows)
    centred = (_Z - _Z.mean(axis=0)).T @ rows / len(rows)
    assert abs(float((uncentred @ shift)[0])) > 0.1
    assert abs(float((centred @ shift)[0])) < 1e-12
