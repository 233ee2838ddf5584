"""Bounds on rates, leading groups and missing answers, against fractions and by hand."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from mpc_engine.fairness.algebra import PlainAlgebra
from mpc_engine.fairness.comparisons import keeps, leading
from mpc_engine.fairness.groups import Floors, VerdictBits
from mpc_engine.fairness.rates import Rate, rate_of
from mpc_engine.protocols.certification.circuit import certification_circuit
from mpc_engine.protocols.certification.grouping import GroupCounts
from mpc_engine.protocols.certification.predicate import evaluate_policy
from mpc_engine.protocols.certification.spec import CertificationSpec
from mpc_engine.vocabulary.criteria import Bound, CriterionName
from mpc_engine.vocabulary.policies import Comparison, Disclosure, MissingAnswers, SmallGroups
from mpc_engine.vocabulary.rates import Count, RateName
from mpc_engine.vocabulary.verdicts import NoVerdict
from tests.builders.certification_specs import certification_spec, limits_on

_PLAIN = PlainAlgebra()
_NO_FLOORS = Floors(1, 1, 1)
Hits = tuple[int, int]


def spec_of(
    n_groups: int,
    limits: tuple[Fraction, ...],
    name: CriterionName = CriterionName.P_RULE,
    *,
    comparison: Comparison = Comparison.EACH_PAIR,
    floors: Floors = _NO_FLOORS,
    missing: MissingAnswers = MissingAnswers.LEFT_OUT,
    disclosure: Disclosure = Disclosure.VERDICT,
) -> CertificationSpec:
    return certification_spec(
        limits_on(name, *limits),
        x_frac_bits=0,
        theta_bits=8,
        theta_frac_bits=0,
        entry_counts=(n_groups + 1,),
        feature_ranges=((0, 1),),
        comparison=comparison,
        floors=floors,
        missing=missing,
        disclosure=disclosure,
    )


def judged(
    spec: CertificationSpec, groups: Sequence[Hits], unknown: Hits = (0, 0)
) -> VerdictBits[bool]:
    counts = [{Count.SELECTED: hits, Count.SIZE: size} for hits, size in groups]
    everybody = {
        Count.SELECTED: sum(hits for hits, _ in groups) + unknown[0],
        Count.SIZE: sum(size for _, size in groups) + unknown[1],
    }
    item = GroupCounts(tuple(counts), everybody if spec.bounds_missing else None)
    return evaluate_policy(_PLAIN, spec, [], None, [item]).bits


def reason_of(bits: VerdictBits[bool]) -> NoVerdict | None:
    return next((reason for reason, bit in bits.reasons.items() if bit), None)


def test_every_rate_is_read_from_a_confusion_matrix() -> None:
    counts = {
        Count.SIZE: 100,
        Count.SELECTED: 53,
        Count.TRUE_POSITIVES: 31,
        Count.FALSE_POSITIVES: 17,
        Count.TRUE_NEGATIVES: 23,
        Count.FALSE_NEGATIVES: 11,
    }
    expected = {
        RateName.ACCEPTANCE: (53, 100),
        RateName.ACCURACY: (54, 82),
        RateName.TRUE_POSITIVE: (31, 42),
        RateName.TRUE_NEGATIVE: (23, 40),
        RateName.POSITIVE_PREDICTIVE: (31, 48),
        RateName.NEGATIVE_PREDICTIVE: (23, 34),
    }
    for name, (successes, cases) in expected.items():
        needed = {count: counts[count] for count in name.counts}
        assert rate_of(_PLAIN, name, needed) == Rate(successes, cases)


@pytest.mark.parametrize("bound", [Bound.RATIO, Bound.DIFFERENCE])
def test_a_bound_passes_up_to_equality(bound: Bound) -> None:
    rng = np.random.default_rng(5)
    step = Fraction(1, 10**9)
    for _ in range(300):
        cases = [int(value) for value in rng.integers(1, 40, 2)]
        hits = [int(rng.integers(0, count + 1)) for count in cases]
        low, high = sorted(Fraction(h, c) for h, c in zip(hits, cases, strict=True))
        if high == 0:
            continue
        limits: tuple[Fraction, ...]
        if bound is Bound.RATIO:
            truth = 100 * low / high
            limits, expected = (truth, truth + step), [True, False]
        else:
            truth = 100 * (high - low)
            limits, expected = (truth, truth - step), [True, False]
            if truth == 0:
                limits, expected = (truth,), [True]
        rates = [Rate(h, c) for h, c in zip(hits, cases, strict=True)]
        assert [all(bits) for bits in keeps(_PLAIN, bound, limits, *rates)] == expected
        assert [all(bits) for bits in keeps(_PLAIN, bound, limits, *rates[::-1])] == expected


def test_the_z_test_agrees_with_the_textbook() -> None:
    """The pooled statistic in floating point, where it is not on the limit itself."""
    rng = np.random.default_rng(6)
    limits = (Fraction("1.645"), Fraction("1.96"), Fraction("2.576"))
    found = set()
    for _ in range(400):
        cases = [int(value) for value in rng.integers(1, 300, 2)]
        hits = [int(rng.integers(0, count + 1)) for count in cases]
        pooled = sum(hits) / sum(cases)
        spread = math.sqrt(pooled * (1 - pooled) * (1 / cases[0] + 1 / cases[1]))
        z = abs(hits[0] / cases[0] - hits[1] / cases[1]) / spread if spread else 0.0
        if min(abs(z - float(limit)) for limit in limits) < 1e-9:
            continue
        rates = [Rate(h, c) for h, c in zip(hits, cases, strict=True)]
        held = [all(bits) for bits in keeps(_PLAIN, Bound.Z_TEST, limits, *rates)]
        assert held == [z <= float(limit) for limit in limits]
        found.add(sum(held))
    assert found == {0, 1, 2, 3}


def test_a_z_of_exactly_the_limit_passes() -> None:
    """36 and 64 of 100 pool to a half: z^2 = 15.68."""
    own, other = Rate(36, 100), Rate(64, 100)
    for z, passes in ((Fraction("3.96"), True), (Fraction("3.95"), False)):
        (bits,) = keeps(_PLAIN, Bound.Z_TEST, (z,), own, other)
        assert bits == [passes]
    # 2 of 8 against 6 of 8: pooled 1/2, z^2 = (1/2)^2 / (1/4 * 1/4) = 4 exactly.
    for z, passes in ((Fraction(2), True), (Fraction("1.999999"), False)):
        (bits,) = keeps(_PLAIN, Bound.Z_TEST, (z,), Rate(2, 8), Rate(6, 8))
        assert bits == [passes]


def test_the_first_of_equally_selected_groups_leads() -> None:
    rates = [Rate(1, 4), Rate(2, 4), Rate(3, 6), Rate(1, 3)]
    assert leading(_PLAIN, rates, None) == [True, False, False]


def test_the_first_groups_left_out_never_lead() -> None:
    rates = [Rate(0, 0), Rate(0, 0), Rate(1, 4), Rate(3, 4)]
    assert leading(_PLAIN, rates, [False, False, True, True]) == [False, True, True]


@pytest.mark.parametrize(
    ("sizes", "reason"),
    [
        ((9, 9, 9), NoVerdict.TOO_FEW_GROUPS),
        ((10, 9, 9), NoVerdict.TOO_FEW_GROUPS),
        ((9, 9, 10), NoVerdict.TOO_FEW_GROUPS),
        ((9, 10, 10), None),
        ((10, 9, 10), None),
        ((10, 10, 0), None),
    ],
)
def test_fewer_than_two_large_groups_are_undetermined(
    sizes: tuple[int, ...], reason: NoVerdict | None
) -> None:
    spec = spec_of(3, (Fraction(50),), floors=Floors(10, 1, 1, Fraction(0), SmallGroups.EXCLUDED))
    assert reason_of(judged(spec, [(size // 2, size) for size in sizes])) is reason


def distributions(unknown: Hits, n_groups: int) -> list[list[Hits]]:
    """Return every way of putting unknown successes and failures into groups."""
    successes, failures = unknown[0], unknown[1] - unknown[0]
    ways = [
        [split for split in product(range(number + 1), repeat=n_groups) if sum(split) == number]
        for number in (successes, failures)
    ]
    return [[(s, s + f) for s, f in zip(*pair, strict=True)] for pair in product(*ways)]


@pytest.mark.parametrize("n_groups", [2, 3])
@pytest.mark.parametrize("comparison", [Comparison.EACH_PAIR, Comparison.EACH_AGAINST_REST])
@pytest.mark.parametrize(
    "name", [CriterionName.P_RULE, CriterionName.ACCEPTANCE_RATE_DIFFERENCE], ids=str
)
def test_the_worst_case_is_the_worst_of_all_distributions(
    name: CriterionName, comparison: Comparison, n_groups: int
) -> None:
    """It passes iff every distribution passes, and the best case wherever some one does."""
    rng = np.random.default_rng(n_groups)
    limits = tuple(Fraction(value) for value in (5, 20, 40, 60, 80, 100))
    spec = spec_of(
        n_groups, limits, name, comparison=comparison, missing=MissingAnswers.BOUNDS_SHOWN
    )
    plain = spec_of(n_groups, limits, name, comparison=comparison)
    for _ in range(25):
        groups = []
        for size in rng.integers(1, 9, n_groups):
            groups.append((int(rng.integers(0, size + 1)), int(size)))
        people = int(rng.integers(0, 5))
        unknown = (int(rng.integers(0, people + 1)), people)
        bits = judged(spec, groups, unknown)
        if reason_of(bits) is not None:
            continue
        everywhere, somewhere = [True] * len(limits), [False] * len(limits)
        for put in distributions(unknown, n_groups):
            moved = [(h + m, c + k) for (h, c), (m, k) in zip(groups, put, strict=True)]
            (row,) = judged(plain, moved).passes
            everywhere = [a and b for a, b in zip(everywhere, row, strict=True)]
            somewhere = [a or b for a, b in zip(somewhere, row, strict=True)]
        assert list(bits.worst[0]) == everywhere
        for some, best, own in zip(somewhere, bits.best[0], bits.passes[0], strict=True):
            assert best or not some
            assert best or not own


def test_the_circuit_opens_no_wire_that_the_policy_does_not_disclose() -> None:
    """Reasons and thresholds; with names one bit a group more, with a table its counts' bits."""
    ladder = tuple(Fraction(value) for value in (70, 80, 90))
    expected = {
        (SmallGroups.UNDETERMINED, Disclosure.VERDICT): 3 + 3,
        (SmallGroups.EXCLUDED, Disclosure.VERDICT): 3 + 3,
        (SmallGroups.EXCLUDED_AND_NAMED, Disclosure.VERDICT): 3 + 3 + 4,
        (SmallGroups.EXCLUDED, Disclosure.TABLE): 3 + 3 + 4 * 2 * 7,
    }
    for (small, disclosure), wires in expected.items():
        spec = spec_of(4, ladder, floors=Floors(5, 1, 5, Fraction(2), small), disclosure=disclosure)
        opened = certification_circuit(spec, 100).output_slices["verdict"]
        assert opened.stop - opened.start == wires
