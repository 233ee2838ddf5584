"""What the parties must have trained, from the plain data that nobody but the demo has.

The demo plays everybody, so it can run the same schedule on plain integers and in float64. Nothing
of what the parties compute goes in: the terms they signed, and people's own values, nothing else.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from mpc_engine.control.studies.training_terms import TrainingTerms
from mpc_engine.experiments.float_training import train_in_floats
from mpc_engine.params import DEFAULT_THETA_FRAC_BITS, DEFAULT_X_FRAC_BITS
from mpc_engine.protocols.training import hyperparameters
from mpc_engine.protocols.training.fixed_point import Standardisation, public_bounds
from mpc_engine.protocols.training.plaintext import train_plaintext
from mpc_engine.protocols.training.spec import TrainingSpec

N_ENTRIES = 3
"""Over 25, up to 25, prefer not to say."""


@dataclass(frozen=True)
class PlainPeople:
    """Values of people in the order in which parties keep them, that of their record ids.

    ``rows`` int64 (n, d): encoded features; ``good`` uint8 (n,); ``answers`` (n,): 0, 1 or, for
    who declines, 2.
    """

    rows: NDArray[np.int64]
    good: NDArray[np.uint8]
    answers: tuple[int, ...]


def fingerprint(models: Sequence[Sequence[int]]) -> str:
    """Return the first 16 hex digits of SHA-256 over the integers of models."""
    text = "\n".join(" ".join(map(str, theta)) for theta in models)
    return hashlib.sha256(text.encode("ascii")).hexdigest()[:16]


def train_in_the_clear(
    terms: TrainingTerms, people: PlainPeople, minimum_answers: int
) -> tuple[int, ...]:
    """Return the integers of the model at the one point that these terms name, intercept first.

    They are what the modeler's party must hold. ``minimum_answers``: of the study's policy.

    Raises:
        UsageError: the run would not be exact (TRAINING_RANGE), or its constraint is about too few
            (TRAINING_TOO_FEW_OUTCOMES).
    """
    standardisation, spec, rows, entries = _run_of(terms, people, minimum_answers)
    theta = train_plaintext(spec, rows, people.good, entries).theta
    intercept, coefficients = standardisation.decode(theta, spec.output_frac_bits)
    model = np.array([intercept, *coefficients]) * 2.0**DEFAULT_THETA_FRAC_BITS
    return tuple(int(value) for value in np.floor(model + 0.5))


def difference_to_floats(terms: TrainingTerms, people: PlainPeople, minimum_answers: int) -> float:
    """Return how far a coefficient is at most from the same in float64, for standardised columns.

    Raises:
        UsageError: as `train_in_the_clear`.
    """
    standardisation, spec, rows, entries = _run_of(terms, people, minimum_answers)
    theta = train_plaintext(spec, rows, people.good, entries).theta
    reals = _before_rounding(standardisation, people.rows / 2.0**DEFAULT_X_FRAC_BITS)
    exact = train_in_floats(spec, reals, people.good, entries)
    return float(np.abs(theta / 2.0**spec.output_frac_bits - exact).max())


def _run_of(
    terms: TrainingTerms, people: PlainPeople, minimum_answers: int
) -> tuple[Standardisation, TrainingSpec, NDArray[np.int64], NDArray[np.uint8]]:
    """Return the columns' standardisation, the run, its rows and its one-hot answers."""
    features = people.rows / 2.0**DEFAULT_X_FRAC_BITS
    standardisation = Standardisation.of(features)
    rows = standardisation.encode(features, hyperparameters.X_FRAC_BITS)
    entries = np.eye(N_ENTRIES, dtype=np.uint8)[list(people.answers)]
    return standardisation, _spec(terms, rows, minimum_answers), rows, entries


def _spec(terms: TrainingTerms, rows: NDArray[np.int64], minimum_answers: int) -> TrainingSpec:
    n_rows, n_columns = rows.shape
    x_bound, row_bound = public_bounds(rows)
    preset = hyperparameters.Preset(terms.preset)
    (point,) = terms.points
    spec = hyperparameters.training_spec(
        hyperparameters.settings_of(preset, n_rows, terms.steps, terms.batch_size),
        n_rows=n_rows,
        n_columns=n_columns,
        x_bound=x_bound,
        row_bound=row_bound,
        entry_counts=(N_ENTRIES,),
        constraints=[float(bound) for bound in point],
        order_seed=terms.order_seed,
        batch_size=terms.batch_size,
        kind=terms.constraint,
        minimum_answers=minimum_answers,
    )
    return replace(spec, output_frac_bits=terms.output_frac_bits)


def _before_rounding(
    standardisation: Standardisation, features: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return what `Standardisation.encode` rounds: no column of the data is constant."""
    scaled = (features - standardisation.mean) / standardisation.scale
    return np.hstack([np.ones((len(features), 1)), scaled])
