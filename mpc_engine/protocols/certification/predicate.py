"""The whole predicate of a policy over sums and counts, for the oracle and for the circuit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Generic

from mpc_engine.fairness.algebra import Bit, Int, IntegerAlgebra
from mpc_engine.fairness.covariance import AttributeSums, covariance_bounds
from mpc_engine.fairness.groups import (
    VerdictBits,
    all_of,
    any_of,
    conclude,
    size_reasons,
    total,
    under_floor,
)
from mpc_engine.fairness.rates import classes_of
from mpc_engine.protocols.certification.grouping import (
    GroupCounts,
    GroupingRates,
    compared_counts,
    summed,
)
from mpc_engine.protocols.certification.spec import CertificationSpec, Criterion
from mpc_engine.vocabulary.policies import Disclosure, MissingAnswers, SmallGroups
from mpc_engine.vocabulary.rates import Count
from mpc_engine.vocabulary.verdicts import NoVerdict


@dataclass(frozen=True)
class Judgement(Generic[Int, Bit]):
    """What a policy opens: the verdict's bits; which groups are left out; counts of every group."""

    bits: VerdictBits[Bit]
    left_out: tuple[Bit, ...]
    table: tuple[tuple[Int, ...], ...]


def evaluate_policy(
    algebra: IntegerAlgebra[Int, Bit],
    spec: CertificationSpec,
    theta: Sequence[Int],
    sums: Sequence[AttributeSums[Int]] | None,
    counts: Sequence[GroupCounts[Int]] | None,
) -> Judgement[Int, Bit]:
    """Evaluate every criterion of the policy.

    ``theta``: d encoded coefficients, without the intercept. ``sums``: of every attribute, for the
    covariance criterion; ``counts``: of every grouping of `CertificationSpec.counted`, for criteria
    on rates; the other groupings are sums of the groups of these that are not left out. Group sizes
    are taken from the counts, or from the sums where there are none.
    """
    if counts is not None:
        sizes = [[group[Count.SIZE] for group in item.groups] for item in counts]
    elif sums is not None:
        sizes = [list(item.counts) for item in sums]
    else:
        raise ValueError("A policy needs sums or counts.")
    small = [under_floor(algebra, spec.floors, row) for row in sizes]
    divisions = _divisions(algebra, spec, counts, small) if counts is not None else []
    left_out = [bits for _, bits in divisions] or small
    reasons = size_reasons(algebra, spec.floors, sizes, left_out)
    groupings = [GroupingRates(algebra, spec, item, bits) for item, bits in divisions]
    if counts is not None:
        few = [
            groupings[number].too_few_decided(item.groups)
            for number, item in zip(spec.counted, counts, strict=True)
        ]
        reasons[NoVerdict.TOO_FEW_DECIDED] = any_of(algebra, few)
    passes: list[tuple[Bit, ...]] = []
    worst: list[tuple[Bit, ...]] = []
    best: list[tuple[Bit, ...]] = []
    for criterion in spec.criteria:
        if not criterion.name.rates:
            if sums is None:
                raise ValueError("The covariance criterion needs sums over people.")
            passes.append(
                covariance_bounds(algebra, criterion.thresholds, spec.scale_bits, sums, theta)
            )
            continue
        passes.append(_held(algebra, criterion, [item.keeps(criterion) for item in groupings]))
        if spec.bounds_missing:
            for rows, is_worst in ((worst, True), (best, False)):
                found = [item.keeps_with_missing(criterion, is_worst) for item in groupings]
                rows.append(_held(algebra, criterion, found))
    named = spec.floors.small_groups is SmallGroups.EXCLUDED_AND_NAMED
    return Judgement(
        bits=conclude(algebra, reasons, passes, worst, best),
        left_out=tuple(bit for bits in left_out for bit in bits) if named else (),
        table=_table(algebra, spec, reasons, counts or (), [item for item, _ in divisions]),
    )


def _divisions(
    algebra: IntegerAlgebra[Int, Bit],
    spec: CertificationSpec,
    counts: Sequence[GroupCounts[Int]],
    small: Sequence[Sequence[Bit]],
) -> list[tuple[GroupCounts[Int], list[Bit]]]:
    """Return for each grouping the counts that are compared, and which groups are left out.

    A group is left out where all that it consists of are: one that is not has enough people itself.
    """
    kept = {
        number: (compared_counts(algebra, spec, item, bits), bits)
        for number, item, bits in zip(spec.counted, counts, small, strict=True)
    }
    found = []
    for number, parts in zip(spec.finest, spec.parts, strict=True):
        item, bits = kept[number]
        left_out = [all_of(algebra, [bits[at] for at in part]) for part in parts]
        found.append((summed(algebra, item, parts), left_out))
    return found


def certifies(
    algebra: IntegerAlgebra[Int, Bit], spec: CertificationSpec, bits: VerdictBits[Bit]
) -> Bit:
    """Return whether every criterion holds where the policy certifies."""
    in_worst_case = spec.missing is MissingAnswers.WORST_CASE_CERTIFIES
    rows = bits.worst if in_worst_case else bits.passes
    return all_of(
        algebra,
        [row[item.certify_index] for row, item in zip(rows, spec.criteria, strict=True)],
    )


def _held(
    algebra: IntegerAlgebra[Int, Bit], criterion: Criterion, found: Sequence[Sequence[list[Bit]]]
) -> tuple[Bit, ...]:
    """Return for each threshold whether all its bits, in every grouping, are set."""
    return tuple(
        all_of(algebra, [bit for bits in found for bit in bits[index]])
        for index in range(len(criterion.thresholds))
    )


def _table(
    algebra: IntegerAlgebra[Int, Bit],
    spec: CertificationSpec,
    reasons: Mapping[NoVerdict, Bit],
    counts: Sequence[GroupCounts[Int]],
    divisions: Sequence[GroupCounts[Int]],
) -> tuple[tuple[Int, ...], ...]:
    """Return each group's counts, 0 for one under the floors' numbers, or with a cell under theirs.

    The group is held to the smallest group, cells to the floor on decisions. Cells: the selected,
    the others, and each count of outcomes; else a model that selects one person would read her
    group. Differences of cells are classes of people (`mpc_engine.fairness.rates.classes_of`): one
    that some group has is held to the floor too, unless cells are noised. Without a verdict all are
    0. Of several groupings either all groups are shown or none: their sums tell of a hidden one.
    What is summed of shown groups meets the floors as they do, or is of nobody.
    """
    if spec.disclosure is not Disclosure.TABLE:
        return ()
    smallest = algebra.constant(spec.floors.minimum_group)
    floor = algebra.constant(spec.floors.minimum_decided)
    decided = algebra.negated(any_of(algebra, list(reasons.values())))
    groups = [group for item in counts for group in item.groups]
    classes = [
        classes_of(algebra, spec.counts, group) if spec.epsilon is None else [] for group in groups
    ]
    absent = [
        algebra.less_than(total(algebra, sizes), algebra.constant(1))
        for sizes in zip(*classes, strict=True)
    ]
    shown = [
        all_of(
            algebra,
            [
                decided,
                algebra.less_equal(smallest, group[Count.SIZE]),
                *(algebra.less_equal(floor, cell) for cell in _cells(algebra, spec, group)),
                *(
                    algebra.either(nobody, algebra.less_equal(floor, size))
                    for nobody, size in zip(absent, sizes, strict=True)
                ),
            ],
        )
        for group, sizes in zip(groups, classes, strict=True)
    ]
    if len(spec.cells) > 1:
        own = dict(zip(spec.counted, counts, strict=True))
        printed = [own.get(number, item) for number, item in enumerate(divisions)]
        groups = [group for item in printed for group in item.groups]
        shown = [all_of(algebra, shown)] * len(groups)
    return tuple(
        tuple(algebra.keep_if(bit, group[count]) for count in spec.counts)
        for bit, group in zip(shown, groups, strict=True)
    )


def _cells(
    algebra: IntegerAlgebra[Int, Bit], spec: CertificationSpec, group: Mapping[Count, Int]
) -> list[Int]:
    cells = [group[count] for count in spec.counts if count is not Count.SIZE]
    return [*cells, algebra.subtract(group[Count.SIZE], group[Count.SELECTED])]
