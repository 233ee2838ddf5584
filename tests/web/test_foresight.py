"""What is said before a closing or a charge that would be in vain: on the page, and on signing."""

from __future__ import annotations

import json
from typing import Any

import pytest

from blindjustice_web.engine import engine_policies
from blindjustice_web.presentation.words.foresight import (
    certification_warnings,
    closing_warnings,
    group_needs,
)
from blindjustice_web.studies.models import Study
from tests.builders.policies import kind_of
from tests.web.drafts import AUDIT, SEX_AND_RACE, draft
from tests.web.stories import World


def _page(world: World, study: Study, who: str = "mo") -> Any:
    role = "modeler" if who == "mo" else "regulator"
    return world.clients[who].get(f"/{role}/studies/{study.id}/")


def _table(**changes: Any) -> dict[str, Any]:
    """Return the terms of a study that opens a table by sex and race, 2 and 3 answers."""
    groups = changes.pop("groups", [["sex"], ["race_ethnicity"]])
    policy = {**AUDIT, "groups": groups, "minimum_group": 20, "minimum_decided": 10, **changes}
    return {
        "attributes": SEX_AND_RACE,
        "policy": {**policy, "kind": kind_of(policy)},
        "question_bits_limit": 10_000,
    }


@pytest.mark.slow
@pytest.mark.parametrize("who", ["mo", "rae"])
def test_closing_below_the_answers_of_a_verdict_is_warned_of(world: World, who: str) -> None:
    study, records = world.invited()
    world.answered(study, records[0])
    (warning,) = _page(world, study, who).context["warnings"]["closing"]
    assert warning.startswith("1 of the 20 people that a verdict needs have answered. Closing is")
    assert warning in _page(world, study, who).content.decode()
    proposed = world.post("mo", f"/studies/{study.id}/closing", {}).json()["id"]
    assert world.get(who, f"/proposals/{proposed}").json()["says"][0] == {
        "label": "Consider first",
        "text": warning,
    }


@pytest.mark.slow
@pytest.mark.parametrize(("n_people", "n_warnings"), [(0, 1), (19, 1), (40, 0), (400, 0)])
@pytest.mark.parametrize("trains", [False, True])
def test_enough_answers_are_not_warned_of(
    world: World, n_people: int, n_warnings: int, trains: bool
) -> None:
    study = world.opened(data_holder="modeler" if trains else "regulator")
    warnings = closing_warnings(study, n_people)
    assert len(warnings) == n_warnings
    if warnings:
        assert ("trained" in warnings[0]) is trains


def test_a_closing_after_which_nothing_can_be_paid_for_is_warned_of(world: World) -> None:
    study = world.opened(**_table())
    assert closing_warnings(study, 400) == []
    world.limits(question_bits_limit=90)
    (warning,) = closing_warnings(study, 400)
    assert warning.startswith("A certification of 400 people tells ")
    assert "90 may be told" in warning


@pytest.mark.slow
@pytest.mark.parametrize(
    ("terms", "n_people", "words"),
    [
        (_table(), 59, "no number of any group would be shown"),
        (_table(), 60, ""),
        (_table(groups=[["race_ethnicity"]]), 59, "would not be shown, or there would be no"),
        (
            _table(disclosure="verdict", small_groups="undetermined"),
            59,
            "there would be no verdict",
        ),
        (_table(disclosure="verdict", small_groups="undetermined"), 60, ""),
        (_table(small_groups="undetermined"), 59, "there would be no verdict"),
    ],
)
def test_groups_that_must_be_too_small_are_foreseen_at_closing(
    world: World, terms: dict[str, Any], n_people: int, words: str
) -> None:
    warnings = closing_warnings(world.opened(**terms), n_people)
    assert len(warnings) == (words != "")
    for warning in warnings:
        assert words in warning
        assert f"With {n_people} people in 3 groups" in warning


@pytest.mark.slow
@pytest.mark.parametrize(
    ("groups", "words"),
    [
        (
            [["sex"], ["race_ethnicity"]],
            "If one of the 3 groups has fewer than 20 of the 400 people (5 %), no",
        ),
        (
            [["race_ethnicity"]],
            "The numbers of a group with fewer than 20 of the 400 people (5 %) are not shown, or",
        ),
    ],
)
@pytest.mark.parametrize("who", ["mo", "rae"])
def test_a_rare_group_is_warned_of_before_a_certification_is_signed(
    world: World, groups: list[list[str]], words: str, who: str
) -> None:
    study = world.closed(**_table(groups=groups))
    assert certification_warnings(study, 3)[0].startswith("With 3 people in 3 groups")
    study.n_records = 400
    study.save(update_fields=["n_records"])
    assert _page(world, study, who).context["warnings"]["certification"] == []
    world.held_model(study)
    (warning,) = _page(world, study, who).context["warnings"]["certification"]
    assert warning.startswith(words)
    assert "bits are counted all the same" in warning
    assert warning in _page(world, study, who).content.decode()
    body = {"model_id": study.models.get().id}
    proposed = world.post("mo", f"/studies/{study.id}/certifications", body).json()["id"]
    assert world.get(who, f"/proposals/{proposed}").json()["says"][0] == {
        "label": "Consider first",
        "text": warning,
    }


def test_a_rare_group_that_ends_the_verdict_is_warned_of_as_that(world: World) -> None:
    study = world.closed(**_table(small_groups="undetermined"))
    (warning,) = certification_warnings(study, 400)
    assert "fewer than 20 of the 400 people (5 %), there is no verdict" in warning


def test_a_policy_that_tells_verdicts_alone_is_not_warned_of(world: World) -> None:
    study = world.closed(**_table(disclosure="verdict"))
    assert certification_warnings(study, 400) == []


def test_a_group_that_is_kept_and_too_small_for_a_verdict_is_warned_of(world: World) -> None:
    """With 10 as the smallest group one of 10 to 19 stays, and can't have ten of each decision."""
    words = "A group of 10 to 19 people is not left out, and with it there is no verdict"
    terms = _table(disclosure="verdict", minimum_group=10)
    study = world.closed(**terms)
    for (warning,) in (certification_warnings(study, 400), closing_warnings(study, 400)):
        assert warning.startswith(words)
        assert "With 20 as the smallest group" in warning
    (need,) = _needs(terms)
    assert need.startswith(words)
    assert _needs(_table(disclosure="verdict")) == []
    kept = _table(disclosure="verdict", minimum_group=10, small_groups="undetermined")
    assert _needs(kept) == []


def _needs(terms: dict[str, Any]) -> list[str]:
    return group_needs(engine_policies.read_terms({**terms, "label": draft()["label"]}))


@pytest.mark.parametrize(
    ("scope", "words"),
    [
        ("each", "The numbers of a group can be shown if it has 20 people or more"),
        ("pairs", ""),
    ],
)
def test_the_editor_says_how_many_people_a_table_needs(
    world: World, scope: str, words: str
) -> None:
    about = json.dumps({"attributes": draft()["attributes"], "label": draft()["label"]})
    body = {
        "then": "start",
        "start": "nyc_ll144" if words else "four_fifths",
        "about": about,
        "minimum_group": "20",
        "minimum_decided": "10",
        "minimum_answers": "40",
        "question_bits_limit": "64",
    }
    editor = world.clients["mo"].post("/modeler/policy/", body).context["editor"]
    assert editor.group_need.startswith(words)
    assert bool(editor.group_need) == bool(words)
