"""What members are told before they sign: the same for both sides, from the terms they sign."""

from __future__ import annotations

from typing import Any

import pytest

from blindjustice_web.engine import engine_texts
from blindjustice_web.lib.labels import Constraint
from blindjustice_web.studies.models import Proposal, Study
from blindjustice_web.studies.services import approved_configuration
from tests.web.drafts import TRAINING
from tests.web.stories import World


def _says(world: World, proposal: Proposal, who: str = "rae") -> dict[str, list[str]]:
    """Return what is said before signing, by label."""
    found: dict[str, list[str]] = {}
    for row in world.get(who, f"/proposals/{proposal.id}").json()["says"]:
        found.setdefault(row["label"], []).append(row["text"])
    return found


def _proposed(world: World, study: Study, path: str, body: dict[str, Any]) -> Proposal:
    answer = world.post("mo", f"/studies/{study.id}/{path}", body)
    assert answer.status_code == 201, answer.content
    return Proposal.objects.get(pk=answer.json()["id"])


def test_a_training_says_that_whole_models_are_opened_and_what_they_count(world: World) -> None:
    study = world.trainable(question_bits_limit=200)
    body = {**TRAINING, "points": [["0.1"], ["0.03"]]}
    proposal = _proposed(world, study, "trainings", body)
    says = _says(world, proposal)
    assert says == _says(world, proposal, "mo")
    assert says["Model"] == ["Trained with c = 0.1", "Trained with c = 0.03"]
    assert says["Study"] == [f"Credit and age, number {study.id[:8]}"]
    assert says["Purpose"] == ["Find out whether age changes who gets credit."]
    assert says["Case data held by"] == [study.modeler.name]
    assert says["People"] == ["The 3 on the closed list, of 3 who were invited."]
    assert "Each model whole, all 38 bits of its coefficients" in says["What is opened"][0]
    assert says["What it counts"] == ["76 of the 200 bits that are left in this study."]
    assert "stays with the modeler" in says["What can’t be undone"][0]


@pytest.mark.parametrize("constraint", Constraint)
def test_a_training_says_what_is_kept_alike_and_what_that_tells(
    world: World, constraint: Constraint
) -> None:
    study = world.trainable()
    body = {**TRAINING, "constraint": constraint.value}
    says = _says(world, _proposed(world, study, "trainings", body))
    fewest = approved_configuration(study).policy.minimum_answers
    assert engine_texts.constraint_sentence(constraint, str) in says["What is kept alike"][0]
    assert "only a certification tells" in says["What is kept alike"][0]
    opened = says["What is opened"][0]
    told = f"whether the people of each outcome number at least {fewest}; if not"
    assert (told in opened) is (constraint is not Constraint.ACCEPTANCE_RATE)


def test_a_study_that_trains_says_so_where_its_terms_are_read_and_signed(world: World) -> None:
    study = world.submitted(data_holder="modeler")
    opened = _says(world, study.proposals.get())["What is opened"][0]
    assert "opens each of them whole" in opened
    assert "whether each limit is kept" not in opened
    page = world.study_page("rae", study)
    assert "opens each of them whole" in page


def test_a_study_that_certifies_says_what_its_policy_opens(world: World) -> None:
    study = world.submitted()
    says = _says(world, study.proposals.get())
    assert "whether each limit is kept" in says["What is opened"][0]
    assert says["Case data held by"] == [study.regulator.name]
    assert says["People are invited by"] == [study.modeler.name]


def test_a_closing_says_how_many_of_how_many_answered(world: World) -> None:
    study, records = world.invited()
    for record in records[:2]:
        world.answered(study, record)
    says = _says(world, _proposed(world, study, "closing", {}))
    assert says["People"] == ["Both parties hold the answers of 2 of 3 invited people."]
    assert "replace an answer" in says["What can’t be undone"][0]


@pytest.mark.database
def test_a_certification_names_its_model_its_people_and_its_bits(world: World) -> None:
    study = world.closed()
    model_id = world.held_model(study, "Scorecard")
    proposal = _proposed(world, study, "certifications", {"model_id": model_id})
    answer = world.get("rae", f"/proposals/{proposal.id}").json()
    says = _says(world, proposal)
    assert answer["model_name"] == "Scorecard"
    assert says["Model"] == ["Scorecard"]
    assert says["People"] == ["The 3 on the closed list, of 3 who were invited."]
    assert says["What it counts"] == ["3.9 of the 64 bits that are left in this study."]


@pytest.mark.parametrize("end", ["approved", "declined"])
def test_nothing_is_said_of_what_is_decided(world: World, end: str) -> None:
    _, proposal = world.proposed()
    if end == "approved":
        world.approve_both(proposal)
    else:
        world.post("rae", f"/proposals/{proposal.id}/decline", {"reason": "Ask sex, too."})
    assert _says(world, proposal) == {}
