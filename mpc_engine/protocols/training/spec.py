"""What both parties know before a training run: scales, bounds, schedule, constraints.

All numbers are integers. Scales (fractional bits): features ``x_frac_bits``; theta's accumulator
``theta_frac_bits``; sigmoid outputs, constraint values and multipliers ``signal_frac_bits``.
Source: Kilbertus et al. (2018), Algorithm 1 and its parameters; where we deviate, and why, is in
``docs/protocols/training.md``.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import prod

from mpc_engine.errors import UsageError
from mpc_engine.protocols.training.row_sets import RowSet
from mpc_engine.vocabulary.constraints import ConstraintScope

_MAX_WIDTH_BITS = 62
_FACTOR_BITS = 20
_MAX_ENTRIES = 1 << 25
"""Numbers in the covariances of all steps: 256 MB at each party."""


@dataclass(frozen=True)
class Phase:
    """A stretch of steps with one rate.

    A step subtracts ``(loss g + constraint a) / 2^shift``, rounded half up, from theta's
    accumulator: ``g = X^T (sigma - y)`` is summed over the batch, ``a = A^T (nu)``. The learning
    rate, the schedule's weights and 1/batch are in these three public integers.
    """

    n_steps: int
    loss: int
    constraint: int
    shift: int


@dataclass(frozen=True)
class Multiplier:
    """How lambda moves, at the scale of signals.

    ``lambda <- clamp(lambda + floor(v / 2^rate_shift), 0, bound)`` with the violation
    ``v = abs(A theta) - c``, cut at 0 from below unless ``may_fall``; the force is
    ``nu = sgn(A theta) min(lambda + penalty max(v, 0), bound)``, with lambda before its move. With
    ``only_violated`` the force is 0 where ``v <= 0``, as in the paper.
    """

    bound: int
    rate_shift: int
    penalty: int
    may_fall: bool
    only_violated: bool


@dataclass(frozen=True)
class TrainingSpec:
    """A run on ``n_rows`` people and ``n_columns`` columns, the intercept included and first.

    ``x_bound``: largest absolute value of an encoded feature; ``row_bound``: largest sum of
    absolute values in a row; both public, and checked by the modeler on its data.
    ``entry_counts``: entries of each attribute, "prefer not to say" included and last.
    ``row_sets``: the rows that covariances are taken over; each set has all constraints of
    `constrained_entries`. ``bounds``: c for every constraint, set by set in that order, at signal
    scale. ``minimum_answers``: the fewest people of a set given by outcomes who must have answered
    an attribute; of fewer, the set does not constrain it. ``scope``: the rows a step takes
    covariances over, everybody's or its own.
    ``n_averaged``: a power of two; theta is the mean of that many iterates, evenly spaced over the
    last quarter of the steps (1: the last iterate). ``output_frac_bits``: of the opened theta.
    ``order_seed``: 16 public bytes for the order of rows.
    """

    n_rows: int
    n_columns: int
    batch_size: int
    x_frac_bits: int
    x_bound: int
    row_bound: int
    entry_counts: tuple[int, ...]
    bounds: tuple[int, ...]
    phases: tuple[Phase, ...]
    multiplier: Multiplier
    order_seed: bytes
    theta_frac_bits: int
    theta_int_bits: int
    signal_frac_bits: int
    n_averaged: int = 1
    output_frac_bits: int = 16
    row_sets: tuple[RowSet, ...] = (RowSet.ALL,)
    minimum_answers: int = 1
    scope: ConstraintScope = ConstraintScope.WHOLE_SET

    def __post_init__(self) -> None:
        self._check_shape()
        self._check_scales()
        for name, width in (
            ("scores and constraint values", self.score_width),
            ("gradients", self.gradient_width),
            ("sums over people", self.sum_width),
            ("sums of averaged iterates", self.averaged_bits + 1),
            ("bounds and multipliers", 1 + max(*self.bounds, self.multiplier.bound).bit_length()),
        ):
            if width > _MAX_WIDTH_BITS:
                raise UsageError(
                    f"The {name} of this run need {width} bits; at most {_MAX_WIDTH_BITS} are "
                    "exact. Use fewer fractional bits, smaller features or smaller rates.",
                    code="TRAINING_RANGE",
                )
        n_entries = prod(self.matrix_shape)
        if self.is_on_minibatch and n_entries > _MAX_ENTRIES:
            raise UsageError(
                f"The constraints of all steps of this run are {n_entries} numbers; at most "
                f"{_MAX_ENTRIES} are kept. Train for fewer steps, or on the whole set.",
                code="TRAINING_RANGE",
            )

    def __hash__(self) -> int:
        """Hash one field that runs differ in: every step looks its circuits up by their run."""
        return hash(self.order_seed)

    def _check_shape(self) -> None:
        power = self.batch_size > 0 and self.batch_size & (self.batch_size - 1) == 0
        if not power or self.n_rows < 1 or self.n_columns < 1:
            raise UsageError("A batch is a power of two, over at least one row and one column.")
        averaged = self.n_averaged > 0 and self.n_averaged & (self.n_averaged - 1) == 0
        if not self.phases or any(phase.n_steps < 1 for phase in self.phases) or not averaged:
            raise UsageError("A schedule has steps, and averages a power of two of iterates.")
        if self.n_averaged > 1 and self.n_averaged > self.n_steps // 4:
            raise UsageError("The last quarter has fewer steps than iterates to average.")
        if not self.row_sets or len(set(self.row_sets)) < len(self.row_sets):
            raise UsageError("Constraints are about one or more different sets of rows.")
        if not isinstance(self.scope, ConstraintScope) or any(
            not isinstance(row_set, RowSet) for row_set in self.row_sets
        ):
            raise UsageError("Sets of rows and the scope are words of the vocabulary.")
        if not 1 <= self.minimum_answers <= self.n_rows:
            raise UsageError("A set of rows needs 1 to as many answers as there are rows.")
        n_constraints = len(self.row_sets) * len(self.constrained_entries)
        if len(self.bounds) != n_constraints:
            raise UsageError(
                f"There are {n_constraints} constraints; each needs one bound.",
                code="CONSTRAINT_COUNT",
            )
        if len(self.order_seed) != 16:
            raise UsageError("The seed of the order of rows has 16 bytes.")

    def _check_scales(self) -> None:
        multiplier = self.multiplier
        if any(
            phase.loss < 1 or phase.constraint < 0 or not 1 <= phase.shift < 62
            for phase in self.phases
        ):
            raise UsageError("A rate is a positive integer over 2 to 61 halvings.")
        if multiplier.bound < 1 or multiplier.penalty < 0 or abs(multiplier.rate_shift) > 40:
            raise UsageError("The multiplier's bound, penalty or rate is out of range.")
        if any(bound < 0 for bound in self.bounds) or self.x_bound < 1 or self.row_bound < 1:
            raise UsageError("Bounds are positive.")
        if not self.signal_frac_bits <= self.x_frac_bits + self.theta_frac_bits:
            raise UsageError("Signals cannot be finer than scores.")
        if not 0 < self.output_frac_bits <= self.theta_frac_bits:
            raise UsageError("Theta is opened with 1 to as many fractional bits as it has.")

    @cached_property
    def n_steps(self) -> int:
        """Return the number of steps, which depends on nothing secret."""
        return sum(phase.n_steps for phase in self.phases)

    @cached_property
    def constrained_entries(self) -> tuple[int, ...]:
        """Return the entries that carry a constraint, by their number among all entries.

        Of an attribute with two categories the first one only: the other's is its negative.
        """
        entries: list[int] = []
        start = 0
        for count in self.entry_counts:
            categories = count - 1
            entries.extend(range(start, start + (1 if categories == 2 else categories)))
            start += count
        return tuple(entries)

    @property
    def is_on_minibatch(self) -> bool:
        """Return whether every step has an A of its own rows."""
        return self.scope is ConstraintScope.MINIBATCH

    @property
    def matrix_shape(self) -> tuple[int, ...]:
        """Return the shape of A: (p, d), or one of each step, (steps, p, d)."""
        shape = (len(self.bounds), self.n_columns)
        return (self.n_steps, *shape) if self.is_on_minibatch else shape

    @property
    def covered_rows(self) -> int:
        """Return how many rows a covariance is taken over, a row counted as often as it is used."""
        return self.batch_size if self.is_on_minibatch else self.n_rows

    def divisor_of(self, n_members: int, n_covered: int) -> int:
        """Return n', by whose square covariances over a set are divided.

        ``n_members`` of all rows are in the set, ``n_covered`` of those that are covered. On the
        minibatch n' is ``n_covered``, but no less than the set's share of a batch, rounded up: a
        batch that has few of a set weighs them no more than an average one does.
        """
        share = -(-self.covered_rows * n_members // self.n_rows)
        return max(n_covered, share)

    @property
    def theta_bits(self) -> int:
        """Return the bits of theta's accumulator, which saturates at their ends."""
        return 1 + self.theta_int_bits + self.theta_frac_bits

    @property
    def score_frac_bits(self) -> int:
        """Return the fractional bits of scores and of A theta."""
        return self.x_frac_bits + self.theta_frac_bits

    def rate(self, phase: Phase) -> float:
        """Return what a phase multiplies a real gradient by, before its two integer weights."""
        return 2.0 ** (
            self.x_frac_bits + self.signal_frac_bits - self.theta_frac_bits - phase.shift
        )

    @property
    def matrix_bound(self) -> int:
        """Return the largest absolute entry of A."""
        return self._centred(self.x_bound)

    def _centred(self, bound: int) -> int:
        """Return the most that a column of sizes up to ``bound`` gives in A: about half of it.

        The weights of n' rows in T add up to at most n'^2 / 2 in absolute value. Of a set given
        by outcomes n' is secret: `factor_of` exceeds 1 / n'^2 by at most half a unit, and is of no
        fewer rows than are covered (`divisor_of`).
        """
        factor, shift = self.factor
        squared = self.covered_rows * self.covered_rows
        scaled = squared * factor
        if self.has_conditional_sets:
            scaled = (1 << shift) + squared // 2
        return (bound * scaled >> (shift + 1)) + 1

    @cached_property
    def score_width(self) -> int:
        """Return the ring bits of ``x theta``, with 1/2 added, and of ``A theta``."""
        largest_row = max(self.row_bound, self._centred(self.row_bound) + self.n_columns)
        half = 1 << self.score_frac_bits >> 1
        return 1 + ((largest_row << (self.theta_bits - 1)) + half).bit_length()

    @cached_property
    def gradient_width(self) -> int:
        """Return the ring bits of a step's ``loss g + constraint a`` with the rounding added."""
        signal = 1 << self.signal_frac_bits
        g = self.batch_size * self.x_bound * signal
        a = len(self.bounds) * self.matrix_bound * self.multiplier.bound
        largest = max(
            phase.loss * g + phase.constraint * a + (1 << phase.shift) for phase in self.phases
        )
        return 1 + largest.bit_length()

    @property
    def share_width(self) -> int:
        """Return the ring bits of the shares of A, which serve both products."""
        return max(self.score_width, self.gradient_width)

    @property
    def sum_width(self) -> int:
        """Return the ring bits of a feature's sum over covered rows, and of everybody's count."""
        largest = self.covered_rows * max(self.x_bound, 1 << self.x_frac_bits)
        return 1 + max(largest, self.n_rows).bit_length()

    @property
    def averaged_bits(self) -> int:
        """Return the bits of the sum of the averaged iterates, signed."""
        return self.theta_bits + self.n_averaged.bit_length() - 1

    @property
    def count_width(self) -> int:
        """Return the bits of a signed count of covered rows."""
        return 1 + self.covered_rows.bit_length()

    @property
    def answered_width(self) -> int:
        """Return the bits of a signed count of people."""
        return 1 + self.n_rows.bit_length()

    @cached_property
    def factor(self) -> tuple[int, int]:
        """Return (K, s): A is ``T K / 2^s`` rounded half up, K / 2^s being 1 / n^2 to 20 bits.

        On the minibatch n is the rows of a batch.
        """
        return self.factor_of(self.covered_rows), self._factor_shift

    @property
    def _factor_shift(self) -> int:
        return (self.covered_rows * self.covered_rows).bit_length() + _FACTOR_BITS

    def factor_of(self, divisor: int) -> int:
        """Return K for n' rows (`divisor_of`): K / 2^s is 1 / n'^2, to 20 bits or more."""
        squared = divisor * divisor
        return ((1 << self._factor_shift) + squared // 2) // squared

    @property
    def has_conditional_sets(self) -> bool:
        """Return whether outcomes decide which rows a constraint is about."""
        return any(row_set.is_conditional for row_set in self.row_sets)

    @property
    def factor_bits(self) -> int:
        """Return the bits in which the modeler enters K of a set given by outcomes, unsigned."""
        return self.factor_of(self.divisor_of(self.minimum_answers, 0)).bit_length()

    @property
    def scaled_width(self) -> int:
        """Return the bits of ``T K`` and its rounding, of a set given by outcomes, signed."""
        return (
            (self.matrix_bound << self._factor_shift) + (1 << self._factor_shift)
        ).bit_length() + 1

    @cached_property
    def averaged_steps(self) -> frozenset[int]:
        """Return the steps (from 0) whose iterate goes into the mean."""
        last = self.n_steps - 1
        spacing = max(1, self.n_steps // 4 // self.n_averaged)
        return frozenset(last - spacing * i for i in range(self.n_averaged))

    @property
    def mean_shift(self) -> int:
        """Return the bits that the rounding of the opened theta takes off the summed iterates."""
        averaged_bits = self.n_averaged.bit_length() - 1
        return averaged_bits + self.theta_frac_bits - self.output_frac_bits
