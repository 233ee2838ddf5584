"""Criteria on rates over the real protocol: secure computation = oracle = reference."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from mpc_engine.protocols.certification.plaintext import certify_in_the_clear
from mpc_engine.protocols.decision import decide
from mpc_engine.testing.people import deal_records, one_hot
from mpc_engine.testing.randomness import seeded_randomness
from mpc_engine.vocabulary.criteria import RATE_CRITERIA
from mpc_engine.vocabulary.policies import Disclosure
from mpc_engine.vocabulary.rates import Count
from mpc_engine.vocabulary.verdicts import NoVerdict, Verdict
from tests.engine.protocols import datasets
from tests.engine.protocols.both_sides import NONCE, certify_on_both_sides
from tests.engine.protocols.datasets import RealData
from tests.engine.protocols.rate_cases import (
    EACH_SHAPE,
    LIMITS,
    SHAPES,
    SIGN,
    random_people,
    rules_for,
    spec_of,
    varied,
)
from tests.engine.protocols.rate_reference import (
    Person,
    RateAnswer,
    Rules,
    groups_of,
    judge_rates,
    rate,
    rates_of,
)
from tests.engine.protocols.rate_runs import EIGHTY, agree, certified, group, read

_CRITERIA = [name.value for name in RATE_CRITERIA]


@pytest.mark.slow
@pytest.mark.parametrize("shape", EACH_SHAPE)
@pytest.mark.parametrize("criterion", _CRITERIA)
def test_secure_verdicts_equal_oracle_and_reference(criterion: str, shape: str) -> None:
    seed = _CRITERIA.index(criterion) * 3 + list(SHAPES).index(shape)
    rng = np.random.default_rng(seed)
    rules = varied(rules_for(criterion, shape), rng)
    least = rules.fewest_decided
    agree(rules, random_people(rules, rng, least + 3, least=least, silent=3, evenly=True))


def test_a_tiny_group_is_reported_apart_and_is_never_the_reference() -> None:
    people = group(0, 500, 1000) + group(1, 450, 1000) + group(2, 9, 10)
    rules = replace(
        EIGHTY,
        categories=(3,),
        floor_percent=Fraction(2),
        small_groups="excluded_and_named",
        reference="most_selected",
    )
    assert agree(rules, people) == RateAnswer(
        "PASS", None, ((True,),), (), (), (False, False, True)
    )
    every_group = replace(rules, floor_percent=Fraction(0))
    assert agree(every_group, people).verdict == "FAIL"
    undetermined = replace(rules, small_groups="undetermined")
    assert agree(undetermined, people).reason == "GROUP_UNDER_FLOOR"


def test_exactly_two_percent_is_not_under_two_percent() -> None:
    rules = replace(
        EIGHTY, categories=(3,), floor_percent=Fraction(2), small_groups="excluded_and_named"
    )
    people = group(0, 30, 49) + group(1, 30, 49) + group(2, 2, 2)
    assert agree(rules, people).small == (False, False, False)
    assert agree(rules, [*people, *group(0, 0, 1)]).small == (False, False, True)


@pytest.mark.parametrize("reference", ["each_pair", "each_against_rest", "most_selected"])
def test_nobody_selected_is_undetermined(reference: str) -> None:
    rules = replace(EIGHTY, reference=reference)
    assert agree(rules, group(0, 0, 20) + group(1, 0, 20)).reason == "TOO_FEW_DECIDED"


def test_everybody_unknown_is_undetermined() -> None:
    people = [Person((None,), number % 2, 1) for number in range(12)]
    rules = replace(EIGHTY, missing="worst_case_certifies")
    assert agree(rules, people).reason == "TOO_FEW_ANSWERS"


def test_one_person_is_undetermined() -> None:
    assert agree(EIGHTY, group(0, 1, 1)).reason == "GROUP_UNDER_FLOOR"
    rules = replace(EIGHTY, small_groups="excluded")
    assert agree(rules, group(0, 1, 1)).reason == "TOO_FEW_GROUPS"


def test_people_of_unknown_outcome_count_for_acceptance_only() -> None:
    rules = Rules(
        (2,),
        ((0,),),
        (("p_rule", (Fraction(80),)), ("accuracy_difference", (Fraction(0),))),
    )
    right = [Person((k,), 1, y) for k in (0, 1) for y in (1, 1, 0)]
    assert agree(rules, right + group(0, 0, 4) + group(1, 0, 4)).verdict == "PASS"
    assert agree(rules, right + group(0, 0, 4) + group(1, 0, 1)).verdict == "FAIL"


def test_a_policy_of_all_kinds_on_two_attributes_and_their_intersection() -> None:
    rng = np.random.default_rng(3)
    rules = Rules(
        (2, 3),
        ((0,), (1,), (0, 1)),
        (
            ("p_rule", (Fraction(30), Fraction(80))),
            ("equalised_odds_difference", (Fraction(60),)),
            ("positive_predictive_value_ratio", (Fraction(40),)),
        ),
        missing="bounds_shown",
    )
    people = random_people(rules, rng, 6, silent=2)
    people += [Person((None, 1), 1, 1), Person((1, None), 0, 0)]
    assert len(agree(rules, people).worst) == 3


def test_missing_answers_can_forbid_a_certificate() -> None:
    answered = group(0, 40, 50) + group(1, 36, 50)
    silent = [Person((None,), number % 2, None) for number in range(20)]
    rules = replace(EIGHTY, missing="bounds_shown")
    assert agree(rules, answered + silent) == RateAnswer(
        "PASS", None, ((True,),), ((False,),), ((True,),), ()
    )
    strict = replace(rules, missing="worst_case_certifies")
    assert agree(strict, answered + silent).verdict == "FAIL"
    assert agree(strict, answered).verdict == "PASS"


@pytest.mark.slow
def test_an_opened_table_shows_every_group_but_those_under_the_floor() -> None:
    rng = np.random.default_rng(11)
    rules = replace(
        rules_for("equalised_odds_difference", "3 x 5"),
        floor=25,
        small_groups="excluded",
    )
    people = random_people(rules, rng, 8, least=1)
    outcome = certified(rules, people, Disclosure.TABLE)
    assert outcome.reason is None
    (groups,) = groups_of(rules, people)
    expected = []
    for members in groups:
        true_positive, positive = rate("true_positive_rate", members)
        true_negative, negative = rate("true_negative_rate", members)
        row = (
            len(members),
            sum(person.decision for person in members),
            true_positive,
            negative - true_negative,
            true_negative,
            positive - true_positive,
        )
        unknown = (row[1] - row[2] - row[3], row[0] - row[1] - row[4] - row[5])
        shown = len(members) >= 25 and min(row[0] - row[1], *row[1:], *unknown) >= 1
        expected.append(row if shown else (0,) * len(Count))
    assert outcome.table == tuple(expected)
    assert 0 < expected.count((0,) * len(Count)) < len(expected)


def test_a_model_that_selects_one_person_reads_nothing_of_her_in_a_table() -> None:
    rules = replace(EIGHTY, floor=5, fewest_decided=5)
    people = group(0, 10, 20) + group(1, 1, 20)
    outcome = certified(rules, people, Disclosure.TABLE)
    assert outcome.reason is NoVerdict.TOO_FEW_DECIDED
    assert outcome.table == ((0, 0), (0, 0))


def test_against_the_most_selected_z_tests_compare_with_it_alone() -> None:
    """Of the second and the third group the rates differ significantly, which nothing asks."""
    rules = Rules(
        (3,),
        ((0,),),
        (("acceptance_rate_z_test", (Fraction("1.96"),)),),
        reference="most_selected",
    )
    people = group(0, 6, 10) + group(1, 500, 1000) + group(2, 400, 1000)
    assert agree(rules, people).verdict == "PASS"


def test_without_a_verdict_a_table_is_empty() -> None:
    rules = replace(EIGHTY, floor=5, fewest_answers=100)
    outcome = certified(rules, group(0, 10, 20) + group(1, 10, 20), Disclosure.TABLE)
    assert outcome.verdict is Verdict.UNDETERMINED
    assert outcome.table == ((0, 0), (0, 0))


def test_of_several_groupings_a_table_shows_all_groups_or_none() -> None:
    rules = Rules(
        (2, 3), ((0,), (1,)), (("p_rule", (Fraction(80),)),), floor=10, small_groups="excluded"
    )

    def people(n_last: int) -> list[Person]:
        sizes = {(0, 0): 40, (1, 0): 40, (0, 1): 40, (0, 2): n_last}
        return [Person(cell, number % 2, None) for cell, n in sizes.items() for number in range(n)]

    whole = certified(rules, people(40), Disclosure.TABLE)
    assert whole.table == ((120, 60), (40, 20), (80, 40), (40, 20), (40, 20))
    assert set(certified(rules, people(9), Disclosure.TABLE).table) == {(0, 0)}


def test_without_a_table_policy_no_count_is_opened() -> None:
    outcome = certified(EIGHTY, group(0, 5, 10) + group(1, 5, 10))
    assert (outcome.table, outcome.left_out) == ((), ())


def test_three_groups_of_a_hundred_and_twenty_thousand_people_stay_three() -> None:
    """Of 72,664, 42,645 and 5,881 people the first two pass alone; the third must not vanish."""
    sizes = (72_664, 42_645, 5_881)
    rules = Rules((3,), ((0,),), (("p_rule", (Fraction(80),)),))
    spec = spec_of(rules, Disclosure.TABLE)
    choices = np.repeat(np.arange(3), sizes)[:, None]
    selected = np.concatenate([np.arange(n) < share for n, share in zip(
        sizes, (36_332, 20_000, 2_000), strict=True)])  # fmt: skip
    features = np.where(selected, 5, -5)[:, None]
    outcome = certify_in_the_clear(spec, one_hot(choices, (4,)), features, SIGN, NONCE)
    assert outcome.table == ((72_664, 36_332), (42_645, 20_000), (5_881, 2_000))
    assert (outcome.verdict, outcome.reason) == (Verdict.FAIL, None)
    assert NoVerdict.GROUP_UNDER_FLOOR in spec.reasons


@pytest.mark.slow
@datasets.ON_EACH
def test_every_criterion_on_real_data_equals_oracle_and_reference(name: str) -> None:
    """All of them in one run, over every attribute and, where there are two, their crossing."""
    data: RealData = getattr(datasets, name)()
    theta = datasets.fitted_theta(data)
    categories = tuple(count - 1 for count in data.entry_counts)
    groupings = [(number,) for number in range(len(categories))]
    rules = Rules(
        categories,
        tuple(groupings if len(groupings) == 1 else [*groupings, (0, 1)]),
        tuple((name, LIMITS[rates_of(name)[1]]) for name in _CRITERIA),
        floor=100,
        small_groups="excluded_and_named",
    )
    people = [
        Person(tuple(choices), decide(theta, row, datasets.X_FRAC_BITS), int(outcome))
        for choices, row, outcome in zip(
            data.choices.tolist(), data.features.tolist(), data.labels, strict=True
        )
    ]
    expected = judge_rates(rules, people)
    assert expected.verdict != "UNDETERMINED"
    spec = replace(
        spec_of(rules), n_features=data.features.shape[1], feature_ranges=data.feature_ranges
    )
    answers = one_hot(data.choices, data.entry_counts)
    oracle = certify_in_the_clear(spec, answers, data.features, theta, NONCE, data.labels)
    assert read(oracle) == expected
    modeler, regulator = deal_records(answers, data.features, seeded_randomness(7), data.labels)
    outcomes = certify_on_both_sides(spec, modeler, regulator, theta)
    assert [read(outcome) for outcome in outcomes] == [expected, expected]
