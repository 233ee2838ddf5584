"""The rates of a group that criteria compare, from what was counted of it.

A person's decision and known outcome put her in one of four cells; whoever's outcome is not known
is in none, but counts for the acceptance rate. With 1 the favourable value of both:

======================================  ===================  ==============
rate (Kilbertus et al. 2018, eqs. 1-6)  successes            of cases
======================================  ===================  ==============
accuracy                                TP + TN              all four cells
true positive rate                      TP                   TP + FN
true negative rate                      TN                   TN + FP
false positive rate                     FP                   TN + FP
positive predictive value               TP                   TP + FP
negative predictive value               TN                   TN + FN
acceptance rate                         selected             size
======================================  ===================  ==============
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import IntEnum, StrEnum
from typing import Generic

from mpc_engine.fairness.algebra import Bit, Int, IntegerAlgebra
from mpc_engine.fairness.groups import total


class Count(IntEnum):
    """What is counted of a group, in the order of a table's columns."""

    SIZE = 0
    SELECTED = 1
    TRUE_POSITIVES = 2
    FALSE_POSITIVES = 3
    TRUE_NEGATIVES = 4
    FALSE_NEGATIVES = 5


class RateName(StrEnum):
    """The paper's rates, equations 6 and 1 to 5, and 1 less its true negative rate."""

    ACCEPTANCE = "acceptance_rate"
    ACCURACY = "accuracy"
    TRUE_POSITIVE = "true_positive_rate"
    TRUE_NEGATIVE = "true_negative_rate"
    FALSE_POSITIVE = "false_positive_rate"
    POSITIVE_PREDICTIVE = "positive_predictive_value"
    NEGATIVE_PREDICTIVE = "negative_predictive_value"


_SUCCESSES_AND_FAILURES: dict[RateName, tuple[tuple[Count, ...], tuple[Count, ...]]] = {
    RateName.ACCURACY: (
        (Count.TRUE_POSITIVES, Count.TRUE_NEGATIVES),
        (Count.FALSE_POSITIVES, Count.FALSE_NEGATIVES),
    ),
    RateName.TRUE_POSITIVE: ((Count.TRUE_POSITIVES,), (Count.FALSE_NEGATIVES,)),
    RateName.TRUE_NEGATIVE: ((Count.TRUE_NEGATIVES,), (Count.FALSE_POSITIVES,)),
    RateName.FALSE_POSITIVE: ((Count.FALSE_POSITIVES,), (Count.TRUE_NEGATIVES,)),
    RateName.POSITIVE_PREDICTIVE: ((Count.TRUE_POSITIVES,), (Count.FALSE_POSITIVES,)),
    RateName.NEGATIVE_PREDICTIVE: ((Count.TRUE_NEGATIVES,), (Count.FALSE_NEGATIVES,)),
}


@dataclass(frozen=True)
class Rate(Generic[Int]):
    """A rate as a fraction that is never divided out: ``successes`` of ``cases``."""

    successes: Int
    cases: Int


def counts_for(name: RateName) -> frozenset[Count]:
    """Return what must be counted of a group for a rate."""
    if name is RateName.ACCEPTANCE:
        return frozenset((Count.SIZE, Count.SELECTED))
    successes, failures = _SUCCESSES_AND_FAILURES[name]
    return frozenset(successes + failures)


def rate_of(
    algebra: IntegerAlgebra[Int, Bit], name: RateName, counts: Mapping[Count, Int]
) -> Rate[Int]:
    """Return a group's rate."""
    if name is RateName.ACCEPTANCE:
        return Rate(counts[Count.SELECTED], counts[Count.SIZE])
    successes, failures = _SUCCESSES_AND_FAILURES[name]
    held = total(algebra, [counts[count] for count in successes])
    missed = total(algebra, [counts[count] for count in failures])
    return Rate(held, algebra.add(held, missed))
