"""The schedule of a training run in float64, to say how much the fixed point costs.

Same order of rows, same rates, same clamp and multiplier rule as `plaintext`; nothing is rounded.
Another sigmoid may be put in the clamp's place.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from mpc_engine.errors import UsageError
from mpc_engine.protocols.training.order import batches
from mpc_engine.protocols.training.plaintext import PlaintextTraining
from mpc_engine.protocols.training.row_sets import members_of, signs_of
from mpc_engine.protocols.training.spec import TrainingSpec

Reals = NDArray[np.float64]


def clamp(scores: Reals) -> Reals:
    """Return the clamp sigmoid: ``scores + 1/2``, cut to [0, 1]."""
    return np.clip(scores + 0.5, 0.0, 1.0)


def train_in_floats(
    spec: TrainingSpec,
    rows: Reals,
    targets: NDArray[np.uint8],
    entries: NDArray[np.uint8],
    sigmoid: Callable[[Reals], Reals] = clamp,
) -> Reals:
    """Return theta float64 (d,) for ``rows`` float64 (n, d), intercept first, not rounded.

    ``targets`` uint8 (n,), 0 or 1; ``entries`` uint8 (n, e), one-hot.
    """
    matrix = covariance_rows(spec, rows, targets, entries)
    rule, signal = spec.multiplier, float(1 << spec.signal_frac_bits)
    bounds, ceiling = np.array(spec.bounds) / signal, rule.bound / signal
    limit = 2.0**spec.theta_int_bits
    theta, summed = np.zeros(spec.n_columns), np.zeros(spec.n_columns)
    multipliers = np.zeros(len(spec.bounds))
    order = batches(spec)
    step = 0
    for phase in spec.phases:
        rate = spec.rate(phase)
        for _ in range(phase.n_steps):
            batch = next(order)
            errors = sigmoid(rows[batch] @ theta) - targets[batch]
            if spec.is_on_minibatch:
                matrix = covariance_rows(spec, rows, targets, entries, batch)
            values = matrix @ theta
            violation = np.abs(values) - bounds
            positive = np.maximum(violation, 0.0)
            force = np.minimum(multipliers + rule.penalty * positive, ceiling)
            if rule.only_violated:
                force = np.where(violation > 0, force, 0.0)
            moved = (violation if rule.may_fall else positive) * 2.0**-rule.rate_shift
            multipliers = np.clip(multipliers + moved, 0.0, ceiling)
            gradient = phase.loss * (errors @ rows[batch])
            gradient += phase.constraint * ((np.sign(values) * force) @ matrix)
            theta = np.clip(theta - rate * gradient, -limit, limit)
            if step in spec.averaged_steps:
                summed += theta
            step += 1
    return summed / spec.n_averaged


def rounding_bound(spec: TrainingSpec, trained: PlaintextTraining, covariance: Reals) -> float:
    """Return how far what is rounded in a run may move a coefficient from the same in float64.

    ``sum_t rate_t abs(nu_t) max abs(A_fixed - A) + steps 2^-(F + 1)`` and half a unit of the
    opening; ``covariance`` float64 (p, d) is A as `covariance_rows` gives it. What
    the bound counts and what it leaves out: ``docs/protocols/training.md``. UsageError on the
    minibatch, where A is another in every step.
    """
    if spec.is_on_minibatch:
        raise UsageError("What is rounded is bounded for runs on the whole set alone.")
    errors = np.abs(trained.matrix / 2.0**spec.x_frac_bits - covariance).max(axis=1, initial=0.0)
    steps = spec.n_steps * 2.0 ** -(spec.theta_frac_bits + 1)
    return float(trained.pull @ errors) + steps + 2.0 ** -(spec.output_frac_bits + 1)


def covariance_rows(
    spec: TrainingSpec,
    rows: Reals,
    targets: NDArray[np.uint8],
    entries: NDArray[np.uint8],
    covered: NDArray[np.int64] | None = None,
) -> Reals:
    """Return A float64 (p, d) of `covariances`, not rounded: over ``covered`` rows, or over all."""
    taken: NDArray[np.int64] | slice = slice(None) if covered is None else covered
    result: list[Reals] = []
    for row_set in spec.row_sets:
        everybody, signs = members_of(row_set, targets), signs_of(row_set, targets)
        members, signed = everybody[taken], rows[taken] * signs[taken, None]
        divisor = int(members.sum())
        if covered is not None:
            divisor = spec.divisor_of(int(everybody.sum()), divisor)
        start = 0
        for count in spec.entry_counts:
            own = slice(start, start + count - 1)
            answers = (entries[taken, own] * members[:, None]).astype(np.float64)
            answered = answers.sum()
            total = signed.T @ answers.sum(axis=1)
            enough = int((everybody @ entries[:, own]).sum()) >= spec.minimum_answers
            used = enough or not row_set.is_conditional
            for j in range(count - 1):
                if start + j in spec.constrained_entries:
                    centred = answered * (signed.T @ answers[:, j]) - answers[:, j].sum() * total
                    result.append(centred * used / divisor**2)
            start += count
    return np.array(result).reshape(len(result), spec.n_columns)
