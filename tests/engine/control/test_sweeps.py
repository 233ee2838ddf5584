"""Which c is tried, refined and taken."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise

import pytest

from mpc_engine.control.policies.policy import Policy, PolicyCriterion
from mpc_engine.control.studies.sweeps import (
    Candidate,
    best_certified,
    proposed_ladder,
    refined,
    threshold_for,
)
from mpc_engine.errors import UsageError

TARGET = Fraction(80)


def model(
    c: str, passed: int | None = None, failed: int | None = None, right: int | None = None
) -> Candidate:
    certified = passed is not None and passed >= 80
    top, bottom = (None if each is None else Fraction(each) for each in (passed, failed))
    return Candidate(f"c={c}", Fraction(c), top, bottom, certified, right)


def test_the_ladder_falls_by_half_decades_and_starts_lower_for_a_stricter_target() -> None:
    assert proposed_ladder(80) == ("0.1", "0.03", "0.01", "0.003", "0.001")
    assert proposed_ladder(Fraction(90), 4) == ("0.03", "0.01", "0.003", "0.001")
    assert proposed_ladder(50, 1) == ("0.1",)
    longest = [Fraction(value) for value in proposed_ladder(100, 12)]
    assert all(Fraction(3, 10) <= after / before < 1 for before, after in pairwise(longest))
    assert min(longest) == Fraction("0.00001")


@pytest.mark.parametrize(("target", "n"), [(0, 5), (101, 5), (80, 0), (80, 13)])
def test_a_ladder_that_cannot_be_is_refused(target: int, n: int) -> None:
    with pytest.raises(UsageError):
        proposed_ladder(target, n)


def test_refining_goes_between_the_last_failing_and_the_first_passing_c() -> None:
    found = [
        model("0.1", 60, 70),
        model("0.03", 70, 80),
        model("0.01", 80, 90),
        model("0.003", 95),
    ]
    assert refined(found, TARGET) == "0.017"
    assert refined([*found, model("0.017", 80, 90)], TARGET) == "0.023"
    assert refined([*found, model("0.017", 70, 80)], TARGET) == "0.013"


def test_nothing_is_refined_without_both_sides_or_between_neighbours() -> None:
    assert refined([model("0.1", 80, 90), model("0.01", 95)], TARGET) is None
    assert refined([model("0.1", 60, 70), model("0.01", None, 50)], TARGET) is None
    assert refined([model("0.1"), model("0.01", 80, 90)], TARGET) is None
    assert refined([model("0.0105", 70, 80), model("0.01", 80, 90)], TARGET) is None
    assert refined([], TARGET) is None


def test_a_large_c_is_refined_too() -> None:
    assert refined([model("400", 70, 80), model("100", 80, 90)], TARGET) == "200"


def test_the_most_accurate_certified_model_that_passed_the_target_is_taken() -> None:
    found = [
        model("0.1", 70, 80, 900),
        model("0.03", 80, 90, 840),
        model("0.01", 80, 90, 850),
        model("0.003", 95, None, 850),
    ]
    best = best_certified(found, TARGET)
    assert best is not None
    assert best.c == Fraction("0.01")
    stricter = best_certified(found, Fraction(90))
    assert stricter is not None
    assert stricter.c == Fraction("0.003")
    assert best_certified(found[:1], TARGET) is None


def test_where_accuracy_is_not_known_the_loosest_is_taken() -> None:
    best = best_certified([model("0.003", 95), model("0.03", 80, 90)], TARGET)
    assert best is not None
    assert best.c == Fraction("0.03")
    known = best_certified([model("0.003", 95, None, 500), model("0.03", 80, 90)], TARGET)
    assert known is not None
    assert known.c == Fraction("0.003")


def test_a_model_without_a_certificate_is_not_taken() -> None:
    passed = Candidate("m", Fraction(1), Fraction(90), None, certified=False, right_per_mille=900)
    assert best_certified([passed], TARGET) is None


def test_a_target_between_two_thresholds_is_shown_by_the_next_one_up() -> None:
    rule = PolicyCriterion("p_rule", ("70", "80", "90"), "80")
    policy = Policy("published", 2, (rule,), "each_pair", 2, 1, 5, (("age",),))
    assert threshold_for(policy, Fraction(80)) == "80"
    assert threshold_for(policy, Fraction(85)) == "90"
    assert threshold_for(policy, Fraction(95)) is None
    by_accuracy = (PolicyCriterion("accuracy_ratio", ("80",), "80"),)
    other = Policy("verdict", 2, by_accuracy, "each_pair", 2, 1, 5, (("age",),))
    assert threshold_for(other, Fraction(80)) is None
