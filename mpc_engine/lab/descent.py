"""The paper's two other methods: projected gradients, and the interior point log barrier.

Source: Kilbertus et al. (2018), section 4.2. The steps, the order of rows and the rate are those of
the Lagrangian run of the same settings, so that only the method differs.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mpc_engine.lab.arithmetic import Arithmetic, FloatingPoint, Numbers, Reals, squashed
from mpc_engine.lab.failures import Failure, RunFailed
from mpc_engine.lab.sigmoids import Squash
from mpc_engine.protocols.training.order import batches
from mpc_engine.protocols.training.spec import TrainingSpec

RATE, MULTIPLIER_RATE = 1e-4, 0.05
"""Of theta and of the multipliers, as the paper's appendix has them."""
FIRST_T, GROWTH_OF_T = 10.0, 10.0
"""The barrier's t when training begins, and by how much it has grown when it ends."""
_DYKSTRA_ROUNDS = 50


@dataclass(frozen=True)
class Descent:
    """What every method is given.

    ``rows`` float (n, d), intercept first; ``targets`` uint8 (n,); ``matrix`` A float (p, d).
    """

    spec: TrainingSpec
    rows: Reals
    targets: NDArray[np.uint8]
    matrix: Reals
    bound: float
    squash: Squash

    @property
    def per_pass(self) -> int:
        """Return the steps of a pass over the rows, rounded up."""
        return -(-self.spec.n_rows // self.spec.batch_size)

    @property
    def n_passes(self) -> int:
        """Return the passes of the run, rounded up."""
        return -(-self.spec.n_steps // self.per_pass)

    def gradients(self, numbers: Arithmetic, theta: list[Numbers]) -> Iterator[Numbers]:
        """Yield the mean gradient of each batch at the one theta in the list."""
        rows = numbers.of(self.rows)
        targets = numbers.of(self.targets.astype(np.float64))
        halvings = self.spec.batch_size.bit_length() - 1
        for batch in batches(self.spec):
            part = rows[batch]
            errors = squashed(numbers, self.squash, numbers.dot(part, theta[0])) - targets[batch]
            yield numbers.halved(numbers.dot(part.T, errors), halvings)


def by_projected_gradients(descent: Descent, numbers: Arithmetic) -> Reals:
    """Return theta float (d,) with the gradient projected where a constraint is violated.

    ``theta <- theta - rate (Id - B^T (B B^T)^-1 B) gradient``, B being the rows of A whose
    constraint is violated (equation 10). Nothing leads a theta back that is outside.
    """
    matrix, bound = numbers.of(descent.matrix), numbers.of(descent.bound)
    rate = numbers.of(RATE)
    theta = [numbers.of(np.zeros(descent.rows.shape[1]))]
    for gradient in descent.gradients(numbers, theta):
        violated = np.abs(numbers.dot(matrix, theta[0])) > bound
        if violated.any():
            active = matrix[violated]
            weights = solved(numbers, numbers.dot(active, active.T), numbers.dot(active, gradient))
            gradient = gradient - numbers.dot(active.T, weights)
        theta[0] = numbers.checked(theta[0] - numbers.times(rate, gradient))
    return numbers.real(theta[0])


def by_printed_lagrange(descent: Descent, numbers: Arithmetic) -> Reals:
    """Return theta float (d,) of Algorithm 1 with its appendix' parameters, in given numbers.

    The sign in line 11 is that of ``A theta``, as in the protocol (paper notes).
    """
    matrix, bound = numbers.of(descent.matrix), numbers.of(descent.bound)
    rate, multiplier_rate = numbers.of(RATE), numbers.of(MULTIPLIER_RATE)
    theta = [numbers.of(np.zeros(descent.rows.shape[1]))]
    multipliers = numbers.of(np.zeros(len(descent.matrix)))
    n_passes = descent.n_passes
    for step, gradient in enumerate(descent.gradients(numbers, theta)):
        j = 1 + step // descent.per_pass
        loss = numbers.of(n_passes / (n_passes + j))
        weight = numbers.of((n_passes + 10 * j) / n_passes)
        values = numbers.dot(matrix, theta[0])
        violation = np.maximum(np.abs(values) - bound, 0)
        force = np.where(violation > 0, np.sign(values) * multipliers, 0)
        pull = numbers.times(weight, numbers.dot(matrix.T, force))
        moved = numbers.times(rate, numbers.checked(numbers.times(loss, gradient) + pull))
        theta[0] = numbers.checked(theta[0] - moved)
        multipliers = numbers.checked(multipliers + numbers.times(multiplier_rate, violation))
    return numbers.real(theta[0])


def solved(numbers: Arithmetic, square: Numbers, right: Numbers) -> Numbers:
    """Return the solution of ``square x = right`` by elimination, largest pivot first.

    RunFailed where a pivot is 0 (in fixed point: where it underflows).
    """
    left, right = square.copy(), right.copy()
    size = len(right)
    for i in range(size):
        pivot = i + int(np.argmax(np.abs(left[i:, i])))
        left[[i, pivot]], right[[i, pivot]] = left[[pivot, i]], right[[pivot, i]]
        for j in range(size):
            if j != i:
                factor = numbers.over(left[j, i], left[i, i])
                left[j] = numbers.checked(left[j] - numbers.times(factor, left[i]))
                right[j] = numbers.checked(right[j] - numbers.times(factor, right[i]))
    return numbers.over(right, np.diagonal(left))


def by_log_barrier(descent: Descent, numbers: Arithmetic) -> Reals:
    """Return theta float (d,) of the loss with ``-1/t sum log(c - A theta) + log(c + A theta)``.

    t grows tenfold over the run, a little after every pass. RunFailed where a step leaves the
    inside.
    """
    matrix, bound = numbers.of(descent.matrix), numbers.of(descent.bound)
    rate, one = numbers.of(RATE), numbers.of(1.0)
    theta = [numbers.of(np.zeros(descent.rows.shape[1]))]
    for step, gradient in enumerate(descent.gradients(numbers, theta)):
        t = FIRST_T * GROWTH_OF_T ** (step // descent.per_pass / descent.n_passes)
        values = numbers.dot(matrix, theta[0])
        above, below = bound - values, bound + values
        if min(above.min(), below.min()) <= 0:
            raise RunFailed(Failure.OUTSIDE, f"Step {step} left the inside of the barrier.")
        pull = numbers.over(one, above) - numbers.over(one, below)
        barrier = numbers.times(numbers.of(1.0 / t), numbers.dot(matrix.T, pull))
        theta[0] = numbers.checked(theta[0] - numbers.times(rate, gradient + barrier))
    return numbers.real(theta[0])


def by_projection(descent: Descent) -> Reals:
    """Return theta float (d,) of projected gradient descent as textbooks have it, in float64.

    After every step theta itself goes to the nearest point with ``abs(A theta) <= c``.
    """
    numbers = FloatingPoint()
    theta = [np.zeros(descent.rows.shape[1])]
    for gradient in descent.gradients(numbers, theta):
        moved = theta[0] - RATE * gradient
        theta[0] = numbers.checked(nearest_inside(moved, descent.matrix, descent.bound))
    return theta[0]


def nearest_inside(theta: Reals, matrix: Reals, bound: float) -> Reals:
    """Return the nearest point with ``abs(matrix point) <= bound``, by Dykstra's algorithm."""
    lengths = (matrix**2).sum(axis=1)
    point, removed = theta.copy(), np.zeros_like(matrix)
    rounds = _DYKSTRA_ROUNDS if len(matrix) > 1 else 1
    for _ in range(rounds):
        before = point
        for i, row in enumerate(matrix):
            if not lengths[i]:
                continue
            wanted = point + removed[i]
            value = row @ wanted
            point = wanted - row * (value - np.clip(value, -bound, bound)) / lengths[i]
            removed[i] = wanted - point
        if np.abs(point - before).max() < 1e-12:
            break
    return point
