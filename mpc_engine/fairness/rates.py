"""A group's rates, from what was counted of it (`mpc_engine.vocabulary.rates`)."""

from __future__ import annotations

from collections.abc import Mapping
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


def classes_of(algebra: IntegerAlgebra[Int, Bit], counts: Mapping[Count, Int]) -> list[Int]:
    """Return the sizes of the classes that a group's counts divide it into, in one order.

    People of one class have the same decision and, as far as it is counted, the same outcome;
    nothing that is computed from the counts tells them apart. Of each decision come the counted
    outcomes and then everybody else.
    """
    others = algebra.subtract(counts[Count.SIZE], counts[Count.SELECTED])
    sizes: list[Int] = []
    for decided, names in ((counts[Count.SELECTED], _SELECTED), (others, _OTHERS)):
        counted = [counts[name] for name in names if name in counts]
        rest = algebra.subtract(decided, total(algebra, counted)) if counted else decided
        sizes += [*counted, rest]
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
