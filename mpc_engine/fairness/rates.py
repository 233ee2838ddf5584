"""A group's rates, from what was counted of it (`mpc_engine.vocabulary.rates`)."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Generic

from mpc_engine.fairness.algebra import Bit, Int, IntegerAlgebra
from mpc_engine.fairness.groups import total
from mpc_engine.vocabulary.rates import Count, RateName


@dataclass(frozen=True)
class Rate(Generic[Int]):
    """A rate as a fraction that is never divided out: ``successes`` of ``cases``."""

    successes: Int
    cases: Int


_SELECTED = (Count.TRUE_POSITIVES, Count.FALSE_POSITIVES)
_OTHERS = (Count.TRUE_NEGATIVES, Count.FALSE_NEGATIVES)


def classes_of(
    algebra: IntegerAlgebra[Int, Bit], counted: Collection[Count], counts: Mapping[Count, Int]
) -> list[Int]:
    """Return the sizes of the classes that the counts of ``counted`` divide a group into.

    People of one class have the same decision and, as far as it is counted, the same outcome;
    nothing that is computed from the counts tells them apart. Of each decision come the counted
    outcomes, in the order of a table's columns, and then everybody else.
    """
    others = algebra.subtract(counts[Count.SIZE], counts[Count.SELECTED])
    sizes: list[Int] = []
    for decided, names in ((counts[Count.SELECTED], _SELECTED), (others, _OTHERS)):
        told = [counts[name] for name in names if name in counted]
        rest = algebra.subtract(decided, total(algebra, told)) if told else decided
        sizes += [*told, rest]
    return sizes


def counts_of_classes(
    algebra: IntegerAlgebra[Int, Bit], counted: Collection[Count], sizes: Sequence[Int]
) -> dict[Count, Int]:
    """Return the counts of ``counted`` of a group whose classes, of `classes_of`, are given."""
    coming = iter(sizes)
    found: dict[Count, Int] = {}
    decided = []
    for names in (_SELECTED, _OTHERS):
        told = {name: next(coming) for name in names if name in counted}
        decided.append(total(algebra, [*told.values(), next(coming)]))
        found |= told
    selected, others = decided
    return {Count.SIZE: algebra.add(selected, others), Count.SELECTED: selected, **found}


def n_classes(counted: Collection[Count], count: Count) -> int:
    """Return of how many classes, among those that ``counted`` tells apart, a count is the sum."""
    classes = 1
    if count in (Count.SIZE, Count.SELECTED):
        classes += sum(name in counted for name in _SELECTED)
    if count is Count.SIZE:
        classes += 1 + sum(name in counted for name in _OTHERS)
    return classes


def rate_of(
    algebra: IntegerAlgebra[Int, Bit], name: RateName, counts: Mapping[Count, Int]
) -> Rate[Int]:
    """Return a group's rate."""
    if name is RateName.ACCEPTANCE:
        return Rate(counts[Count.SELECTED], counts[Count.SIZE])
    held = total(algebra, [counts[count] for count in name.successes])
    missed = total(algebra, [counts[count] for count in name.failures])
    return Rate(held, algebra.add(held, missed))
