"""Named settings of a run: steps, learning rates, multipliers, averaging, scales.

``RECOMMENDED``: a rate that halves seven times from 2^-3 to 2^-10 over equal stretches, a quadratic
penalty of 20 beside a multiplier that may fall again, and the mean of iterates from the last
quarter. ``PAPER``: the appendix of Kilbertus et al. (2018): fixed rates 1e-4 and 0.05 (here 1/16),
weights that change from epoch to epoch, the last iterate.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from math import ceil

from mpc_engine.errors import UsageError
from mpc_engine.protocols.training.row_sets import row_sets_of
from mpc_engine.protocols.training.spec import Multiplier, Phase, TrainingSpec
from mpc_engine.vocabulary.constraints import Constraint, ConstraintScope

BATCH_SIZE = 64
X_FRAC_BITS = 12
SIGNAL_FRAC_BITS = 16
THETA_FRAC_BITS = 22

_FIRST_HALVINGS, _LAST_HALVINGS = 3, 10
_MOST_AVERAGED = 64
_PAPER_RATE = 1e-4
_PAPER_RATE_BITS = 19


class Preset(StrEnum):
    """Which settings a run uses."""

    RECOMMENDED = "recommended"
    PAPER = "paper"


@dataclass(frozen=True)
class Settings:
    """What a preset decides for a number of rows and epochs."""

    phases: tuple[Phase, ...]
    multiplier: Multiplier
    n_averaged: int
    theta_int_bits: int


def training_spec(
    settings: Settings,
    *,
    n_rows: int,
    n_columns: int,
    x_bound: int,
    row_bound: int,
    entry_counts: tuple[int, ...],
    constraints: float | Sequence[float],
    order_seed: bytes,
    batch_size: int = BATCH_SIZE,
    kind: Constraint = Constraint.ACCEPTANCE_RATE,
    minimum_answers: int = 1,
    scope: ConstraintScope = ConstraintScope.WHOLE_SET,
) -> TrainingSpec:
    """Return the run that both parties agree on, in integers.

    ``constraints``: c, one for all or one for each constrained entry, in units of A theta for
    encoded columns; of ``kind`` equalised odds each holds for both rates. ``minimum_answers`` and
    ``scope`` as in `TrainingSpec`. Bounds as `encoding.public_bounds` gives them. ``batch_size`` as
    it was given to `settings_of`. UsageError as `TrainingSpec` says: ``TRAINING_RANGE``,
    ``CONSTRAINT_COUNT``.
    """
    if isinstance(constraints, float | int):
        n_constraints = sum(1 if count == 3 else count - 1 for count in entry_counts)
        constraints = [constraints] * n_constraints
    return TrainingSpec(
        n_rows=n_rows,
        n_columns=n_columns,
        batch_size=batch_size,
        x_frac_bits=X_FRAC_BITS,
        x_bound=x_bound,
        row_bound=row_bound,
        entry_counts=entry_counts,
        bounds=tuple(bound_of(constraint) for constraint in constraints) * len(row_sets_of(kind)),
        phases=settings.phases,
        multiplier=settings.multiplier,
        order_seed=order_seed,
        theta_frac_bits=THETA_FRAC_BITS,
        theta_int_bits=settings.theta_int_bits,
        signal_frac_bits=SIGNAL_FRAC_BITS,
        n_averaged=settings.n_averaged,
        row_sets=row_sets_of(kind),
        minimum_answers=minimum_answers,
        scope=scope,
    )


def steps_of(n_epochs: float, n_rows: int, batch_size: int = BATCH_SIZE) -> int:
    """Return the steps of passes over ``n_rows`` rows, rounded up: no row is dropped."""
    return ceil(n_epochs * n_rows / batch_size)


def settings_of(
    preset: Preset, n_rows: int, n_steps: int, batch_size: int = BATCH_SIZE
) -> Settings:
    """Return the settings for a number of steps over ``n_rows`` rows.

    ``batch_size`` is a power of two. UsageError for no step.
    """
    if n_steps < 1:
        raise UsageError("A run has at least one step.")
    if preset is Preset.PAPER:
        return _paper(n_rows, n_steps, batch_size)
    return _recommended(n_steps, batch_size)


def bound_of(constraint: float) -> int:
    """Return c at signal scale, rounded half up; UsageError unless it is 0 or more."""
    if not 0 <= constraint < 1 << 16:
        raise UsageError("A constraint is a bound of 0 or more on abs(A theta).")
    return int(constraint * (1 << SIGNAL_FRAC_BITS) + 0.5)


def _shift(halvings: int, batch_size: int) -> int:
    """Return the shift for a rate of 2^-halvings over a batch's mean."""
    scale = X_FRAC_BITS + SIGNAL_FRAC_BITS - THETA_FRAC_BITS
    return scale + halvings + batch_size.bit_length() - 1


def _recommended(n_steps: int, batch_size: int) -> Settings:
    stretches = range(_FIRST_HALVINGS, _LAST_HALVINGS + 1)
    edges = [n_steps * i // len(stretches) for i in range(len(stretches) + 1)]
    phases = tuple(
        Phase(stop - start, 1, batch_size, _shift(halvings, batch_size))
        for halvings, start, stop in zip(stretches, edges, edges[1:], strict=False)
        if stop > start
    )
    averaged = min(_MOST_AVERAGED, max(n_steps // 4, 1))
    return Settings(
        phases,
        Multiplier(
            bound=4 << SIGNAL_FRAC_BITS,
            rate_shift=0,
            penalty=20,
            may_fall=True,
            only_violated=False,
        ),
        n_averaged=1 << (averaged.bit_length() - 1),
        theta_int_bits=2,
    )


def _paper(n_rows: int, n_steps: int, batch_size: int) -> Settings:
    per_epoch = ceil(n_rows / batch_size)
    n_epochs = ceil(n_steps / per_epoch)
    rate = _PAPER_RATE * 2.0**_PAPER_RATE_BITS
    phases = []
    for epoch in range(1, n_epochs + 1):
        steps = min(per_epoch, n_steps - per_epoch * (epoch - 1))
        loss = round(rate * n_epochs / (n_epochs + epoch))
        constraint = round(rate * batch_size * (n_epochs + 10 * epoch) / n_epochs)
        phases.append(Phase(steps, loss, constraint, _shift(_PAPER_RATE_BITS, batch_size)))
    return Settings(
        tuple(phases),
        Multiplier(
            bound=256 << SIGNAL_FRAC_BITS,
            rate_shift=4,
            penalty=0,
            may_fall=False,
            only_violated=True,
        ),
        n_averaged=1,
        theta_int_bits=5,
    )
