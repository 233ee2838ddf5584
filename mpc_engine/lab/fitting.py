"""From a point to what its model does: the one function that worker processes run."""

from __future__ import annotations

import time
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mpc_engine.errors import UsageError
from mpc_engine.experiments.float_training import train_in_floats
from mpc_engine.lab.arithmetic import FixedPoint, FloatingPoint
from mpc_engine.lab.descent import (
    Descent,
    by_log_barrier,
    by_printed_lagrange,
    by_projected_gradients,
    by_projection,
)
from mpc_engine.lab.failures import Failure, RunFailed
from mpc_engine.lab.measures import measured
from mpc_engine.lab.points import ORDER_SEEDS, Method, Numbers, Point
from mpc_engine.lab.problems import Problem, Whitening
from mpc_engine.lab.sigmoids import SQUASHES, Sigmoid
from mpc_engine.lab.slsqp import fit_by_slsqp, fit_unconstrained
from mpc_engine.lab.splits import absence, split_of
from mpc_engine.protocols.training.cost import block_bytes, matrix_bytes, step_bytes
from mpc_engine.protocols.training.hyperparameters import Preset
from mpc_engine.protocols.training.plaintext import clamp_scores, train_plaintext
from mpc_engine.protocols.training.spec import TrainingSpec

Reals = NDArray[np.float64]
Row = dict[str, Any]
_BLOCK_STEPS = 64
"""Steps whose material the protocol makes at once."""


def run_point(point: Point, folder: Path) -> Row:
    """Return the point's fields, what its model does, and the seconds; or why there is none."""
    began = time.perf_counter()
    row: Row = {**point.fields(), "failure": None, "why": ""}
    try:
        problem = _problem(point.data, point.whitening, point.only, point.x_frac_bits, folder)
        theta = fit(point, problem)
        row |= measured(problem, theta) | {"theta": [float(f"{value:.8g}") for value in theta]}
        if _is_ours(point):
            row |= _bytes_a_step(point, problem)
    except RunFailed as failed:
        row |= {"failure": failed.kind.value, "why": str(failed)}
    return row | {"seconds": round(time.perf_counter() - began, 3)}


def fit(point: Point, problem: Problem) -> Reals:
    """Return theta float (d,) of a point; RunFailed where it gives none."""
    rows = problem.scaled[: problem.n]
    if point.method is Method.UNCONSTRAINED:
        return fit_unconstrained(rows, problem.targets)
    if point.c is None:
        raise UsageError("A run with a constraint needs c.")
    if point.method is Method.SLSQP:
        matrix = problem.matrix_of(point.constraint)
        return fit_by_slsqp(rows, problem.targets, matrix, point.c)
    spec = _spec(point, problem, point.c)
    if point.method is Method.LAGRANGE and point.numbers is not Numbers.FIXED:
        return _by_lagrange(point, problem, spec)
    descent = Descent(spec, rows, problem.targets, problem.matrix, point.c, SQUASHES[point.sigmoid])
    if point.method is Method.PROJECTION:
        return by_projection(descent)
    numbers = FloatingPoint() if point.numbers is Numbers.FLOAT else FixedPoint()
    if point.method is Method.LAGRANGE:
        return by_printed_lagrange(descent, numbers)
    if point.method is Method.PROJECTED:
        return by_projected_gradients(descent, numbers)
    return by_log_barrier(descent, numbers)


def _is_ours(point: Point) -> bool:
    return point.numbers is Numbers.ORACLE and point.preset is Preset.RECOMMENDED


def _bytes_a_step(point: Point, problem: Problem) -> Row:
    """Return what the secure run would send for a step and, once, for A; and two widths."""
    spec = _spec(point, problem, point.c or 0.0)
    sent = step_bytes(spec, spec.phases[0], averaged=False).total
    ahead = block_bytes(spec, _BLOCK_STEPS).total / _BLOCK_STEPS
    return {
        "bytes_a_step": round(sent + ahead),
        "bytes_of_covariances": matrix_bytes(spec).total,
        "score_width": spec.score_width,
        "gradient_width": spec.gradient_width,
    }


def integer_sigmoid(spec: TrainingSpec, scores: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the logistic function of scores at signal scale, rounded half up."""
    real = SQUASHES[Sigmoid.EXACT](scores / 2.0**spec.score_frac_bits)
    return np.floor(real * 2.0**spec.signal_frac_bits + 0.5).astype(np.int64)


def _by_lagrange(point: Point, problem: Problem, spec: TrainingSpec) -> Reals:
    entries = problem.entries[: problem.n]
    if point.numbers is Numbers.FLOAT:
        squash = SQUASHES[point.sigmoid]
        rows = problem.scaled[: problem.n]
        return train_in_floats(spec, rows, problem.targets, entries, squash)
    sigmoid = clamp_scores if point.sigmoid is Sigmoid.CLAMP else integer_sigmoid
    trained = train_plaintext(spec, problem.encoded, problem.targets, entries, sigmoid)
    return trained.theta / 2.0**spec.output_frac_bits


def _spec(point: Point, problem: Problem, c: float) -> TrainingSpec:
    try:
        return problem.spec(
            point.preset,
            c,
            point.n_steps,
            ORDER_SEEDS[point.order],
            point.theta_frac_bits,
            point.constraint,
            point.constraint_scope,
        )
    except UsageError as error:
        raise RunFailed(Failure.REFUSED, error.sentence) from None


@lru_cache(maxsize=8)
def _problem(
    name: str, whitening: Whitening, only: int | None, x_frac_bits: int, folder: Path
) -> Problem:
    split = split_of(name, folder)
    if split is None:
        raise RunFailed(Failure.NOT_AVAILABLE, absence(name, folder))
    return Problem(split, whitening, only, x_frac_bits)
