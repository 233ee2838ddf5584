"""The p%-rule and the reasons for no verdict, against exact fractions and hand-computed cases."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from mpc_engine.fairness.algebra import PlainAlgebra
from mpc_engine.fairness.groups import Floors, VerdictBits
from mpc_engine.protocols.certification.grouping import GroupCounts
from mpc_engine.protocols.certification.predicate import evaluate_policy
from mpc_engine.vocabulary.policies import Comparison
from mpc_engine.vocabulary.rates import Count
from mpc_engine.vocabulary.verdicts import NoVerdict
from tests.builders.certification_specs import certification_spec, p_rule

_PLAIN = PlainAlgebra()


def _outcome(
    selected: list[int],
    sizes: list[int],
    percents: tuple[Fraction, ...],
    floor: int = 1,
    comparison: Comparison = Comparison.EACH_PAIR,
) -> VerdictBits[bool]:
    spec = certification_spec(
        p_rule(*percents),
        x_frac_bits=0,
        theta_bits=8,
        theta_frac_bits=0,
        entry_counts=(len(sizes) + 1,),
        feature_ranges=((0, 1),),
        comparison=comparison,
        floors=Floors(floor, 1, floor),
    )
    groups = tuple(
        {Count.SIZE: size, Count.SELECTED: taken}
        for size, taken in zip(sizes, selected, strict=True)
    )
    return evaluate_policy(_PLAIN, spec, [0], None, [GroupCounts(groups, None)]).bits


def _worst_percent(pairs: list[tuple[tuple[int, int], tuple[int, int]]]) -> Fraction:
    worst = Fraction(100)
    for (m_a, n_a), (m_b, n_b) in pairs:
        rates = sorted([Fraction(m_a, n_a), Fraction(m_b, n_b)])
        if rates[1]:
            worst = min(worst, 100 * rates[0] / rates[1])
    return worst


@pytest.mark.parametrize("n_groups", [2, 3, 5])
@pytest.mark.parametrize("comparison", list(Comparison))
def test_bounds_agree_with_fractions_under_at_and_above_the_true_ratio(
    n_groups: int, comparison: Comparison
) -> None:
    rng = np.random.default_rng(n_groups)
    for _ in range(60):
        sizes = [int(value) for value in rng.integers(2, 40, n_groups)]
        selected = [int(rng.integers(1, size)) for size in sizes]
        groups = list(zip(selected, sizes, strict=True))
        if comparison is not Comparison.EACH_AGAINST_REST:
            pairs = [(a, b) for a in groups for b in groups if a is not b]
        else:
            pairs = [((m, n), (sum(selected) - m, sum(sizes) - n)) for m, n in groups]
        truth = _worst_percent(pairs)
        step = Fraction(1, 10**6)
        percents = (truth - step, truth, truth + step)
        outcome = _outcome(selected, sizes, percents, comparison=comparison)
        assert not any(outcome.reasons.values())
        assert outcome.passes == ((True, True, False),)


def test_equality_passes() -> None:
    assert _outcome([100, 125], [300, 300], (Fraction(80),)).passes == ((True,),)
    assert _outcome([99, 125], [300, 300], (Fraction(80),)).passes == ((False,),)


@pytest.mark.parametrize("comparison", list(Comparison))
@pytest.mark.parametrize("floor", [1, 5])
@pytest.mark.parametrize("few", ["selected", "others"])
def test_the_floor_is_on_both_decisions_of_every_group(
    comparison: Comparison, floor: int, few: str
) -> None:
    """One decision under it in one group ends the verdict, as many as it says do not."""
    for group in range(3):
        for number in (floor - 1, floor):
            selected = [10, 10, 10]
            selected[group] = number if few == "selected" else 20 - number
            outcome = _outcome(selected, [20] * 3, (Fraction(1),), floor, comparison)
            assert outcome.reasons[NoVerdict.TOO_FEW_DECIDED] is (number < floor)
            assert outcome.passes == ((number >= floor,),)


@pytest.mark.parametrize(
    ("selected", "sizes", "floor", "reason"),
    [
        ([0, 0], [10, 10], 5, NoVerdict.TOO_FEW_DECIDED),
        ([10, 10], [10, 10], 5, NoVerdict.TOO_FEW_DECIDED),
        ([0, 3], [0, 10], 5, NoVerdict.GROUP_UNDER_FLOOR),
        ([2, 3], [4, 10], 5, NoVerdict.GROUP_UNDER_FLOOR),
        ([0, 0], [0, 0], 5, NoVerdict.TOO_FEW_ANSWERS),
        ([0, 0], [4, 0], 5, NoVerdict.GROUP_UNDER_FLOOR),
    ],
)
def test_the_first_reason_is_given_and_nothing_passes(
    selected: list[int], sizes: list[int], floor: int, reason: NoVerdict
) -> None:
    outcome = _outcome(selected, sizes, (Fraction(1), Fraction(80)), floor=floor)
    assert [found for found, bit in outcome.reasons.items() if bit] == [reason]
    assert outcome.passes == ((False, False),)


def test_swapping_the_groups_changes_nothing() -> None:
    percents = tuple(Fraction(k) for k in range(1, 101))
    assert _outcome([3, 7], [10, 11], percents) == _outcome([7, 3], [11, 10], percents)
