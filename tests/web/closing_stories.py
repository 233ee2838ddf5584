"""Closings, as both parties tell the site of them, and the keys that follow."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from django.utils import timezone

from blindjustice_web.conduct.watchdog import look_once
from blindjustice_web.jobs.models import Job
from tests.builders.sealing_keys import sealing_key
from tests.web.drafts import RECORD_SET
from tests.web.parties import METRICS
from tests.web.stories import World

CLOSING = {"record_set": RECORD_SET, "n_records": 3, "n_invalid": 0, "n_disagreed": 0}


def closing(world: World) -> Job:
    """Return the running job that closes a study of invited people, all of whom answered."""
    study, records = world.invited()
    for record in records:
        world.answered(study, record)
    return world.closing_job(study)


def closed(job: Job, **changes: Any) -> dict[str, Any]:
    """Return what a party says when its closing succeeded."""
    return {
        "job_id": job.id,
        "attempt": job.attempt,
        "job_kind": job.kind,
        "outcome": CLOSING,
        "metrics": METRICS,
        **changes,
    }


def failed(job: Job, code: str, **changes: Any) -> dict[str, Any]:
    """Return what a party says when an attempt failed."""
    return {
        "job_id": job.id,
        "attempt": job.attempt,
        "code": code,
        "sentence": "It did not work.",
        **changes,
    }


def both_fail(world: World, job: Job, modeler: str, regulator: str) -> None:
    """Let both parties say with which codes their attempt failed."""
    world.parties.modeler.says("job_failed", **failed(job, modeler))
    world.parties.regulator.says("job_failed", **failed(job, regulator))
    job.refresh_from_db()


def says_key(world: World, study_id: str, digit: str) -> None:
    """Let the modeler's party announce a key: the one that the digit numbers."""
    world.parties.modeler.says(
        "study_key",
        study_id=study_id,
        number=int(digit),
        hpke_key=sealing_key(int(digit)).hex(),
        key_id=digit * 32,
    )


def pass_the_deadline(job: Job) -> None:
    """Let the attempt's deadline pass, and the site notice it."""
    Job.objects.filter(pk=job.pk).update(deadline=timezone.now() - timedelta(seconds=1))
    look_once()
    job.refresh_from_db()
