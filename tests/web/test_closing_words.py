"""What becomes of a study when parties say how its closing failed, in time or late."""

from __future__ import annotations

import pytest

from blindjustice_web.conduct import outcomes
from blindjustice_web.jobs.models import Job
from tests.web.closing_stories import (
    both_fail,
    closed,
    closing,
    failed,
    pass_the_deadline,
    says_key,
)
from tests.web.stories import World

pytestmark = pytest.mark.database


@pytest.mark.parametrize(
    ("modeler", "regulator"),
    [
        ("CLOSING_DISAGREED", "CLOSING_DISAGREED"),
        ("NO_VALID_RECORDS", "NO_VALID_RECORDS"),
    ],
)
def test_a_closing_that_is_over_without_a_list_ends_the_study(
    world: World, modeler: str, regulator: str
) -> None:
    job = closing(world)
    both_fail(world, job, modeler, regulator)
    assert job.state == "FAILED"
    job.study.refresh_from_db()
    assert job.study.state == "ENDED"
    assert not job.study.record_set
    page = world.clients["mo"].get(f"/modeler/studies/{job.study_id}/").content.decode()
    assert 'data-testid="closing-ended"' in page
    assert 'data-testid="propose-closing"' not in page
    refused = world.post("mo", f"/studies/{job.study_id}/closing", {})
    assert refused.json()["code"] == "STUDY_NOT_OPEN"


def test_the_word_of_one_party_does_not_end_a_study(world: World) -> None:
    """The other one learns of the end from a further closing, and only then deletes its part."""
    job = closing(world)
    both_fail(world, job, "CLOSING_UNFINISHED", "PEER_REFUSED")
    study = job.study
    study.refresh_from_db()
    assert study.state == "WAITING"
    proposal_id = world.post("mo", f"/studies/{study.id}/closing", {}).json()["id"]
    for who in ("mo", "rae"):
        world.approve(who, study.proposals.get(pk=proposal_id))
    again = Job.objects.get(state="RUNNING")
    both_fail(world, again, "CLOSING_UNFINISHED", "CLOSING_UNFINISHED")
    study.refresh_from_db()
    assert study.state == "ENDED"


def test_a_party_that_comes_back_bound_to_a_run_closes_the_study_for_answers(
    world: World,
) -> None:
    job = closing(world)
    for _attempt in range(2):
        both_fail(world, job, "CHANNEL_CLOSED", "CHANNEL_CLOSED")
    study = job.study
    study.refresh_from_db()
    assert (job.state, study.state) == ("FAILED", "OPEN")
    job.reports.filter(role="regulator", attempt=job.attempt).delete()
    world.parties.regulator.says("job_failed", **failed(job, "WORKER_LOST"))
    study.refresh_from_db()
    assert study.state == "OPEN"
    job.reports.filter(role="regulator", attempt=job.attempt).delete()
    world.parties.regulator.says("job_failed", **failed(job, "CLOSING_WAITS"))
    study.refresh_from_db()
    assert study.state == "WAITING"


def test_a_closing_that_waits_takes_no_answers_and_can_be_finished(world: World) -> None:
    """Also where a later attempt fails before the parties meet: it was opened all the same."""
    job = closing(world)
    for regulator in ("CHANNEL_CLOSED", "PEER_TIMEOUT"):
        both_fail(world, job, "CLOSING_WAITS", regulator)
    assert (job.state, job.failure_code) == ("FAILED", "CLOSING_WAITS")
    study = job.study
    study.refresh_from_db()
    assert study.state == "WAITING"
    page = world.clients["mo"].get(f"/modeler/studies/{study.id}/").content.decode()
    said = page.split('data-testid="closing-waits">')[1].split("</p>")[0]
    assert "binds one party, or is over there" in said
    assert "opened" not in said
    assert 'data-testid="propose-closing"' in page
    proposal_id = world.post("mo", f"/studies/{study.id}/closing", {}).json()["id"]
    proposal = study.proposals.get(pk=proposal_id)
    for who in ("mo", "rae"):
        world.approve(who, proposal)
    again = Job.objects.get(state="RUNNING")
    both_fail(world, again, "PEER_TIMEOUT", "PEER_TIMEOUT")
    both_fail(world, again, "PEER_TIMEOUT", "PEER_TIMEOUT")
    study.refresh_from_db()
    assert study.state == "WAITING"


def test_a_party_that_says_late_what_binds_it_is_heard_during_the_next_attempt(
    world: World,
) -> None:
    """Its worker was restarted: the site had begun the next attempt without its word."""
    job = closing(world)
    world.parties.modeler.says("job_failed", **failed(job, "CHANNEL_CLOSED"))
    pass_the_deadline(job)
    assert (job.state, job.attempt) == ("RUNNING", 2)
    for attempt in (0, 1):
        word = failed(job, "CLOSING_WAITS", attempt=attempt)
        world.parties.regulator.says("job_failed", **word)
    assert [*job.reports.filter(role="regulator").values_list("attempt", flat=True)] == [1]
    both_fail(world, job, "PEER_TIMEOUT", "PEER_TIMEOUT")
    assert _state_of(job) == "WAITING"


def test_a_party_that_has_closed_while_the_other_was_away_takes_no_answers(world: World) -> None:
    job = closing(world)
    world.parties.regulator.says("job_result", **closed(job))
    pass_the_deadline(job)
    both_fail(world, job, "PEER_TIMEOUT", "PEER_TIMEOUT")
    assert (job.state, _state_of(job)) == ("FAILED", "WAITING")


def test_a_study_that_waits_does_so_until_a_closing_is_done(world: World) -> None:
    """A restored site has no report that says so: a key told it that a party ended the study."""
    job = closing(world)
    Job.objects.filter(pk=job.pk).delete()
    study = job.study
    study.state = "OPEN"
    study.save()
    says_key(world, study.id, "2")
    job = world.closing_job(study)
    for _attempt in range(2):
        both_fail(world, job, "PEER_TIMEOUT", "PEER_TIMEOUT")
    assert (job.state, _state_of(job)) == ("FAILED", "WAITING")


def test_what_ends_at_a_deadline_is_followed_up_or_not_ended(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A process that dies in between leaves no study that is being closed for ever."""
    job = closing(world)
    both_fail(world, job, "PEER_TIMEOUT", "PEER_TIMEOUT")
    with monkeypatch.context() as patched:

        def dies(*_: object) -> None:
            raise SystemExit

        patched.setattr(outcomes, "finish_closing", dies)
        with pytest.raises(SystemExit):
            pass_the_deadline(job)
    job.refresh_from_db()
    assert (job.state, _state_of(job)) == ("RUNNING", "CLOSING")
    pass_the_deadline(job)
    assert (job.state, _state_of(job)) == ("FAILED", "OPEN")


def _state_of(job: Job) -> str:
    job.study.refresh_from_db()
    return str(job.study.state)
