"""The fixed-point oracle of training: the secure run gives these integers, bit for bit.

Source: Kilbertus et al. (2018), Algorithm 1, with the decisions of ``docs/protocols/training.md``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mpc_engine.errors import UsageError
from mpc_engine.protocols.training.covariances import Covariances
from mpc_engine.protocols.training.order import batches
from mpc_engine.protocols.training.row_sets import RowSet
from mpc_engine.protocols.training.spec import Phase, TrainingSpec

Integers = NDArray[np.int64]


@dataclass(frozen=True)
class PlaintextTraining:
    """Result of the oracle: ``theta`` int64 (d,) with ``output_frac_bits``.

    ``matrix`` A int64, of `TrainingSpec.matrix_shape`. ``multipliers`` int64 (p,): lambda after the
    last step, at signal scale. ``pull`` float64 (p,): over all steps the sum of ``rate abs(nu)``,
    so that an error e of an entry of A moves no iterate by more than ``pull e``.
    """

    theta: Integers
    matrix: Integers
    multipliers: Integers
    pull: NDArray[np.float64]


def check_rows(spec: TrainingSpec, rows: Integers, labels: NDArray[np.uint8]) -> None:
    """Raise UsageError unless the data has the shape and the bounds that the run declares."""
    if rows.shape != (spec.n_rows, spec.n_columns) or labels.shape != (spec.n_rows,):
        raise UsageError("The data does not have the rows and columns of the run.")
    if labels.max(initial=0) > 1:
        raise UsageError("Training needs an outcome, 0 or 1, for every row.", code="LABEL_UNKNOWN")
    fewest = min(int((labels == outcome).sum()) for outcome in (0, 1))
    if spec.row_sets != (RowSet.ALL,) and fewest < spec.minimum_answers:
        raise UsageError(
            "Too few people have one of the two outcomes for a constraint that depends on them.",
            code="TRAINING_TOO_FEW_OUTCOMES",
        )
    fits = -spec.x_bound <= rows.min() and rows.max() <= spec.x_bound
    if not fits or np.abs(rows).sum(axis=1).max() > spec.row_bound:
        raise UsageError(
            "A row is larger than the bounds that were agreed.", code="ROW_OUT_OF_RANGE"
        )


def constraint_matrix(
    spec: TrainingSpec,
    rows: Integers,
    labels: NDArray[np.uint8],
    entries: NDArray[np.uint8],
) -> Integers:
    """Return A, int64 of `TrainingSpec.matrix_shape`: over all rows, or over those of every step.

    ``entries`` uint8 (n, e): one-hot answers. What A is: `Covariances.over`.
    """
    covariances = Covariances(spec, rows, labels, entries)
    if spec.is_on_minibatch:
        return np.stack([covariances.over(batch) for batch in batches(spec)])
    return covariances.over(slice(None))


def clamp_scores(spec: TrainingSpec, scores: Integers) -> Integers:
    """Return the clamp sigmoid of scores at signal scale: 0 .. 2^signal_frac_bits, floored."""
    one = 1 << spec.score_frac_bits
    shifted = np.clip(scores + one // 2, 0, one)
    return shifted >> (spec.score_frac_bits - spec.signal_frac_bits)


def forces_and_multipliers(
    spec: TrainingSpec, values: Integers, multipliers: Integers
) -> tuple[Integers, Integers]:
    """Return nu and the new lambda, int64 (p,) each, from ``A theta`` at score scale.

    Penalties and rates may be large: what they multiply is cut only afterwards.
    """
    rule = spec.multiplier
    floored = values >> (spec.score_frac_bits - spec.signal_frac_bits)
    violation = np.abs(floored).astype(object) - np.array(spec.bounds, dtype=object)
    positive = np.maximum(violation, 0)
    size = np.minimum(multipliers + rule.penalty * positive, rule.bound)
    if rule.only_violated:
        size = np.where(violation > 0, size, 0)
    moved = violation if rule.may_fall else positive
    moved = moved >> rule.rate_shift if rule.rate_shift >= 0 else moved << -rule.rate_shift
    after = np.clip(multipliers + moved, 0, rule.bound)
    return np.sign(floored) * size.astype(np.int64), after.astype(np.int64)


def update_theta(spec: TrainingSpec, phase: Phase, theta: Integers, gradient: Integers) -> Integers:
    """Return theta minus the scaled gradient, rounded half up, saturated at its bits."""
    half = 1 << (phase.shift - 1)
    limit = 1 << (spec.theta_bits - 1)
    return np.clip(theta - ((gradient + half) >> phase.shift), -limit, limit - 1)


def train_plaintext(
    spec: TrainingSpec,
    rows: Integers,
    labels: NDArray[np.uint8],
    entries: NDArray[np.uint8],
    sigmoid: Callable[[TrainingSpec, Integers], Integers] = clamp_scores,
) -> PlaintextTraining:
    """Run the whole schedule on integers.

    ``rows`` int64 (n, d) encoded, intercept first; ``labels`` uint8 (n,); ``entries`` uint8 (n, e).
    The secure run has no ``sigmoid`` but the clamp; another one is for experiments in the clear.
    UsageError where the data is outside the declared bounds.
    """
    check_rows(spec, rows, labels)
    matrices = constraint_matrix(spec, rows, labels, entries)
    theta = np.zeros(spec.n_columns, dtype=np.int64)
    multipliers = np.zeros(len(spec.bounds), dtype=np.int64)
    summed, pull = np.zeros_like(theta), np.zeros(len(spec.bounds))
    targets = labels.astype(np.int64) << spec.signal_frac_bits
    order = batches(spec)
    step = 0
    for phase in spec.phases:
        for _ in range(phase.n_steps):
            batch = next(order)
            matrix = matrices[step] if spec.is_on_minibatch else matrices
            errors = sigmoid(spec, rows[batch] @ theta) - targets[batch]
            forces, multipliers = forces_and_multipliers(spec, matrix @ theta, multipliers)
            gradient = phase.loss * (errors @ rows[batch])
            gradient += phase.constraint * (forces @ matrix)
            pull += spec.rate(phase) * phase.constraint * np.abs(forces)
            theta = update_theta(spec, phase, theta, gradient)
            if step in spec.averaged_steps:
                summed += theta
            step += 1
    pull /= 1 << spec.signal_frac_bits
    return PlaintextTraining(round_mean(spec, summed), matrices, multipliers, pull)


def round_mean(spec: TrainingSpec, summed: Integers) -> Integers:
    """Return the mean of the averaged iterates with ``output_frac_bits``, rounded half up."""
    shift = spec.mean_shift
    return (summed + (1 << shift >> 1)) >> shift
