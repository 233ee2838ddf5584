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


def rate_of(
    algebra: IntegerAlgebra[Int, Bit], name: RateName, counts: Mapping[Count, Int]
) -> Rate[Int]:
    """Return a group's rate."""
    if name is RateName.ACCEPTANCE:
        return Rate(counts[Count.SELECTED], counts[Count.SIZE])
    held = total(algebra, [counts[count] for count in name.successes])
    missed = total(algebra, [counts[count] for count in name.failures])
    return Rate(held, algebra.add(held, missed))
