"""What a closing that ended leaves on its parties' disks: nothing that anybody could read."""

from __future__ import annotations

import errno
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest

from mpc_engine.control.studies.configuration import Configuration
from mpc_engine.errors import ResourceError
from mpc_engine.party.jobs import runner
from mpc_engine.party.jobs.attempts import abandon_attempt
from mpc_engine.party.jobs.protocol_table import ProtocolTable
from mpc_engine.party.studies.closing_states import OPENING_LIMIT, end_overdue_closings
from mpc_engine.party.studies.known_study import StudyState, load_study
from mpc_engine.party.worker.celery_worker import PartyWorker
from mpc_engine.party.zone.database import note_deletion
from mpc_engine.party.zone.party import Party
from mpc_engine.protocols.tags import ProtocolTag
from mpc_engine.roles import Role
from tests.engine.party import plain_protocols
from tests.engine.party.cut_lines import cut_line
from tests.engine.party.plain_protocols import PLAIN
from tests.engine.party.stories import JOB_ID, close, closing_to
from tests.engine.party.world import World

COMMITMENT, OPENING = ProtocolTag.CLOSING_COMMITMENT, ProtocolTag.CLOSING_OPENING
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


def _fail(*_: object) -> None:
    raise PermissionError("read-only")


@contextmanager
def _reader(world: World, role: Role) -> Iterator[None]:
    """Let another process read a party's store all along."""
    reader = sqlite3.connect(world.parties[role].database.path)
    reader.execute("BEGIN")
    reader.execute("SELECT * FROM shares").fetchone()
    try:
        yield
    finally:
        reader.close()


def _disagree(world: World, study: Configuration) -> None:
    close(world, study, DISAGREEING)


def _agree(world: World, study: Configuration) -> None:
    close(world, study)


def _pass_the_deadline(world: World, study: Configuration) -> None:
    world.later(seconds=OPENING_LIMIT.total_seconds() + 1)
    for party in world.parties.values():
        end_overdue_closings(party)


def _lose_its_process(world: World, study: Configuration) -> None:
    abandon_attempt(world.parties[Role.MODELER], JOB_ID, 0)


def _begin_afresh(world: World, study: Configuration) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(plain_protocols, "agree", _fail)
        close(world, study, attempt=1)


def _hear_that_it_ended(world: World, study: Configuration) -> None:
    """The modeler's word; the regulator's party has the cohort already."""
    _pass_the_deadline(world, study)
    close(world, study, attempt=1)


@pytest.mark.parametrize(
    ("role", "cut", "then", "table"),
    [
        (Role.MODELER, None, _disagree, "shares"),
        (Role.REGULATOR, None, _disagree, "shares"),
        (Role.MODELER, None, _agree, "shares"),
        (Role.REGULATOR, None, _agree, "shares"),
        (Role.MODELER, (OPENING, 1), _pass_the_deadline, "closings"),
        (Role.REGULATOR, (OPENING, 1), _pass_the_deadline, "closings"),
        (Role.REGULATOR, (OPENING, 2), _hear_that_it_ended, "closed_records"),
        (Role.MODELER, (COMMITMENT, 2), _lose_its_process, "closings"),
        (Role.REGULATOR, (COMMITMENT, 2), _begin_afresh, "closings"),
    ],
)
def test_no_file_keeps_what_is_deleted_whoever_reads_meanwhile(
    world: World,
    study: Configuration,
    role: Role,
    cut: tuple[ProtocolTag, int] | None,
    then: Callable[[World, Configuration], None],
    table: str,
) -> None:
    """``then`` deletes what ``table`` holds after an attempt that ``cut`` broke off."""
    if cut is not None:
        with cut_line(cut[0], nth=cut[1]), pytest.MonkeyPatch.context() as patch:
            if then is _lose_its_process:
                patch.setattr(runner._Attempt, "_fail", lambda *_: None)
            close(world, study)
    deleted = [row["sealed"] for row in world.rows(role, f"SELECT sealed FROM {table}")]
    assert all(deleted)
    assert deleted
    with _reader(world, role):
        then(world, study)
        assert _files_with(world, role, deleted), "the reader's view is gone"
    world.parties[role].database.forget_noted()
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


def test_what_ends_by_the_others_word_leaves_the_log_with_its_attempt(
    world: World, study: Configuration
) -> None:
    with cut_line(OPENING, nth=2):
        close(world, study)
    rows = world.rows(Role.REGULATOR, "SELECT sealed FROM closed_records")
    deleted = [row["sealed"] for row in rows]
    assert _files_with(world, Role.REGULATOR, deleted)
    _hear_that_it_ended(world, study)
    assert world.n_rows(Role.REGULATOR, "closed_records") == 0
    assert not _files_with(world, Role.REGULATOR, deleted)


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


def _worker(party: Party) -> PartyWorker:
    worker = PartyWorker(party.config)
    worker._party = party
    return worker


def _require_destroyed(party: Party, study: Configuration) -> None:
    with pytest.raises(ResourceError) as caught:
        party.keys.study_key(study.study_id, study.party(party.role).key_id)
    assert caught.value.code == "FILE_MISSING"


def _over_with_its_process(world: World, study: Configuration, table: ProtocolTable) -> Party:
    """Return a party whose process died once it had decided: the key is there."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(runner._Attempt, "_tidy_up", lambda _attempt: None)
        close(world, study, table)
    party = world.parties[Role.REGULATOR]
    assert party.keys.study_key(study.study_id, study.regulator.key_id)
    return party


@pytest.mark.parametrize("table", [DISAGREEING, PLAIN], ids=["ended", "closed"])
def test_the_key_goes_where_a_process_died_after_the_study_was_over(
    world: World, study: Configuration, table: ProtocolTable
) -> None:
    party = _over_with_its_process(world, study, table)
    _worker(party)._flush()
    _require_destroyed(party, study)
    assert world.n_rows(Role.REGULATOR, "keys_to_destroy") == 0
    assert world.messages(Role.REGULATOR, "study_key")[-1].integer("number") == 2


def test_a_key_that_could_not_be_destroyed_is_tried_again(
    world: World, study: Configuration, monkeypatch: pytest.MonkeyPatch
) -> None:
    party = _over_with_its_process(world, study, DISAGREEING)
    with monkeypatch.context() as patch:
        patch.setattr("mpc_engine.party.zone.keystore.destroy", _fail)
        _worker(party)._flush()
    assert party.keys.study_key(study.study_id, study.regulator.key_id)
    _worker(party)._flush()
    _require_destroyed(party, study)
    assert len(world.messages(Role.REGULATOR, "study_key")) == 2


def _without_room(*_: object) -> None:
    raise OSError(errno.ENOSPC, "full")


def _key_files(party: Party) -> set[str]:
    return {file.name for file in party.keys.directory.iterdir() if "study-" in file.name}


@pytest.mark.parametrize(
    "fails",
    [
        "mpc_engine.party.zone.private_files.os.replace",
        "mpc_engine.party.services.study_keys.announce_key",
    ],
    ids=["writing the key", "before its transaction is done"],
)
def test_where_no_new_key_can_be_made_the_old_one_goes_and_no_file_is_left(
    world: World,
    study: Configuration,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    fails: str,
) -> None:
    party = _over_with_its_process(world, study, DISAGREEING)
    monkeypatch.setattr("mpc_engine.party.zone.faults._LOGGED", set())
    with monkeypatch.context() as patch:
        patch.setattr(fails, _without_room)
        for _second in range(3):
            _worker(party)._flush()
    assert _key_files(party) == set()
    _require_destroyed(party, study)
    assert world.n_rows(Role.REGULATOR, "keys_to_destroy") == 1
    told = [record for record in caplog.records if "not destroyed and replaced" in record.message]
    assert [record.message.rpartition(" ")[2] for record in told] == ["DISK_FULL"]
    _worker(party)._flush()
    assert len(_key_files(party)) == 1
    assert world.messages(Role.REGULATOR, "study_key")[-1].integer("number") == 2
    assert world.n_rows(Role.REGULATOR, "keys_to_destroy") == 0


def test_a_duty_that_fails_keeps_no_other_back(
    world: World, study: Configuration, monkeypatch: pytest.MonkeyPatch
) -> None:
    party = _over_with_its_process(world, study, DISAGREEING)
    with party.database.transaction() as connection:
        note_deletion(connection)
    monkeypatch.setattr("mpc_engine.party.worker.celery_worker.close_overdue", _fail)
    monkeypatch.setattr("mpc_engine.party.worker.celery_worker.end_overdue_closings", _fail)
    _worker(party)._flush()
    _require_destroyed(party, study)
    assert world.n_rows(Role.REGULATOR, "deletions") == 0


def test_what_a_reader_kept_in_the_log_goes_with_the_next_flush(
    world: World, study: Configuration
) -> None:
    role = Role.REGULATOR
    deleted = _sealed_shares(world, role)
    with _reader(world, role):
        close(world, study, DISAGREEING)
        _worker(world.parties[role])._flush()
    assert _files_with(world, role, deleted)
    _worker(world.parties[role])._flush()
    assert not _files_with(world, role, deleted)


def test_an_end_stays_where_its_process_died_before_it_could_report(
    world: World, study: Configuration
) -> None:
    """Between the decision and the report: the main process reports, and opens nothing."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(runner._Attempt, "_fail", lambda *_: None)
        patch.setattr(runner._Attempt, "_tidy_up", lambda *_: None)
        close(world, study, DISAGREEING)
    for role, party in world.parties.items():
        assert world.rows(role, "SELECT state FROM attempts")[0]["state"] == "RUNNING"
        abandon_attempt(party, JOB_ID, 0)
        _worker(party)._flush()
        assert world.messages(role, "job_failed")[-1].text("code") == "CLOSING_DISAGREED"
        assert load_study(party, study.study_id).state is StudyState.CLOSING
        assert world.n_rows(role, "shares") == 0
        _require_destroyed(party, study)
