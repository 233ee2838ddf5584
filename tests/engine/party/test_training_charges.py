"""What a training is refused or charged for, and what stays of one that was lost."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from mpc_engine.errors import ChannelClosedError
from mpc_engine.party.jobs import training as training_module
from mpc_engine.party.jobs.attempts import abandon_attempts
from mpc_engine.roles import Role
from tests.engine.party import plain_protocols
from tests.engine.party.stories import (
    MODEL_ID,
    closed_study,
    hand_in,
    train,
    trainable_study,
    training_spec_text,
    with_protocols,
)
from tests.engine.party.trained import (
    BITS,
    last_question,
    stored_theta,
)
from tests.engine.party.world import M, R, World


def _asks_nothing(_: Any, points: Any, *__: Any) -> Iterator[Any]:
    assert not list(points)
    return iter(())


def test_unknown_outcomes_are_refused_before_anything_is_charged(world: World) -> None:
    study, record_set = closed_study(world, data_holder="modeler", question_bits_limit=200)
    reports = train(world, study, record_set)
    assert reports[M].text("code") == "LABEL_UNKNOWN"
    assert reports[R].text("code") == "PEER_REFUSED"
    assert not world.messages(R, "question")


def test_a_number_of_another_model_is_refused(world: World) -> None:
    study, record_set = trainable_study(world, 3)
    hand_in(world, study, MODEL_ID, "0", "0")
    reports = train(world, study, record_set)
    assert reports[M].text("code") == "MODEL_ID_TAKEN"
    assert stored_theta(world, study) == [0, 0, 0]


def test_the_operators_own_limit_holds(world: World) -> None:
    study, record_set = trainable_study(world, 3)
    party = world.parties[R]
    world.parties[R] = replace(party, config=replace(party.config, training_bits_limit=BITS - 1))
    reports = train(world, study, record_set)
    assert reports[R].text("code") == "PARTY_BITS_SPENT"
    assert "training_bits_limit" in reports[R].text("sentence")
    assert reports[M].text("code") == "PEER_REFUSED"


def test_each_run_is_charged_until_the_limit(world: World) -> None:
    study, record_set = trainable_study(world, 3, question_bits_limit=2 * BITS)
    kinds = []
    for number in range(3):
        job_id, model_id = bytes([number]) * 16, bytes([50 + number]) * 16
        reports = train(world, study, record_set, job_id=job_id, model_ids=[model_id])
        kinds.append([report.kind for report in reports.values()])
    assert kinds == [["job_result"] * 2] * 2 + [["job_failed"] * 2]
    assert last_question(world, M)["spent"] == 2000 * BITS
    assert world.n_rows(M, "models") == 2


def test_a_run_without_both_approvals_does_not_begin(world: World) -> None:
    study, record_set = trainable_study(world, 3)
    spec = training_spec_text(world, study, record_set)
    for approvals in (
        world.approvals("training", spec, [M]),
        world.approvals("certification", spec),
    ):
        reports = world.run_job(spec, kind="training", approvals=approvals)
        assert {report.kind for report in reports.values()} <= {"job_failed", "order_refused"}
    assert not world.messages(M, "question")


def test_a_done_run_is_reported_again_and_not_repeated(world: World) -> None:
    study, record_set = trainable_study(world, 3)
    first = train(world, study, record_set)
    again = train(
        world, study, record_set, with_protocols(train_as_modeler=_asks_nothing), attempt=1
    )
    for role in Role:
        assert again[role].object("outcome") == first[role].object("outcome")
        assert last_question(world, role)["spent"] == 1000 * BITS


def test_a_regulator_that_missed_the_end_takes_the_modelers_word(world: World) -> None:
    study, record_set = trainable_study(world, 3)

    def train_and_lose(*arguments: Any) -> Iterator[None]:
        yield from ()
        next(plain_protocols.train_as_regulator(*arguments))
        raise ChannelClosedError("cut")

    table = with_protocols(train_as_regulator=train_and_lose)
    reports = train(world, study, record_set, table)
    assert (reports[M].kind, reports[R].kind) == ("job_result", "job_failed")
    again = train(
        world, study, record_set, with_protocols(train_as_modeler=_asks_nothing), attempt=1
    )
    assert again[M].object("outcome") == again[R].object("outcome")
    assert last_question(world, R)["outcome"] == "MODEL_OPENED"
    assert last_question(world, R)["spent"] == 1000 * BITS


def test_a_model_that_the_modeler_lost_is_charged_and_trained_anew(world: World) -> None:
    study, record_set = trainable_study(world, 3, question_bits_limit=2 * BITS)
    train(world, study, record_set)
    with world.parties[M].database.transaction() as connection:
        connection.execute("DELETE FROM models")
        connection.execute("UPDATE questions SET answer = NULL, outcome = 'ABORTED'")
    reports = train(world, study, record_set, attempt=1)
    assert {report.kind for report in reports.values()} == {"job_result"}
    assert any(stored_theta(world, study))
    assert {last_question(world, role)["spent"] for role in Role} == {2000 * BITS}


def test_the_regulator_reports_no_end_before_the_model_is_stored(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    study, record_set = trainable_study(world, 3)

    def full_disk(*_: Any) -> None:
        raise OSError("no space left")

    with monkeypatch.context() as patched:
        patched.setattr(training_module, "store_model", full_disk)
        reports = train(world, study, record_set)
    assert {report.kind for report in reports.values()} == {"job_failed"}
    assert {last_question(world, role)["outcome"] for role in Role} == {"ABORTED"}
    again = train(world, study, record_set, attempt=1)
    assert {report.kind for report in again.values()} == {"job_result"}
    assert any(stored_theta(world, study))


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_a_killed_modeler_leaves_a_charge_and_no_model_and_the_run_starts_anew(
    world: World,
) -> None:
    study, record_set = trainable_study(world, 3)

    def die(_: Any, points: Any, *__: Any) -> Any:
        next(points)
        raise SystemExit

    reports = train(world, study, record_set, with_protocols(train_as_modeler=die))
    assert reports[R].kind == "job_failed"
    assert abandon_attempts(world.parties[M]) == 1
    failed = world.messages(M, "job_failed")[-1]
    assert failed.text("code") == "WORKER_LOST"
    assert last_question(world, M)["outcome"] == "ABORTED"
    assert world.n_rows(M, "models") == 0
    again = train(world, study, record_set, attempt=1)
    assert [report.kind for report in again.values()] == ["job_result"] * 2
    assert last_question(world, M)["spent"] == 1000 * BITS
    assert any(stored_theta(world, study))
