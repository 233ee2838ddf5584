"""The demo's plan on the real data: who should pass, and that permuted answers turn it round."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from mpc_engine.client.demo.data import COLUMNS, CreditData, read_german_credit
from mpc_engine.client.demo.expectations import (
    COVARIANCE,
    FAIL,
    P_RULE,
    PASS,
    Measured,
    largest_covariance,
    smallest_ratio,
)
from mpc_engine.client.demo.limits import separating_limits
from mpc_engine.client.demo.plan import FAIR, UNCONSTRAINED, make_plan
from mpc_engine.client.demo.study import draft_study
from mpc_engine.client.export import decide_source, model_text
from mpc_engine.control.configuration import StudyParty, check_draft, complete_draft


@pytest.fixture(scope="module")
def data() -> CreditData:
    return read_german_credit()


def test_data_is_the_one_of_the_paper(data: CreditData) -> None:
    assert (len(data.rows), len(COLUMNS)) == (1000, 23)
    assert (sum(data.good), Counter(data.age_group)) == (700, {0: 810, 1: 190})
    for position, column in enumerate(COLUMNS):
        values = [row[position] for row in data.rows]
        assert column.minimum <= min(values) <= max(values) <= column.maximum, column.name


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_permuting_the_answers_changes_which_model_fails(data: CreditData, seed: int) -> None:
    true = make_plan(data, seed, permute_labels=False)
    permuted = make_plan(data, seed, permute_labels=True)
    assert (true.model(PASS).name, true.model(FAIL).name) == (FAIR, UNCONSTRAINED)
    assert (permuted.model(PASS).name, permuted.model(FAIL).name) == (UNCONSTRAINED, FAIR)
    assert true.policy == permuted.policy
    assert Counter(true.answers) == Counter(permuted.answers)
    for plan in (true, permuted):
        percent, covariance = (Fraction(limits.certify_at) for limits in plan.policy)
        passing, failing = plan.model(PASS).measured, plan.model(FAIL).measured
        assert percent == 80
        assert failing.percent + 2 <= percent <= passing.percent - 2
        assert passing.covariance * Fraction(11, 10) <= covariance
        assert covariance * Fraction(11, 10) <= failing.covariance


def test_plan_is_the_same_for_the_same_seed_and_its_draft_is_valid(data: CreditData) -> None:
    first, again = (make_plan(data, 7, permute_labels=False) for _ in range(2))
    assert (first.answers, first.policy) == (again.answers, again.policy)
    assert [model.decisions for model in first.models] == [m.decisions for m in again.models]
    assert make_plan(data, 6, permute_labels=False).answers != first.answers
    check_draft(draft_study(first))


def test_integers_stay_close_to_the_fitted_floats(data: CreditData) -> None:
    *fitted, divided = make_plan(data, 3, permute_labels=False).models
    for model in fitted:
        assert model.largest_score_error < 0.005
        assert model.decisions_changed <= 2
    assert divided.largest_score_error < 0.0005


@pytest.mark.parametrize("permute_labels", [False, True])
def test_divided_model_passes_every_covariance_limit_and_still_fails(
    data: CreditData, permute_labels: bool
) -> None:
    plan = make_plan(data, 1, permute_labels=permute_labels)
    failing, divided = plan.model(FAIL), plan.divided
    assert divided.name == f"{failing.name} / 1000"
    assert divided.measured.covariance < failing.measured.covariance / 900
    percent, covariance = plan.policy
    assert {divided.measured.verdict(COVARIANCE, c) for c in covariance.thresholds} == {PASS}
    assert divided.measured.verdict(P_RULE, percent.certify_at) == FAIL
    assert plan.verdict(divided) == FAIL
    changed = sum(a != b for a, b in zip(failing.decisions, divided.decisions, strict=True))
    assert changed <= 30


def test_exported_decide_makes_the_same_decisions_on_everybody(data: CreditData) -> None:
    plan = make_plan(data, 4, permute_labels=False)
    party = StudyParty("A party", bytes(16), bytes(32), bytes(32))
    draft = draft_study(plan)
    configuration = complete_draft(draft, study_id=bytes(16), modeler=party, regulator=party)
    names = [column.name for column in COLUMNS]
    for model in plan.models:
        decide: dict[str, Any] = {"__name__": "decide"}
        exec(decide_source(model_text(model.fitted, configuration), configuration), decide)
        cases = [dict(zip(names, row, strict=True)) for row in data.rows]
        assert tuple(decide["decide"](case) for case in cases) == model.decisions


VALUES = [Fraction(v, 7) for v in (3, -2, 0, 11, 4, -9)]
ANSWERS = [0, 1, 1, 0, 2, 0]


def test_covariance_equals_the_textbook_formula_and_leaves_out_who_declines() -> None:
    kept = [index for index, answer in enumerate(ANSWERS) if answer < 2]
    z = np.array([ANSWERS[i] == 0 for i in kept], dtype=float)
    u = np.array([float(VALUES[i]) for i in kept])
    expected = abs(np.mean((z - z.mean()) * u))
    assert float(largest_covariance(VALUES, ANSWERS, 2)) == pytest.approx(expected)


def test_ratio_counts_a_score_of_zero_as_accepted_and_leaves_out_who_declines() -> None:
    assert smallest_ratio(VALUES, ANSWERS, 2) == Fraction(1, 2) / Fraction(2, 3)


def test_equality_holds_in_both_criteria() -> None:
    found = Measured(percent=Fraction(80), covariance=Fraction(1, 20))
    assert (found.verdict(P_RULE, "80"), found.verdict(P_RULE, "80.1")) == (PASS, FAIL)
    assert (found.verdict(COVARIANCE, "0.05"), found.verdict(COVARIANCE, "0.04")) == (PASS, FAIL)


def test_limits_without_room_are_not_chosen() -> None:
    near = [Measured(Fraction(90), Fraction(1, 10)), Measured(Fraction(901, 10), Fraction(1, 20))]
    far = Measured(Fraction(50), Fraction(3, 10))
    assert separating_limits(passing=[near[1]], failing=[near[0]]) == []
    percent, covariance = separating_limits(passing=near, failing=[far])
    assert (percent.thresholds[0], percent.certify_at) == ("50", "80")
    assert covariance.certify_at == "0.2"
