"""Either side stops a run, gives a failed one up or goes on with it, by API and by plain form."""

from __future__ import annotations

from typing import Any

import pytest

from blindjustice_web.certificates.models import CandidateModel
from blindjustice_web.jobs.models import Job
from blindjustice_web.post.models import OutgoingTask
from blindjustice_web.studies.models import Study
from tests.web.drafts import TRAINING
from tests.web.stories import World

pytestmark = pytest.mark.database

SIDES = [("mo", "modeler"), ("rae", "regulator")]


def _cancel(world: World, who: str, job: Job) -> Any:
    answer = world.post(who, f"/jobs/{job.id}/cancel", {})
    job.refresh_from_db()
    return answer


def _ids(job: Job) -> dict[str, Any]:
    return {"job_id": job.id, "attempt": job.attempt}


def _fail(world: World, job: Job, code: str = "CHECK_FAILED") -> None:
    for party in world.parties:
        party.says("job_failed", **_ids(job), code=code, sentence="It did not work.")
    job.refresh_from_db()


def _orders(world: World) -> list[tuple[str, str]]:
    found = world.broker.of_kind("cancel_job")
    return [(task.role.value, task.payload["by"]) for task in found]


@pytest.mark.parametrize(("who", "role"), SIDES)
def test_a_running_training_is_stopped_at_the_modelers_party_and_then_at_the_regulators(
    world: World, who: str, role: str
) -> None:
    study, job = world.training()
    answer = _cancel(world, who, job)
    assert (answer.status_code, answer.json()["cancelled_by"]) == (200, role)
    assert (job.state, _orders(world)) == ("RUNNING", [("modeler", role)])
    assert "Being stopped by" in world.study_page("mo", study, live=True)
    world.parties.modeler.says("job_cancelled", job_id=job.id, by=role)
    job.refresh_from_db()
    assert job.state == "CANCELLED"
    assert _orders(world) == [("modeler", role), ("regulator", role)]
    world.parties.regulator.says("job_cancelled", job_id=job.id, by=role)
    assert not OutgoingTask.objects.filter(kind__in=("run_job", "cancel_job")).exists()
    _fail(world, job, "CANCELLED")
    world.trained(job)
    assert job.state == "CANCELLED"
    assert not CandidateModel.objects.exists()
    shown = world.get("rae", f"/jobs/{job.id}").json()
    assert (shown["state"], shown["cancelled_by"], shown["failure"]) == ("CANCELLED", role, None)
    for who_looks, _ in SIDES:
        page = world.study_page(who_looks, study, live=True)
        assert f'data-testid="job-cancelled" data-by="{role}"' in page
        assert 'data-testid="job-cancel"' not in page


def test_the_next_job_starts_when_one_was_stopped(world: World) -> None:
    study = world.trainable()
    first, second = world.training_job(study), world.training_job(study)
    assert (first.state, second.state) == ("RUNNING", "QUEUED")
    _cancel(world, "mo", first)
    world.parties.modeler.says("job_cancelled", job_id=first.id, by="modeler")
    second.refresh_from_db()
    assert second.state == "RUNNING"


def test_a_job_no_party_was_given_ends_at_once(world: World) -> None:
    study = world.trainable()
    world.training_job(study)
    waiting = world.training_job(study)
    _cancel(world, "rae", waiting)
    assert (waiting.state, waiting.cancelled_by) == ("CANCELLED", "regulator")
    assert _orders(world) == []


@pytest.mark.parametrize("who", ["mo", "rae"])
def test_a_proposed_training_is_taken_back_by_either_side(world: World, who: str) -> None:
    study = world.trainable()
    answer = world.post("mo", f"/studies/{study.id}/trainings", TRAINING)
    proposal = study.proposals.get(pk=answer.json()["id"])
    assert world.approve("mo", proposal).status_code == 200
    assert f'id="decline-{proposal.id}"' in world.study_page(who, study, live=True)
    url = f"/proposals/{proposal.id}/decline"
    assert world.post(who, url, {"reason": "Not now."}).status_code == 200
    assert world.approve("rae", proposal).status_code == 409
    assert not Job.objects.filter(kind="training").exists()


def test_a_word_to_stop_that_comes_after_the_end_changes_nothing(world: World) -> None:
    _, job = world.training()
    _cancel(world, "rae", job)
    world.parties.modeler.says(
        "cancel_refused", job_id=job.id, code="JOB_ENDED", sentence="This job has ended already."
    )
    job.refresh_from_db()
    assert (job.state, job.cancelled_by) == ("RUNNING", "")
    world.trained(job)
    assert job.state == "DONE"
    assert CandidateModel.objects.get().id == job.subject_id
    assert _cancel(world, "rae", job).json()["code"] == "JOB_ENDED"
    assert _orders(world) == [("modeler", "regulator")]


def test_an_end_that_comes_before_the_modelers_answer_stands(world: World) -> None:
    job = world.training_job(world.trainable())
    _cancel(world, "rae", job)
    world.trained(job)
    assert (job.state, job.cancelled_by) == ("DONE", "")
    assert "Being stopped by" not in world.study_page("mo", job.study, live=True)
    world.parties.modeler.says(
        "cancel_refused", job_id=job.id, code="JOB_ENDED", sentence="This job has ended already."
    )
    job.refresh_from_db()
    assert job.state == "DONE"
    assert job.study.models.count() == 1


def test_only_the_modelers_word_ends_a_job(world: World) -> None:
    job = world.training_job(world.trainable())
    _cancel(world, "rae", job)
    world.parties.regulator.says("job_cancelled", job_id=job.id, by="regulator")
    job.refresh_from_db()
    assert job.state == "RUNNING"


def test_nobody_asked_so_nobody_stopped(world: World) -> None:
    job = world.training_job(world.trainable())
    world.parties.modeler.says("job_cancelled", job_id=job.id, by="modeler")
    job.refresh_from_db()
    assert job.state == "RUNNING"


def test_a_job_that_breaks_while_it_is_being_stopped_is_not_tried_again(world: World) -> None:
    job = world.training_job(world.trainable())
    _cancel(world, "mo", job)
    _fail(world, job, "CHANNEL_CLOSED")
    assert (job.state, job.attempt) == ("QUEUED", 1)
    world.parties.modeler.says("job_cancelled", job_id=job.id, by="modeler")
    job.refresh_from_db()
    assert job.state == "CANCELLED"
    assert len(world.broker.of_kind("run_job")) - 2 * Job.objects.exclude(pk=job.pk).count() == 2


def test_a_second_word_changes_nothing(world: World) -> None:
    job = world.training_job(world.trainable())
    _cancel(world, "mo", job)
    assert _cancel(world, "rae", job).json()["cancelled_by"] == "modeler"
    assert _orders(world) == [("modeler", "modeler")]


def test_closings_go_on(world: World) -> None:
    study, records = world.invited()
    world.answered(study, records[0])
    job = world.closing_job(study)
    assert _cancel(world, "mo", job).json()["code"] == "NOT_CANCELLABLE"
    assert 'data-testid="job-cancel"' not in world.study_page("mo", study, live=True)


def test_a_certification_is_stopped_the_same_way(world: World) -> None:
    study = world.closed()
    job = world.certification_job(study, world.held_model(study))
    _cancel(world, "rae", job)
    world.parties.modeler.says("job_cancelled", job_id=job.id, by="regulator")
    job.refresh_from_db()
    assert job.state == "CANCELLED"


def _failed_in_epoch(world: World, study: Study, stage: str = "epoch 4 of 27") -> Job:
    job = world.training_job(study)
    world.parties.modeler.says("job_progress", **_ids(job), stage=stage, done=75, total=300)
    _fail(world, job)
    assert job.state == "FAILED"
    return job


@pytest.mark.parametrize(("who", "role"), SIDES)
def test_a_failed_training_goes_on_from_its_epoch(world: World, who: str, role: str) -> None:
    study = world.trainable()
    job = _failed_in_epoch(world, study)
    page = world.study_page(who, study, live=True)
    assert "Go on from epoch 4" in page
    assert f'action="/{role}/jobs/{job.id}/go-on/"' in page
    answer = world.clients[who].post(f"/{role}/jobs/{job.id}/go-on/")
    assert (answer.status_code, answer["Location"]) == (302, f"/{role}/studies/{study.id}/")
    job.refresh_from_db()
    assert (job.state, job.attempt, job.failure_code) == ("RUNNING", 2, "")
    assert [task.payload["attempt"] for task in world.broker.of_kind("run_job")][-2:] == [2, 2]
    world.trained(job)
    assert job.state == "DONE"


def test_a_training_that_failed_before_its_first_epoch_is_tried_again(world: World) -> None:
    study = world.trainable()
    job = _failed_in_epoch(world, study, "constraints")
    page = world.study_page("mo", study, live=True)
    assert "Try again" in page
    assert "Go on from epoch" not in page
    answer = world.post("rae", f"/jobs/{job.id}/go-on", {})
    assert (answer.status_code, answer.json()["state"]) == (200, "RUNNING")


def test_what_did_not_fail_or_cannot_be_mended_does_not_go_on(world: World) -> None:
    study, job = world.training()
    assert world.post("mo", f"/jobs/{job.id}/go-on", {}).json()["code"] == "JOB_NOT_RESUMABLE"
    _fail(world, job, "ATTEMPT_LIMIT")
    assert world.post("mo", f"/jobs/{job.id}/go-on", {}).status_code == 409
    assert 'data-testid="job-go-on"' not in world.study_page("mo", study, live=True)


def test_a_failed_training_is_given_up(world: World) -> None:
    study = world.trainable()
    job = _failed_in_epoch(world, study)
    assert "Give this run up" in world.study_page("rae", study, live=True)
    _cancel(world, "rae", job)
    assert world.post("mo", f"/jobs/{job.id}/go-on", {}).status_code == 409
    world.parties.modeler.says("job_cancelled", job_id=job.id, by="regulator")
    job.refresh_from_db()
    assert job.state == "CANCELLED"
    assert _orders(world) == [("modeler", "regulator"), ("regulator", "regulator")]


@pytest.mark.parametrize(("who", "role"), SIDES)
def test_a_plain_form_stops_a_run(world: World, who: str, role: str) -> None:
    study, job = world.training()
    page = world.study_page(who, study, live=True)
    assert f'action="/{role}/jobs/{job.id}/cancel/"' in page
    assert "csrfmiddlewaretoken" in page
    answer = world.clients[who].post(f"/{role}/jobs/{job.id}/cancel/")
    assert (answer.status_code, answer["Location"]) == (302, f"/{role}/studies/{study.id}/")
    job.refresh_from_db()
    assert job.cancelled_by == role
    late = world.clients[who].post(f"/{role}/jobs/{'0' * 32}/cancel/")
    assert late.status_code == 404
