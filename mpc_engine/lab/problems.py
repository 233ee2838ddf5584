"""A data set made ready: scaled, encoded, with groups and the matrix of the constraint."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from mpc_engine.lab.splits import Split
from mpc_engine.protocols.training.fixed_point import Standardisation, public_bounds
from mpc_engine.protocols.training.hyperparameters import (
    THETA_FRAC_BITS,
    X_FRAC_BITS,
    Preset,
    settings_of,
    training_spec,
)
from mpc_engine.protocols.training.row_sets import RowSet, members_of, row_sets_of, signs_of
from mpc_engine.protocols.training.spec import TrainingSpec
from mpc_engine.vocabulary.constraints import Constraint, ConstraintScope

Reals = NDArray[np.float64]
_TINY = 1e-7


class Whitening(StrEnum):
    """How columns are scaled."""

    PAPER = "paper"
    OURS = "ours"


@dataclass(frozen=True)
class Problem:
    """``scaled`` float (all rows, d), intercept first; the first ``n`` rows train.

    ``only``: number of the one constrained entry that counts, where not all do. ``x_frac_bits``: of
    the encoded rows.
    """

    split: Split
    whitening: Whitening
    only: int | None = None
    x_frac_bits: int = X_FRAC_BITS

    @property
    def n(self) -> int:
        """Return the number of rows that train."""
        return self.split.n_trained

    @cached_property
    def scaled(self) -> Reals:
        """Return all rows, scaled by the training rows' means and scales."""
        trained = self.split.features[: self.n]
        if self.whitening is Whitening.OURS:
            return self._standardisation.scaled(self.split.features)
        features = (self.split.features - trained.mean(axis=0)) / (trained.std(axis=0) + _TINY)
        return np.hstack([np.ones((len(features), 1)), features])

    @cached_property
    def encoded(self) -> NDArray[np.int64]:
        """Return the training rows as the protocol's integers."""
        return np.floor(self.scaled[: self.n] * 2.0**self.x_frac_bits + 0.5).astype(np.int64)

    @cached_property
    def entry_counts(self) -> tuple[int, ...]:
        """Return the entries of each attribute; with ``only``, of one of two categories."""
        return self.split.entry_counts if self.only is None else (3,)

    @cached_property
    def entries(self) -> NDArray[np.uint8]:
        """Return all rows' answers, one-hot; with ``only``, whether a person is in that entry."""
        if self.only is None:
            return self.split.entries
        member = self.split.entries[:, constrained_entries(self.split.entry_counts)[self.only]]
        return np.stack([member, 1 - member, np.zeros_like(member)], axis=1)

    @cached_property
    def groups(self) -> NDArray[np.uint8]:
        """Return (all rows, p): whether a person is in the group of each constraint."""
        return self.split.entries[:, constrained_entries(self.split.entry_counts)]

    @cached_property
    def targets(self) -> NDArray[np.uint8]:
        """Return the outcomes of the training rows."""
        return self.split.targets[: self.n]

    @cached_property
    def matrix(self) -> Reals:
        """Return A float (p, d) of the p%-rule's proxy on the training rows."""
        return self.matrix_of(Constraint.ACCEPTANCE_RATE)

    def matrix_of(self, constraint: Constraint) -> Reals:
        """Return the matrix of a constraint, float (p, d) for each of its sets of training rows.

        Each is the covariance that the protocol bounds, in float64: groups are centred among the
        rows of the set, and the sum is divided by their number, as the protocol divides by n'.
        """
        return np.vstack([self._covariance(row_set) for row_set in row_sets_of(constraint)])

    def spec(
        self,
        preset: Preset,
        c: float,
        n_steps: int,
        seed: bytes,
        theta_frac_bits: int,
        constraint: Constraint = Constraint.ACCEPTANCE_RATE,
        constraint_scope: ConstraintScope = ConstraintScope.WHOLE_SET,
    ) -> TrainingSpec:
        """Return the run of the protocol on the training rows; UsageError if it is too wide.

        Other numbers of fractional bits than the presets' keep their rates.
        """
        x_bound, row_bound = public_bounds(self.encoded)
        spec = training_spec(
            settings_of(preset, self.n, n_steps),
            n_rows=self.n,
            n_columns=self.scaled.shape[1],
            x_bound=x_bound,
            row_bound=row_bound,
            entry_counts=self.entry_counts,
            constraints=c,
            order_seed=seed,
            kind=constraint,
            scope=constraint_scope,
        )
        halvings = self.x_frac_bits - X_FRAC_BITS - (theta_frac_bits - THETA_FRAC_BITS)
        if not halvings and self.x_frac_bits == X_FRAC_BITS:
            return spec
        phases = tuple(replace(phase, shift=phase.shift + halvings) for phase in spec.phases)
        return replace(
            spec,
            x_frac_bits=self.x_frac_bits,
            theta_frac_bits=theta_frac_bits,
            output_frac_bits=min(spec.output_frac_bits, theta_frac_bits),
            phases=phases,
        )

    @cached_property
    def _standardisation(self) -> Standardisation:
        return Standardisation.of(self.split.features[: self.n])

    def _covariance(self, row_set: RowSet) -> Reals:
        entries = self.entries[: self.n, constrained_entries(self.entry_counts)]
        members = members_of(row_set, self.targets).astype(bool)
        centred = entries - entries[members].mean(axis=0)
        weights = centred.T * signs_of(row_set, self.targets)
        return np.asarray(weights @ self.scaled[: self.n] / members.sum())


def constrained_entries(entry_counts: tuple[int, ...]) -> list[int]:
    """Return the entries that carry a constraint, as `TrainingSpec.constrained_entries` does."""
    entries: list[int] = []
    start = 0
    for count in entry_counts:
        categories = count - 1
        entries.extend(range(start, start + (1 if categories == 2 else categories)))
        start += count
    return entries
