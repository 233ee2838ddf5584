"""Two kinds of numbers for the methods that the protocol does not have: float64, and fixed point.

`FixedPoint` is the paper's representation as it reads: m integer and m fractional bits, every
product rounded to the nearest multiple of 2^-m, and a number beyond ``2^m`` fails the run. (Where a
product is cut off instead of rounded, negative gradients move theta by a unit even when they are
nearly 0.) The protocol's own arithmetic, whose ranges are proved, is the oracle's instead.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from mpc_engine.lab.failures import Failure, RunFailed
from mpc_engine.lab.sigmoids import Squash

Reals = NDArray[np.float64]
Numbers = NDArray[Any]
_LARGEST_COEFFICIENT = 1e6
_MOST_BITS = 62


class Arithmetic(Protocol):
    """What a method does with its numbers; arrays broadcast as NumPy's do."""

    def of(self, values: Reals | float) -> Numbers:
        """Encode real numbers."""

    def real(self, numbers: Numbers) -> Reals:
        """Decode to real numbers."""

    def dot(self, left: Numbers, right: Numbers) -> Numbers:
        """Return a matrix product."""

    def times(self, left: Numbers, right: Numbers) -> Numbers:
        """Return a product, element by element."""

    def over(self, left: Numbers, right: Numbers) -> Numbers:
        """Return a quotient, element by element; RunFailed where a divisor is 0."""

    def halved(self, numbers: Numbers, times: int) -> Numbers:
        """Divide by a power of two."""

    def checked(self, numbers: Numbers) -> Numbers:
        """Return the numbers; RunFailed if one is out of range."""


@dataclass(frozen=True)
class FloatingPoint:
    """Float64; a run fails where a number is no longer finite, or absurdly large."""

    def of(self, values: Reals | float) -> Numbers:
        """Return them as they are."""
        return np.asarray(values, dtype=np.float64)

    def real(self, numbers: Numbers) -> Reals:
        """Return them as they are."""
        return np.asarray(numbers, dtype=np.float64)

    def dot(self, left: Numbers, right: Numbers) -> Numbers:
        """Return a matrix product."""
        return np.asarray(left @ right)

    def times(self, left: Numbers, right: Numbers) -> Numbers:
        """Return a product, element by element."""
        return np.asarray(left * right)

    def over(self, left: Numbers, right: Numbers) -> Numbers:
        """Return a quotient; RunFailed where a divisor is 0."""
        if not np.all(right):
            raise RunFailed(Failure.SINGULAR, "A divisor is 0.")
        return np.asarray(left / right)

    def halved(self, numbers: Numbers, times: int) -> Numbers:
        """Divide by a power of two."""
        return np.asarray(numbers * 2.0**-times)

    def checked(self, numbers: Numbers) -> Numbers:
        """Return the numbers; RunFailed if one is not finite or beyond 10^6."""
        if not np.abs(numbers).max(initial=0.0) <= _LARGEST_COEFFICIENT:
            raise RunFailed(Failure.EXPLODED, "A coefficient is beyond 10^6.")
        return numbers


@dataclass(frozen=True)
class FixedPoint:
    """Multiples of ``2^-frac_bits`` up to ``2^int_bits``, as int64."""

    int_bits: int = 16
    frac_bits: int = 16

    def of(self, values: Reals | float) -> Numbers:
        """Round to the nearest multiple."""
        return self.checked(np.floor(np.asarray(values) * 2.0**self.frac_bits + 0.5))

    def real(self, numbers: Numbers) -> Reals:
        """Return real numbers, exactly."""
        return np.asarray(numbers / 2.0**self.frac_bits)

    def dot(self, left: Numbers, right: Numbers) -> Numbers:
        """Return a matrix product; its sum is rounded once."""
        self._fits(left, right, left.shape[-1])
        return self._rounded(left @ right)

    def times(self, left: Numbers, right: Numbers) -> Numbers:
        """Return a product, element by element, rounded."""
        self._fits(left, right, 1)
        return self._rounded(left * right)

    def over(self, left: Numbers, right: Numbers) -> Numbers:
        """Return a quotient, rounded; RunFailed where a divisor is 0."""
        if not np.all(right):
            raise RunFailed(Failure.SINGULAR, "A divisor underflowed to 0.")
        self._fits(left, np.asarray(1 << self.frac_bits), 1)
        return self.checked(np.floor((left << self.frac_bits) / right + 0.5))

    def halved(self, numbers: Numbers, times: int) -> Numbers:
        """Divide by a power of two, rounded."""
        return np.asarray((numbers + (1 << times >> 1)) >> times)

    def checked(self, numbers: Numbers) -> Numbers:
        """Return the numbers as int64; RunFailed if one is beyond the integer bits."""
        if not np.abs(numbers).max(initial=0) <= 2.0 ** (self.int_bits + self.frac_bits):
            raise RunFailed(Failure.OVERFLOW, f"A number is beyond 2^{self.int_bits}.")
        return np.asarray(numbers, dtype=np.int64)

    def _rounded(self, products: Numbers) -> Numbers:
        return self.checked(self.halved(products, self.frac_bits))

    def _fits(self, left: Numbers, right: Numbers, n_terms: int) -> None:
        """Raise RunFailed where a product cannot be computed in 62 bits, let alone kept."""
        largest = float(np.abs(left).max(initial=0)) * float(np.abs(right).max(initial=0))
        if largest * n_terms >= 2.0**_MOST_BITS:
            raise RunFailed(Failure.OVERFLOW, f"A product is beyond 2^{_MOST_BITS}.")


def squashed(arithmetic: Arithmetic, squash: Squash, scores: Numbers) -> Numbers:
    """Return the sigmoid of numbers: exact on their values, then encoded."""
    return arithmetic.of(squash(arithmetic.real(scores)))
