"""From a matrix of real numbers to the integers of a run, and from theta back."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mpc_engine.errors import UsageError

Reals = NDArray[np.float64]

LARGEST_VALUE = 5.0
"""No encoded training value is larger: rare levels and long tails are scaled down to it."""


@dataclass(frozen=True)
class Standardisation:
    """Mean and scale of every column, float64 (d - 1,); a constant column has scale 0.

    The scale is the standard deviation, or more where the column would otherwise reach beyond
    `LARGEST_VALUE`. A linear model on scaled columns is one on raw columns, so no model is lost; a
    small public bound narrows every ring, and long tails cannot rule a step.
    """

    mean: Reals
    scale: Reals

    @classmethod
    def of(cls, features: Reals) -> Standardisation:
        """Measure columns of float64 (n, d - 1); UsageError for blanks, infinities or no row."""
        if features.ndim != 2 or not len(features) or not np.isfinite(features).all():
            raise UsageError("Features are finite numbers in at least one row.")
        mean = features.mean(axis=0)
        farthest = np.abs(features - mean).max(axis=0)
        return cls(mean, np.maximum(features.std(axis=0), farthest / LARGEST_VALUE))

    def encode(self, features: Reals, frac_bits: int) -> NDArray[np.int64]:
        """Return int64 (n, d): an intercept of one, then each column centred and scaled.

        Constant columns become zeros. Values are rounded half up at ``frac_bits``.
        """
        return np.floor(self.scaled(features) * 2.0**frac_bits + 0.5).astype(np.int64)

    def scaled(self, features: Reals) -> Reals:
        """Return float64 (n, d): what `encode` rounds."""
        scale = np.where(self.scale > 0, self.scale, np.inf)
        return np.hstack([np.ones((len(features), 1)), (features - self.mean) / scale])

    def decode(self, theta: NDArray[np.int64], frac_bits: int) -> tuple[float, Reals]:
        """Return (intercept, coefficients float64 (d - 1,)) for raw features.

        ``theta`` int64 (d,) with ``frac_bits``, as a run opens it.
        """
        real = theta / 2.0**frac_bits
        inverse = np.divide(1.0, self.scale, out=np.zeros_like(self.scale), where=self.scale > 0)
        coefficients = real[1:] * inverse
        return float(real[0] - coefficients @ self.mean), coefficients


def public_bounds(rows: NDArray[np.int64]) -> tuple[int, int]:
    """Return (x_bound, row_bound) of encoded rows, rounded up to three bits to tell little."""
    if not rows.size:
        raise UsageError("There are no rows.")
    sizes = np.abs(rows)
    return _rounded_up(int(sizes.max())), _rounded_up(int(sizes.sum(axis=1).max()))


def _rounded_up(value: int) -> int:
    value = max(value, 1)
    unit = 1 << max(value.bit_length() - 3, 0)
    return -(-value // unit) * unit
