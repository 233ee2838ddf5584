from __future__ import annotations

from dataclasses import replace

import pytest

from mpc_engine.control.policies.policy_terms import MAX_QUESTION_BITS
from mpc_engine.control.studies.constraint_words import constraint_caveat, constraint_sentence
from mpc_engine.control.studies.training_terms import (
    MAX_OUTPUT_FRAC_BITS,
    OUTPUT_INT_BITS,
    TrainingTerms,
    check_training,
    constrained_categories,
    read_training_terms,
    training_bits,
)
from mpc_engine.control.texts.canonical import JsonObject
from mpc_engine.control.texts.fields import Fields
from mpc_engine.errors import UsageError
from mpc_engine.party.studies.protocol_terms import training_point_spec
from mpc_engine.protocols.training.row_sets import RowSet, row_sets_of
from mpc_engine.vocabulary.constraints import Constraint, ConstraintScope
from tests.builders.study_drafts import make_configuration

TERMS = TrainingTerms("recommended", 300, 64, (("0.01",) * 4,), 16, b"o" * 16)


def test_one_constraint_stands_for_two_categories_and_each_of_more_has_its_own() -> None:
    names = [
        (attribute.name, category.name)
        for attribute, category in constrained_categories(make_configuration())
    ]
    assert names == [("age", "over_25"), ("origin", "here"), ("origin", "near"), ("origin", "far")]


def test_the_signed_terms_name_the_constraint_always() -> None:
    for constraint in Constraint:
        terms = replace(TERMS, constraint=constraint)
        body: JsonObject = terms.to_json()
        assert body["constraint"] == constraint.value
        assert read_training_terms(Fields(body, "training", code="X")) == terms
        assert training_bits(make_configuration(), terms) == 3 * 19
    for wrong in ("positive_predictive_value", "", 1):
        body = {**TERMS.to_json(), "constraint": wrong}
        with pytest.raises(UsageError):
            read_training_terms(Fields(body, "training", code="X"))
    del body["constraint"]
    with pytest.raises(UsageError):
        read_training_terms(Fields(body, "training", code="X"))


def test_no_study_can_ask_for_covariances_of_a_steps_own_rows() -> None:
    """The floor on people is none on a batch: two steps tell one person's answer."""
    for word in ("scope", "constraint_scope"):
        for value in ConstraintScope:
            body: JsonObject = {**TERMS.to_json(), word: value.value}
            with pytest.raises(UsageError, match=word):
                read_training_terms(Fields(body, "training", code="X"))
    configuration = make_configuration(data_holder="modeler")
    for constraint in Constraint:
        terms = replace(TERMS, constraint=constraint)
        spec = training_point_spec(configuration, terms.at(0), 400, (1 << 12, 1 << 14))
        assert not spec.is_on_minibatch


def test_every_constraint_has_words_of_its_own() -> None:
    assert len({constraint_sentence(name, str) for name in Constraint}) == len(Constraint)


@pytest.mark.parametrize("constraint", Constraint)
def test_the_words_promise_no_more_than_a_proxy_and_name_the_floor(constraint: Constraint) -> None:
    said = constraint_caveat(constraint, 23, str)
    assert "only a certification tells" in said
    assert ("the modeler's party's word" in said) is constraint.depends_on_outcomes
    assert ("fewer than 23" in said) is any(s.is_conditional for s in row_sets_of(constraint))
    assert constraint.depends_on_outcomes is (row_sets_of(constraint) != (RowSet.ALL,))


def test_every_bit_of_every_coefficient_is_charged() -> None:
    assert training_bits(make_configuration(), TERMS) == 3 * 19
    paper = replace(TERMS, preset="paper")
    assert training_bits(make_configuration(), paper) == 3 * 22
    swept = replace(TERMS, points=(("0.01",) * 4, ("0.1",) * 4, ("1",) * 4))
    assert training_bits(make_configuration(), swept) == 3 * 3 * 19
    assert swept.at(1) == replace(TERMS, points=(("0.1",) * 4,))


def test_the_largest_study_can_be_trained_on_once_at_full_precision() -> None:
    assert 257 * (max(OUTPUT_INT_BITS.values()) + MAX_OUTPUT_FRAC_BITS) <= MAX_QUESTION_BITS


def test_training_needs_data_at_the_modeler_and_a_bound_for_each_constraint() -> None:
    at_modeler = make_configuration(data_holder="modeler")
    check_training(at_modeler, TERMS)
    with pytest.raises(UsageError) as caught:
        check_training(make_configuration(), TERMS)
    assert caught.value.code == "TRAINING_NEEDS_MODELER_DATA"
    with pytest.raises(UsageError) as caught:
        check_training(at_modeler, replace(TERMS, points=(*TERMS.points, ("0.1",) * 3)))
    assert caught.value.code == "TRAINING_BOUND_COUNT"
