"""Either side stops a job for good; a cancellation that meets the job's end loses or wins whole."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import pytest

from mpc_engine.control.studies.configuration import Configuration
from mpc_engine.party.jobs.attempts import abandon_attempts, overdue_processes
from mpc_engine.party.jobs.protocol_table import PRODUCTION, ProtocolTable
from mpc_engine.party.line import deadline_channel
from mpc_engine.protocols.training.checkpoint import TrainingState
from mpc_engine.protocols.training.spec import TrainingSpec
from mpc_engine.roles import Role
from tests.engine.party.breaking_training import EPOCHS
from tests.engine.party.cancelling import cancel
from tests.engine.party.plain_protocols import PLAIN
from tests.engine.party.stories import (
    JOB_ID,
    MODEL_ID,
    Reports,
    certify,
    close,
    closed_study,
    hand_in,
    train,
    trainable_study,
    with_protocols,
)
from tests.engine.party.trained import BITS, last_question
from tests.engine.party.world import M, R, World


def _cancelling(world: World, role: Role, by: Role, step: int) -> ProtocolTable:
    """Return the real protocols, in which a party is told to stop after a step."""
    name = f"train_as_{role.value}"
    honest = getattr(PRODUCTION, name)

    def run(*given: Any) -> Any:
        *others, checkpoints = given

        def keep_and_cancel(spec: TrainingSpec, state: TrainingState) -> None:
            checkpoints.keep(spec, state)
            if state.step == step:
                assert cancel(world, role, by).kind == "job_cancelled"

        return honest(*others, replace(checkpoints, keep=keep_and_cancel))

    return replace(PRODUCTION, **{name: run})


def _assert_stopped(world: World, reports: Reports, by: Role) -> None:
    assert reports[M].text("code") == "CANCELLED"
    assert by.value in reports[M].text("sentence")
    assert reports[R].kind == "job_failed"
    assert cancel(world, R, by).text("by") == by.value
    assert world.n_rows(M, "models") == 0
    for role in Role:
        assert world.n_rows(role, "checkpoints") == 0
        question = last_question(world, role)
        assert question["outcome"] == "ABORTED"
        assert question["spent"] == 1000 * BITS


@pytest.mark.slow
@pytest.mark.parametrize("step", [EPOCHS[0], EPOCHS[12], EPOCHS[-1]])
@pytest.mark.parametrize("by", Role)
def test_a_running_training_stops_at_both_parties_and_leaves_nothing(
    world: World, by: Role, step: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(deadline_channel, "LOOK_INTERVAL_S", 0.0)
    study, record_set = trainable_study(world)
    reports = train(world, study, record_set, _cancelling(world, M, by, step))
    _assert_stopped(world, reports, by)
    again = train(world, study, record_set, attempt=1)
    assert {report.text("code") for report in again.values()} == {"CANCELLED"}
    assert last_question(world, M)["spent"] == 1000 * BITS


@pytest.fixture
def unseen(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the line see no cancellation, so that a job meets its end first on any machine."""
    monkeypatch.setattr(deadline_channel, "LOOK_INTERVAL_S", math.inf)


@pytest.mark.usefixtures("unseen")
def test_a_training_that_is_done_but_for_its_conclusion_is_cancelled_whole(world: World) -> None:
    """The process that has theta may not keep it any more."""
    study, record_set = trainable_study(world)

    def train_then_cancel(*given: Any) -> Any:
        for theta in PLAIN.train_as_modeler(*given):
            assert cancel(world, M).kind == "job_cancelled"
            yield theta

    reports = train(world, study, record_set, with_protocols(train_as_modeler=train_then_cancel))
    _assert_stopped(world, reports, R)


def test_a_cancellation_that_comes_after_the_end_is_refused(world: World) -> None:
    study, record_set = trainable_study(world)
    reports = train(world, study, record_set)
    assert {report.kind for report in reports.values()} == {"job_result"}
    for role in Role:
        answer = cancel(world, role)
        assert (answer.kind, answer.text("code")) == ("cancel_refused", "JOB_ENDED")
        assert last_question(world, role)["outcome"] == "MODEL_OPENED"
    again = train(world, study, record_set, attempt=1)
    assert {report.kind for report in again.values()} == {"job_result"}


def test_the_regulator_ends_with_the_modeler_that_was_first_to_end(world: World) -> None:
    """The modeler stored the model; the site then stops nothing, and the retry ends alike."""
    study, record_set = trainable_study(world)

    def lose_the_end(*given: Any) -> Any:
        yield from PLAIN.train_as_regulator(*given)
        raise OSError("cut")

    reports = train(world, study, record_set, with_protocols(train_as_regulator=lose_the_end))
    assert (reports[M].kind, reports[R].kind) == ("job_result", "job_failed")
    assert cancel(world, M).text("code") == "JOB_ENDED"
    again = train(world, study, record_set, attempt=1)
    assert again[M].object("outcome") == again[R].object("outcome")


def test_a_job_whose_answers_are_all_stored_is_not_cancelled(world: World) -> None:
    """The modeler's party died between its last answer and its report; the retry tells the end."""
    study, record_set = trainable_study(world)

    def keep_and_break(*given: Any) -> Any:
        yield from PLAIN.train_as_modeler(*given)
        raise OSError("cut")

    reports = train(world, study, record_set, with_protocols(train_as_modeler=keep_and_break))
    assert reports[M].kind == "job_failed"
    assert cancel(world, M).text("code") == "JOB_ENDED"
    again = train(world, study, record_set, attempt=1)
    assert {report.kind for report in again.values()} == {"job_result"}
    assert world.n_rows(M, "models") == 1


@pytest.mark.parametrize("by", Role)
def test_a_job_that_has_not_begun_never_begins(world: World, by: Role) -> None:
    study, record_set = trainable_study(world, 3)
    for role in Role:
        assert cancel(world, role, by).text("by") == by.value
    reports = train(world, study, record_set)
    assert {report.text("code") for report in reports.values()} == {"CANCELLED"}
    assert not world.messages(M, "question")


@pytest.mark.slow
def test_cancelling_twice_keeps_who_was_first(world: World) -> None:
    study, record_set = trainable_study(world, 3)
    cancel(world, M, M)
    cancel(world, M, R)
    reports = train(world, study, record_set)
    assert "modeler" in reports[M].text("sentence")


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_a_process_that_does_not_stop_is_overdue_and_then_reported_as_cancelled(
    world: World,
) -> None:
    study, record_set = trainable_study(world, 3)
    overdue: list[int] = []

    def hang_and_die(*_: Any) -> Any:
        cancel(world, M)
        overdue.extend(overdue_processes(world.parties[M], 0.0))
        raise SystemExit

    train(world, study, record_set, with_protocols(train_as_modeler=hang_and_die))
    assert len(overdue) == 1
    assert abandon_attempts(world.parties[M]) == 1
    assert world.messages(M, "job_failed")[-1].text("code") == "CANCELLED"


def test_a_certification_is_cancelled_too(world: World) -> None:
    study, record_set = closed_study(world)
    hand_in(world, study, MODEL_ID, "0", "0")
    for role in Role:
        assert cancel(world, role, job_id=b"c" * 16).kind == "job_cancelled"
    reports = certify(world, study, record_set)
    assert {report.text("code") for report in reports.values()} == {"CANCELLED"}


def test_a_closing_is_not_cancelled(world: World) -> None:
    study: Configuration = world.open_study()
    for number in range(3):
        world.submit(study, world.answer(study, number))
    close(world, study)
    answer = cancel(world, R, job_id=JOB_ID)
    assert (answer.kind, answer.text("code")) == ("cancel_refused", "NOT_CANCELLABLE")


@pytest.mark.usefixtures("unseen")
def test_a_cancelled_process_keeps_no_checkpoint_any_more(world: World) -> None:
    """The line is looked at four times a second only; an epoch may end in between."""
    study, record_set = trainable_study(world)
    reports = train(world, study, record_set, _cancelling(world, M, M, EPOCHS[3]))
    assert reports[M].text("code") == "CANCELLED"
    assert world.n_rows(M, "checkpoints") == 0
