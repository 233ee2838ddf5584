"""A training that broke goes on from the newest checkpoint that both parties hold."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from mpc_engine.errors import ProtocolViolationError, ResourceError
from mpc_engine.party.jobs.attempts import abandon_attempts
from mpc_engine.party.jobs.protocol_table import PRODUCTION
from mpc_engine.party.jobs.training_data import TrainingData
from mpc_engine.party.line.tags import PartyTag
from mpc_engine.party.studies.checkpoints import Checkpoints, RunningTraining
from mpc_engine.protocols.training.checkpoint import TrainingState, checkpoint_steps, state_wires
from mpc_engine.protocols.training.spec import TrainingSpec
from mpc_engine.roles import Role
from mpc_engine.testing.channel import memory_channel_pair
from tests.engine.hostile.mutations import read_or_refuse
from tests.engine.party.breaking_training import EPOCHS, N_STEPS, BreakingTable, M, R, go_on
from tests.engine.party.stories import train, trainable_study
from tests.engine.party.trained import BITS, last_question, stored_theta, theta_by_the_oracle
from tests.engine.party.world import World
from tests.engine.protocols.training_cases import Phase, random_problem

pytestmark = pytest.mark.usefixtures("ideal_base_ots")


@pytest.mark.slow
@pytest.mark.parametrize("is_kept", [True, False], ids=["kept", "not kept"])
@pytest.mark.parametrize("step", [EPOCHS[0], EPOCHS[1], EPOCHS[12], EPOCHS[-2]])
@pytest.mark.parametrize("role", Role)
def test_a_run_that_breaks_at_a_checkpoint_goes_on_from_the_newest_common_one(
    world: World, role: Role, step: int, is_kept: bool
) -> None:
    study, record_set = trainable_study(world)
    table = BreakingTable({role: step}, is_kept)
    reports = train(world, study, record_set, table.made())
    assert {report.kind for report in reports.values()} == {"job_failed"}
    assert all(1 <= world.n_rows(each, "checkpoints") <= 2 for each in Role) or step == EPOCHS[0]
    reached = {each: [state.step for state in table.states[each]] for each in Role}
    if not is_kept:
        reached[role] = reached[role][:-1]
    common = set(reached[M][-2:]) & set(reached[R][-2:])
    go_on(world, study, record_set, max(common, default=0))


@pytest.mark.slow
@pytest.mark.parametrize("is_kept", [True, False], ids=["kept", "not kept"])
@pytest.mark.parametrize("role", Role)
def test_what_may_have_been_opened_is_charged_again(
    world: World, role: Role, is_kept: bool
) -> None:
    study, record_set = trainable_study(world)
    train(world, study, record_set, BreakingTable({role: N_STEPS}, is_kept).made())
    go_on(world, study, record_set, N_STEPS if is_kept else EPOCHS[-2], spent=2)


@pytest.mark.slow
@pytest.mark.parametrize("role", Role)
def test_every_attempt_that_may_open_is_charged(world: World, role: Role) -> None:
    study, record_set = trainable_study(world)
    for attempt in range(3):
        broken = BreakingTable(breaks_opened=frozenset({role}))
        train(world, study, record_set, broken.made(), attempt=attempt)
        assert broken.started_at[role] == (N_STEPS if attempt else 0)
        for each in Role:
            assert last_question(world, each)["spent"] == 1000 * BITS * (attempt + 1)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
@pytest.mark.parametrize("role", Role)
def test_an_attempt_that_was_ended_opens_nothing(world: World, role: Role) -> None:
    study, record_set = trainable_study(world)
    train(world, study, record_set, BreakingTable(ended={role: world.parties[role]}).made())
    with world.parties[role].database.reading() as connection:
        assert not connection.execute("SELECT 1 FROM openings").fetchall()
    with world.parties[M].database.reading() as connection:
        assert not connection.execute("SELECT 1 FROM models").fetchall()


@pytest.mark.parametrize("role", Role)
def test_an_attempt_that_was_ended_keeps_nothing(world: World, role: Role) -> None:
    study, record_set = trainable_study(world)
    train(world, study, record_set, BreakingTable({role: EPOCHS[3]}, is_kept=False).made())
    before = world.n_rows(role, "checkpoints")
    running = RunningTraining(study.study_id, b"t" * 16, 0, b"d" * 32, b"r" * 32)

    def ended(connection: sqlite3.Connection) -> None:
        raise ResourceError("This attempt was ended meanwhile.", code="ATTEMPT_OVERTAKEN")

    late = Checkpoints(world.parties[role], running, lambda: b"m" * 16, ended)
    shape = (len(SPEC.bounds), SPEC.n_columns)
    nothing = np.zeros(shape, np.uint64), np.zeros(shape[1], np.uint64)
    state = TrainingState(
        min(checkpoint_steps(SPEC)), *nothing, np.zeros(state_wires(SPEC), np.uint8)
    )
    with pytest.raises(ResourceError):
        late.keep(SPEC, state)
    assert world.n_rows(role, "checkpoints") == before


def test_a_run_that_breaks_again_is_charged_once_and_goes_on_again(world: World) -> None:
    study, record_set = trainable_study(world)
    train(world, study, record_set, BreakingTable({M: EPOCHS[3]}).made())
    again = BreakingTable({R: EPOCHS[9]})
    train(world, study, record_set, again.made(), attempt=1)
    assert again.started_at[M] == EPOCHS[3]
    last = BreakingTable()
    reports = train(world, study, record_set, last.made(), attempt=2)
    assert {report.kind for report in reports.values()} == {"job_result"}
    assert last.started_at[M] in EPOCHS[8:10]
    assert stored_theta(world, study) == theta_by_the_oracle(study)
    assert last_question(world, R)["spent"] == 1000 * BITS


def test_a_run_charged_twice_for_an_opening_goes_on_uncharged_if_it_breaks_before_the_next(
    world: World,
) -> None:
    study, record_set = trainable_study(world)
    train(world, study, record_set, BreakingTable({M: N_STEPS}).made())
    for role in Role:
        with world.parties[role].database.transaction() as connection:
            connection.execute("DELETE FROM checkpoints")
    train(world, study, record_set, BreakingTable({M: EPOCHS[2]}).made(), attempt=1)
    reports = train(world, study, record_set, BreakingTable().made(), attempt=2)
    assert {report.kind for report in reports.values()} == {"job_result"}
    assert last_question(world, M)["spent"] == last_question(world, R)["spent"] == 2000 * BITS


def test_the_limit_allows_a_run_to_go_on_that_it_would_not_allow_to_start(world: World) -> None:
    study, record_set = trainable_study(world, question_bits_limit=BITS)
    train(world, study, record_set, BreakingTable({M: EPOCHS[3]}).made())
    go_on(world, study, record_set, EPOCHS[3])


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_a_killed_process_goes_on(world: World) -> None:
    study, record_set = trainable_study(world)
    table = BreakingTable()

    def kill(*given: Any) -> Any:
        *others, checkpoints = given

        def keep_and_die(spec: TrainingSpec, state: TrainingState) -> None:
            checkpoints.keep(spec, state)
            if state.step == EPOCHS[5]:
                raise SystemExit

        dying: Any = (*others, replace(checkpoints, keep=keep_and_die))
        return PRODUCTION.train_as_modeler(*dying)

    train(world, study, record_set, replace(table.made(), train_as_modeler=kill))
    assert abandon_attempts(world.parties[M]) == 1
    go_on(world, study, record_set, EPOCHS[5])


def _alter(world: World, role: Role, change: Callable[[bytes], bytes], n_newest: int) -> None:
    with world.parties[role].database.transaction() as connection:
        rows = connection.execute(
            "SELECT number, sealed FROM checkpoints ORDER BY number DESC LIMIT ?", (n_newest,)
        ).fetchall()
        for row in rows:
            connection.execute(
                "UPDATE checkpoints SET sealed = ? WHERE number = ?",
                (change(row["sealed"]), row["number"]),
            )


@pytest.mark.slow
@pytest.mark.parametrize("role", Role)
@pytest.mark.parametrize(
    "change",
    [
        pytest.param(lambda sealed: sealed[:-1] + bytes([sealed[-1] ^ 1]), id="altered"),
        pytest.param(lambda sealed: sealed[: len(sealed) // 2], id="torn"),
        pytest.param(lambda sealed: b"", id="empty"),
    ],
)
def test_an_altered_or_torn_state_counts_as_none(
    world: World, role: Role, change: Callable[[bytes], bytes]
) -> None:
    study, record_set = trainable_study(world)
    table = BreakingTable({M: EPOCHS[5]})
    train(world, study, record_set, table.made())
    newest = min(table.states[each][-1].step for each in Role)
    before = {each: [state.step for state in table.states[each]][-2:] for each in Role}
    _alter(world, role, change, 1)
    left = {**before, role: before[role][:-1]}
    common = max(set(left[M]) & set(left[R]), default=0)
    assert common < newest or len(set(map(tuple, before.values()))) > 1
    go_on(world, study, record_set, common)


def test_without_any_state_a_run_starts_anew(world: World) -> None:
    study, record_set = trainable_study(world)
    train(world, study, record_set, BreakingTable({M: EPOCHS[5]}).made())
    _alter(world, R, lambda sealed: sealed[::-1], 2)
    go_on(world, study, record_set, 0)


def test_a_state_made_with_other_data_counts_as_none(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    study, record_set = trainable_study(world)
    with monkeypatch.context() as patched:
        patched.setattr(TrainingData, "digest", b"other data")
        train(world, study, record_set, BreakingTable({M: EPOCHS[5]}).made())
    go_on(world, study, record_set, 0)


def test_a_state_of_another_job_counts_as_none(world: World) -> None:
    study, record_set = trainable_study(world)
    train(world, study, record_set, BreakingTable({M: EPOCHS[5]}).made(), job_id=b"o" * 16)
    for role in Role:
        with world.parties[role].database.transaction() as connection:
            connection.execute("UPDATE checkpoints SET job_id = ?", (b"t" * 16,))
    table = BreakingTable()
    reports = train(world, study, record_set, table.made())
    assert {report.kind for report in reports.values()} == {"job_result"}
    assert table.started_at == {M: 0, R: 0}


def test_a_store_that_was_set_back_goes_on_from_what_both_hold(world: World) -> None:
    """An older state is as good as any: what follows is repeated under fresh keys."""
    study, record_set = trainable_study(world)
    first = BreakingTable({M: EPOCHS[3]})
    train(world, study, record_set, first.made())
    kept = {}
    for role in Role:
        with world.parties[role].database.reading() as connection:
            kept[role] = [tuple(row) for row in connection.execute("SELECT * FROM checkpoints")]
    later = BreakingTable({M: EPOCHS[7]})
    train(world, study, record_set, later.made(), attempt=1)
    for role in Role:
        with world.parties[role].database.transaction() as connection:
            connection.execute("DELETE FROM checkpoints")
            connection.executemany("INSERT INTO checkpoints VALUES (?, ?, ?, ?, ?)", kept[role])
    table = BreakingTable()
    reports = train(world, study, record_set, table.made(), attempt=2)
    assert {report.kind for report in reports.values()} == {"job_result"}
    assert table.started_at == {M: EPOCHS[3], R: EPOCHS[3]}
    assert stored_theta(world, study) == theta_by_the_oracle(study)


def test_states_of_two_sessions_are_not_taken_for_one(world: World) -> None:
    """One party's store was set back to an attempt of which the other kept nothing."""
    study, record_set = trainable_study(world)
    train(world, study, record_set, BreakingTable({M: EPOCHS[5]}).made())
    with world.parties[R].database.reading() as connection:
        kept = [tuple(row) for row in connection.execute("SELECT * FROM checkpoints")]
    _alter(world, M, lambda sealed: b"", 2)
    train(world, study, record_set, BreakingTable({M: EPOCHS[5]}).made(), attempt=1)
    with world.parties[R].database.transaction() as connection:
        connection.execute("DELETE FROM checkpoints")
        connection.executemany("INSERT INTO checkpoints VALUES (?, ?, ?, ?, ?)", kept)
    table = BreakingTable()
    reports = train(world, study, record_set, table.made(), attempt=2)
    assert {report.kind for report in reports.values()} == {"job_result"}
    assert table.started_at == {M: 0, R: 0}
    assert stored_theta(world, study) == theta_by_the_oracle(study)


def test_no_state_lies_open_in_the_store(world: World) -> None:
    study, record_set = trainable_study(world)
    table = BreakingTable({M: EPOCHS[5]})
    train(world, study, record_set, table.made())
    for role in Role:
        stored = b"".join(
            path.read_bytes()
            for path in world.parties[role].config.data_dir.rglob("*")
            if path.is_file()
        )
        for state in table.states[role][-2:]:
            assert state.matrix.tobytes() not in stored
            assert state.theta_share.tobytes() not in stored
            assert state.encode()[-32:] not in stored


def test_after_the_last_attempt_nothing_is_kept(world: World) -> None:
    study, record_set = trainable_study(world)
    for attempt in range(world.parties[M].config.max_attempts):
        assert all(world.n_rows(role, "checkpoints") for role in Role) or not attempt
        train(world, study, record_set, BreakingTable({M: EPOCHS[attempt]}).made(), attempt=attempt)
    assert not any(world.n_rows(role, "checkpoints") for role in Role)


SPEC = random_problem(np.random.default_rng(1), 8, 3, (3,)).spec(Phase(4, 1, 48, 6), batch=8)


def _checkpoints(world: World, role: Role) -> Checkpoints:
    running = RunningTraining(b"s" * 16, b"t" * 16, 0, b"d" * 32, b"r" * 32)
    return Checkpoints(world.parties[role], running, lambda: b"m" * 16, lambda connection: None)


def test_a_choice_nobody_offered_is_refused(world: World) -> None:
    own, peer = memory_channel_pair(timeout_s=5.0)
    peer.send(PartyTag.CHECKPOINT_CHOSEN, b"x" * 32)
    with pytest.raises(ProtocolViolationError):
        _checkpoints(world, M).agree_as_modeler(own, SPEC)


@pytest.mark.parametrize(
    "told", [b"", b"\1", b"\1" + bytes(31), b"\3" + bytes(96), b"\xff" * 65, b"\0\0"]
)
def test_a_list_of_checkpoints_that_does_not_parse_ends_typed(world: World, told: bytes) -> None:
    own, peer = memory_channel_pair(timeout_s=5.0)
    peer.send(PartyTag.CHECKPOINTS, told)
    assert read_or_refuse(lambda: _checkpoints(world, R).agree_as_regulator(own, SPEC)) is None
