"""The p%-rule on the model's decisions, in integers.

With ``m_j`` the selected people of category j and ``N_j`` all of it, the acceptance rate of j is at
least p percent of that of k iff ``100 m_j N_k >= p m_k N_j``; equality holds. A policy compares
each category with the others together, both ways (Kilbertus et al. 2018, eq. 7, where z = 1 stands
against z = 0), or every pair of categories, which is the stricter rule and implies the first. For
two categories they are the same. People who prefer not to say are in no group.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from typing import Generic

from mpc_engine.fairness.algebra import Bit, Int, IntegerAlgebra
from mpc_engine.fairness.groups import all_of, any_of, total


class Comparison(StrEnum):
    """Which groups of an attribute are held against each other."""

    EACH_PAIR = "each_pair"
    EACH_AGAINST_REST = "each_against_rest"


@dataclass(frozen=True)
class Selections(Generic[Int]):
    """One attribute: ``selected[j]`` = m_j of ``sizes[j]`` = N_j people."""

    selected: Sequence[Int]
    sizes: Sequence[Int]


def nobody_selected(
    algebra: IntegerAlgebra[Int, Bit], attributes: Sequence[Selections[Int]]
) -> Bit:
    """Return whether in some attribute nobody who answered is selected."""
    one = algebra.constant(1)
    return any_of(
        algebra,
        [algebra.less_than(total(algebra, item.selected), one) for item in attributes],
    )


def p_rule_bounds(
    algebra: IntegerAlgebra[Int, Bit],
    percents: Sequence[Fraction],
    comparison: Comparison,
    attributes: Sequence[Selections[Int]],
) -> tuple[Bit, ...]:
    """Return for each percentage whether every compared pair of groups respects it.

    Meaningless for empty groups or where nobody is selected: `groups.conclude` decides those.
    """
    held: list[list[Bit]] = [[] for _ in percents]
    for attribute in attributes:
        for (m_a, n_a), (m_b, n_b) in _compared(algebra, comparison, attribute):
            own, other = algebra.multiply(m_a, n_b), algebra.multiply(m_b, n_a)
            for index, percent in enumerate(percents):
                scale_own, scale_other = 100 * percent.denominator, percent.numerator
                for low, high in ((own, other), (other, own)):
                    held[index].append(
                        algebra.less_equal(
                            algebra.scale(high, scale_other), algebra.scale(low, scale_own)
                        )
                    )
    return tuple(all_of(algebra, bits) for bits in held)


def _compared(
    algebra: IntegerAlgebra[Int, Bit], comparison: Comparison, attribute: Selections[Int]
) -> list[tuple[tuple[Int, Int], tuple[Int, Int]]]:
    """Return unordered pairs of (selected, size); each is tested both ways."""
    groups = list(zip(attribute.selected, attribute.sizes, strict=True))
    if comparison is Comparison.EACH_PAIR or len(groups) == 2:
        return [(a, b) for i, a in enumerate(groups) for b in groups[i + 1 :]]
    selected, size = total(algebra, attribute.selected), total(algebra, attribute.sizes)
    return [((m, n), (algebra.subtract(selected, m), algebra.subtract(size, n))) for m, n in groups]
