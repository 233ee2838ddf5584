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
from mpc_engine.protocols.training.spec import TrainingSpec

Reals = NDArray[np.float64]
_TINY = 1e-7


class Whitening(StrEnum):
    """How columns are scaled."""

    PAPER = "paper"
    OURS = "ours"


class Constraint(StrEnum):
    """Whose scores are not to go with the group: everybody's, or those of one outcome.

    ``ACCURACY``: the sign that the outcome wants is counted, so that it is how well people are
    judged that is not to go with the group.
    """

    ACCEPTANCE = "acceptance"
    TRUE_POSITIVES = "true positives"
    TRUE_NEGATIVES = "true negatives"
    BOTH = "true positives and true negatives"
    ACCURACY = "accuracy"


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
        return self.matrix_of(Constraint.ACCEPTANCE)

    def matrix_of(self, constraint: Constraint) -> Reals:
        """Return the matrix of a constraint on the training rows, divided by all n.

        Groups are centred among the people who count. `ACCURACY` gives one that depends on the
        outcomes as well: ``(2 y - 1) x`` in the place of x.
        """
        positive = self.targets.astype(bool)
        if constraint is Constraint.BOTH:
            parts = (self._covariance(positive), self._covariance(~positive))
            return np.vstack(parts)
        if constraint is Constraint.ACCURACY:
            return self._covariance(np.ones_like(positive), 2.0 * positive.astype(np.float64) - 1.0)
        counted = {
            Constraint.ACCEPTANCE: np.ones_like(positive),
            Constraint.TRUE_POSITIVES: positive,
            Constraint.TRUE_NEGATIVES: ~positive,
        }[constraint]
        return self._covariance(counted)

    def spec(
        self, preset: Preset, c: float, n_steps: int, seed: bytes, theta_frac_bits: int
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

    def _covariance(self, counted: NDArray[np.bool_], signs: Reals | float = 1.0) -> Reals:
        entries = self.entries[: self.n, constrained_entries(self.entry_counts)]
        centred = entries - entries[counted].mean(axis=0)
        weights = (centred * counted[:, None]).T
        return np.asarray((weights * signs) @ self.scaled[: self.n] / self.n)


def constrained_entries(entry_counts: tuple[int, ...]) -> list[int]:
    """Return the entries that carry a constraint, as `TrainingSpec.constrained_entries` does."""
    entries: list[int] = []
    start = 0
    for count in entry_counts:
        categories = count - 1
        entries.extend(range(start, start + (1 if categories == 2 else categories)))
        start += count
    return entries
