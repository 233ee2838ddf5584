"""Policies: what they mean, cost and refuse."""

from __future__ import annotations

import math
from typing import Any

import pytest

from mpc_engine.control.policies.charge import certification_bits, n_outcomes
from mpc_engine.control.policies.policy import read_policy
from mpc_engine.control.studies.configuration import draft_faults
from mpc_engine.control.texts.canonical import canonical_text, parse_canonical
from mpc_engine.control.texts.fields import Fields
from mpc_engine.errors import UsageError
from mpc_engine.party.studies.protocol_terms import certification_spec
from tests.builders.policies import P_RULE, bracket, criterion, named_groups
from tests.builders.study_drafts import make_configuration, make_draft

_WIDE = {"question_bits_limit": 10_000}


def _refused(policy: dict[str, Any], **changes: Any) -> UsageError:
    return draft_faults(make_draft(policy=policy, **{**_WIDE, **changes}))[0]


@pytest.mark.parametrize(
    "policy",
    [
        make_draft()["policy"],
        named_groups(),
        named_groups(criterion("equalised_odds_difference", "10"), criterion("p_rule", "80")),
        named_groups(criterion("accuracy_ratio", "80", "90"), small_groups="excluded"),
        named_groups(bracket("p_rule", "80"), disclosure="bracket"),
        named_groups(small_groups="excluded_and_named", minimum_percent="2", disclosure="table"),
        named_groups(missing_answers="worst_case_certifies", comparison="most_selected"),
        named_groups(criterion("p_rule", "80"), criterion("acceptance_rate_z_test", "1.96")),
    ],
)
def test_a_policy_is_read_and_written_alike(policy: dict[str, Any]) -> None:
    configuration = make_configuration(policy=policy, **_WIDE)
    written = configuration.policy.to_json()
    assert written == policy
    fields = Fields(parse_canonical(canonical_text(written)), "policy", code="X")
    assert read_policy(fields) == configuration.policy
    spec = certification_spec(configuration)
    assert spec.reasons == configuration.policy.reasons
    assert spec.counts == configuration.policy.counts
    assert sum(map(len, spec.cells)) == len(configuration.groups)


def test_no_policy_can_ask_for_noise_yet() -> None:
    """A noised study has a budget, a margin and words of its own, which no policy has."""
    for word in ("noise", "epsilon", "delta", "scale"):
        for policy in (make_draft()["policy"], named_groups()):
            with pytest.raises(UsageError, match=word):
                read_policy(Fields({**policy, word: "1"}, "policy", code="X"))
    assert certification_spec(make_configuration()).epsilon is None
    configuration = make_configuration(policy=named_groups(), **_WIDE)
    assert certification_spec(configuration).epsilon is None


def test_groups_are_named_in_the_order_of_the_computation() -> None:
    groups = make_configuration(policy=named_groups(groups=[["origin", "age"]])).groups
    assert groups[:3] == (
        (("origin", "here"), ("age", "over_25")),
        (("origin", "here"), ("age", "up_to_25")),
        (("origin", "near"), ("age", "over_25")),
    )
    first = make_configuration().groups
    assert [names[0][1] for names in first] == ["over_25", "up_to_25", "here", "near", "far"]


@pytest.mark.parametrize(
    ("changes", "named"),
    [
        ({"kind": "noised"}, "kind"),
        ({"questions": 0}, "questions"),
        ({"questions": 17}, "questions"),
        ({"groups": []}, "groups"),
        ({"groups": [[]]}, "groups"),
        ({"groups": ["age"]}, "groups"),
        ({"groups": [["age", "age"]]}, "groups"),
        ({"groups": [["age", 1]]}, "groups"),
        ({"groups": [["age", "origin"], ["origin", "age"]]}, "groups"),
        ({"minimum_group": 1}, "minimum_group"),
        ({"minimum_decided": 4}, "minimum_decided"),
        ({"minimum_percent": "50"}, "minimum_percent"),
        ({"minimum_percent": "-1"}, "minimum_percent"),
        ({"small_groups": "ignored"}, "small_groups"),
        ({"missing_answers": "guessed"}, "missing_answers"),
        ({"disclosure": "everything"}, "disclosure"),
        ({"comparison": "best_pair"}, "comparison"),
        ({"surprise": 1}, "surprise"),
        ({"criteria": [criterion("accuracy_difference", "101")]}, "criteria[0].thresholds"),
        ({"criteria": [criterion("accuracy_ratio", "0")]}, "criteria[0].thresholds"),
        ({"criteria": [criterion("accuracy_z_test", "0")]}, "criteria[0].thresholds"),
        ({"criteria": [criterion("acceptance_rate_ratio", "80")]}, "criteria[0].criterion"),
    ],
)
def test_a_fault_is_named(changes: dict[str, Any], named: str) -> None:
    refusal = _refused(named_groups(**changes))
    assert refusal.code == "CONFIGURATION_INVALID"
    assert named in refusal.sentence


@pytest.mark.parametrize(
    "name",
    [
        "kind",
        "questions",
        "minimum_decided",
        "minimum_percent",
        "small_groups",
        "disclosure",
        "groups",
    ],
)
def test_no_field_has_a_silent_default(name: str) -> None:
    policy = named_groups()
    del policy[name]
    assert f"policy.{name} is missing" in _refused(policy).sentence


@pytest.mark.parametrize(
    ("policy", "code"),
    [
        (named_groups(criterion("accuracy_z_test", "2")), "POLICY_NO_BOUND_ON_RATES"),
        (named_groups(criterion("covariance", "2")), "POLICY_COVARIANCE"),
        (named_groups(P_RULE, criterion("covariance", "1")), "POLICY_COVARIANCE"),
        (
            named_groups(
                criterion("p_rule", "80"),
                criterion("accuracy_z_test", "2"),
                missing_answers="bounds_shown",
            ),
            "POLICY_NO_WORST_CASE",
        ),
        (
            named_groups(
                criterion("accuracy_ratio", "80"),
                missing_answers="bounds_shown",
                comparison="most_selected",
            ),
            "POLICY_NO_WORST_CASE",
        ),
        (
            named_groups(missing_answers="worst_case_certifies", small_groups="excluded"),
            "POLICY_NO_WORST_CASE",
        ),
        (named_groups(disclosure="bracket"), "POLICY_NO_LADDER"),
        (named_groups(groups=[["colour"]]), "POLICY_GROUP_UNKNOWN"),
        (
            named_groups(groups=[["age", "origin"], ["age", "sex"]]),
            "POLICY_GROUPS_CROSSED_IN_PART",
        ),
        (
            named_groups(groups=[["age", "origin"], ["age", "sex"], ["origin", "sex"]]),
            "POLICY_GROUPS_CROSSED_IN_PART",
        ),
        (
            named_groups(groups=[["x"], ["age", "origin"], ["sex", "job"], ["origin", "sex"]]),
            "POLICY_GROUPS_CROSSED_IN_PART",
        ),
    ],
)
def test_a_policy_that_certifies_nothing_is_refused_by_name(
    policy: dict[str, Any], code: str
) -> None:
    assert _refused(policy).code == code


_BRACKET = named_groups(bracket("p_rule", "80"), disclosure="bracket")
_LADDER = named_groups(criterion("accuracy_difference", "10"), criterion("p_rule", "70", "80"))


@pytest.mark.parametrize(
    ("policy", "where", "named"),
    [
        (named_groups(disclosure="table"), "disclosure", "counts of every group"),
        (_BRACKET, "disclosure", "between which steps"),
        (named_groups(small_groups="excluded_and_named"), "small_groups", "which groups are small"),
        (named_groups(missing_answers="bounds_shown"), "missing_answers", "worst and the best"),
        (_LADDER, "criteria[1].thresholds", "which of several limits"),
    ],
)
def test_a_study_of_verdicts_opens_nothing_else(
    policy: dict[str, Any], where: str, named: str
) -> None:
    make_configuration(policy={**policy, "kind": "published"}, **_WIDE)
    refusal = _refused({**policy, "kind": "verdict"})
    assert (refusal.code, refusal.where) == ("POLICY_KIND_UNFIT", f"configuration.policy.{where}")
    assert named in refusal.sentence


def test_a_study_of_published_numbers_publishes_some() -> None:
    make_configuration(policy=named_groups(kind="verdict"), **_WIDE)
    refusal = _refused(named_groups(kind="published"))
    assert (refusal.code, refusal.where) == ("POLICY_KIND_UNFIT", "configuration.policy.kind")


def test_a_policy_that_no_limit_pays_for_is_refused() -> None:
    refusal = _refused(named_groups(disclosure="table"), question_bits_limit=20)
    assert refusal.code == "POLICY_ABOVE_QUESTION_LIMIT"
    many = [{"name": f"c{n}", "title": f"C{n}"} for n in range(16)]
    attributes = [
        {"name": f"a{n}", "title": f"A{n}", "question": f"A{n}?", "categories": many}
        for n in range(2)
    ]
    policy = named_groups(groups=[["a0", "a1"]])
    assert _refused(policy, attributes=attributes).code == "POLICY_TOO_MANY_GROUPS"


def test_a_certification_is_charged_for_all_that_it_can_tell() -> None:
    def bits(**changes: Any) -> float:
        configuration = make_configuration(policy=named_groups(**changes), **_WIDE)
        return certification_bits(configuration.policy, len(configuration.groups), 1023)

    n_groups = 2 + 3 + 6
    ladder = [criterion("p_rule", "70", "80", "90")]
    assert bits(criteria=ladder) == math.log2(4 + 3)
    assert bits(criteria=ladder, missing_answers="bounds_shown") == math.log2(4**3 + 3)
    assert bits(criteria=ladder, small_groups="excluded") == math.log2(4 + 3)
    named = bits(criteria=ladder, small_groups="excluded_and_named")
    assert named == math.log2(4 + 3) + n_groups
    table = bits(criteria=ladder, disclosure="table")
    assert table == math.log2(4 + 3) + n_groups * 2 * 10
    odds = [criterion("equalised_odds_difference", "10")]
    assert bits(criteria=odds, disclosure="table") == math.log2(2 + 3) + n_groups * 6 * 10
    assert n_outcomes(make_configuration().policy) == 4 * 3 + 3
