"""A in the clear: covariances of answers and columns over rows of a training, in integers."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mpc_engine.protocols.training.row_sets import members_of, signs_of
from mpc_engine.protocols.training.spec import TrainingSpec

Integers = NDArray[np.int64]
_WORD_BITS = 63


class Covariances:
    """The covariances that a run bounds, over everybody or over a step's rows.

    ``rows`` int64 (n, d); ``labels`` uint8 (n,); ``entries`` uint8 (n, e): one-hot answers.
    """

    def __init__(
        self,
        spec: TrainingSpec,
        rows: Integers,
        labels: NDArray[np.uint8],
        entries: NDArray[np.uint8],
    ) -> None:
        self._spec = spec
        self._entries = entries.astype(np.int64)
        self._members = [members_of(row_set, labels) for row_set in spec.row_sets]
        self._signed = [rows * signs_of(row_set, labels)[:, None] for row_set in spec.row_sets]
        starts = np.cumsum([0, *spec.entry_counts])[:-1]
        counts = zip(starts, spec.entry_counts, strict=True)
        self._attributes = [slice(start, start + count - 1) for start, count in counts]
        self._enough = [
            [
                not row_set.is_conditional
                or int((members @ self._entries[:, own]).sum()) >= spec.minimum_answers
                for own in self._attributes
            ]
            for row_set, members in zip(spec.row_sets, self._members, strict=True)
        ]

    def over(self, covered: Integers | slice) -> Integers:
        """Return A, int64 (p, d), over rows by their numbers: covariances set by set.

        ``T = N' P_j - N_j S'`` over covered rows of the set whose people answered,
        ``A = floor(T K / 2^s + 1/2)`` with K / 2^s of about 1 / n'^2 (`TrainingSpec.divisor_of`);
        0 where, of everybody's rows, fewer than ``minimum_answers`` of a set given by outcomes
        answered.
        """
        result: list[Integers] = []
        for position in range(len(self._spec.row_sets)):
            result += self._of_set(position, covered)
        return np.concatenate(result)

    def _of_set(self, position: int, covered: Integers | slice) -> list[Integers]:
        spec, everybody = self._spec, self._members[position]
        members, entries = everybody[covered], self._entries[covered]
        factor = spec.factor_of(spec.divisor_of(int(everybody.sum()), int(members.sum())))
        shift = spec.factor[1]
        fits = spec.count_width + spec.sum_width + factor.bit_length() < _WORD_BITS
        kind = np.int64 if fits else object
        sums = entries.T.astype(kind) @ self._signed[position][covered].astype(kind)
        counts = (members @ entries).astype(kind)
        result: list[Integers] = []
        for own, enough in zip(self._attributes, self._enough[position], strict=True):
            constrained = slice(own.start, own.start + 1) if own.stop - own.start == 2 else own
            centred = counts[own].sum() * sums[constrained]
            centred = centred - counts[constrained, None] * sums[own].sum(axis=0)
            scaled = centred * (factor if enough else 0) + (1 << shift >> 1)
            result.append((scaled >> shift).astype(np.int64))
        return result
