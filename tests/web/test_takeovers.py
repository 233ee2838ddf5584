"""Trained models handed to the study that certifies them: signed, copied by the party, listed."""

from __future__ import annotations

import json
from typing import Any

import pytest

from blindjustice_web.certificates.models import CandidateModel
from blindjustice_web.post.models import OutgoingTask
from blindjustice_web.studies.models import Configuration, Study
from tests.web.drafts import some_id
from tests.web.stories import World

ROOMY = {"question_bits_limit": 400}


def _refused(world: World, study: Study, body: dict[str, str]) -> tuple[int, str]:
    answer = world.post("mo", f"/studies/{study.id}/takeovers", body)
    return answer.status_code, answer.json()["code"]


def test_trained_models_are_handed_over_in_one_signed_step(world: World) -> None:
    trained = world.swept(world.trainable(**ROOMY), {"0.1": 800, "0.01": 700})
    study = world.closed(**ROOMY)
    page = world.study_page("mo", study, live=True)
    assert all(f'id="take-{old}"' in page for old in trained.values())
    assert "takeover-title" not in world.study_page("rae", study, live=True)
    taken = world.taken_over(study, list(trained.values()))
    tasks = world.broker.of_kind("take_over_model")
    assert [task.payload["model_id"] for task in tasks] == taken
    assert {task.role.value for task in tasks} == {"modeler"}
    assert not OutgoingTask.objects.filter(kind="take_over_model").exists()
    for model_id, old in zip(taken, trained.values(), strict=True):
        model = CandidateModel.objects.get(pk=model_id)
        assert (model.study_id, model.state, model.trained_as_id) == (study.id, "ACCEPTED", old)
    page = world.study_page("mo", study, live=True)
    assert "takeover-title" not in page
    assert "Right for 80.0 % of the 1000 people it was trained on" in page


@pytest.mark.slow
def test_a_model_whose_takeover_was_refused_can_be_taken_over_again(world: World) -> None:
    trained = world.swept(world.trainable(**ROOMY), {"0.1": 800})
    study = world.closed(**ROOMY)
    (old,) = trained.values()
    body = world.takeover(study, [old])
    (asked,) = world.post("mo", f"/studies/{study.id}/takeovers", body).json()
    world.parties.modeler.says(
        "model_refused",
        study_id=study.id,
        model_id=asked["model_id"],
        code="APPROVER_UNKNOWN",
        sentence="This key is unknown.",
    )
    assert f'id="take-{old}"' in world.study_page("mo", study, live=True)


@pytest.mark.slow
def test_a_model_of_a_study_of_another_version_is_passed_over(world: World) -> None:
    older, readable = world.trainable(**ROOMY), world.trainable(title="Later", **ROOMY)
    (old,) = world.swept(older, {"0.1": 800}).values()
    (new,) = world.swept(readable, {"0.1": 800}).values()
    text = older.configuration.text.replace("configuration", "bj0 configuration", 1)
    Configuration.objects.filter(study=older).update(text=text)
    study = world.closed(**ROOMY)
    page = world.study_page("mo", study, live=True)
    assert f'id="take-{new}"' in page
    assert f'id="take-{old}"' not in page
    asked = world.takeover(study, [old])
    assert _refused(world, study, asked) == (409, "TEXT_NOT_READABLE")


@pytest.mark.slow
def test_all_are_put_to_certification_at_once_with_their_cost(world: World) -> None:
    trained = world.swept(world.trainable(**ROOMY), {"0.1": 800, "0.01": 700})
    study = world.closed(**ROOMY)
    taken = world.taken_over(study, list(trained.values()))
    page = world.study_page("mo", study, live=True)
    assert "Ask for certification of all 2" in page
    assert "Each verdict counts 3.907 bits, all of them 7.814; 400 are left." in page
    for model_id in taken:
        body = {"model_id": model_id}
        assert world.post("mo", f"/studies/{study.id}/certifications", body).status_code == 201
    for who in ("mo", "rae"):
        page = world.study_page(who, study, live=True)
        assert "Read and sign all 2 certifications" in page
        ids = [proposal.id for proposal in study.proposals.filter(kind="certification")]
        assert all(each in page.split('data-act="signAll"')[1].split(">")[0] for each in ids)
    world.approve_both(study.proposals.filter(kind="certification")[0])
    assert 'data-act="signAll"' not in world.study_page("rae", study, live=True)


@pytest.mark.slow
@pytest.mark.database
def test_the_same_takeover_again_changes_nothing(world: World) -> None:
    trained = world.swept(world.trainable(**ROOMY), {"0.1": 800})
    study = world.closed()
    body = world.takeover(study, list(trained.values()))
    answers = [world.post("mo", f"/studies/{study.id}/takeovers", body) for _ in range(2)]
    assert [answer.status_code for answer in answers] == [202, 202]
    assert len(world.broker.of_kind("take_over_model")) == 1
    assert CandidateModel.objects.filter(study=study).count() == 1


def test_what_cannot_be_taken_over(world: World) -> None:
    training = world.trainable(**ROOMY)
    trained = list(world.swept(training, {"0.1": 800}).values())
    study = world.closed()
    assert _refused(world, training, world.takeover(training, trained)) == (
        409,
        "CERTIFICATION_NEEDS_REGULATOR_DATA",
    )
    other = world.closed()
    assert _refused(world, study, world.takeover(other, trained)) == (
        422,
        "TAKEOVER_FOR_ANOTHER_STUDY",
    )
    assert _refused(world, study, world.takeover(study, [some_id("nobody's")])) == (
        404,
        "NOT_FOUND",
    )
    handed_in = world.held_model(other)
    assert _refused(world, study, world.takeover(study, [handed_in])) == (404, "NOT_FOUND")
    row = {"name": "income", "title": "Income", "unit": "1", "minimum": "0", "maximum": "9"}
    unlike = world.closed(features=[row])
    assert _refused(world, unlike, world.takeover(unlike, trained)) == (
        409,
        "MODEL_OTHER_FEATURES",
    )
    assert "takeover-title" not in world.study_page("mo", unlike, live=True)
    signed = world.takeover(study, trained)
    assert _refused(world, study, {**signed, "text": signed["text"].replace("6", "7")})[0] == 422
    assert not world.broker.of_kind("take_over_model")


def test_a_model_of_another_organisation_is_not_there(world: World) -> None:
    trained = list(world.swept(world.trainable(**ROOMY), {"0.1": 800}).values())
    CandidateModel.objects.update(study=_study_of_mia(world))
    study = world.closed()
    assert _refused(world, study, world.takeover(study, trained)) == (404, "NOT_FOUND")


def _study_of_mia(world: World) -> Study:
    study = world.drafted()
    mia = world.users["mia"].memberships.get().organisation
    Study.objects.filter(pk=study.pk).update(modeler=mia)
    return study


@pytest.mark.parametrize("change", [{"models": []}, {"format": "bj1 deployment"}, {"x": 1}])
def test_a_takeover_that_does_not_parse_is_named(world: World, change: dict[str, Any]) -> None:
    study = world.closed()
    text = json.loads(world.takeover(study, [some_id("a")])["text"])
    changed = json.dumps({**text, **change}, separators=(",", ":"), sort_keys=True)
    signed = world.parties.modeler.approves("takeover", changed)
    assert _refused(world, study, {"text": changed, **signed}) == (422, "TAKEOVER_INVALID")
