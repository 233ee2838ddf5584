"""Public parameters of a certification and the widths that follow from them."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import product

import numpy as np
from numpy.typing import NDArray

from mpc_engine.errors import UsageError
from mpc_engine.fairness.discrete_laplace import distance, exponential_bounds
from mpc_engine.fairness.groups import Floors
from mpc_engine.secure_ops.bound_reentry import sum_width_bits
from mpc_engine.secure_ops.row_sums import row_width_bits
from mpc_engine.vocabulary.criteria import Bound, CriterionName
from mpc_engine.vocabulary.divisions import finest_divisions
from mpc_engine.vocabulary.policies import Comparison, Disclosure, MissingAnswers, SmallGroups
from mpc_engine.vocabulary.rates import Count
from mpc_engine.vocabulary.verdicts import NoVerdict, Verdict

LARGEST_EPSILON = 8
"""Above it one answer changes chances by more than 2,980 times: that is no protection."""
LARGEST_SCALE = 1024
"""Of noise in a cell, in people."""
LARGEST_DELTA = Fraction(1, 1 << 40)
_DELTA_BITS = 64


@dataclass(frozen=True)
class Criterion:
    """One criterion of a policy and the thresholds asked about, in rising order.

    Covariance: bounds on ``abs(A_j theta)`` in units of the score. Of rates: percentages (ratio),
    percentage points (difference) or values of z. ``certify_at`` is the threshold that a
    certificate needs.
    """

    name: CriterionName
    thresholds: tuple[Fraction, ...]
    certify_at: Fraction

    @property
    def certify_index(self) -> int:
        """Return the position of ``certify_at`` among the thresholds."""
        return self.thresholds.index(self.certify_at)


@dataclass(frozen=True)
class CertificationSpec:
    """What both parties know beforehand.

    ``entry_counts``: entries of each attribute, "prefer not to say" included and last;
    ``feature_ranges``: inclusive ranges of the encoded features. ``groupings``: each a tuple of
    attribute numbers, whose combined answers are the groups compared; none given stands for every
    attribute by itself. Groupings that have attributes in common, directly or over others, are a
    join: they are of the same people, and one crosses all attributes of it (`finest`).
    ``epsilon``: what the question may tell of one person, by noise in every cell; None of an exact
    certification.
    """

    config_digest: bytes
    n_features: int
    x_frac_bits: int
    theta_bits: int
    theta_frac_bits: int
    entry_counts: tuple[int, ...]
    feature_ranges: tuple[tuple[int, int], ...]
    criteria: tuple[Criterion, ...]
    comparison: Comparison
    floors: Floors
    groupings: tuple[tuple[int, ...], ...] = ()
    missing: MissingAnswers = MissingAnswers.LEFT_OUT
    disclosure: Disclosure = Disclosure.VERDICT
    epsilon: Fraction | None = None

    def __post_init__(self) -> None:
        names = [criterion.name for criterion in self.criteria]
        if not names or len(set(names)) != len(names):
            raise UsageError("A policy has one or more criteria, each once.")
        if not self.groupings:
            alone = tuple((number,) for number in range(len(self.entry_counts)))
            object.__setattr__(self, "groupings", alone)
        if None in finest_divisions(self.groupings):
            raise UsageError("No grouping crosses all attributes of those it shares some with.")
        if min(map(len, self.cells)) < 2:
            raise UsageError("A comparison takes two groups or more.")
        leaves_out = self.floors.small_groups is not SmallGroups.UNDETERMINED
        if CriterionName.COVARIANCE in names and (leaves_out or self.bounds_missing):
            raise UsageError("The covariance is over all groups, and knows no missing answers.")
        for criterion in self.rate_criteria:
            if self.bounds_missing and not criterion.bounds_missing_answers(self.comparison):
                raise UsageError("This criterion has no worst case under this comparison.")
        if self.epsilon is not None:
            self._require_noise()

    def _require_noise(self) -> None:
        """Raise UsageError unless every number that is opened can be made of noised cells."""
        bounds = {criterion.name.bound for criterion in self.criteria}
        if Bound.COVARIANCE in bounds:
            raise UsageError("The covariance is of sums over people, which have no noise.")
        if not bounds <= {Bound.RATIO, Bound.DIFFERENCE}:
            raise UsageError("A z test knows of no noise beside that of who was asked.")
        if not isinstance(self.epsilon, Fraction):
            raise UsageError("Epsilon is an exact fraction.")
        if not 0 < self.epsilon <= LARGEST_EPSILON or self.noise_scale > LARGEST_SCALE:
            raise UsageError("Noise of this size is too small to protect, or too large to tell.")
        if self.delta > LARGEST_DELTA:
            raise UsageError("Over so many groupings noise promises too little.")

    @property
    def _noise_epsilon(self) -> Fraction:
        """Return epsilon; ValueError of an exact certification."""
        if self.epsilon is None:
            raise ValueError("An exact certification has no noise.")
        return self.epsilon

    @property
    def noise_scale(self) -> Fraction:
        """Return the scale of the noise in a cell.

        Another answer of one person moves two cells by one in each grouping that is counted.
        """
        return Fraction(2 * len(self.counted)) / self._noise_epsilon

    @property
    def delta(self) -> Fraction:
        """Return the noise's part of delta: rounded coins and cut tails, in cells that she moves.

        With noise within a total variation t of the ideal one, ``P <= exp(epsilon) P' + delta`` for
        ``delta = (1 + exp(epsilon)) t``.
        """
        _, power = exponential_bounds(self._noise_epsilon, _DELTA_BITS)
        moved = 2 * len(self.counted) * distance(self.noise_scale)
        return (1 + Fraction(power, 1 << _DELTA_BITS)) * moved

    @property
    def n_cells(self) -> int:
        """Return how many cells get noise: of each counted grouping and class, each group.

        Where missing answers are bounded, who is in no group is a group more.
        """
        groups = [len(self.cells[number]) + self.bounds_missing for number in self.counted]
        return sum(groups) * len(self.counts)

    @property
    def holds_classes(self) -> bool:
        """Return whether each class of people is held to the floor on decisions.

        Not of noised cells: a class of nobody is a few there, and epsilon bounds what it tells.
        """
        return self.uses_outcomes and self.epsilon is None

    def criterion(self, name: CriterionName) -> Criterion | None:
        """Return the criterion of a name, or None where the policy does not have it."""
        return next((item for item in self.criteria if item.name is name), None)

    @property
    def rate_criteria(self) -> tuple[CriterionName, ...]:
        """Return the criteria on rates, in the policy's order."""
        return tuple(item.name for item in self.criteria if item.name.rates)

    @property
    def category_counts(self) -> tuple[int, ...]:
        """Return the real categories of each attribute."""
        return tuple(count - 1 for count in self.entry_counts)

    @property
    def real_entries(self) -> NDArray[np.uint64]:
        """Return the numbers of the entries that stand for a category, uint64 (J,)."""
        numbers: list[int] = []
        start = 0
        for count in self.entry_counts:
            numbers.extend(range(start, start + count - 1))
            start += count
        return np.array(numbers, dtype=np.uint64)

    @cached_property
    def cells(self) -> tuple[tuple[tuple[int, ...], ...], ...]:
        """Return the groups of every grouping: the real categories that a member belongs to all of.

        Categories are numbered over all attributes; the last attribute's vary fastest.
        """
        starts = [sum(self.category_counts[:number]) for number in range(len(self.entry_counts))]
        columns = [
            range(start, start + count)
            for start, count in zip(starts, self.category_counts, strict=True)
        ]
        return tuple(
            tuple(product(*(columns[number] for number in grouping))) for grouping in self.groupings
        )

    @cached_property
    def finest(self) -> tuple[int, ...]:
        """Return for each grouping the number of the one that crosses all attributes of its join.

        People are counted in the groups of these alone. Others are summed from them, so that they
        are of the same people: else two divisions differ by who answered a single attribute.
        """
        found = finest_divisions(self.groupings)
        return tuple(number for number in found if number is not None)

    @cached_property
    def counted(self) -> tuple[int, ...]:
        """Return the numbers of the groupings in whose groups people are counted, one a join."""
        return tuple(number for number, own in enumerate(self.finest) if number == own)

    @cached_property
    def parts(self) -> tuple[tuple[tuple[int, ...], ...], ...]:
        """Return for each group of each grouping which groups of its finest one it consists of."""
        return tuple(
            tuple(
                tuple(i for i, part in enumerate(self.cells[number]) if set(cell) <= set(part))
                for cell in cells
            )
            for cells, number in zip(self.cells, self.finest, strict=True)
        )

    @cached_property
    def counts(self) -> tuple[Count, ...]:
        """Return what is counted of every group: what the criteria need, size and selected."""
        needed = {Count.SIZE, Count.SELECTED} if self.rate_criteria else set()
        for criterion in self.rate_criteria:
            needed |= frozenset().union(*(rate.counts for rate in criterion.rates))
        return tuple(count for count in Count if count in needed)

    @property
    def bounds_missing(self) -> bool:
        """Return whether the worst and the best case of missing answers are computed."""
        return self.missing is not MissingAnswers.LEFT_OUT

    @property
    def uses_outcomes(self) -> bool:
        """Return whether people's known outcomes matter, not decisions alone."""
        return len(self.counts) > len((Count.SIZE, Count.SELECTED))

    @cached_property
    def reasons(self) -> tuple[NoVerdict, ...]:
        """Return the reasons for no verdict that can occur, in order."""
        reasons = {NoVerdict.TOO_FEW_ANSWERS}
        if self.floors.small_groups is SmallGroups.UNDETERMINED:
            reasons.add(NoVerdict.GROUP_UNDER_FLOOR)
        else:
            reasons.add(NoVerdict.TOO_FEW_GROUPS)
        if self.rate_criteria:
            reasons.add(NoVerdict.TOO_FEW_DECIDED)
        return tuple(reason for reason in NoVerdict if reason in reasons)

    @property
    def scale_bits(self) -> int:
        """Return the fractional bits of a score ``x theta``."""
        return self.x_frac_bits + self.theta_frac_bits

    def row_width(self, n_records: int) -> int:
        """Return l: the ring width of a sum over ``n_records`` people."""
        largest = max(max(abs(low), abs(high)) for low, high in self.feature_ranges)
        return row_width_bits(largest, n_records)

    def sum_width(self, n_records: int) -> int:
        """Return B: the bits in which the modeler enters a sum; UsageError if not below 61."""
        return sum_width_bits(self.row_width(n_records), n_records)


@dataclass(frozen=True)
class CertificationOutcome:
    """What a party learns. ``model_signature``: the regulator's, on PASS only.

    ``passes`` has one bit per criterion and threshold; ``worst`` and ``best`` alike where the
    policy bounds missing answers, else they are empty. ``left_out``: one bit per group, grouping by
    grouping, where the policy names groups left out, else empty. ``table``: for every group the
    counts of `CertificationSpec.counts`, all 0 for a group with fewer people than the floor, where
    the policy opens the table, else empty. ``and_gates`` and ``ots`` are public costs.
    """

    verdict: Verdict
    reason: NoVerdict | None
    passes: tuple[tuple[bool, ...], ...]
    model_signature: bytes | None
    and_gates: int
    ots: int
    worst: tuple[tuple[bool, ...], ...] = ()
    best: tuple[tuple[bool, ...], ...] = ()
    left_out: tuple[bool, ...] = ()
    table: tuple[tuple[int, ...], ...] = ()
