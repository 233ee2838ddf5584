"""Cases whose verification failed: asked again as a batch, until their deadline."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from blindjustice_web.challenges.models import Challenge
from blindjustice_web.conduct.watchdog import look_once
from blindjustice_web.engine.engine_client import challenges_of
from blindjustice_web.jobs.models import Job
from tests.web.stories import World

pytestmark = pytest.mark.database
LIMIT = "CHALLENGE_LIMIT"


def _failed_verification(world: World) -> tuple[str, Job]:
    certificate = world.certified()
    challenge_id = world.challenge("uma", certificate)
    world.challenge_read(certificate, challenge_id)
    job = Job.objects.get(kind="verification")
    for party in world.parties:
        party.says(
            "job_failed", job_id=job.id, attempt=job.attempt, code="RESOURCE_MISSING", sentence="."
        )
    job.refresh_from_db()
    assert job.state == "FAILED"
    return challenge_id, job


def test_a_case_whose_job_failed_is_asked_again_later(world: World, settings: Any) -> None:
    challenge_id, job = _failed_verification(world)
    look_once()
    assert Challenge.objects.get(pk=challenge_id).state == "QUEUED"
    assert Job.objects.filter(kind="verification").count() == 1
    wait = timedelta(seconds=settings.CHALLENGE_RETRY_S + 1)
    Job.objects.filter(pk=job.pk).update(finished_at=timezone.now() - wait)
    look_once()
    again = Job.objects.exclude(pk=job.pk).get(kind="verification")
    assert again.state == "RUNNING"
    world.verification_result(again, {challenge_id: "CONFIRMED"})
    look_once()
    assert Challenge.objects.get(pk=challenge_id).outcome == "CONFIRMED"
    assert Job.objects.filter(kind="verification").count() == 2


def test_a_batch_whose_job_failed_is_asked_again_as_it_was(world: World, settings: Any) -> None:
    """The parties may hold its answer: they deliver it to the same batch only."""
    certificate = world.certified()
    ids = [world.challenge("uma", certificate, tag) for tag in ("one", "two", "three", "four")]
    for challenge_id in ids[:3]:
        world.challenge_read(certificate, challenge_id)
    first, second = Job.objects.filter(kind="verification").order_by("created_at")
    for job in (first, second):
        job.refresh_from_db()
        for party in world.parties:
            party.says(
                "job_failed", job_id=job.id, attempt=job.attempt, code="END_MISSING", sentence="."
            )
    Challenge.objects.filter(pk=ids[1]).update(deadline=timezone.now() - timedelta(seconds=1))
    wait = timedelta(seconds=settings.CHALLENGE_RETRY_S + 1)
    Job.objects.filter(kind="verification").update(finished_at=timezone.now() - wait)
    look_once()
    assert Challenge.objects.get(pk=ids[1]).outcome == "NOT_ANSWERED"
    again = list(Job.objects.filter(kind="verification", repeats=True).order_by("created_at"))
    asked = [set(challenges_of(job.spec)) for job in again]
    assert asked == [{ids[0]}, set(ids[1:3])]
    world.challenge_read(certificate, ids[3])
    new = Challenge.objects.get(pk=ids[3]).job
    assert new is not None
    assert new.id not in {job.id for job in again}
    assert challenges_of(new.spec) == [ids[3]]


def test_a_case_that_may_not_be_answered_any_more_is_not_called_unanswered(world: World) -> None:
    certificate = world.certified()
    challenge_id = world.challenge("uma", certificate)
    world.challenge_read(certificate, challenge_id)
    job = Job.objects.get(kind="verification")
    for party, code in ((world.parties.regulator, "PEER_REFUSED"), (world.parties.modeler, LIMIT)):
        party.says("job_failed", job_id=job.id, attempt=1, code=code, sentence="Too many.")
    Challenge.objects.update(deadline=timezone.now() - timedelta(seconds=1))
    look_once()
    challenge = Challenge.objects.get(pk=challenge_id)
    assert (challenge.state, challenge.outcome) == ("REFUSED", "")
    assert (challenge.refusal_code, challenge.refusal_sentence) == (LIMIT, "Too many.")


def test_a_case_whose_jobs_keep_failing_is_not_answered_at_its_deadline(world: World) -> None:
    challenge_id, _ = _failed_verification(world)
    Challenge.objects.update(deadline=timezone.now() - timedelta(seconds=1))
    look_once()
    challenge = Challenge.objects.get(pk=challenge_id)
    assert (challenge.state, challenge.outcome) == ("ANSWERED", "NOT_ANSWERED")
