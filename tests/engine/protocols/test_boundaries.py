"""Cases on the edge of a verdict: secure computation = oracle = a reference of its own."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from numpy.typing import NDArray

from mpc_engine.fairness.groups import Floors
from mpc_engine.protocols.certification.plaintext import certify_in_the_clear
from mpc_engine.protocols.certification.spec import (
    CertificationOutcome,
    CertificationSpec,
)
from mpc_engine.sharing.records import HeldRecords
from mpc_engine.testing.people import deal_records, one_hot
from mpc_engine.testing.randomness import seeded_randomness
from mpc_engine.vocabulary.criteria import RATE_CRITERIA, CriterionName
from mpc_engine.vocabulary.policies import Comparison
from tests.builders.certification_specs import certification_spec, limits_on
from tests.builders.held_shares import layout_by_file, listed_shares
from tests.engine.protocols import datasets
from tests.engine.protocols.both_sides import NONCE, certify_on_both_sides, close_on_both_sides
from tests.engine.protocols.datasets import RealData
from tests.engine.protocols.rate_cases import SIGN, as_arrays, random_people, rules_for, spec_of
from tests.engine.protocols.rate_reference import judge_rates, rates_of
from tests.engine.protocols.reference import Answer, Policy, judge

_X_BITS, _THETA_BITS = datasets.X_FRAC_BITS, datasets.THETA_FRAC_BITS
_EIGHTY = Policy((2,), (Fraction(80),), unit=1 << _X_BITS, weight_unit=1 << _THETA_BITS)


def _spec(policy: Policy, ranges: tuple[tuple[int, int], ...]) -> CertificationSpec:
    criteria = [
        limits_on(name, *thresholds)
        for name, thresholds in (
            (CriterionName.P_RULE, policy.percents),
            (CriterionName.COVARIANCE, policy.bounds),
        )
        if thresholds
    ]
    return certification_spec(
        *criteria,
        entry_counts=tuple(count + 1 for count in policy.categories),
        feature_ranges=ranges,
        comparison=Comparison.EACH_PAIR if policy.each_pair else Comparison.EACH_AGAINST_REST,
        floors=Floors(policy.floor, policy.fewest_answers, policy.floor),
    )


def _read(outcome: CertificationOutcome) -> Answer:
    reason = None if outcome.reason is None else outcome.reason.name
    return Answer(outcome.verdict.value, reason, outcome.passes)


def _certified(
    spec: CertificationSpec,
    modeler: HeldRecords,
    regulator: HeldRecords,
    theta: list[int],
) -> Answer:
    outcomes = certify_on_both_sides(spec, modeler, regulator, theta)
    assert _read(outcomes[0]) == _read(outcomes[1])
    assert (outcomes[1].model_signature is not None) == (outcomes[1].verdict.value == "PASS")
    return _read(outcomes[1])


def _three_ways(
    policy: Policy,
    choices: NDArray[np.int64],
    features: NDArray[np.int64],
    theta: list[int],
    ranges: tuple[tuple[int, int], ...] | None = None,
) -> Answer:
    """Return the answer on which all three agree."""
    if ranges is None:
        ranges = tuple((int(column.min()), int(column.max())) for column in features.T)
    spec = _spec(policy, ranges)
    answers = one_hot(choices, spec.entry_counts)
    reference = judge(policy, choices.tolist(), features.tolist(), theta)
    assert _read(certify_in_the_clear(spec, answers, features, theta, NONCE)) == reference
    records = deal_records(answers, features, seeded_randomness(9))
    assert _certified(spec, *records, theta) == reference
    return reference


def _groups(*groups: tuple[int, int]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return choices (n, 1) and features (n, 1) of groups (selected, people), in mixed order."""
    rows = [
        (category, 5 if person < selected else -5)
        for category, (selected, people) in enumerate(groups)
        for person in range(people)
    ]
    table = np.random.default_rng(len(rows)).permutation(np.array(rows))
    return table[:, :1], table[:, 1:]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("groups", "floor", "expected"),
    [
        (((100, 300), (125, 300)), 1, Answer("PASS", None, ((True,),))),
        (((99, 300), (125, 300)), 1, Answer("FAIL", None, ((False,),))),
        (((125, 300), (100, 300)), 1, Answer("PASS", None, ((True,),))),
        (((4, 10), (5, 10)), 5, Answer("UNDETERMINED", "TOO_FEW_DECIDED", ((False,),))),
        (((5, 10), (6, 10)), 5, Answer("UNDETERMINED", "TOO_FEW_DECIDED", ((False,),))),
        (((0, 4), (5, 10)), 5, Answer("UNDETERMINED", "GROUP_UNDER_FLOOR", ((False,),))),
        (((5, 30), (5, 10)), 5, Answer("FAIL", None, ((False,),))),
        (((0, 10), (0, 10)), 5, Answer("UNDETERMINED", "TOO_FEW_DECIDED", ((False,),))),
        (((10, 10), (10, 10)), 5, Answer("UNDETERMINED", "TOO_FEW_DECIDED", ((False,),))),
        (((5, 10), (5, 10)), 5, Answer("PASS", None, ((True,),))),
        (((5, 5), (0, 0)), 5, Answer("UNDETERMINED", "GROUP_UNDER_FLOOR", ((False,),))),
        (((1, 1), (1, 1)), 1, Answer("UNDETERMINED", "TOO_FEW_DECIDED", ((False,),))),
        (((1, 2), (1, 2)), 1, Answer("PASS", None, ((True,),))),
    ],
)
def test_a_case_on_the_edge_is_judged_as_by_hand(
    groups: tuple[tuple[int, int], ...], floor: int, expected: Answer
) -> None:
    policy = replace(_EIGHTY, floor=floor)
    assert _three_ways(policy, *_groups(*groups), SIGN, ((-5, 5),)) == expected


@pytest.mark.parametrize("groups", [((100, 300), (125, 300)), ((4, 9), (6, 9)), ((0, 6), (7, 7))])
def test_exchanging_the_groups_changes_nothing(groups: tuple[tuple[int, int], ...]) -> None:
    choices, features = _groups(*groups)
    policy = replace(_EIGHTY, bounds=(Fraction(1, 512), Fraction(1, 100)))
    straight = _three_ways(policy, choices, features, SIGN, ((-5, 5),))
    assert _three_ways(policy, 1 - choices, features, SIGN, ((-5, 5),)) == straight


@pytest.mark.parametrize("choice", [0, 1, 2])
@pytest.mark.parametrize("x", [5, -5])
@pytest.mark.parametrize("bounds", [(), (Fraction(1),)], ids=["p_rule", "both"])
def test_one_person_alone_is_no_ground_for_a_verdict(
    choice: int, x: int, bounds: tuple[Fraction, ...]
) -> None:
    policy = replace(_EIGHTY, bounds=bounds)
    answer = _three_ways(policy, np.array([[choice]]), np.array([[x]]), SIGN, ((-5, 5),))
    assert answer.verdict == "UNDETERMINED"
    assert answer.reason == ("TOO_FEW_ANSWERS" if choice == 2 else "GROUP_UNDER_FLOOR")


@pytest.mark.parametrize("categories", [(2,), (3, 2)])
def test_a_cohort_that_prefers_not_to_say_is_no_ground_for_a_verdict(
    categories: tuple[int, ...],
) -> None:
    policy = replace(_EIGHTY, categories=categories, bounds=(Fraction(100),))
    choices = np.tile(np.array(categories), (12, 1))
    features = np.arange(-6, 6)[:, None]
    answer = _three_ways(policy, choices, features, SIGN)
    assert answer == Answer("UNDETERMINED", "TOO_FEW_ANSWERS", ((False,), (False,)))


def test_one_silent_attribute_leaves_the_whole_policy_undetermined() -> None:
    choices, features = _groups((100, 300), (125, 300))
    policy = replace(_EIGHTY, categories=(2, 2))
    both = np.hstack([choices, np.full_like(choices, 2)])
    answer = _three_ways(policy, both, features, SIGN, ((-5, 5),))
    assert (answer.verdict, answer.reason) == ("UNDETERMINED", "TOO_FEW_ANSWERS")


@pytest.mark.slow
@pytest.mark.parametrize("each_pair", [True, False])
@pytest.mark.parametrize("seed", range(4))
def test_random_policies_and_cohorts_agree_three_ways(seed: int, each_pair: bool) -> None:
    rng = np.random.default_rng(seed)
    categories = ((2,), (3, 2), (5,), (2, 2, 2))[seed]
    n = int(rng.integers(20, 70))
    choices = np.stack([rng.integers(0, count + 1, n) for count in categories], axis=1)
    policy = replace(
        _EIGHTY,
        categories=categories,
        percents=(Fraction(int(rng.integers(20, 80))), Fraction(90)),
        bounds=(Fraction(int(rng.integers(1, 400)), 1000), Fraction(1)),
        each_pair=each_pair,
        floor=int(rng.integers(1, 9)),
        fewest_answers=int(rng.integers(1, 40)),
    )
    features = rng.integers(-300, 301, (n, 3))
    theta = [int(value) for value in rng.integers(-(1 << 18), 1 << 18, 4)]
    _three_ways(policy, choices, features, theta)


def _closed_with_a_fifth_invalid(
    valid: NDArray[np.uint8], features: NDArray[np.int64], outcomes: NDArray[np.uint8]
) -> tuple[HeldRecords, HeldRecords]:
    """Mix hostile people in, a fifth of all, who tick two categories or none; close the study."""
    n_bad = len(valid) // 4
    answers = np.concatenate([valid, np.zeros((n_bad, 3), dtype=np.uint8)])
    for number, row in enumerate(answers[len(valid) :]):
        row[:] = ([0, 0, 0], [1, 1, 0], [1, 0, 1], [1, 1, 1], [0, 1, 1])[number % 5]
    order = np.random.default_rng(1).permutation(len(answers))
    bad = np.full((n_bad, 1), 5), np.ones(n_bad, dtype=np.uint8)
    dealt = deal_records(
        answers[order],
        np.concatenate([features, bad[0]])[order],
        seeded_randomness(3),
        np.concatenate([outcomes, bad[1]])[order],
    )
    layout = layout_by_file(3, feature_ranges=((-5, 5),))
    modeler, regulator = close_on_both_sides(
        layout, listed_shares(dealt[0]), listed_shares(dealt[1])
    )
    assert modeler.n_invalid == regulator.n_invalid == n_bad == len(answers) // 5
    return modeler.records, regulator.records


@pytest.mark.parametrize("expected", ["PASS", "FAIL"])
def test_a_fifth_of_invalid_rows_leaves_at_closing_and_weighs_nothing(expected: str) -> None:
    """Whoever is left is judged as if alone."""
    selected = 100 if expected == "PASS" else 99
    choices, features = _groups((selected, 300), (125, 300))
    known = np.zeros(len(choices), dtype=np.uint8)
    modeler, regulator = _closed_with_a_fifth_invalid(one_hot(choices, (3,)), features, known)
    spec = _spec(_EIGHTY, ((-5, 5),))
    answer = _certified(spec, modeler, regulator, SIGN)
    assert answer == judge(_EIGHTY, choices.tolist(), features.tolist(), SIGN)
    assert answer.verdict == expected


def test_outcomes_stay_with_their_people_where_a_fifth_of_the_rows_is_invalid() -> None:
    """Every criterion on rates at once; a row's outcome leaves with it."""
    limits = {"ratio": Fraction(60), "difference": Fraction(25), "z_test": Fraction(2)}
    criteria = tuple((name.value, (limits[rates_of(name.value)[1]],)) for name in RATE_CRITERIA)
    rules = replace(rules_for("p_rule", "2 groups"), criteria=criteria)
    people = random_people(rules, np.random.default_rng(8), 12, least=1)
    people = people[: len(people) // 4 * 4]
    dealt = as_arrays(rules, people, np.random.default_rng(2))
    modeler, regulator = _closed_with_a_fifth_invalid(
        one_hot(dealt.choices, (3,)), dealt.features, dealt.labels
    )
    expected = judge_rates(rules, people)
    assert {row[0] for row in expected.passes} == {True, False}
    answer = _certified(spec_of(rules), modeler, regulator, SIGN)
    assert answer == Answer(expected.verdict, expected.reason, expected.passes)


def _true_percent(data: RealData, categories: tuple[int, ...], theta: list[int]) -> Fraction:
    worst = Fraction(100)
    decided = [
        (theta[0] << _X_BITS) + sum(int(x) * t for x, t in zip(row, theta[1:], strict=True)) >= 0
        for row in data.features
    ]
    for attribute, count in enumerate(categories):
        column = data.choices[:, attribute].tolist()
        for category in range(count):
            own = [d for d, c in zip(decided, column, strict=True) if c == category]
            rest = [d for d, c in zip(decided, column, strict=True) if c < count and c != category]
            rates = sorted([Fraction(sum(own), len(own)), Fraction(sum(rest), len(rest))])
            worst = min(worst, 100 * rates[0] / rates[1]) if rates[1] else worst
    return worst


@pytest.mark.slow
@datasets.ON_EACH
def test_real_data_are_judged_alike_under_at_and_above_the_true_ratio(name: str) -> None:
    data: RealData = getattr(datasets, name)()
    theta = datasets.fitted_theta(data)
    categories = tuple(count - 1 for count in data.entry_counts)
    truth, step = _true_percent(data, categories, theta), Fraction(1, 10**6)
    policy = replace(
        _EIGHTY,
        categories=categories,
        percents=(truth, max(truth - step, Fraction(0)), truth + step),
        each_pair=False,
    )
    answer = _three_ways(policy, data.choices, data.features, theta, data.feature_ranges)
    assert answer == Answer("PASS", None, ((True, True, False),))
