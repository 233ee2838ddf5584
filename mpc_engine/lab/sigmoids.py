"""The logistic function and the paper's two approximations by straight pieces.

``clamp``: Mohassel and Zhang (2017), ``x + 1/2`` cut to [0, 1]. ``pieces``: on each unit interval
of [-5, 5] the best straight line in the sense of Chebyshev, 0 or 1 outside (Faiedh et al.).
"""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from mpc_engine.experiments.float_training import clamp

Reals = NDArray[np.float64]
Squash = Callable[[Reals], Reals]
END = 5
"""The pieces end here; beyond, the function is taken for 0 or 1."""
_LARGEST_EXPONENT = 500.0


class Sigmoid(StrEnum):
    """What a run uses for the logistic function."""

    EXACT = "exact"
    CLAMP = "clamp"
    PIECES = "pieces"


def exact(x: Reals) -> Reals:
    """Return ``1 / (1 + e^-x)``."""
    return np.asarray(1.0 / (1.0 + np.exp(-np.clip(x, -_LARGEST_EXPONENT, _LARGEST_EXPONENT))))


def _best_line(start: int) -> tuple[float, float]:
    """Return slope and height at 0 of the best line on [start, start + 1].

    The function bends one way there, so the line has the chord's slope and lies halfway between the
    chord and the tangent of that slope.
    """
    low, high = exact(np.array([start, start + 1.0]))
    slope = float(high - low)
    height = 0.5 * (1.0 + np.sqrt(1.0 - 4.0 * slope))
    if start < 0:
        height = 1.0 - height
    touching = np.log(height / (1.0 - height))
    return slope, float(low + height - slope * (start + touching)) / 2.0


_SLOPES, _HEIGHTS = np.array([_best_line(start) for start in range(-END, END)]).T


def pieces(x: Reals) -> Reals:
    """Return the ten best lines, 0 below -5, 1 from 5 on."""
    number = np.clip(np.floor(x).astype(np.int64) + END, 0, 2 * END - 1)
    inside = _SLOPES[number] * x + _HEIGHTS[number]
    return np.where(x < -END, 0.0, np.where(x >= END, 1.0, inside))


SQUASHES: dict[Sigmoid, Squash] = {
    Sigmoid.EXACT: exact,
    Sigmoid.CLAMP: clamp,
    Sigmoid.PIECES: pieces,
}
