"""A group's rates, from what was counted of it (`mpc_engine.vocabulary.rates`)."""

from __future__ import annotations

from collections.abc import Collection, Mapping
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


def rate_of(
    algebra: IntegerAlgebra[Int, Bit], name: RateName, counts: Mapping[Count, Int]
) -> Rate[Int]:
    """Return a group's rate."""
    if name is RateName.ACCEPTANCE:
        return Rate(counts[Count.SELECTED], counts[Count.SIZE])
    held = total(algebra, [counts[count] for count in name.successes])
    missed = total(algebra, [counts[count] for count in name.failures])
    return Rate(held, algebra.add(held, missed))
