"""Test accuracy and constraint of the training oracle beside SLSQP, on five data sets, six c.

The secure run gives the oracle's integers bit for bit (`tests/engine/protocols/test_training.py`),
so this is the quality of secure runs. SLSQP (scipy) minimises the exact logistic loss under
abs(A theta) <= c. ``float_difference`` is the largest difference of a coefficient to the same
schedule in float64, ``rounding_bound`` what rounding may make of it, ``violation`` is
abs(A theta) - c on the training rows, in exact A.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mpc_engine.control.studies.training_terms import recommended_steps
from mpc_engine.experiments.float_training import (
    covariance_rows,
    rounding_bound,
    train_in_floats,
)
from mpc_engine.lab.data_sets import SHARED_FOLDER
from mpc_engine.lab.slsqp import fit_by_slsqp
from mpc_engine.lab.splits import Split, splits
from mpc_engine.protocols.training.fixed_point import Standardisation, public_bounds
from mpc_engine.protocols.training.hyperparameters import (
    BATCH_SIZE,
    X_FRAC_BITS,
    Preset,
    settings_of,
    training_spec,
)
from mpc_engine.protocols.training.plaintext import train_plaintext
from tools.bench.report import Report, Row

Reals = NDArray[np.float64]

CONSTRAINTS = (1e-4, 1e-3, 1e-2, 3e-2, 1e-1, 1.0)
TOLERANCE = 5e-4
"""How far abs(A theta) may exceed c: A's entries are multiples of 2^-12."""
_ORDER_SEED = bytes(range(16))


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("--data", type=Path, default=SHARED_FOLDER, help="folder of the files")
    parser.add_argument("--preset", choices=[each.value for each in Preset], default="recommended")
    parser.add_argument("--only", metavar="NAME", help="one data set")
    parser.add_argument("--steps", type=int, metavar="N", help="instead of the recommended number")
    parser.add_argument("--epochs", type=float, metavar="N", help="passes instead of steps")


@dataclass(frozen=True)
class Problem:
    """A data set, encoded for training; ``scaled`` are the rows that encoding rounds."""

    split: Split
    encoded: NDArray[np.int64]
    scaled: Reals

    @classmethod
    def of(cls, split: Split) -> Problem:
        """Standardise by the training rows and encode those."""
        trained = split.features[: split.n_trained]
        standardisation = Standardisation.of(trained)
        scale = np.where(standardisation.scale > 0, standardisation.scale, np.inf)
        scaled = (split.features - standardisation.mean) / scale
        scaled = np.hstack([np.ones((len(scaled), 1)), scaled])
        return cls(split, standardisation.encode(trained, X_FRAC_BITS), scaled)

    def accuracy(self, theta: Reals) -> float:
        """Return the share of test rows decided rightly, in percent."""
        n = self.split.n_trained
        decided = self.scaled[n:] @ theta >= 0
        return 100 * float(np.mean(decided == self.split.targets[n:]))


def measure(problem: Problem, constraint: float, preset: Preset, n_steps: int) -> Row:
    """Train by the oracle, in floats and by SLSQP; return a row of the table."""
    split = problem.split
    n = split.n_trained
    targets, entries = split.targets[:n], split.entries[:n]
    settings = settings_of(preset, n, n_steps)
    x_bound, row_bound = public_bounds(problem.encoded)
    spec = training_spec(
        settings,
        n_rows=n,
        n_columns=problem.encoded.shape[1],
        x_bound=x_bound,
        row_bound=row_bound,
        entry_counts=split.entry_counts,
        constraints=constraint,
        order_seed=_ORDER_SEED,
    )
    result = train_plaintext(spec, problem.encoded, targets, entries)
    theta = result.theta / 2.0**spec.output_frac_bits
    in_floats = train_in_floats(spec, problem.scaled[:n], targets, entries)
    matrix = covariance_rows(spec, problem.scaled[:n], targets, entries)
    fitted = fit_by_slsqp(problem.scaled[:n], targets, matrix, constraint)
    ours, theirs = problem.accuracy(theta), problem.accuracy(fitted)
    value = float(np.abs(matrix @ theta).max())
    return {
        "data": split.name,
        "c": constraint,
        "steps": spec.n_steps,
        "accuracy": round(ours, 2),
        "slsqp": round(theirs, 2),
        "difference": round(ours - theirs, 2),
        "abs_a_theta": round(value, 5),
        "violation": round(max(value - constraint, 0.0), 6),
        "held": value <= constraint + TOLERANCE,
        "float_difference": float(np.abs(theta - in_floats).max()),
        "rounding_bound": rounding_bound(spec, result, matrix),
        "score_width": spec.score_width,
        "gradient_width": spec.gradient_width,
    }


def run(arguments: argparse.Namespace) -> Report:
    """Train every data set at every c."""
    found, remarks = splits(arguments.data)
    rows: list[Row] = []
    for split in found:
        if arguments.only not in (None, split.name):
            continue
        problem = Problem.of(split)
        for constraint in CONSTRAINTS:
            steps = _steps(arguments, split.n_trained)
            rows.append(measure(problem, constraint, Preset(arguments.preset), steps))
            print(_line(rows[-1]), flush=True)
    if not rows:
        raise SystemExit("There is no such data set.")
    worst = min(rows, key=lambda row: row["difference"])
    remarks.append(
        f"Worst difference {worst['difference']:+.2f} points ({worst['data']}, c = {worst['c']}); "
        f"largest violation {max(row['violation'] for row in rows):.1e}, tolerance {TOLERANCE}; "
        f"{sum(not row['held'] for row in rows)} of {len(rows)} runs broke their constraint."
    )
    return Report(f"Quality of training, preset {arguments.preset}", rows, remarks)


def _steps(arguments: argparse.Namespace, n_trained: int) -> int:
    if arguments.epochs:
        return max(1, round(arguments.epochs * n_trained / BATCH_SIZE))
    return arguments.steps or recommended_steps(n_trained)


def _line(row: dict[str, Any]) -> str:
    return f"{row['data']} c={row['c']}: {row['difference']:+.2f} points"
