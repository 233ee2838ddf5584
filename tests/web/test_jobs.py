"""The order of jobs, attempts, deadlines, and who reads which report."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.db import IntegrityError, transaction
from django.utils import timezone

from blindjustice_web.jobs.models import Job
from blindjustice_web.presentation.cards.jobs import job_view
from tests.web.closing_stories import CLOSING, closed, closing, failed, pass_the_deadline
from tests.web.drafts import RECORD_SET
from tests.web.stories import World

pytestmark = pytest.mark.database


def test_a_closing_starts_when_both_approved(world: World) -> None:
    study, records = world.invited()
    world.answered(study, records[0])
    proposal_id = world.post("mo", f"/studies/{study.id}/closing", {}).json()["id"]
    proposal = study.proposals.get(pk=proposal_id)
    world.approve("mo", proposal)
    assert not Job.objects.exists()
    world.approve("rae", proposal)
    job = Job.objects.get()
    assert (job.state, job.attempt) == ("RUNNING", 1)
    study.refresh_from_db()
    assert study.state == "CLOSING"


def test_each_party_gets_the_other_s_receipts(world: World) -> None:
    closing(world)
    for task in world.broker.of_kind("run_job"):
        peer = "regulator" if task.role.value == "modeler" else "modeler"
        receipts = task.payload["receipts"]
        assert len(receipts) == 3
        assert all(f'"role":"{peer}"' in receipt["body"] for receipt in receipts)
        assert {row["role"] for row in task.payload["approvals"]} == {"modeler", "regulator"}


def test_proposing_closing_again_returns_the_open_proposal(world: World) -> None:
    study = world.opened()
    first = world.post("mo", f"/studies/{study.id}/closing", {}).json()
    second = world.post("rae", f"/studies/{study.id}/closing", {}).json()
    assert first["id"] == second["id"]


def test_a_job_is_done_when_both_report_the_same(world: World) -> None:
    job = closing(world)
    world.parties.modeler.says("job_result", **closed(job))
    job.refresh_from_db()
    assert job.state == "RUNNING"
    world.parties.regulator.says("job_result", **closed(job))
    job.refresh_from_db()
    assert job.state == "DONE"
    job.study.refresh_from_db()
    assert (job.study.state, job.study.record_set) == ("CLOSED", RECORD_SET)


def test_different_outcomes_fail_the_job(world: World) -> None:
    job = closing(world)
    world.parties.modeler.says("job_result", **closed(job))
    world.parties.regulator.says("job_result", **closed(job, outcome=CLOSING | {"n_records": 2}))
    job.refresh_from_db()
    assert (job.state, job.failure_code) == ("FAILED", "JOB_REPORTS_DIFFER")
    job.study.refresh_from_db()
    assert job.study.state == "WAITING"


def test_a_failed_check_is_not_tried_again(world: World) -> None:
    job = closing(world)
    world.parties.modeler.says("job_failed", **failed(job, "CHANNEL_CLOSED"))
    world.parties.regulator.says("job_failed", **failed(job, "OT_INCONSISTENT"))
    job.refresh_from_db()
    assert (job.state, job.failure_code) == ("FAILED", "OT_INCONSISTENT")


def test_a_broken_line_is_tried_once_more_and_then_given_up(world: World) -> None:
    job = closing(world)
    for attempt in (1, 2):
        assert (job.state, job.attempt) == ("RUNNING", attempt)
        for party in world.parties:
            party.says("job_failed", **failed(job, "CHANNEL_CLOSED"))
        job.refresh_from_db()
    assert (job.state, job.failure_code) == ("FAILED", "CHANNEL_CLOSED")
    attempts = [task.payload["attempt"] for task in world.broker.of_kind("run_job")]
    assert attempts == [1, 1, 2, 2]


@pytest.mark.parametrize("code", ["WORKER_LOST", "PARTY_BUSY", "ADDRESS_IN_USE"])
def test_a_party_that_died_or_was_busy_is_tried_once_more(world: World, code: str) -> None:
    job = closing(world)
    world.parties.modeler.says("job_failed", **failed(job, "CHANNEL_CLOSED"))
    world.parties.regulator.says("job_failed", **failed(job, code))
    job.refresh_from_db()
    assert (job.state, job.attempt, job.failure_code) == ("RUNNING", 2, code)


def test_a_report_on_an_earlier_attempt_changes_nothing(world: World) -> None:
    job = closing(world)
    for party in world.parties:
        party.says("job_failed", **failed(job, "PEER_TIMEOUT"))
    job.refresh_from_db()
    assert job.attempt == 2
    before = job.deadline
    for party in world.parties:
        party.says("job_failed", **failed(job, "PEER_TIMEOUT", attempt=1))
        party.says("job_result", **closed(job, attempt=1))
    job.refresh_from_db()
    assert (job.state, job.deadline) == ("RUNNING", before)


def test_the_first_failure_shortens_the_deadline(world: World, settings: Any) -> None:
    job = closing(world)
    before = job.deadline
    world.parties.modeler.says("job_failed", **failed(job, "RESOURCE_MISSING"))
    job.refresh_from_db()
    assert job.deadline is not None
    assert before is not None
    assert job.deadline < before
    assert job.deadline <= timezone.now() + timedelta(seconds=settings.JOB_GRACE_S)


def test_silence_ends_at_the_deadline(world: World) -> None:
    job = closing(world)
    pass_the_deadline(job)
    assert (job.state, job.attempt) == ("RUNNING", 2)
    pass_the_deadline(job)
    assert (job.state, job.failure_code) == ("FAILED", "JOB_TIMED_OUT")
    job.study.refresh_from_db()
    assert job.study.state == "OPEN"


def test_one_party_s_failure_counts_when_the_other_stays_silent(world: World) -> None:
    job = closing(world)
    world.parties.regulator.says("job_failed", **failed(job, "RESOURCE_MISSING"))
    pass_the_deadline(job)
    assert (job.state, job.failure_code) == ("FAILED", "RESOURCE_MISSING")


def test_one_job_runs_at_a_time_in_the_order_of_arrival(world: World) -> None:
    study = world.closed()
    first, second = (
        world.certification_job(study, world.held_model(study, name)) for name in ("A", "B")
    )
    second.refresh_from_db()
    assert (first.state, second.state) == ("RUNNING", "QUEUED")
    for party in world.parties:
        party.says("job_failed", **failed(first, "SUMS_ALTERED"))
    second.refresh_from_db()
    assert (second.state, second.attempt) == ("RUNNING", 1)


def test_a_run_that_waits_says_what_it_waits_for(world: World) -> None:
    study = world.closed()
    jobs = [
        world.certification_job(study, world.held_model(study, name)) for name in ("A", "B", "C")
    ]
    for job in jobs:
        job.refresh_from_db()
    running, second, third = (job_view(job) for job in jobs)
    assert running.waits_for == ""
    assert second.waits_for == ("It begins when the run that goes on now has ended: Certification.")
    assert "(Certification) and 1 more have ended" in third.waits_for
    assert (second.expected_seconds, third.expected_seconds) == (None, None)


def test_the_database_refuses_a_second_running_job(world: World) -> None:
    study = world.closed()
    first = world.certification_job(study, world.held_model(study, "A"))
    second = world.certification_job(study, world.held_model(study, "B"))
    assert first.state == "RUNNING"
    second.state = "RUNNING"
    with pytest.raises(IntegrityError), transaction.atomic():
        second.save()


def test_progress_is_shown(world: World) -> None:
    job = closing(world)
    world.parties.modeler.says(
        "job_progress",
        job_id=job.id,
        attempt=job.attempt,
        stage="checking answers",
        done=1,
        total=3,
    )
    shown = world.get("rae", f"/jobs/{job.id}").json()
    assert shown["state"] == "RUNNING"
    assert shown["progress"] == {"stage": "checking answers", "done": 1, "total": 3}
    assert shown["results"] == []


def test_results_are_the_parties_signed_messages(world: World) -> None:
    study = world.closed()
    job = study.jobs.get()
    shown = world.get("mo", f"/jobs/{job.id}").json()
    assert [row["role"] for row in shown["results"]] == ["modeler", "regulator"]
    assert all(RECORD_SET in row["body"] for row in shown["results"])


def test_a_failure_says_what_was_kept_and_what_to_do(world: World) -> None:
    job = closing(world)
    for party in world.parties:
        party.says("job_failed", **failed(job, "RESOURCE_MISSING"))
    failure = world.get("mo", f"/jobs/{job.id}").json()["failure"]
    assert failure["code"] == "RESOURCE_MISSING"
    assert failure["kept"]
    assert failure["next"]


@pytest.mark.parametrize(
    ("code", "attempt", "kept", "advice"),
    [
        ("ADDRESS_IN_USE", 1, "Nothing was charged.", "Propose closing once more."),
        ("ADDRESS_IN_USE", 2, "stay charged", "Propose closing once more."),
        ("OTHER_VERSION", 1, "Nothing was charged.", "Install the same version"),
        ("FORGED_LABEL", 1, "The question stays charged.", "Do not simply ask again"),
        ("CODE_OF_A_LATER_VERSION", 1, "stay charged", "Propose closing once more."),
    ],
)
def test_a_failure_advises_what_helps_and_forgets_no_charge(
    world: World, code: str, attempt: int, kept: str, advice: str
) -> None:
    job = closing(world)
    job.state, job.failure_code, job.attempt = "FAILED", code, attempt
    job.save()
    failure = world.get("mo", f"/jobs/{job.id}").json()["failure"]
    assert kept in failure["kept"]
    assert advice in failure["next"]


def test_modeler_does_not_read_outcomes_of_cases(world: World) -> None:
    certificate = world.certified()
    challenge_id = world.challenge("uma", certificate)
    world.challenge_read(certificate, challenge_id)
    job = Job.objects.get(kind="verification")
    world.verification_result(job, {challenge_id: "DIFFERENT_DECISION"})
    for_modeler = world.get("mo", f"/jobs/{job.id}").json()["results"]
    assert [row["role"] for row in for_modeler] == ["modeler"]
    assert "DIFFERENT_DECISION" not in str(for_modeler)
    for_regulator = world.get("rae", f"/jobs/{job.id}").json()["results"]
    assert len(for_regulator) == 2


def test_a_study_whose_closing_failed_can_be_closed_again(world: World) -> None:
    job = closing(world)
    for party in world.parties:
        party.says("job_failed", **failed(job, "RESOURCE_MISSING"))
    again = world.closing_job(job.study)
    assert again.pk != job.pk
    assert again.state == "RUNNING"
