"""What a noised certification tells of one person is epsilon, over everything that is released.

Neighbouring cohorts differ by one person's answer. Every number that each cell can have is tried,
with its chance from the coins, and the policy is evaluated on all of them: so chances of outcomes
are sums of products of exact chances, rounded to float64 once.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from mpc_engine.fairness.algebra import PlainAlgebra
from mpc_engine.fairness.discrete_laplace import largest_noise
from mpc_engine.protocols.certification.grouping import GroupCounts
from mpc_engine.protocols.certification.noise import noised
from mpc_engine.protocols.certification.predicate import evaluate_policy
from mpc_engine.protocols.certification.spec import CertificationSpec
from mpc_engine.vocabulary.policies import Disclosure
from mpc_engine.vocabulary.rates import Count
from tests.engine.fairness.coin_distribution import noise_distribution
from tests.engine.protocols.rate_cases import spec_of
from tests.engine.protocols.rate_reference import Rules

_ROUNDING = 1e-12
_ABOVE_COUNTS = 64
_Array = NDArray[Any]


class _ArrayAlgebra(PlainAlgebra):
    """Many cohorts at once: int64 and bool arrays."""

    def constant(self, value: int) -> Any:
        return np.int64(value)

    def positive_part(self, a: Any) -> Any:
        return np.maximum(a, 0)

    def keep_if(self, bit: Any, a: Any) -> Any:
        return np.where(bit, a, 0)

    def choose(self, bit: Any, a: Any, b: Any) -> Any:
        return np.where(bit, a, b)

    def absolute(self, a: Any) -> Any:
        return np.abs(a)

    def both(self, a: Any, b: Any) -> Any:
        return np.logical_and(a, b)

    def either(self, a: Any, b: Any) -> Any:
        return np.logical_or(a, b)

    def negated(self, a: Any) -> Any:
        return np.logical_not(a)


def _outcomes(
    spec: CertificationSpec, cells: Sequence[int], tried: Sequence[int]
) -> dict[int, float]:
    """Return the chance of each outcome of a cohort; all cells, outside included, have noise.

    ``cells``: people selected and not, of each group, then of nobody's; ``tried``: the noise.
    """
    chances = [float(share) for share in noise_distribution(spec.noise_scale)]
    largest = largest_noise(spec.noise_scale)
    axes = []
    for size in cells:
        numbers: dict[int, float] = {}
        for noise in tried:
            kept = max(-size, noise)
            numbers[kept] = numbers.get(kept, 0.0) + chances[noise + largest]
        axes.append(numbers)
    grid = [
        axis.reshape(-1)
        for axis in np.meshgrid(*[np.array(list(axis)) for axis in axes], indexing="ij")
    ]
    chance: _Array = np.ones(1)
    for axis in axes:
        chance = np.multiply.outer(chance, np.array(list(axis.values()))).reshape(-1)
    pairs = list(zip(cells[::2], cells[1::2], strict=True))
    groups = tuple({Count.SIZE: a + b, Count.SELECTED: a} for a, b in pairs[: len(spec.cells[0])])
    everybody = None
    if spec.bounds_missing:
        everybody = {Count.SIZE: sum(cells), Count.SELECTED: sum(cells[::2])}
    counts = noised(_ArrayAlgebra(), spec, [GroupCounts(groups, everybody)], grid)
    told = evaluate_policy(_ArrayAlgebra(), spec, (), None, counts)
    bits = told.bits
    code: _Array = np.zeros(chance.shape, dtype=np.int64)
    for bit in (bits.reasons[reason] for reason in spec.reasons):
        code = 2 * code + bit
    for bit in (
        bit for row in (*bits.passes, *bits.worst, *bits.best, told.left_out) for bit in row
    ):
        code = 2 * code + bit
    for count in (count for row in told.table for count in row):
        code = _ABOVE_COUNTS * code + count
    outcomes, number = np.unique(code, return_inverse=True)
    sums = np.bincount(number, chance, len(outcomes))
    return dict(zip(outcomes.tolist(), sums.tolist(), strict=True))


def _told(first: dict[int, float], second: dict[int, float], epsilon: float) -> float:
    """Return the delta of two distributions at this epsilon, the larger of both ways."""
    return max(
        sum(max(0.0, one.get(key, 0.0) - math.exp(epsilon) * other.get(key, 0.0)) for key in one)
        for one, other in ((first, second), (second, first))
    )


def _spec(epsilon: str, disclosure: Disclosure = Disclosure.VERDICT, **changes: Any) -> Any:
    asked = (
        ("p_rule", (Fraction(50), Fraction(80))),
        ("acceptance_rate_difference", (Fraction(30), Fraction(10))),
    )
    rules = replace(Rules((2,), ((0,),), asked, floor=4, fewest_answers=9), **changes)
    return replace(spec_of(replace(rules, fewest_decided=2), disclosure), epsilon=Fraction(epsilon))


_NEIGHBOURS = {
    "selected": ([3, 2, 2, 3], [2, 2, 3, 3]),
    "not selected": ([3, 2, 2, 3], [3, 1, 2, 4]),
    "at the smallest group": ([2, 6, 1, 2], [1, 6, 2, 2]),
    "empty": ([1, 4, 0, 4], [0, 4, 1, 4]),
    "one answer too few": ([3, 2, 2, 2], [2, 2, 2, 2]),
}


@pytest.mark.parametrize("neighbours", _NEIGHBOURS)
@pytest.mark.parametrize(
    "disclosure", [Disclosure.VERDICT, pytest.param(Disclosure.TABLE, marks=pytest.mark.slow)]
)
def test_no_outcome_is_more_likely_by_more_than_epsilon(
    neighbours: str, disclosure: Disclosure
) -> None:
    """All of the noise: 31 numbers a cell and way. A table's outcomes are all the cells'."""
    small_groups = "excluded_and_named" if disclosure is Disclosure.TABLE else "undetermined"
    spec = _spec("8", disclosure, small_groups=small_groups)
    largest = largest_noise(spec.noise_scale)
    every = range(-largest, largest + 1)
    first, second = (_outcomes(spec, cells, every) for cells in _NEIGHBOURS[neighbours])
    assert sum(first.values()) == pytest.approx(1, abs=_ROUNDING)
    assert spec.delta < _ROUNDING
    assert _told(first, second, 8.0) < _ROUNDING


def test_an_outcome_on_each_side_of_a_person_has_chances_that_differ() -> None:
    """The bound is not idle: a table tells a good part of epsilon."""
    spec = _spec("8", Disclosure.TABLE)
    every = range(-15, 16)
    first, second = (_outcomes(spec, cells, every) for cells in _NEIGHBOURS["selected"])
    assert _told(first, second, 8.0) < _ROUNDING
    assert _told(first, second, 7.0) > 1e-3


@pytest.mark.parametrize("missing", ["bounds_shown", "worst_case_certifies"])
def test_whether_she_answered_is_noised_too_where_missing_answers_are_bounded(missing: str) -> None:
    """Six cells: noise beyond 4, of chance below 1e-8 a cell, is not tried and allowed for."""
    spec = _spec("8", missing=missing)
    tried = range(-4, 5)
    untried = 6 * (1 - sum(float(share) for share in noise_distribution(Fraction(1, 4))[11:20]))
    answered, silent = [3, 2, 2, 3, 1, 1], [2, 2, 2, 3, 2, 1]
    first, second = (_outcomes(spec, cells, tried) for cells in (answered, silent))
    assert 0 <= untried < 1e-7
    assert _told(first, second, 8.0) < untried + _ROUNDING


def test_delta_is_small_for_up_to_64_divisions_of_any_noise() -> None:
    each = tuple((number,) for number in range(64))
    exact = spec_of(Rules((2,) * 64, each, (("p_rule", (Fraction(80),)),)))
    for epsilon in ("8", "1", "1/8"):
        assert 0 < replace(exact, epsilon=Fraction(epsilon)).delta < Fraction(1, 1 << 40)
