"""No verdict and no table rests on few decisions of one kind, whatever is compared."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest

from mpc_engine.vocabulary.policies import Disclosure
from mpc_engine.vocabulary.rates import Count
from mpc_engine.vocabulary.verdicts import NoVerdict
from tests.engine.protocols.rate_cases import rules_for
from tests.engine.protocols.rate_reference import Person, Rules
from tests.engine.protocols.rate_runs import EIGHTY, agree, certified, group


def test_a_group_without_positives_has_no_true_positive_rate() -> None:
    rules = rules_for("true_positive_rate_difference", "2 groups")
    people = [Person((0,), 1, 1), Person((0,), 0, 1), Person((1,), 1, 0), Person((1,), 0, 0)]
    assert agree(rules, people).reason == "TOO_FEW_DECIDED"


def test_a_rate_about_outcomes_needs_both_decisions_too() -> None:
    rules = rules_for("positive_predictive_value_difference", "2 groups")
    people = [Person((k,), 1, y) for k in (0, 1) for y in (0, 1)]
    assert agree(rules, people).reason == "TOO_FEW_DECIDED"
    assert agree(rules, people + group(0, 0, 1) + group(1, 0, 1)).reason is None


@pytest.mark.slow
@pytest.mark.parametrize("bound", ["ratio", "difference", "z_test"])
def test_a_rate_that_is_zero_in_a_group_is_too_few_decided_under_every_bound(bound: str) -> None:
    wrong = [Person((k,), decision, 1 - decision) for k in (0, 1) for decision in (0, 1)]
    rules = rules_for(f"accuracy_{bound}", "2 groups")
    assert agree(rules, wrong).reason == "TOO_FEW_DECIDED"
    assert agree(rules, [*wrong, Person((0,), 1, 1)]).reason == "TOO_FEW_DECIDED"
    assert agree(rules, wrong + [Person((k,), 1, 1) for k in (0, 1)]).verdict == "PASS"


@pytest.mark.parametrize("missing", ["left_out", "bounds_shown", "worst_case_certifies"])
def test_silent_people_do_not_lift_a_group_over_the_floor_on_decisions(missing: str) -> None:
    rules = replace(EIGHTY, missing=missing, fewest_decided=5)
    silent = [Person((None,), number % 2, None) for number in range(40)]
    assert agree(rules, group(0, 5, 10) + group(1, 4, 10) + silent).reason == "TOO_FEW_DECIDED"
    assert agree(rules, group(0, 5, 10) + group(1, 5, 10) + silent).reason is None


def test_a_shown_group_has_no_count_of_nobody() -> None:
    """A count of 0 is what pages take for hidden, also where no group has such people."""
    people = [Person((k,), d, y) for k in (0, 1) for d, y in ((1, 1), (0, 0), (0, 1))] * 5
    outcome = certified(rules_for("accuracy_difference", "2 groups"), people, Disclosure.TABLE)
    assert outcome.reason is None
    assert outcome.table == ((0,) * len(Count),) * 2


def test_a_shown_group_is_held_to_both_floors() -> None:
    """The smallest group is of people, the floor on decisions of each count."""
    rules = replace(
        EIGHTY,
        categories=(3,),
        floor=20,
        floor_percent=Fraction(12),
        fewest_decided=5,
        small_groups="excluded",
    )
    large = group(0, 40, 100) + group(1, 40, 100)
    for size, selected, shown in ((20, 10, True), (19, 9, False), (20, 4, False), (20, 16, False)):
        outcome = certified(rules, [*large, *group(2, selected, size)], Disclosure.TABLE)
        assert outcome.table == ((100, 40), (100, 40), (size, selected) if shown else (0, 0))


def _of_each(category: int, n: int) -> list[Person]:
    """Return ``n`` people of a category of each decision and known outcome."""
    return [Person((category,), d, y) for d in (0, 1) for y in (0, 1)] * n


@pytest.mark.parametrize("group_of_her", [0, 1])
def test_a_table_of_outcomes_does_not_show_one_person_as_a_difference(group_of_her: int) -> None:
    """She alone is selected and of unknown outcome: the selected less TP and FP would be she."""
    rules = replace(rules_for("positive_predictive_value_difference", "2 groups"), fewest_decided=3)
    people = _of_each(0, 5) + _of_each(1, 5)
    assert certified(rules, people, Disclosure.TABLE).reason is None
    outcome = certified(rules, [*people, Person((group_of_her,), 1, None)], Disclosure.TABLE)
    assert outcome.reason is NoVerdict.TOO_FEW_DECIDED
    assert {value for row in outcome.table for value in row} == {0}


@pytest.mark.parametrize("group_of_her", [0, 1])
def test_two_rates_together_do_not_turn_on_one_person(group_of_her: int) -> None:
    """Of the selected she alone has no good outcome; the verdict would be PASS for one group."""
    rules = Rules(
        (2,),
        ((0,),),
        (("p_rule", (Fraction(80),)), ("true_positive_rate_difference", (Fraction(50),))),
        fewest_decided=5,
    )
    positive = [Person((k,), d, 1) for k in (0, 1) for d in (0, 1)] * 5
    negative = [Person((0,), 0, 0)] * 40 + [Person((1,), 0, 0)] * 30
    assert agree(rules, positive + negative + [Person((group_of_her,), 1, 0)]).reason == (
        "TOO_FEW_DECIDED"
    )
    more = [Person((k,), 1, 0) for k in (0, 1)] * 5
    assert agree(rules, positive + negative + more).reason is None


@pytest.mark.parametrize("group_of_her", [0, 2])
@pytest.mark.parametrize("disclosure", [Disclosure.VERDICT, Disclosure.TABLE])
def test_a_class_that_only_a_group_left_out_has_ends_the_verdict(
    group_of_her: int, disclosure: Disclosure
) -> None:
    """Else a verdict would say that she, who alone is selected and negative, is in that group."""
    rules = Rules(
        (3,),
        ((0,),),
        (("p_rule", (Fraction(80),)), ("true_positive_rate_difference", (Fraction(50),))),
        floor=5,
        fewest_decided=5,
        small_groups="excluded_and_named",
    )
    people = [Person((k,), d, 1) for k in (0, 1) for d in (0, 1)] * 20
    people += [Person((k,), 0, 0) for k in (0, 1)] * 20 + [Person((2,), 0, 0)] * 2
    outcome = certified(rules, [*people, Person((group_of_her,), 1, 0)], disclosure)
    assert outcome.reason is NoVerdict.TOO_FEW_DECIDED
    assert not any(value for row in outcome.table for value in row)
    assert certified(rules, people, disclosure).reason is None


def test_a_table_hides_a_group_left_out_of_which_a_difference_is_one_person() -> None:
    rules = replace(
        rules_for("positive_predictive_value_difference", "2 groups"),
        categories=(3,),
        floor_percent=Fraction(30),
        floor=2,
        fewest_decided=2,
        small_groups="excluded",
    )
    people = [p for k in (0, 1) for p in (*_of_each(k, 5), *[Person((k,), 1, None)] * 2)]
    small = [*_of_each(2, 2), *[Person((2,), 1, None)] * 2]
    shown = certified(rules, people + small, Disclosure.TABLE)
    assert shown.table[2] == (10, 6, 2, 2)
    hidden = certified(rules, people + small[:-1], Disclosure.TABLE)
    assert hidden.table == (*shown.table[:2], (0, 0, 0, 0))
