"""What a closing that ended leaves on its parties' disks: nothing that anybody could read."""

from __future__ import annotations

import sqlite3

import pytest

from mpc_engine.control.studies.configuration import Configuration
from mpc_engine.party.jobs import runner
from mpc_engine.party.studies.closing_states import OPENING_LIMIT, end_overdue_closings
from mpc_engine.party.worker.celery_worker import PartyWorker
from mpc_engine.protocols.tags import ProtocolTag
from mpc_engine.roles import Role
from tests.engine.party.cut_lines import cut_line
from tests.engine.party.stories import close, closing_spec, closing_to
from tests.engine.party.world import World

DISAGREEING = closing_to(b"m" * 32, b"r" * 32)


@pytest.fixture
def study(world: World) -> Configuration:
    """Return an open study in which two people answered."""
    study = world.open_study(n_invited=4)
    for number in range(2):
        world.submit(study, world.answer(study, number))
    return study


def _files_with(world: World, role: Role, deleted: list[bytes]) -> set[str]:
    """Return the names of a store's files in which something of these rows can be read."""
    path = world.parties[role].database.path
    files = {file.name: file.read_bytes() for file in path.parent.glob(f"{path.name}*")}
    return {name for name, data in files.items() if any(row[:60] in data for row in deleted)}


def _sealed_shares(world: World, role: Role) -> list[bytes]:
    return [row["sealed"] for row in world.rows(role, "SELECT sealed FROM shares")]


@pytest.mark.parametrize("role", Role)
def test_no_file_keeps_what_an_end_deletes_whoever_reads_meanwhile(
    world: World, study: Configuration, role: Role, monkeypatch: pytest.MonkeyPatch
) -> None:
    deleted, database = _sealed_shares(world, role), world.parties[role].database
    monkeypatch.setattr("mpc_engine.party.zone.database.LOCK_TIMEOUT_S", 0.5)
    reader = sqlite3.connect(database.path)
    reader.execute("BEGIN")
    reader.execute("SELECT * FROM shares").fetchone()
    close(world, study, DISAGREEING)
    assert _files_with(world, role, deleted), "the reader's view is gone"
    reader.close()
    database.forget_noted()
    assert not _files_with(world, role, deleted), "the log has what was deleted"
    assert world.n_rows(role, "deletions") == 0


def test_an_end_is_forgotten_before_its_attempt_is_reported(
    world: World, study: Configuration, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever becomes of the process then."""
    deleted = {role: _sealed_shares(world, role) for role in Role}
    monkeypatch.setattr(runner._Attempt, "_tidy_up", lambda _attempt: None)
    close(world, study, DISAGREEING)
    assert not any(_files_with(world, role, deleted[role]) for role in Role)


@pytest.mark.parametrize("role", Role)
def test_a_part_of_which_nothing_goes_out_again_is_empty(
    world: World, study: Configuration, role: Role
) -> None:
    with cut_line(ProtocolTag.CLOSING_OPENING):
        close(world, study)
    part = [row["sealed"] for row in world.rows(role, "SELECT sealed FROM closings")]
    assert _files_with(world, role, part)
    world.later(seconds=OPENING_LIMIT.total_seconds() + 1)
    assert end_overdue_closings(world.parties[role]) == 1
    assert world.rows(role, "SELECT sealed FROM closings")[0]["sealed"] == b""
    assert not _files_with(world, role, part)


def test_the_key_goes_where_a_process_died_after_the_study_ended(
    world: World, study: Configuration, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(runner._Attempt, "_tidy_up", lambda _attempt: None)
    close(world, study, DISAGREEING)
    party, key_id = world.parties[Role.REGULATOR], study.regulator.key_id
    assert party.keys.study_key(study.study_id, key_id)
    spec = closing_spec(world, study)
    payload = {"spec": spec, "attempt": 0, "approvals": world.approvals("closing", spec)}
    worker = PartyWorker(party.config)
    worker._party = party
    order = {"kind": "run_job", "payload": payload | {"receipts": []}}
    worker._on_task_failure(kwargs=order)
    with pytest.raises(Exception, match="read"):
        party.keys.study_key(study.study_id, key_id)
