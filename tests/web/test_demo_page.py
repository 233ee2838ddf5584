"""The page of a demonstration: there with the switch only, and it says who sees what."""

from __future__ import annotations

from typing import Any

import pytest

from tests.web.stories import World


def test_the_page_is_there_in_a_demonstration_only(world: World, settings: Any) -> None:
    assert settings.DEMO is False
    visitor = world.clients["anonymous"]
    assert visitor.get("/demo/").status_code == 404
    assert "/demo/" not in visitor.get("/").content.decode()
    settings.DEMO = True
    assert visitor.get("/demo/").status_code == 200
    assert "/demo/" in visitor.get("/").content.decode()


@pytest.mark.slow
@pytest.mark.database
def test_each_log_in_is_named_with_what_it_shows(world: World, settings: Any) -> None:
    settings.DEMO = True
    certificate = world.certified()
    challenge_id = world.challenge("uma", certificate)
    drafted = world.drafted(title="A draft")
    trainable = world.trainable()
    world.trained(world.training_job(trainable))
    answer = world.clients["anonymous"].get("/demo/")
    shown = {
        email: {sight.url: [badge.value for badge in sight.badges] for sight in log_in.sights}
        for log_in in answer.context["log_ins"]
        for email in [log_in.email]
    }
    mo, rae, uma = (world.users[name].email for name in ("mo", "rae", "uma"))
    assert shown[mo][f"/modeler/studies/{drafted.id}/"] == ["DRAFT"]
    assert shown[mo][f"/modeler/studies/{certificate.study_id}/"] == ["CLOSED", "PASS"]
    assert shown[mo][f"/modeler/studies/{trainable.id}/"] == ["CLOSED", "DONE"]
    assert shown[rae][f"/regulator/studies/{certificate.study_id}/"] == ["CLOSED", "PASS"]
    assert list(shown[uma]) == [f"/me/challenges/{challenge_id}/"]
    assert "A draft" in answer.content.decode()


@pytest.mark.slow
@pytest.mark.database
def test_a_study_with_a_sweep_comes_first_and_leads_to_its_figure(
    world: World, settings: Any
) -> None:
    settings.DEMO = True
    training = world.trainable(question_bits_limit=400)
    trained = world.swept(training, {"0.1": 840, "0.01": 802})
    study = world.closed(question_bits_limit=400)
    for model_id in world.taken_over(study, list(trained.values())):
        world.judged_model(study, model_id)
    world.drafted(title="Drafted last")
    answer = world.clients["anonymous"].get("/demo/")
    shown = {log_in.email: log_in.sights for log_in in answer.context["log_ins"]}
    for who, role in (("mo", "modeler"), ("rae", "regulator")):
        first, *others = shown[world.users[who].email]
        assert first.figure_url == f"/{role}/studies/{study.id}/#tradeoff-title"
        assert [(badge.value, badge.label) for badge in first.badges[1:]] == [("PASS", "Passes: 2")]
        assert {sight.figure_url for sight in others} == {""}
        page = world.page(who, first.url)
        assert 'id="tradeoff-title"' in page
    assert answer.content.decode().count("#tradeoff-title") >= 2
