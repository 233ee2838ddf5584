"""The terms of a policy that an authority publishes: what is read, refused, and where."""

from __future__ import annotations

from typing import Any

import pytest

from mpc_engine.control.policies.charge import certification_bits
from mpc_engine.control.policies.policy_sentence import (
    charge_sentence,
    policy_learners,
    policy_sentences,
)
from mpc_engine.control.policies.policy_terms import read_policy_terms
from mpc_engine.control.texts.canonical import JsonObject
from mpc_engine.errors import DecodeError, UsageError
from tests.builders.policies import bracket, criterion, named_groups
from tests.builders.study_drafts import make_configuration, make_draft


def terms(policy: dict[str, Any] | None = None, **changes: Any) -> JsonObject:
    """Return the terms of the draft of the tests."""
    draft = make_draft()
    named = {name: draft[name] for name in ("attributes", "label")}
    return {**named, "policy": policy or named_groups(), "question_bits_limit": 900, **changes}


def same(text: str) -> str:
    """Translate nothing."""
    return text


def test_terms_are_read_and_written_as_they_were() -> None:
    assert read_policy_terms(terms()).to_json() == terms()


def test_terms_say_what_a_study_with_them_says() -> None:
    study = make_configuration(policy=named_groups(), question_bits_limit=900)
    read = read_policy_terms(terms())
    assert policy_sentences(read.policy, read.attributes, read.label, same) == policy_sentences(
        study.policy, study.attributes, study.label, same
    )


@pytest.mark.parametrize(
    ("changes", "code", "where"),
    [
        ({"criteria": []}, "CONFIGURATION_INVALID", "policy.criteria"),
        ({"criteria": [criterion("p_rule", "0")]}, "", "policy.criteria[0].thresholds"),
        ({"criteria": [criterion("p_rule", "x")]}, "", "policy.criteria[0].thresholds[0]"),
        (
            {"criteria": [criterion("p_rule", "80", certify_at="9")]},
            "",
            "policy.criteria[0]",
        ),
        ({"criteria": [criterion("p_rule", "80")] * 2}, "", "policy.criteria"),
        (
            {"criteria": [criterion("covariance", "1")]},
            "POLICY_COVARIANCE",
            "policy.criteria",
        ),
        ({"criteria": [criterion("accuracy_z_test", "2")]}, "POLICY_NO_BOUND_ON_RATES", "policy."),
        ({"disclosure": "bracket"}, "POLICY_NO_LADDER", "policy.criteria[0].thresholds"),
        ({"groups": [["age"], ["shoe"]]}, "POLICY_GROUP_UNKNOWN", "policy.groups"),
        ({"groups": [["age"], ["age"]]}, "", "policy.groups"),
        ({"minimum_group": 1}, "", "policy.minimum_group"),
        ({"minimum_percent": "50"}, "", "policy.minimum_percent"),
        (
            {"missing_answers": "bounds_shown", "small_groups": "excluded"},
            "POLICY_NO_WORST_CASE",
            "policy.missing_answers",
        ),
        (
            {"disclosure": "table", "minimum_answers": 10**6},
            "POLICY_ABOVE_QUESTION_LIMIT",
            "question_bits_limit",
        ),
    ],
)
def test_a_fault_names_its_field(changes: dict[str, Any], code: str, where: str) -> None:
    policy = {
        **named_groups(),
        **changes,
        "kind": "published" if "disclosure" in changes else "verdict",
    }
    value = terms(policy, question_bits_limit=64)
    with pytest.raises(UsageError) as caught:
        read_policy_terms(value)
    assert caught.value.where.startswith(where)
    assert caught.value.code == (code or "CONFIGURATION_INVALID")


@pytest.mark.parametrize(
    ("changes", "where"),
    [
        ({"question_bits_limit": 7}, "question_bits_limit"),
        ({"attributes": []}, "attributes"),
        ({"label": {}}, "label.name"),
        ({"label": {**make_draft()["label"], "name": "age"}}, "attributes"),
        ({"study_id": "00"}, "study_id"),
    ],
)
def test_other_faults_are_named_too(changes: dict[str, Any], where: str) -> None:
    with pytest.raises(UsageError) as caught:
        read_policy_terms(terms(**changes))
    assert caught.value.where == where


def test_terms_that_are_too_long_or_no_unicode_are_refused() -> None:
    label = {**make_draft()["label"], "title": "\ud800"}
    with pytest.raises((UsageError, DecodeError)):
        read_policy_terms(terms(label=label))
    with pytest.raises(DecodeError):
        read_policy_terms(terms(label={"title": "x" * 100_000}))


@pytest.mark.parametrize(
    ("policy", "words"),
    [
        (named_groups(), "whether each limit is kept"),
        (named_groups(bracket("p_rule", "80"), disclosure="bracket"), "two steps of 5 %"),
        (named_groups(disclosure="table"), "how many people of each group"),
        (named_groups(small_groups="excluded_and_named"), "which groups are too small"),
        (
            named_groups(
                bracket("p_rule", "80"),
                criterion("acceptance_rate_z_test", "2"),
                disclosure="bracket",
            ),
            "5 % each value lies and whether each other limit is kept,",
        ),
        (
            named_groups(disclosure="table"),
            "are decided how and whether each limit is kept,",
        ),
        (
            named_groups(criterion("true_positive_rate_difference", "10"), disclosure="table"),
            "are decided how, how many of each had which outcome and whether each limit is kept,",
        ),
    ],
)
def test_it_is_told_who_learns_what(policy: dict[str, Any], words: str) -> None:
    read = read_policy_terms(terms(policy)).policy
    told = dict(policy_learners(read, same))
    assert list(told) == ["modeler", "regulator", "person", "public"]
    for who in ("modeler", "regulator", "public"):
        assert words in told[who]
    assert told["person"].startswith("what everybody learns, and every question that was asked of")


_OUTCOMES = criterion("true_positive_rate_difference", "10")


@pytest.mark.parametrize(
    "policy",
    [
        named_groups(groups=[["age"]], minimum_decided=7),
        named_groups(_OUTCOMES, groups=[["age"]], minimum_decided=7, disclosure="table"),
        named_groups(groups=[["age"], ["origin"]], minimum_decided=7),
        named_groups(minimum_decided=7, disclosure="table"),
    ],
)
def test_a_person_is_told_what_keeps_one_question_from_singling_her_out(
    policy: dict[str, Any],
) -> None:
    asked = make_draft()["attributes"][: len(policy["groups"])]
    read = read_policy_terms(terms(policy, attributes=asked)).policy
    told = dict(policy_learners(read, same))["person"]
    assert "unless the groups of 7 or more others" in told
    assert "  " not in told


@pytest.mark.parametrize(
    ("groups", "small_groups", "is_said"),
    [
        ([["age", "origin"]], "excluded", True),
        ([["age"], ["origin"], ["age", "origin"]], "excluded_and_named", True),
        ([["age"], ["origin"]], "excluded", False),
        ([["age", "origin"]], "undetermined", False),
    ],
)
def test_a_person_is_told_what_groups_left_out_of_crossed_answers_can_tell(
    groups: list[list[str]], small_groups: str, *, is_said: bool
) -> None:
    read = read_policy_terms(terms(named_groups(groups=groups, small_groups=small_groups))).policy
    told = dict(policy_learners(read, same))["person"]
    assert ("where those left in all gave one answer" in told) is is_said


def test_the_charge_is_what_the_ledger_takes() -> None:
    read = read_policy_terms(terms())
    bits = certification_bits(read.policy, read.n_groups, 1)
    assert f"takes {bits:.1f} bits, however many people" in charge_sentence(read, same)
    assert "(16 certifications)" in charge_sentence(read, same)
    few = read_policy_terms(terms(question_bits_limit=20))
    assert f"({int(20 / bits)} certifications)" in charge_sentence(few, same)
    table = read_policy_terms(terms(named_groups(disclosure="table")))
    for n_people in (1_000, 10_000):
        bits = certification_bits(table.policy, table.n_groups, n_people)
        assert f"{bits:.1f} bits with {n_people:,} people" in charge_sentence(table, same)
