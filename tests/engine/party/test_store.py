from __future__ import annotations

import multiprocessing
import os
import sqlite3
import stat
import time
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

from mpc_engine.crypto.rng import system_randomness
from mpc_engine.errors import CheckFailedError, ResourceError
from mpc_engine.party.studies.closed_records import (
    BLOCK_RECORDS,
    read_closed_records,
    store_closed_records,
)
from mpc_engine.party.zone.database import (
    LOCK_TIMEOUT_S,
    SCHEMA_VERSION,
    Database,
    note_deletion,
)
from mpc_engine.party.zone.faults import as_engine_error
from mpc_engine.party.zone.private_files import destroy, read_private, write_private
from mpc_engine.party.zone.storage_cipher import StorageCipher
from mpc_engine.roles import Role
from mpc_engine.testing.people import deal_records
from mpc_engine.testing.randomness import seeded_randomness
from tests.engine.party.world import World

RNG = seeded_randomness(1)
CIPHER = StorageCipher(bytes(32), RNG)


def _insert(path: Path, start: int) -> None:
    database = Database(path)
    for number in range(start, start + 25):
        with database.transaction() as connection:
            (count,) = connection.execute("SELECT COUNT(*) FROM outbox").fetchone()
            connection.execute(
                "INSERT INTO outbox (body, signature) VALUES (?, ?)", (f"{number}:{count}", b"")
            )
    database.close()


@pytest.mark.slow
def test_processes_that_read_then_write_never_lose_a_row(tmp_path: Path) -> None:
    database = Database(tmp_path / "db")
    database.create()
    context = multiprocessing.get_context("spawn")
    workers = [context.Process(target=_insert, args=(database.path, 100 * n)) for n in range(2)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(60)
    assert [worker.exitcode for worker in workers] == [0, 0]
    with database.reading() as connection:
        bodies = [row["body"] for row in connection.execute("SELECT body FROM outbox")]
    assert sorted(int(body.split(":")[1]) for body in bodies) == list(range(50))


def _execute(database: Database, statement: str, *values: object) -> None:
    with database.transaction() as connection:
        connection.execute(statement, values)


def test_a_store_that_was_full_goes_on_when_there_is_room(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    database = Database(tmp_path / "db")
    database.create()
    large = "INSERT INTO outbox (body, signature) VALUES (?, zeroblob(100000))"
    with database.reading() as connection:
        (pages,) = connection.execute("PRAGMA page_count").fetchone()
    with database.transaction() as connection:
        connection.execute(f"PRAGMA max_page_count = {pages + 2}")
    with pytest.raises(sqlite3.OperationalError, match="full") as caught:
        _execute(database, large, "lost")
    assert as_engine_error(caught.value).code == "DISK_FULL"
    assert "SQLITE_FULL" in caplog.text
    with database.transaction() as connection:
        connection.execute("PRAGMA max_page_count = 100000")
        connection.execute(large, ("kept",))
    with database.reading() as connection:
        assert [row["body"] for row in connection.execute("SELECT body FROM outbox")] == ["kept"]


def test_a_commit_that_fails_leaves_the_store_usable(tmp_path: Path) -> None:
    database = Database(tmp_path / "db")
    database.create()
    database._connection().execute("PRAGMA foreign_keys = ON")
    with pytest.raises(sqlite3.IntegrityError), database.transaction() as connection:
        connection.execute("CREATE TABLE one (id INTEGER PRIMARY KEY)")
        connection.execute(
            "CREATE TABLE two (id INTEGER REFERENCES one DEFERRABLE INITIALLY DEFERRED)"
        )
        connection.execute("INSERT INTO two VALUES (1)")
    with database.transaction() as connection:
        connection.execute("INSERT INTO outbox (body, signature) VALUES ('kept', x'')")


def test_a_failed_transaction_leaves_nothing(tmp_path: Path) -> None:
    database = Database(tmp_path / "db")
    database.create()

    def fail() -> None:
        with database.transaction() as connection:
            connection.execute("INSERT INTO outbox (body, signature) VALUES ('x', x'')")
            raise KeyError

    with pytest.raises(KeyError):
        fail()
    with database.reading() as connection:
        assert connection.execute("SELECT COUNT(*) FROM outbox").fetchone()[0] == 0


def test_a_forked_child_uses_a_connection_of_its_own(tmp_path: Path) -> None:
    database = Database(tmp_path / "db")
    database.create()
    with database.reading() as connection:
        inherited = connection
    child = os.fork()
    if child == 0:
        with database.reading() as connection:
            os._exit(0 if connection is not inherited else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    with database.reading() as connection:
        assert connection is inherited


def test_a_store_that_was_never_made_is_named(tmp_path: Path) -> None:
    with pytest.raises(ResourceError) as caught, Database(tmp_path / "db").reading():
        pass
    assert caught.value.code == "STORE_MISSING"


def test_deleted_rows_leave_no_copy_in_the_file(tmp_path: Path) -> None:
    database = Database(tmp_path / "db")
    database.create()
    canary = b"canary-" * 40
    with database.transaction() as connection:
        connection.execute("INSERT INTO outbox (body, signature) VALUES ('', ?)", (canary,))
    assert any(canary in path.read_bytes() for path in tmp_path.iterdir())
    with database.transaction() as connection:
        connection.execute("DELETE FROM outbox")
    database.forget_deleted()
    assert not any(canary in path.read_bytes() for path in tmp_path.iterdir())


def _noted(database: Database) -> int:
    with database.reading() as connection:
        (number,) = connection.execute("SELECT COUNT(*) FROM deletions").fetchone()
    return int(number)


def test_whoever_empties_the_log_waits_for_nobody(tmp_path: Path) -> None:
    """Writers wait for whoever waits for readers here: with SQLite's own waiting, 20 seconds."""
    database = Database(tmp_path / "db")
    database.create()
    with closing(sqlite3.connect(database.path)) as reader:
        with database.transaction() as connection:
            note_deletion(connection)
        reader.execute("BEGIN")
        reader.execute("SELECT * FROM outbox").fetchone()
        with database.transaction() as connection:
            note_deletion(connection)
        begun = time.monotonic()
        assert not database.forget_deleted()
        assert time.monotonic() - begun < LOCK_TIMEOUT_S / 4
    assert _noted(database) == 2
    assert database.forget_deleted()
    assert _noted(database) == 0


def test_a_store_in_which_somebody_writes_keeps_the_note(tmp_path: Path) -> None:
    """The log is emptied when the note can't be taken back: that is no error of who decided."""
    database = Database(tmp_path / "db")
    database.create()
    with database.transaction() as connection:
        note_deletion(connection)
    with closing(sqlite3.connect(database.path, isolation_level=None)) as writer:
        writer.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        writer.execute("BEGIN IMMEDIATE")
        assert not database.forget_deleted()
        assert _noted(database) == 1
        writer.execute("ROLLBACK")
    database.forget_noted()
    assert _noted(database) == 0


def test_a_sealed_row_opens_at_its_place_only() -> None:
    sealed = CIPHER.seal("share", (b"1", b"2"), b"secret")
    assert CIPHER.open("share", (b"1", b"2"), sealed) == b"secret"
    altered = sealed[:-1] + bytes([sealed[-1] ^ 1])
    for place, ids, data in (
        ("model", (b"1", b"2"), sealed),
        ("share", (b"12", b""), sealed),
        ("share", (b"1", b"2"), altered),
        ("share", (b"1", b"2"), b"short"),
    ):
        with pytest.raises(CheckFailedError) as caught:
            CIPHER.open(place, ids, data)
        assert caught.value.code == "STORE_ALTERED"


def test_a_cohort_of_many_blocks_reads_back_whole(tmp_path: Path) -> None:
    database = Database(tmp_path / "db")
    database.create()
    n = BLOCK_RECORDS + 3
    answers = np.zeros((n, 3), dtype=np.uint8)
    features = np.arange(2 * n, dtype=np.int64).reshape(n, 2)
    labels = np.full(n, 2, dtype=np.uint8)
    _, records = deal_records(answers, features, RNG, labels)
    with database.transaction() as connection:
        store_closed_records(connection, CIPHER, b"s", records)
        back = read_closed_records(connection, CIPHER, b"s", slice(0, n))
        assert back.record_ids == records.record_ids
        for name in ("low_bits", "sender_keys", "chosen_keys", "features", "labels"):
            assert np.array_equal(getattr(back, name), getattr(records, name))
        edge = slice(BLOCK_RECORDS - 2, BLOCK_RECORDS + 1)
        for part in (slice(0, 1), edge, slice(BLOCK_RECORDS, n), slice(n - 1, n)):
            read = read_closed_records(connection, CIPHER, b"s", part)
            assert read.record_ids == records.record_ids[part]
            assert np.array_equal(read.sender_keys, records.sender_keys[part])
        with pytest.raises(ResourceError):
            read_closed_records(connection, CIPHER, b"s", slice(n - 1, n + 1))
        connection.execute("DELETE FROM closed_records WHERE chunk = 1")
        with pytest.raises(ResourceError) as caught:
            read_closed_records(connection, CIPHER, b"s", slice(0, n))
    assert caught.value.code == "STORE_INCOMPLETE"


def test_private_files_are_private_and_kept(tmp_path: Path) -> None:
    path = tmp_path / "key"
    write_private(path, b"one")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    with pytest.raises(ResourceError):
        write_private(path, b"two")
    assert read_private(path) == b"one"
    path.chmod(0o640)
    with pytest.raises(ResourceError) as caught:
        read_private(path)
    assert caught.value.code == "FILE_NOT_PRIVATE"
    destroy(path)
    destroy(path)
    with pytest.raises(ResourceError) as caught:
        read_private(path)
    assert caught.value.code == "FILE_MISSING"


def test_everything_a_party_keeps_is_private(world: World) -> None:
    world.open_study()
    data = world.parties[Role.MODELER].config.data_dir
    modes = {stat.S_IMODE(path.stat().st_mode) for path in data.rglob("*") if path.is_file()}
    assert modes == {0o600}
    assert stat.S_IMODE(data.stat().st_mode) == 0o700


def test_secret_holders_do_not_show_them(world: World) -> None:
    party = world.parties[Role.MODELER]
    for holder in (party, party.keys.signing, party.cipher):
        text = repr(holder)
        assert party.keys.signing.private_bytes().hex() not in text
        assert len(text) < 80


def test_study_keys_lie_encrypted(world: World) -> None:
    study = world.configure()
    party = world.parties[Role.MODELER]
    key = party.keys.study_key(study.study_id, study.modeler.key_id)
    files = list(party.keys.directory.glob("study-*.key"))
    assert len(files) == 1
    assert key.private_bytes() not in files[0].read_bytes()


def test_the_system_source_seals_with_fresh_nonces() -> None:
    cipher = StorageCipher(bytes(32), system_randomness())
    assert cipher.seal("p", (), b"x") != cipher.seal("p", (), b"x")


def test_rows_cannot_leave_the_states_that_exist(world: World) -> None:
    world.open_study()
    database = world.parties[Role.MODELER].database
    with pytest.raises(sqlite3.IntegrityError), database.transaction() as connection:
        connection.execute("UPDATE studies SET state = 'HALF'")


def test_a_store_of_an_earlier_version_gets_the_tables_it_lacks(tmp_path: Path) -> None:
    database = Database(tmp_path / "party.sqlite3")
    database.create()
    with database.transaction() as connection:
        connection.execute("INSERT INTO complete (job_id) VALUES (?)", (b"j" * 16,))
        connection.execute("DROP TABLE stock")
    database.add_missing_tables()
    with database.reading() as connection:
        assert connection.execute("SELECT * FROM stock").fetchall() == []
        assert len(connection.execute("SELECT * FROM complete").fetchall()) == 1
    database.close()


@pytest.mark.parametrize("name", ["studies", "user_version"])
def test_a_store_whose_making_broke_off_is_made_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """``name``: the table, or the mark of the version, that the killed process did not come to."""
    database = Database(tmp_path / "party.sqlite3")

    def die(action: int, first: str | None, second: str | None, *_: object) -> int:
        is_reading = action == sqlite3.SQLITE_PRAGMA and second is None
        return sqlite3.SQLITE_DENY if first == name and not is_reading else sqlite3.SQLITE_OK

    with monkeypatch.context() as patch:
        connect = database._connect

        def doomed() -> sqlite3.Connection:
            connection = connect()
            connection.set_authorizer(die)
            return connection

        patch.setattr(database, "_connect", doomed)
        with pytest.raises(sqlite3.DatabaseError, match="not authorized"):
            database.create()
        database.close()
    database.create()
    with database.reading() as connection:
        assert connection.execute("PRAGMA user_version").fetchone()[0] == SCHEMA_VERSION
        assert connection.execute("SELECT * FROM outbox").fetchall() == []
    database.close()


@pytest.mark.parametrize("version", [0, SCHEMA_VERSION + 1])
def test_a_store_of_another_version_is_refused_and_left_alone(tmp_path: Path, version: int) -> None:
    database = Database(tmp_path / "party.sqlite3")
    database.create()
    with database.transaction() as connection:
        connection.execute("DROP TABLE stock")
    with closing(sqlite3.connect(database.path)) as connection:
        connection.execute(f"PRAGMA user_version = {version}")
    with pytest.raises(ResourceError, match="start the version that made the store") as refused:
        database.add_missing_tables()
    assert refused.value.code == "STORE_OTHER_VERSION"
    with database.reading() as connection:
        tables = connection.execute("SELECT name FROM sqlite_master WHERE name = 'stock'")
        assert tables.fetchone() is None
    database.close()


def test_no_store_is_made_where_one_is_missing(tmp_path: Path) -> None:
    database = Database(tmp_path / "party.sqlite3")
    with pytest.raises(ResourceError) as refused:
        database.add_missing_tables()
    assert refused.value.code == "STORE_MISSING"
    assert not database.path.exists()
