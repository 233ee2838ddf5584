"""Which sums are taken over whose rows for A, and where they lie among what both parties enter."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mpc_engine.crypto import tweak_plan
from mpc_engine.garbling.labels import BitArray
from mpc_engine.protocols.instances import bits_of
from mpc_engine.protocols.training.order import batches
from mpc_engine.protocols.training.ring_wires import RingWords, ring_mask
from mpc_engine.protocols.training.row_sets import RowSet, members_of, signs_of
from mpc_engine.protocols.training.spec import TrainingSpec

_BLOCK_STEPS = 16
"""Steps whose covariances are made at once: their tables are one message a set and attribute."""


@dataclass(frozen=True)
class StepSums:
    """Sums of some steps, entered in one call of label transfers: over rows int64 (s, batch).

    Without ``chosen`` they are over everybody, and of no step in particular.
    """

    instance: int
    chosen: NDArray[np.int64] | None

    def sums(self, shares: RingWords) -> RingWords:
        """Return a party's shares of the sums, uint64 (s, entries, c), not reduced.

        ``shares``: of every row (entries, n, c), or of the sum over everybody (entries, c).
        """
        if self.chosen is None:
            return shares[None]
        return np.stack([shares[:, rows].sum(axis=1, dtype=np.uint64) for rows in self.chosen])


def step_sums(spec: TrainingSpec) -> Iterator[StepSums]:
    """Yield the sums of a run, those of some steps at a time where every step has its own."""
    if not spec.is_on_minibatch:
        yield StepSums(tweak_plan.MATRIX_LABELS, None)
        return
    order = batches(spec)
    for number, n_steps in enumerate(step_counts(spec)):
        chosen = np.stack([next(order) for _ in range(n_steps)])
        yield StepSums(tweak_plan.batch_labels(number), chosen)


def step_counts(spec: TrainingSpec) -> list[int]:
    """Return for how many steps at a time `step_sums` has sums; 1 where all steps share them."""
    if not spec.is_on_minibatch:
        return [1]
    starts = range(0, spec.n_steps, _BLOCK_STEPS)
    return [min(_BLOCK_STEPS, spec.n_steps - start) for start in starts]


@dataclass(frozen=True, repr=False, eq=False)
class Columns:
    """Labels of an attribute's sums over a set, (s, m, d + 1, width, 2), and of K.

    ``factor`` (s, w, 2), of the modeler alone, begins with the wire that says whether enough
    answered, where there is one.
    """

    row_set: RowSet
    attribute: int
    sums: RingWords
    factor: RingWords


class Layout:
    """Where attributes' categories lie among the real entries, and sets' values among the sums."""

    def __init__(self, spec: TrainingSpec) -> None:
        entries: list[int] = []
        self.attributes: list[slice] = []
        start = 0
        for count in spec.entry_counts:
            self.attributes.append(slice(len(entries), len(entries) + count - 1))
            entries.extend(range(start, start + count - 1))
            start += count
        self.entries = np.array(entries, dtype=np.uint64)
        self.columns = self.entries.astype(np.int64)
        self.n_sums = len(spec.row_sets) * (spec.n_columns + 1)
        self.n_words = len(entries) * self.n_sums
        self.spec = spec
        self._n_sum_wires = self.n_words * spec.sum_width
        self._conditional = [i for i, s in enumerate(spec.row_sets) if s.is_conditional]
        self.n_wires = self._n_sum_wires + len(self._conditional) * spec.factor_bits

    @property
    def n_answered(self) -> int:
        """Return for how many sets and attributes it is told to steps whether enough answered."""
        return len(self._conditional) * len(self.attributes) * self.spec.is_on_minibatch

    def answered(self, shares: RingWords) -> RingWords:
        """Return a party's shares of how many answered, set by set, uint64 (`n_answered`,).

        ``shares`` of every row, uint64 (entries, n, `n_sums`).
        """
        n_columns = self.spec.n_columns
        counts = shares.sum(axis=1, dtype=np.uint64)[:, n_columns :: n_columns + 1]
        found = [
            counts[part, position].sum(dtype=np.uint64)
            for position in self._conditional
            for part in self.attributes
        ]
        return np.array(found, dtype=np.uint64) & ring_mask(self.spec.answered_width)

    def both(
        self, modeler: RingWords, regulator: RingWords, enough: RingWords
    ) -> Iterator[tuple[Columns, Columns]]:
        """Cut labels of both parties' inputs into those of every set and attribute, in order.

        ``modeler`` (s, `n_wires`, 2); ``regulator`` the same, without K; ``enough`` (`n_answered`,
        1, 2): labels that `enough_circuit` gave.
        """
        parts = (self._columns_of(labels, enough) for labels in (modeler, regulator))
        return zip(*parts, strict=True)

    def _columns_of(self, labels: RingWords, enough: RingWords) -> list[Columns]:
        spec = self.spec
        n_steps = len(labels)
        shape = (len(self.entries), len(spec.row_sets), spec.n_columns + 1, spec.sum_width, 2)
        sums = labels[:, : self._n_sum_wires].reshape(n_steps, *shape)
        start = self._n_sum_wires
        told = 0
        found: list[Columns] = []
        for position, row_set in enumerate(spec.row_sets):
            stop = start + row_set.is_conditional * spec.factor_bits
            for number, part in enumerate(self.attributes):
                own = sums[:, part, position]
                factor = labels[:, start:stop]
                if row_set.is_conditional and len(enough):
                    bit = np.broadcast_to(enough[told], (n_steps, 1, 2))
                    factor = np.concatenate([bit, factor], axis=1)
                    told += 1
                found.append(Columns(row_set, number, own, factor))
            start = stop
        return found


def weighed_rows(
    spec: TrainingSpec, rows: NDArray[np.int64], labels: NDArray[np.uint8]
) -> NDArray[np.int64]:
    """Return what is summed over people, int64 (n, sets (d + 1)): rows and ones, weighed."""
    weighed = []
    for row_set in spec.row_sets:
        weighed += [rows * signs_of(row_set, labels)[:, None], members_of(row_set, labels)[:, None]]
    return np.hstack(weighed)


def factor_bits(spec: TrainingSpec, labels: NDArray[np.uint8], block: StepSums) -> BitArray:
    """Return the bits of K of every step and set that is given by outcomes, uint8 (s, bits)."""
    factors: list[list[int]] = []
    for chosen in [slice(None)] if block.chosen is None else block.chosen:
        members = [members_of(s, labels) for s in spec.row_sets if s.is_conditional]
        sizes = [(int(each.sum()), int(each[chosen].sum())) for each in members]
        factors.append([spec.factor_of(spec.divisor_of(*size)) for size in sizes])
    return bits_of(np.array(factors, dtype=np.uint64), spec.factor_bits).reshape(len(factors), -1)
