"""The one rule for names and titles, as the browser has it too."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest

from mpc_engine.control.policies.policy_sentence import policy_sentences
from mpc_engine.control.studies.configuration import draft_faults
from mpc_engine.control.studies.study_texts import Revocation, parse_revocation, revocation_text
from mpc_engine.control.texts.names import doublet, isolated, likeness, text_fault
from mpc_engine.errors import UsageError
from tests.builders.study_drafts import make_configuration, make_draft

CASES: dict[str, Any] = json.loads(
    (Path(__file__).parents[2] / "vectors" / "names.json").read_text("utf-8")
)
TURNED = "group\u202e"
"""An override that nobody closes: what follows in a sentence would run backwards."""


@pytest.mark.parametrize("case", CASES["texts"], ids=lambda case: ascii(case["text"]))
def test_what_hides_or_turns_text_is_refused(case: dict[str, str]) -> None:
    words = {"": "", "hidden": "must not contain characters that", "blank": "must not be blank"}
    assert text_fault(case["text"]).startswith(words[case["fault"]])
    assert bool(text_fault(case["text"])) == bool(case["fault"])


@pytest.mark.parametrize("family", CASES["alike"], ids=ascii)
def test_names_that_look_the_same_are_one(family: list[str]) -> None:
    assert len({likeness(name) for name in family}) == 1
    assert doublet(["another", *family]) == 2


def test_other_names_stay_apart() -> None:
    for one, other in combinations(CASES["different"], 2):
        assert likeness(one) != likeness(other)
    assert doublet(CASES["different"]) is None


@pytest.mark.parametrize("case", CASES["isolated"], ids=lambda case: ascii(case["text"]))
def test_a_name_that_turns_text_is_isolated(case: dict[str, str]) -> None:
    assert isolated(case["text"]) == case["isolated"]


def _asked(**changes: Any) -> dict[str, Any]:
    attribute = {**make_draft()["attributes"][0], **changes}
    return {"attributes": [attribute, make_draft()["attributes"][1]]}


def _answers(*titles: str) -> dict[str, Any]:
    return _asked(categories=[{"name": f"c{n}", "title": title} for n, title in enumerate(titles)])


def _label(**changes: str) -> dict[str, Any]:
    return {"label": {**make_draft()["label"], **changes}}


@pytest.mark.parametrize(
    ("changes", "where"),
    [
        ({"title": TURNED}, "title"),
        ({"purpose": TURNED}, "purpose"),
        ({"title": "\u3164"}, "title"),
        (_asked(title=TURNED), "attributes[0].title"),
        (_asked(question=TURNED), "attributes[0].question"),
        (_asked(title="ORIGIN"), "attributes[1].title"),
        (_answers("Male", TURNED), "attributes[0].categories[1].title"),
        (_answers("Female", "Fe\u200bmale"), "attributes[0].categories[1].title"),
        (_answers("Female", "Male", "FEMALE"), "attributes[0].categories"),
        (_answers("Male", "Female", "Prefer\u00a0not to say"), "attributes[0].categories"),
        (_label(favourable=TURNED), "label.favourable"),
        (_label(unfavourable="Good Credit"), "label.unfavourable"),
    ],
)
def test_a_study_does_not_take_a_name_that_reads_as_something_else(
    changes: dict[str, Any], where: str
) -> None:
    assert [fault.where for fault in draft_faults(make_draft(**changes))] == [
        f"configuration.{where}"
    ]


def test_the_reason_of_a_revocation_reads_as_it_is() -> None:
    revoked = Revocation(bytes(16), TURNED, datetime(2026, 1, 31, tzinfo=UTC))
    with pytest.raises(UsageError, match=r"reason must not contain"):
        parse_revocation(revocation_text(revoked))


def test_a_sentence_goes_on_after_a_name_that_runs_the_other_way() -> None:
    study = make_configuration(**_asked(title="\u05d2\u05d9\u05dc"))
    said = policy_sentences(study.policy, study.attributes, study.label, lambda text: text)[0]
    assert "by \u2068\u05d2\u05d9\u05dc\u2069 and by Origin" in said
