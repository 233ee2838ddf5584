from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from mpc_engine.control.policies.study_terms import CategoryOf
from mpc_engine.control.studies.configuration import draft_faults, parse_configuration
from mpc_engine.control.texts.canonical import canonical_text
from mpc_engine.errors import DecodeError, UsageError
from mpc_engine.roles import Role
from tests.builders.policies import kind_of
from tests.builders.study_drafts import make_configuration, make_draft

CASES = json.loads((Path(__file__).parents[2] / "vectors" / "study.json").read_text("utf-8"))


@pytest.mark.parametrize("case", CASES["cases"])
def test_the_shared_vectors_read_alike(case: dict[str, Any]) -> None:
    configuration = parse_configuration(case["text"])
    assert configuration.digest.hex() == case["digest"]
    assert list(configuration.category_counts) == case["category_counts"]
    assert [list(pair) for pair in configuration.feature_ranges] == case["feature_ranges"]


def test_a_draft_becomes_a_configuration_that_reads_back() -> None:
    configuration = make_configuration()
    assert parse_configuration(configuration.text) == configuration
    assert configuration.category_counts == (3, 4)
    assert configuration.feature_ranges == ((0, 2560), (-128, 5120))
    assert configuration.party(Role.REGULATOR).name == "Office"


def test_a_column_of_categories_is_one_feature_for_each() -> None:
    features = _feature() + _categories("Private", "State, local")
    configuration = make_configuration(features=features)
    assert parse_configuration(configuration.text) == configuration
    number, first, second = configuration.features
    assert number.category is None
    assert (first.category, second.category) == (
        CategoryOf("work", "Private"),
        CategoryOf("work", "State, local"),
    )
    assert configuration.feature_ranges[1:] == ((0, 256), (0, 256))


@pytest.mark.parametrize("source", ["person", "file"])
def test_the_modeler_may_hold_the_data(source: str) -> None:
    committed = {"data_commitment": {"root": "ab" * 32, "rows": 3}} if source == "file" else {}
    configuration = make_configuration(data_holder="modeler", data_source=source, **committed)
    assert configuration.data_holder is Role.MODELER
    assert (configuration.data_commitment is None) is (source == "person")


@pytest.mark.parametrize(
    "changes",
    [
        {"data_holder": "modeler", "data_source": "file"},
        {"data_commitment": {"root": "ab" * 32, "rows": 3}},
        {
            "data_holder": "modeler",
            "data_source": "file",
            "data_commitment": {"root": "ab" * 32, "rows": 0},
        },
    ],
)
def test_a_table_of_the_modelers_is_committed_to_and_nothing_else_is(
    changes: dict[str, Any],
) -> None:
    with pytest.raises(UsageError, match="data_commitment"):
        make_configuration(**changes)


def test_every_change_changes_the_digest() -> None:
    assert make_configuration().digest != make_configuration(retention_days=364).digest


def _feature(**changes: str) -> list[dict[str, str]]:
    feature = {"name": "f", "title": "F", "unit": "1", "minimum": "0", "maximum": "9"}
    return [{**feature, **changes}]


def _categories(*values: str, column: str = "work", **changes: str) -> list[dict[str, Any]]:
    """Return one 0/1 feature for each value of a column."""
    return [
        {
            **_feature(name=f"work_{number}", title=f"{number}", maximum="1", **changes)[0],
            "category": {"column": column, "value": value},
        }
        for number, value in enumerate(values)
    ]


def _attribute(*names: str) -> list[dict[str, object]]:
    categories = [{"name": name, "title": name} for name in names]
    return [{"name": "a", "title": "A", "question": "A?", "categories": categories}]


def _policy(**changes: object) -> dict[str, object]:
    return {**make_draft()["policy"], **changes}


def _criteria(*criteria: dict[str, object]) -> dict[str, object]:
    policy = _policy(criteria=list(criteria))
    return {**policy, "kind": kind_of(policy)}


def _p_rule(*thresholds: str, **changes: object) -> dict[str, object]:
    listed = list(thresholds or ("80",))
    return {"criterion": "p_rule", "thresholds": listed, "certify_at": listed[0], **changes}


def _difference(*thresholds: str) -> dict[str, object]:
    return _p_rule(*thresholds, criterion="accuracy_difference")


@pytest.mark.parametrize(
    ("changes", "named"),
    [
        ({"title": ""}, "title"),
        ({"title": "a\nb"}, "title"),
        ({"retention_days": 0}, "retention_days"),
        ({"x_frac_bits": 17}, "x_frac_bits"),
        ({"theta_frac_bits": 24}, "theta_frac_bits"),
        ({"features": []}, "features"),
        ({"features": _feature(name="F")}, "name"),
        ({"features": _feature(name="1f")}, "name"),
        ({"features": _feature(unit="0")}, "features[0].unit must be above 0"),
        ({"features": _feature(unit="-1")}, "features[0].unit must be above 0"),
        ({"features": _feature(unit="5000")}, "within one encoding step"),
        ({"features": _feature(unit="one")}, "unit"),
        ({"features": _feature(minimum="9")}, "features[0].minimum must be below the end"),
        ({"features": _feature(maximum="32768")}, "features[0].unit is too small"),
        ({"features": _feature() + _feature(title="G")}, 'features[0].name is "f"'),
        ({"features": _feature(name="age")}, '"age"'),
        ({"features": _categories("a")}, '"work"'),
        ({"features": _categories("a", "a")}, '"work"'),
        ({"features": _categories("a", " b")}, "category.value"),
        ({"features": _categories("a", "")}, "category.value"),
        ({"features": _categories("a", "b", column="Work")}, "category.column"),
        ({"features": _categories("a", "b", column="work_1")}, '"work_1"'),
        ({"features": _categories("a", "b", column="class")}, '"class"'),
        ({"features": _categories("a", "b", unit="2")}, "features[0].category"),
        ({"features": _categories("a", "b", minimum="-1")}, "features[0].category"),
        ({"features": [{**_feature()[0], "category": {"column": "w"}}]}, "category.value"),
        ({"attributes": []}, "attributes"),
        ({"attributes": [_attribute("one", "two")[0] | {"title": "How old?"}]}, "must be a noun"),
        ({"attributes": [_attribute("one", "two")[0] | {"title": "a" * 61}]}, "1 to 60"),
        ({"attributes": _attribute("one")}, "categories"),
        ({"attributes": _attribute("one", "one")}, 'two answers that look like "one"'),
        ({"attributes": _attribute(*(f"c{n}" for n in range(17)))}, "categories"),
        ({"data_holder": "web"}, "data_holder"),
        ({"data_source": "post"}, "data_source"),
        ({"inviter": "web"}, "inviter"),
        ({"theta_bits": 23}, "theta_bits"),
        ({"policy": _criteria()}, "criteria"),
        ({"policy": _criteria(_p_rule(criterion="mood"))}, "criterion"),
        ({"policy": _criteria(_p_rule(), _p_rule())}, "criteria"),
        ({"policy": _criteria(_p_rule(), _p_rule(), _difference("10"))}, "criteria"),
        ({"policy": _criteria(_p_rule("90", "80"))}, "criteria[0].thresholds"),
        ({"policy": _criteria(_p_rule("80", "80.0"))}, "criteria[0].thresholds"),
        ({"policy": _criteria(_p_rule("0", "80"))}, "criteria[0].thresholds"),
        ({"policy": _criteria(_p_rule("80", "100.1"))}, "criteria[0].thresholds"),
        ({"policy": _criteria(_p_rule("80", "8e1"))}, "criteria[0].thresholds[1]"),
        ({"policy": _criteria(_p_rule(thresholds=[]))}, "criteria[0].thresholds"),
        ({"policy": _criteria(_p_rule(thresholds="80"))}, "criteria[0].thresholds"),
        ({"policy": _criteria(_p_rule(certify_at="81"))}, "criteria[0].certify_at"),
        ({"policy": _criteria(_p_rule(surprise="1"))}, "criteria[0].surprise"),
        ({"policy": _criteria(_p_rule(), _difference("10", "5"))}, "criteria[1].thresholds"),
        ({"policy": _criteria(_p_rule(), _difference("-1", "1"))}, "criteria[1].thresholds"),
        ({"policy": _policy(comparison="best_pair")}, "comparison"),
        ({"policy": _policy(minimum_group=1)}, "minimum_group"),
        ({"policy": _policy(minimum_answers=0)}, "minimum_answers"),
        ({"policy": _policy(thresholds=["80"])}, "thresholds"),
        ({"typed_challenge_limit": -1}, "typed_challenge_limit"),
        ({"question_bits_limit": 7}, "question_bits_limit"),
        ({"question_bits_limit": 10_001}, "question_bits_limit"),
        ({"question_bits_limit": "64"}, "question_bits_limit"),
        ({"surprise": 1}, "surprise"),
        ({"label": {"name": "y"}}, "label.title"),
        ({"label": {**make_draft()["label"], "unfavourable": "good credit"}}, "must differ"),
    ],
)
def test_a_fault_in_a_draft_is_named(changes: dict[str, Any], named: str) -> None:
    fault = draft_faults(make_draft(**changes))[0]
    assert fault.code == "CONFIGURATION_INVALID"
    assert named in fault.sentence
    with pytest.raises(UsageError):
        make_configuration(**changes)


def test_every_field_at_fault_is_named_at_once() -> None:
    features = [
        {"name": "f", "title": "F", "unit": "0", "minimum": "x", "maximum": ""},
        {"name": "1g", "title": "G", "unit": "1", "minimum": "9", "maximum": "9"},
        {"name": "h", "title": "F", "unit": "1", "minimum": "5", "maximum": "4"},
        "no feature",
    ]
    attributes = [
        {"name": "a", "title": "A?", "question": "", "categories": [{"name": "b", "title": ""}, {}]}
    ]
    found = draft_faults(
        make_draft(
            title="",
            retention_days="soon",
            features=features,
            attributes=attributes,
            label={"name": "y", "title": "Y", "favourable": "yes", "unfavourable": "Yes"},
            policy=_policy(minimum_group=1),
        )
    )
    named = {fault.where.removeprefix("configuration.") for fault in found}
    assert {where for where in named if not where.startswith(("features[3]", "attributes"))} == {
        "title",
        "retention_days",
        "features[0].unit",
        "features[0].minimum",
        "features[0].maximum",
        "features[1].name",
        "features[2].minimum",
        "label.unfavourable",
        "policy.minimum_group",
    }
    assert "features[3]" in named
    assert {
        "attributes[0].title",
        "attributes[0].question",
        "attributes[0].categories[0].title",
        "attributes[0].categories[1].name",
    } <= named
    assert len(named) == len(found)


_RED, _BLUE = _categories("red", "blue")


@pytest.mark.parametrize(
    ("features", "named"),
    [
        ([_RED, {**_BLUE, "title": ""}], ["features[1].title"]),
        (
            [_RED, {**_BLUE, "category": {}}],
            ["features[1].category.column", "features[1].category.value"],
        ),
        (_categories("red", "red", "blue"), ["features[1].category"]),
        ([*_feature(), _RED], ["features[1].category"]),
    ],
)
def test_a_fault_in_one_feature_makes_none_in_another(
    features: list[dict[str, Any]], named: list[str]
) -> None:
    found = draft_faults(make_draft(features=features))
    assert sorted(fault.where.removeprefix("configuration.") for fault in found) == sorted(named)


def test_a_good_draft_has_no_fault() -> None:
    assert draft_faults(make_draft()) == []


@pytest.mark.parametrize(
    "criteria",
    [
        [_p_rule()],
        [_p_rule("0.5", "80", "100")],
        [_p_rule(), _difference("0", "50")],
        [_difference("10"), _p_rule()],
    ],
)
def test_a_policy_keeps_the_order_of_its_criteria(criteria: list[dict[str, Any]]) -> None:
    policy = make_configuration(policy=_criteria(*criteria)).policy
    assert policy.to_json()["criteria"] == criteria
    assert policy.limits == tuple(
        (item["criterion"], threshold) for item in criteria for threshold in item["thresholds"]
    )


def test_floats_in_a_draft_are_refused() -> None:
    assert draft_faults(make_draft(retention_days=1.5))[0].code == "NOT_CANONICAL"


@pytest.mark.parametrize("text", ["", "[]", "{}", '"configuration"', "null", "{"])
def test_texts_that_are_no_configuration_are_refused(text: str) -> None:
    with pytest.raises((UsageError, DecodeError)):
        parse_configuration(text)


@pytest.mark.parametrize("field", ["modeler", "study_id", "format", "policy", "theta_bits"])
def test_a_missing_field_is_named(field: str) -> None:
    value = json.loads(make_configuration().text)
    del value[field]
    with pytest.raises(UsageError) as caught:
        parse_configuration(canonical_text(value))
    assert field in caught.value.sentence
