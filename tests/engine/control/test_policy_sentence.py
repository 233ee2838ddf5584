"""Plain sentences of policies, and the presets to start from."""

from __future__ import annotations

import json
import re
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest

from mpc_engine.control.policies.kind_sentence import kind_sentence
from mpc_engine.control.policies.policy import read_policy
from mpc_engine.control.policies.policy_sentence import policy_sentences
from mpc_engine.control.policies.presets import PRESETS, divisions
from mpc_engine.control.texts.canonical import canonical_text, parse_canonical
from mpc_engine.control.texts.fields import Fields
from mpc_engine.vocabulary.criteria import RATE_CRITERIA, CriterionName
from tests.builders.policies import P_RULE, bracket, criterion, each_pair, named_groups
from tests.builders.study_drafts import make_configuration

_LIMITS = {"ratio": "83", "difference": "7.5", "z_test": "1.96"}


_STUDIES = json.loads(Path(__file__).with_name("real_studies.json").read_text(encoding="utf-8"))
"""Ten studies after real ones with every sentence of their policies, as read aloud."""


def sentences(policy: dict[str, Any], **changes: Any) -> list[str]:
    configuration = make_configuration(policy=policy, question_bits_limit=10_000, **changes)
    judged, attributes = configuration.policy, configuration.attributes
    said = policy_sentences(judged, attributes, configuration.label, lambda text: text)
    return [*said, kind_sentence(judged, lambda text: text)]


def test_the_eighty_percent_rule_reads_as_people_say_it() -> None:
    assert sentences(each_pair(criterion("p_rule", "80"))) == [
        "A certificate says that, of every two groups by Age group and by Origin, how often “good "
        "credit” is decided is in one at least 80 % of the other's.",
        "With fewer than 2 people in a group there is no verdict. There is no verdict where fewer "
        "than 5 people of a compared group are decided for, or against. Without an answer to a "
        "question there is no verdict.",
        "People who prefer not to say are left out of the comparison.",
        "Both parties and everybody who reads the certificate learn whether each limit is kept "
        "(80) or why there is no verdict, and no number about a group.",
        "This is a study of verdicts: of a model it is told whether it keeps the limit, or why "
        "there is no verdict, and nothing else. At most 16 models can be asked about. From so "
        "many verdicts a modeler that makes its models for it can find out one person's answer "
        "for certain, also if it can't guess others'; both parties sign that so many are asked "
        "about all the same.",
    ]


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        (
            {"questions": 1, "minimum_decided": 10},
            ("study of verdicts", "One model can be asked", "So few verdicts tell little"),
        ),
        ({"questions": 2, "minimum_decided": 9}, ("as few as 9 people", "even so few verdicts")),
        (
            {
                "questions": 2,
                "criteria": [criterion("p_rule", "80"), criterion("accuracy_ratio", "80")],
            },
            ("whether it keeps each limit, or", "At most 2 models", "may well find out"),
        ),
        (
            {"questions": 2, "minimum_decided": 10},
            ("study of verdicts", "At most 2 models", "So few verdicts tell little"),
        ),
        ({"questions": 3}, ("study of verdicts", "At most 3 models", "may well find out")),
        (
            {"questions": 1, "disclosure": "table"},
            ("numbers by group are published.", "One model", "whoever knows enough others'"),
        ),
        (
            {"questions": 2, "disclosure": "table", "small_groups": "excluded_and_named"},
            ("numbers by group are published and small groups are named", "compares the numbers"),
        ),
        (
            {"questions": 1, "criteria": [P_RULE]},
            ("study of published numbers: it is published which of several limits are kept",),
        ),
        (
            {"questions": 1, "missing_answers": "bounds_shown"},
            ("the worst and the best case are published",),
        ),
    ],
)
def test_the_kind_and_number_of_questions_are_said_plainly(
    changes: dict[str, Any], words: tuple[str, ...]
) -> None:
    said = sentences(named_groups(**changes))[4]
    assert all(part in said for part in words)
    n_verdicts = changes["questions"] * len(changes.get("criteria", [P_RULE]))
    is_few = n_verdicts <= 2 if "verdicts:" in said else changes["questions"] == 1
    assert ("sign that so many" in said) is not is_few


@pytest.mark.parametrize("study", _STUDIES, ids=lambda study: study["title"])
def test_the_policy_of_a_real_study_reads_as_people_say_it(study: dict[str, Any]) -> None:
    words = {name: study[name] for name in ("favourable", "unfavourable")}
    said = sentences(
        study["policy"],
        attributes=study["attributes"],
        label={"name": "decision", "title": "The decision", **words},
    )
    assert said == study["sentences"]


@pytest.mark.parametrize("name", RATE_CRITERIA)
def test_every_criterion_has_words_and_names_its_limit(name: CriterionName) -> None:
    limit = _LIMITS[name.bound]
    first = sentences(named_groups(criterion("p_rule", "90"), *(
        [] if name == "p_rule" else [criterion(name, limit)]
    )))[0]  # fmt: skip
    assert name not in first
    assert ("90" if name == "p_rule" else limit) in first
    assert not re.search(r"%\(|%%", first)


@pytest.mark.parametrize(
    ("changes", "position", "words"),
    [
        ({"comparison": "most_selected"}, 0, "the one selected most often"),
        ({"comparison": "each_against_rest"}, 0, "all the others"),
        ({"groups": [["age", "origin"]]}, 0, "two groups by Age group crossed with Origin,"),
        ({"minimum_percent": "2"}, 1, "fewer than 2 people or 2 % of those who answered"),
        ({"minimum_group": 7}, 1, "fewer than 7 people"),
        ({"minimum_group": 7, "minimum_percent": "2"}, 1, "fewer than 7 people or 2 % of those"),
        ({"minimum_decided": 7}, 1, "7 people of a compared group are decided for, or against."),
        (
            {"minimum_decided": 7, "criteria": [criterion("accuracy_difference", "5")]},
            1,
            "fewer than 7 of the people decided for, or against, or with a decision and an outcome",
        ),
        ({"small_groups": "excluded"}, 1, "is left out of the comparison."),
        ({"small_groups": "excluded_and_named"}, 1, "it is told which ones"),
        (
            {"minimum_answers": 20},
            1,
            "With fewer than 20 answers to a question there is no verdict.",
        ),
        ({"missing_answers": "bounds_shown"}, 2, "at worst and at best"),
        ({"missing_answers": "worst_case_certifies"}, 2, "only if it passes whatever"),
        ({"disclosure": "table"}, 3, "how many people each group"),
    ],
)
def test_what_a_policy_changes_is_said(changes: dict[str, Any], position: int, words: str) -> None:
    plain, changed = sentences(named_groups()), sentences(named_groups(**changes))
    assert words in changed[position]
    assert words not in plain[position]
    assert len(changed) == len(plain) == 5


BRACKET = bracket("p_rule", "80")


def test_divisions_with_an_attribute_in_common_are_said_to_be_of_the_same_people() -> None:
    words = "counts, in every comparison by one of them, as if she had said none."
    assert sentences(named_groups(groups=[["age"], ["age", "origin"]]))[2].endswith(words)
    for apart in ([["age"], ["origin"]], [["age", "origin"]]):
        assert words not in sentences(named_groups(groups=apart))[2]


BESIDE = (criterion("accuracy_z_test", "1", "2"), criterion("acceptance_rate_z_test", "1.96", "3"))
OUTCOMES = criterion("true_positive_rate_difference", "10")


def test_a_bracket_is_said_to_tell_more_than_verdicts() -> None:
    told = sentences(named_groups(BRACKET, disclosure="bracket"))[3]
    assert "to the nearest 5 % above and below, or why there is no verdict, and no other" in told


def test_a_bracket_tells_the_limits_beside_it_too() -> None:
    told = sentences(named_groups(BRACKET, *BESIDE, disclosure="bracket"))[3]
    assert "5 % above and below, whether each other limit is kept (1, 2; 1.96, 3), or" in told


def test_a_table_tells_the_verdict_at_each_limit_too() -> None:
    told = sentences(named_groups(criterion("p_rule", "80"), *BESIDE, disclosure="table"))[3]
    assert "whether each limit is kept (80; 1, 2; 1.96, 3) or why there is no verdict." in told


def test_a_table_is_said_to_tell_outcomes_where_it_does() -> None:
    decisions = sentences(named_groups(disclosure="table"))[3]
    assert "each group has and how many of them the model decides for, and whether" in decisions
    outcomes = sentences(named_groups(OUTCOMES, disclosure="table"))[3]
    assert "the model decides for and how many of each had which outcome, and whether" in outcomes


@pytest.mark.parametrize("preset", PRESETS, ids=lambda preset: preset.name)
def test_a_preset_is_a_policy(preset: Any) -> None:
    policy = preset.policy(["age", "origin"], 10, 20)
    read = make_configuration(policy=policy, question_bits_limit=10_000).policy
    assert read.to_json() == policy
    assert (("age", "origin") in read.groups) == preset.crosses
    assert all(len(sentence) > 30 for sentence in sentences(policy))


@pytest.mark.parametrize("names", [["a"], ["a", "b"], ["a", "b", "c"], ["a", "b", "c", "d"]])
def test_what_crosses_attributes_also_crosses_all_of_them(names: list[str]) -> None:
    crossed = divisions(names, crossed=True)
    assert [[name] for name in names] == divisions(names, crossed=False) == crossed[: len(names)]
    assert names in crossed
    assert all(list(pair) in crossed for pair in combinations(names, 2))
    policy = {**named_groups(), "groups": crossed}
    read = read_policy(Fields(parse_canonical(canonical_text(policy)), "policy", code="X"))
    assert len(read.groups) == len(crossed)


def test_the_presets_are_those_that_regulators_ask_for() -> None:
    known = {preset.name: preset for preset in PRESETS}
    assert list(known) == ["four_fifths", "nyc_ll144", "equal_opportunity"]
    nyc = known["nyc_ll144"]
    assert (nyc.minimum_percent, nyc.comparison) == ("2", "most_selected")
    assert (nyc.disclosure, nyc.small_groups) == ("table", "excluded_and_named")
