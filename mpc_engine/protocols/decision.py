"""The one definition of a decision: 1 iff ``theta_0 2^f + sum_k theta_k x_k >= 0``, in integers.

In the clear, on wires, and the regulator's input bits for it.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from mpc_engine.circuits import Bits, CircuitBuilder, Wire
from mpc_engine.errors import UsageError
from mpc_engine.fairness.circuit_algebra import CircuitAlgebra, Word, width_of

Ranges = tuple[tuple[int, int], ...]


def decide(theta: Sequence[int], x: Sequence[int], x_frac_bits: int) -> int:
    """Return the decision of a model on encoded features; ``theta`` has the intercept first."""
    score = (theta[0] << x_frac_bits) + sum(t * v for t, v in zip(theta[1:], x, strict=True))
    return int(score >= 0)


def x_wires(ranges: Ranges) -> int:
    """Return how many wires a row of features takes: each has what its range needs."""
    return sum(width_of(low, high) for low, high in ranges)


def decision_wire(
    builder: CircuitBuilder,
    coefficients: Sequence[Bits],
    x: Bits,
    x_frac_bits: int,
    ranges: Ranges,
) -> Wire:
    """Return the wire of the decision; ``coefficients`` signed, intercept first."""
    algebra = CircuitAlgebra(builder)
    theta = []
    for bits in coefficients:
        bound = 1 << (len(bits) - 1)
        theta.append(algebra.word(bits, -bound, bound - 1))
    values: list[Word] = []
    position = 0
    for low, high in ranges:
        width = width_of(low, high)
        values.append(algebra.word(x[position : position + width], low, high))
        position += width
    score = algebra.add(
        algebra.scale(theta[0], 1 << x_frac_bits), algebra.inner_product(theta[1:], values)
    )
    return algebra.less_equal(algebra.constant(0), score)


def x_bits(ranges: Ranges, rows: NDArray[np.int64]) -> NDArray[np.uint8]:
    """Return the input bits of encoded rows int64 (m, d), uint8 (m, `x_wires`).

    Raises UsageError ``CASE_OUT_OF_RANGE`` naming the feature's position when a value is outside.
    """
    columns: list[NDArray[np.uint8]] = []
    for position, (low, high) in enumerate(ranges):
        values = rows[:, position]
        if len(values) and (values.min() < low or values.max() > high):
            raise UsageError(
                f"Feature number {position + 1} is outside the study's range.",
                code="CASE_OUT_OF_RANGE",
            )
        shifts = np.arange(width_of(low, high))
        columns.append(((values[:, None] >> shifts) & 1).astype(np.uint8))
    return np.concatenate(columns, axis=1)
