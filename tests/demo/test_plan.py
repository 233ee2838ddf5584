"""The demo's plan on the real data: who should pass, and that permuted answers turn it round."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from demo.data import DATA_COLUMNS, CreditData, read_german_credit
from demo.expectations import (
    FAIL,
    PASS,
    Measured,
    largest_covariance,
    smallest_ratio,
)
from demo.limits import CERTIFY_AT, FOUR_FIFTHS_PERCENT, are_apart
from demo.plan import UNCONSTRAINED, Plan
from demo.planning import make_plan
from demo.scoring import encoded_theta
from demo.study import certification_study, small_study, training_study
from demo.sweep import C_LADDER, training_terms
from mpc_engine.client.export import decide_source, fitted_model_text
from mpc_engine.control.policies.charge import certification_bits
from mpc_engine.control.studies.configuration import draft_faults
from mpc_engine.control.studies.training_terms import check_training, training_bits
from mpc_engine.errors import CheckFailedError
from tests.builders.study_drafts import completed

STRICTEST = f"Trained with c = {C_LADDER[-1]}"


@pytest.fixture(scope="module")
def data() -> CreditData:
    return read_german_credit()


def test_data_is_the_one_of_the_paper(data: CreditData) -> None:
    assert (len(data.rows), len(DATA_COLUMNS)) == (1000, 23)
    assert (sum(data.good), Counter(data.age_group)) == (700, {0: 810, 1: 190})
    for position, column in enumerate(DATA_COLUMNS):
        values = [row[position] for row in data.rows]
        assert column.minimum <= min(values) <= max(values) <= column.maximum, column.name


@cache
def _made(seed: int, *, permute_labels: bool) -> Plan:
    return make_plan(read_german_credit(), seed, permute_labels=permute_labels)


def _plan(seed: int, *, permute_labels: bool) -> Plan:
    """Return a plan after a training whose rows came in the rehearsed order."""
    plan = _made(seed, permute_labels=permute_labels)
    return plan.with_trained(plan.rehearsed)


@pytest.mark.slow
@pytest.mark.parametrize("seed", [1, 2])
def test_permuting_the_answers_changes_which_model_fails(seed: int) -> None:
    true = _plan(seed, permute_labels=False)
    permuted = _plan(seed, permute_labels=True)
    assert (true.model(PASS).name, true.model(FAIL).name) == (STRICTEST, UNCONSTRAINED)
    assert (permuted.model(PASS).name, permuted.model(FAIL).name) == (UNCONSTRAINED, STRICTEST)
    assert Counter(true.answers) == Counter(permuted.answers)
    for plan in (true, permuted):
        percent = FOUR_FIFTHS_PERCENT
        passing, failing = plan.model(PASS).measured, plan.model(FAIL).measured
        assert failing.percent + 6 <= percent <= passing.percent - 6


@pytest.mark.slow
def test_who_is_judged_was_not_in_training_and_only_they_are_permuted() -> None:
    true = _plan(2, permute_labels=False)
    permuted = _plan(2, permute_labels=True)
    assert (len(true.training), len(true.held_out)) == (320, 280)
    assert sorted((*true.training, *true.held_out)) == list(range(600))
    for people in (true.training, true.held_out):
        assert 2 * sum(true.good[i] for i in people) == len(people)
    assert [true.answers[i] for i in true.training] == [permuted.answers[i] for i in true.training]
    assert sum(true.answers[i] != permuted.answers[i] for i in true.held_out) > 20
    model = true.models[0]
    scores = [Fraction(2 * decision - 1) for decision in model.decisions]
    for people, percent in (
        (true.held_out, model.measured.percent),
        (true.training, model.accuracy.percent_in_training),
    ):
        chosen = [scores[i] for i in people], [true.answers[i] for i in people]
        assert 100 * smallest_ratio(*chosen, 2) == percent
    right = sum(model.decisions[i] == true.good[i] for i in true.held_out)
    assert model.accuracy.held_out == Fraction(right, 280)


@pytest.mark.slow
def test_plan_is_the_same_for_the_same_seed_and_its_drafts_are_valid(data: CreditData) -> None:
    first = _plan(2, permute_labels=False)
    again = make_plan(data, 2, permute_labels=False)
    again = again.with_trained(again.rehearsed)
    assert first.answers == again.answers
    assert [model.decisions for model in first.models] == [m.decisions for m in again.models]
    assert _made(1, permute_labels=False).answers != first.answers
    for draft in (certification_study, training_study):
        assert draft_faults(draft()) == []
    assert draft_faults(small_study("Small")) == []


def test_a_training_fits_the_terms_and_the_bits_of_its_study() -> None:
    draft = training_study()
    configuration = completed(draft)
    terms = training_terms(configuration.study_id)
    check_training(configuration, terms)
    assert training_bits(configuration, terms) == 5 * 24 * 19 <= draft["question_bits_limit"]


def test_every_certification_fits_the_bits_of_its_study() -> None:
    plan = _plan(1, permute_labels=False)
    draft = certification_study()
    configuration = completed(draft)
    each = certification_bits(configuration.policy, 2, len(plan.held_out))
    assert len(plan.models) == 7
    assert 7 * each <= draft["question_bits_limit"]


@pytest.mark.slow
@pytest.mark.parametrize("seed", [1, 2])
def test_p_rises_and_accuracy_falls_along_the_sweep(seed: int) -> None:
    plan = _plan(seed, permute_labels=False)
    assert tuple(model.c for model in plan.trained) == C_LADDER
    percents = [model.measured.percent for model in plan.trained]
    right = [model.accuracy.in_training for model in plan.trained]
    assert percents == sorted(percents)
    assert percents[-1] >= 86 > 74 >= plan.handed_in[0].measured.percent
    assert right[0] - right[-1] >= Fraction(1, 200)
    assert max(b - a for a, b in pairwise(right)) < Fraction(1, 200)
    assert plan.trained[0].accuracy.held_out >= plan.trained[-1].accuracy.held_out > Fraction(1, 2)


def test_trained_models_are_expected_by_the_integers_that_were_trained() -> None:
    plan = _made(2, permute_labels=False)
    models = [encoded_theta(model) for model in plan.rehearsed]
    again = plan.with_integers(models)
    assert [encoded_theta(model.fitted) for model in again.trained] == models
    rehearsed = plan.with_trained(plan.rehearsed)
    for one, other in zip(again.trained, rehearsed.trained, strict=True):
        assert (one.measured, one.decisions) == (other.measured, other.decisions)


def test_without_a_model_that_would_pass_the_plan_says_so() -> None:
    plan = _made(2, permute_labels=False)
    unfair = plan.with_trained([plan.unconstrained] * len(C_LADDER))
    with pytest.raises(CheckFailedError, match="no trained model would PASS"):
        unfair.model(PASS)


def test_integers_stay_close_to_the_fitted_floats() -> None:
    *fitted, divided = _plan(1, permute_labels=False).models
    for model in fitted:
        assert model.largest_score_error < 0.005
        assert model.decisions_changed <= 2
    assert divided.largest_score_error < 0.0005


@pytest.mark.slow
@pytest.mark.parametrize("permute_labels", [False, True])
def test_a_divided_model_has_no_covariance_and_still_fails(permute_labels: bool) -> None:
    plan = _plan(1, permute_labels=permute_labels)
    failing, divided = plan.model(FAIL), plan.divided
    assert divided.name == f"{failing.name} / 100"
    assert divided.measured.covariance < failing.measured.covariance / 90
    assert divided.measured.verdict(CERTIFY_AT) == FAIL
    assert plan.verdict(divided) == FAIL
    changed = sum(a != b for a, b in zip(failing.decisions, divided.decisions, strict=True))
    assert changed <= 30


@pytest.mark.slow
def test_exported_decide_makes_the_same_decisions_on_everybody() -> None:
    plan = _plan(1, permute_labels=False)
    configuration = completed(certification_study())
    names = [column.name for column in DATA_COLUMNS]
    for model in plan.models:
        decide: dict[str, Any] = {"__name__": "decide"}
        exec(decide_source(fitted_model_text(model.fitted, configuration), configuration), decide)
        cases = [dict(zip(names, row, strict=True)) for row in plan.rows]
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


def test_equality_holds() -> None:
    found = Measured(percent=Fraction(80), covariance=Fraction(1, 20))
    assert (found.verdict("80"), found.verdict("80.1")) == (PASS, FAIL)


def test_models_too_near_the_limit_are_not_apart() -> None:
    near, good, bad, close = (
        Measured(Fraction(percent), Fraction(1, 10)) for percent in (85, 90, 50, 75)
    )
    assert not are_apart(passing=[near], failing=[bad])
    assert not are_apart(passing=[good], failing=[bad, close])
    assert are_apart(passing=[good], failing=[bad])
