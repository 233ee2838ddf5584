"""The groups of one grouping as a policy compares them: under its floors, by its reference."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Generic

from mpc_engine.fairness.algebra import Bit, Int, IntegerAlgebra
from mpc_engine.fairness.comparisons import (
    compared,
    keeps,
    keeps_one_way,
    leading,
    too_few_decided,
    too_few_of_a_class,
)
from mpc_engine.fairness.groups import all_of, any_of, total
from mpc_engine.fairness.missing import best_case, worst_case
from mpc_engine.fairness.rates import Rate, classes_of, rate_of
from mpc_engine.protocols.certification.spec import CertificationSpec, Criterion
from mpc_engine.vocabulary.policies import Comparison, SmallGroups
from mpc_engine.vocabulary.rates import Count, RateName


@dataclass(frozen=True)
class GroupCounts(Generic[Int]):
    """What was counted of a grouping: of each group, and of everybody.

    ``everybody``: also of people who are in none of the groups; None unless the policy bounds
    missing answers.
    """

    groups: tuple[Mapping[Count, Int], ...]
    everybody: Mapping[Count, Int] | None


def compared_counts(
    algebra: IntegerAlgebra[Int, Bit],
    spec: CertificationSpec,
    counts: GroupCounts[Int],
    small: Sequence[Bit],
) -> GroupCounts[Int]:
    """Return what was counted of a grouping without the people of groups that are left out.

    They are not of everybody either: what they answered is known, and no missing answer.
    """
    if spec.floors.small_groups is SmallGroups.UNDETERMINED:
        return counts
    kept = [algebra.negated(bit) for bit in small]
    groups = tuple(
        {count: algebra.keep_if(bit, value) for count, value in group.items()}
        for bit, group in zip(kept, counts.groups, strict=True)
    )
    if counts.everybody is None:
        return GroupCounts(groups, None)
    everybody = {
        count: algebra.subtract(value, total(algebra, _of_those(algebra, counts, small, count)))
        for count, value in counts.everybody.items()
    }
    return GroupCounts(groups, everybody)


def _of_those(
    algebra: IntegerAlgebra[Int, Bit],
    counts: GroupCounts[Int],
    chosen: Sequence[Bit],
    count: Count,
) -> list[Int]:
    """Return one count of every group, 0 of those that are not chosen."""
    return [
        algebra.keep_if(bit, group[count]) for bit, group in zip(chosen, counts.groups, strict=True)
    ]


def summed(
    algebra: IntegerAlgebra[Int, Bit],
    counts: GroupCounts[Int],
    parts: Sequence[Sequence[int]],
) -> GroupCounts[Int]:
    """Return the counts of a grouping whose groups each consist of some of those counted."""
    groups = tuple(
        {
            count: total(algebra, [counts.groups[number][count] for number in part])
            for count in counts.groups[part[0]]
        }
        for part in parts
    )
    return GroupCounts(groups, counts.everybody)


class GroupingRates(Generic[Int, Bit]):
    """The rates of a grouping's groups, 0 of 0 for groups that the policy leaves out.

    ``counts``: of people who are in no group that is left out (`compared_counts`); ``small``: for
    each group whether it is left out, if the policy leaves out any.
    """

    def __init__(
        self,
        algebra: IntegerAlgebra[Int, Bit],
        spec: CertificationSpec,
        counts: GroupCounts[Int],
        small: Sequence[Bit],
    ) -> None:
        self._algebra = algebra
        self._spec = spec
        self._included: list[Bit] | None = None
        self._groups = groups = counts.groups
        self._unknown = None if counts.everybody is None else self._others(groups, counts.everybody)
        if spec.floors.small_groups is not SmallGroups.UNDETERMINED:
            self._included = [algebra.negated(bit) for bit in small]
        self._known: dict[RateName, list[Rate[Int]]] = {}
        self._leads: list[Bit] = []
        if spec.comparison is Comparison.MOST_SELECTED:
            self._leads = leading(algebra, self._rates(RateName.ACCEPTANCE), self._included)

    def too_few_decided(self, everybodys: Sequence[Mapping[Count, Int]]) -> Bit:
        """Return whether a compared group is under the floor on decisions, for any criterion.

        ``everybodys``: the counts of each group, also of those left out.
        Acceptance is always among the rates: also a question about outcomes tells of a person
        whom the model alone selects, or alone does not. A class of people whom the counts do not
        tell apart is under the floor where a compared group has fewer of it, unless no group at all
        has any: else the difference of two counts, both on the floor, could be one person. Classes
        of noised cells are not held to it (`CertificationSpec.holds_classes`).
        """
        algebra, minimum = self._algebra, self._spec.floors.minimum_decided
        names = {name for item in self._spec.rate_criteria for name in item.rates}
        few = [
            too_few_decided(algebra, minimum, self._rates(name), self._included)
            for name in sorted(names | {RateName.ACCEPTANCE})
        ]
        if self._spec.holds_classes:
            by_group = [classes_of(algebra, self._spec.counts, group) for group in everybodys]
            few += [
                too_few_of_a_class(algebra, minimum, sizes, self._included)
                for sizes in zip(*by_group, strict=True)
            ]
        return any_of(algebra, few)

    def keeps(self, criterion: Criterion) -> list[list[Bit]]:
        """Return for each threshold bits that are all set if the groups keep to a criterion."""
        found: list[list[Bit]] = [[] for _ in criterion.thresholds]
        what = criterion.name
        for name in what.rates:
            rates = self._rates(name)
            for pair in compared(self._algebra, self._spec.comparison, rates, self._leads):
                bits = keeps(self._algebra, what.bound, criterion.thresholds, pair.own, pair.other)
                for row, own in zip(found, bits, strict=True):
                    row.extend(own)
        return found

    def keeps_with_missing(self, criterion: Criterion, is_worst: bool) -> list[list[Bit]]:
        """Return the same with everybody who did not answer where it hurts, or helps, the most.

        Against the most selected group, acceptance rates are compared in every pair: missing
        answers can make any group the most selected.
        """
        algebra = self._algebra
        found: list[list[Bit]] = [[] for _ in criterion.thresholds]
        what = criterion.name
        comparison = self._spec.comparison
        if comparison is Comparison.MOST_SELECTED:
            comparison = Comparison.EACH_PAIR
        move = worst_case if is_worst else best_case
        for name in what.rates:
            unknown = self._unknown_rate(name)
            for pair in compared(algebra, comparison, self._rates(name), ()):
                for low, high in ((pair.own, pair.other), (pair.other, pair.own)):
                    moved = move(algebra, low, high, unknown)
                    bits = keeps_one_way(algebra, what.bound, criterion.thresholds, *moved)
                    for row, bit in zip(found, bits, strict=True):
                        row.append(self._unless_left_out(pair.groups, bit))
        return found

    def _rates(self, name: RateName) -> list[Rate[Int]]:
        if name not in self._known:
            self._known[name] = [rate_of(self._algebra, name, group) for group in self._groups]
        return self._known[name]

    def _unknown_rate(self, name: RateName) -> Rate[Int]:
        if self._unknown is None:
            raise ValueError("Missing answers are bounded from counts of everybody.")
        return rate_of(self._algebra, name, self._unknown)

    def _others(
        self, groups: Sequence[Mapping[Count, Int]], everybody: Mapping[Count, Int]
    ) -> dict[Count, Int]:
        """Return the counts of people who are in none of the groups."""
        return {
            count: self._algebra.subtract(
                value, total(self._algebra, [group[count] for group in groups])
            )
            for count, value in everybody.items()
        }

    def _unless_left_out(self, groups: Sequence[int], bit: Bit) -> Bit:
        """Return a pair's bit, or that it holds where one of its groups is left out."""
        if self._included is None:
            return bit
        both = all_of(self._algebra, [self._included[number] for number in groups])
        return self._algebra.either(bit, self._algebra.negated(both))
