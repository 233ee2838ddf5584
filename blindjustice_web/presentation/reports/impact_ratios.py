"""Rates and impact ratios of groups from opened counts, as exact fractions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

FOUR_FIFTHS = Fraction(4, 5)


@dataclass(frozen=True)
class GroupSelection:
    """A group's people and selected people; of a group of 0 people no number is told.

    ``left_out``: it is not compared, and never the reference; None where nobody is told whether.
    """

    title: str
    size: int
    selected: int
    left_out: bool | None = False

    @property
    def is_told(self) -> bool:
        """Return whether the policy opened the group's numbers."""
        return self.size > 0

    @property
    def may_be_higher(self) -> bool:
        """Return whether the policy compares it, or may, while it is no candidate for reference."""
        return self.left_out is None or (not self.left_out and not self.is_told)

    @property
    def rate(self) -> Fraction | None:
        """Return the selection rate; None where no number is told."""
        return Fraction(self.selected, self.size) if self.is_told else None


@dataclass(frozen=True)
class Compared:
    """A group and its impact ratio.

    None where no number is told, the group is not known to be compared, or nobody is selected in
    any group that is.
    """

    group: GroupSelection
    impact_ratio: Fraction | None


@dataclass(frozen=True)
class RatioComparison:
    """The groups of a grouping, each against the most selected of those known to be compared."""

    rows: tuple[Compared, ...]
    reference: GroupSelection | None

    @property
    def is_bound(self) -> bool:
        """Return whether a group that is no candidate for reference may have the highest rate.

        Then impact ratios are upper bounds, and further selections lower bounds.
        """
        return any(row.group.may_be_higher for row in self.rows)

    @property
    def n_ratios(self) -> int:
        """Return how many groups have an impact ratio."""
        return sum(row.impact_ratio is not None for row in self.rows)


def compare(groups: Sequence[GroupSelection]) -> RatioComparison:
    """Hold every group against the most selected one; of several equal ones the first is it."""
    candidates = [group for group in groups if group.is_told and group.left_out is False]
    reference = max(candidates, key=lambda group: group.rate or 0, default=None)
    best = reference.rate if reference else None
    return RatioComparison(
        tuple(Compared(group, _ratio(group, best)) for group in groups), reference
    )


def further_selections(
    group: GroupSelection, reference: GroupSelection, threshold: Fraction
) -> int | None:
    """Return the fewest further selections that lift a group to the threshold, all else equal.

    The smallest k with ``(selected + k) / size >= threshold * reference's rate``; None where there
    is nothing to reach since nobody is selected in the reference.
    """
    if reference.rate is None or not reference.selected or not group.is_told:
        return None
    wanted = threshold * reference.rate * group.size
    enough = -(-wanted.numerator // wanted.denominator)
    return max(0, enough - group.selected)


def _ratio(group: GroupSelection, best: Fraction | None) -> Fraction | None:
    if group.left_out is not False or group.rate is None or not best:
        return None
    return group.rate / best
