"""Counting a block of people: which counters there are, and the circuit that adds to them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from mpc_engine.circuits import Bits, Circuit, CircuitBuilder, Wire, arithmetic
from mpc_engine.fairness.algebra import Int
from mpc_engine.protocols.certification.grouping import GroupCounts
from mpc_engine.protocols.certification.spec import CertificationSpec
from mpc_engine.vocabulary.rates import Count


def count_width(n_records: int) -> int:
    """Return the bits of a count of at most ``n_records`` people, unsigned."""
    return max(n_records, 1).bit_length()


@dataclass(frozen=True)
class TallyPlan:
    """What is counted of whom.

    ``groups``: for each group the categories, numbered over all attributes, that its members
    belong to all of. ``counts``: what is counted of each group. ``everybody``: whether the same,
    but for the size, is counted of everybody too.
    """

    category_counts: tuple[int, ...]
    groups: tuple[tuple[int, ...], ...]
    counts: tuple[Count, ...]
    everybody: bool

    @classmethod
    def of(cls, spec: CertificationSpec) -> TallyPlan:
        """Return the plan of a certification with criteria on rates."""
        return cls(
            category_counts=spec.category_counts,
            groups=tuple(cell for number in spec.counted for cell in spec.cells[number]),
            counts=spec.counts,
            everybody=spec.bounds_missing,
        )

    @property
    def uses_outcomes(self) -> bool:
        """Return whether the regulator enters people's known outcomes."""
        return any(count not in (Count.SIZE, Count.SELECTED) for count in self.counts)

    @property
    def n_counters(self) -> int:
        """Return how many counters there are: count by count, everybody's after the groups'."""
        everybody = len(self.counts) - 1 if self.everybody else 0
        return len(self.counts) * len(self.groups) + everybody

    def arranged(
        self, counters: Sequence[Int], spec: CertificationSpec, n_records: Int
    ) -> list[GroupCounts[Int]]:
        """Return counters, in the order of the tally, by counted grouping."""
        values = list(counters)
        of_groups: dict[tuple[int, ...], dict[Count, Int]] = {cell: {} for cell in self.groups}
        everybody: dict[Count, Int] = {Count.SIZE: n_records}
        for count in self.counts:
            for cell in self.groups:
                of_groups[cell][count] = values.pop(0)
            if self.everybody and count is not Count.SIZE:
                everybody[count] = values.pop(0)
        return [
            GroupCounts(
                tuple(of_groups[cell] for cell in spec.cells[number]),
                everybody if self.everybody else None,
            )
            for number in spec.counted
        ]


@lru_cache(maxsize=16)
def tally_circuit(n_people: int, plan: TallyPlan, width: int) -> Circuit:
    """Build ``counts += block``; inputs counts, selected (n), categories (n x J, record-major).

    With known outcomes also ``favourable`` (n) and ``unfavourable`` (n), of which at most one is
    set for a person. ``counts``: the plan's counters, each of ``width`` bits. A person who would
    stand in two categories of an attribute stands in none: closing checked her row once, and a
    person who helps the modeler could otherwise open other bits here than there.
    """
    n_categories = sum(plan.category_counts)
    builder = CircuitBuilder()
    counts = builder.input("counts", plan.n_counters * width)
    selected = builder.input("selected", n_people)
    categories = builder.input("categories", n_people * n_categories)
    marks: dict[Count, Sequence[Wire]] = {Count.SIZE: [True] * n_people, Count.SELECTED: selected}
    if plan.uses_outcomes:
        marks |= _confusion(builder, selected)
    rows = [
        _at_most_one(builder, categories[i : i + n_categories], plan.category_counts)
        for i in range(0, len(categories), n_categories)
    ]
    members = [[builder.all_of([row[j] for j in cell]) for row in rows] for cell in plan.groups]
    columns: list[Bits] = []
    for count in plan.counts:
        mark = marks[count]
        columns += [
            [builder.and_(m, z) for m, z in zip(mark, group, strict=True)] for group in members
        ]
        if plan.everybody and count is not Count.SIZE:
            columns.append(list(mark))
    updated = []
    for index, bits in enumerate(columns):
        before = counts[index * width : (index + 1) * width]
        added = arithmetic.zero_extend(arithmetic.popcount(builder, bits), width)
        updated += arithmetic.add(builder, before, added, width)
    builder.output("counts", updated)
    return builder.build()


@lru_cache(maxsize=16)
def adder_circuit(n_workers: int, n_counters: int, width: int) -> Circuit:
    """Build the sums of several workers' counters, each ``n_counters`` of ``width`` bits.

    The workers' people are different ones, so that no sum is above the cohort's size and none
    overflows `count_width`.
    """
    builder = CircuitBuilder()
    total = builder.input("lead", n_counters * width)
    for number in range(1, n_workers):
        counts = builder.input(f"share {number}", n_counters * width)
        words = [slice(i, i + width) for i in range(0, n_counters * width, width)]
        total = [
            wire
            for word in words
            for wire in arithmetic.add(builder, total[word], counts[word], width)
        ]
    builder.output("counts", total)
    return builder.build()


def _confusion(builder: CircuitBuilder, selected: Bits) -> dict[Count, Bits]:
    """Declare the outcomes and return each person's cell, one AND gate an outcome."""
    favourable = builder.input("favourable", len(selected))
    unfavourable = builder.input("unfavourable", len(selected))
    cells: dict[Count, Bits] = {count: [] for count in Count}
    for decided, good, bad in zip(selected, favourable, unfavourable, strict=True):
        true_positive, false_positive = builder.and_(decided, good), builder.and_(decided, bad)
        cells[Count.TRUE_POSITIVES].append(true_positive)
        cells[Count.FALSE_NEGATIVES].append(builder.xor(good, true_positive))
        cells[Count.FALSE_POSITIVES].append(false_positive)
        cells[Count.TRUE_NEGATIVES].append(builder.xor(bad, false_positive))
    return {count: bits for count, bits in cells.items() if bits}


def _at_most_one(builder: CircuitBuilder, row: Bits, category_counts: Sequence[int]) -> Bits:
    """Return a person's bits, all 0 in an attribute where more than one is set."""
    kept: Bits = []
    for count in category_counts:
        attribute, row = row[:count], row[count:]
        seen: Wire = attribute[0]
        twice: Wire = False
        for bit in attribute[1:]:
            both = builder.and_(seen, bit)
            twice = builder.or_(twice, both)
            seen = builder.xor(builder.xor(seen, bit), both)
        if count == 2:
            kept += [builder.xor(bit, twice) for bit in attribute]
        else:
            kept += [builder.and_(bit, builder.not_(twice)) for bit in attribute]
    return kept
