"""A party's SQLite file: write-ahead log, immediate transactions, one connection a thread.

Several worker processes share the file; none uses a connection that it inherited by a fork.
"""

from __future__ import annotations

import os
import sqlite3
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from mpc_engine.errors import ResourceError
from mpc_engine.party.zone.private_files import PRIVATE_FILE, leave_to_owner

LOCK_TIMEOUT_S = 20.0
_FORGET_TRIES = 5
_FORGET_PAUSE_S = 0.05
SCHEMA_VERSION = 4
"""Goes up with every change of a table that is there; a table that is added needs none."""

_SCHEMA = """
CREATE TABLE IF NOT EXISTS study_keys (
    study_id BLOB NOT NULL, key_id BLOB NOT NULL, public_key BLOB NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('CURRENT', 'RETIRED')),
    PRIMARY KEY (study_id, key_id)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS studies (
    study_id BLOB PRIMARY KEY, configuration TEXT NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('OPEN', 'CLOSING', 'CLOSED')),
    record_set BLOB, n_records INTEGER, n_invalid INTEGER, n_disagreed INTEGER) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS credentials (
    study_id BLOB NOT NULL, record_id BLOB NOT NULL, credential BLOB NOT NULL,
    PRIMARY KEY (study_id, record_id)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS owners (
    study_id BLOB NOT NULL, record_id BLOB NOT NULL, owner_key BLOB NOT NULL,
    PRIMARY KEY (study_id, record_id)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS shares (
    study_id BLOB NOT NULL, record_id BLOB NOT NULL, sequence INTEGER NOT NULL,
    submission_id BLOB NOT NULL, common_digest BLOB NOT NULL, enc_digest BLOB NOT NULL,
    envelope_digest BLOB NOT NULL, sealed BLOB NOT NULL,
    PRIMARY KEY (study_id, record_id, sequence), UNIQUE (study_id, enc_digest));
CREATE TABLE IF NOT EXISTS refusals (
    study_id BLOB NOT NULL, code TEXT NOT NULL, n INTEGER NOT NULL,
    PRIMARY KEY (study_id, code)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS closed_records (
    study_id BLOB NOT NULL, chunk INTEGER NOT NULL, sealed BLOB NOT NULL,
    PRIMARY KEY (study_id, chunk));
CREATE TABLE IF NOT EXISTS data_rows (
    study_id BLOB NOT NULL, record_id BLOB NOT NULL, sealed BLOB NOT NULL,
    PRIMARY KEY (study_id, record_id));
CREATE TABLE IF NOT EXISTS committed_rows (
    root BLOB NOT NULL, position INTEGER NOT NULL, sealed BLOB NOT NULL,
    PRIMARY KEY (root, position));
CREATE TABLE IF NOT EXISTS uploads (
    study_id BLOB NOT NULL, upload_id BLOB NOT NULL, envelope_digest BLOB NOT NULL,
    n_rows INTEGER NOT NULL, PRIMARY KEY (study_id, upload_id)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS models (
    model_id BLOB PRIMARY KEY, study_id BLOB NOT NULL, envelope_digest BLOB NOT NULL,
    sealed BLOB NOT NULL);
CREATE TABLE IF NOT EXISTS deployments (
    study_id BLOB PRIMARY KEY, model_id BLOB NOT NULL, text TEXT NOT NULL,
    deployed_at TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS certificates (
    certificate_id BLOB PRIMARY KEY, study_id BLOB NOT NULL, model_id BLOB NOT NULL,
    text TEXT NOT NULL, modeler_signature BLOB NOT NULL, regulator_signature BLOB NOT NULL,
    sealed_nonce BLOB);
CREATE TABLE IF NOT EXISTS revocations (
    certificate_id BLOB PRIMARY KEY, text TEXT NOT NULL, signature BLOB NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS revocation_lists (
    number INTEGER PRIMARY KEY, text TEXT NOT NULL, signature BLOB NOT NULL);
CREATE TABLE IF NOT EXISTS decision_records (
    number INTEGER PRIMARY KEY, certificate_id BLOB NOT NULL, case_id TEXT NOT NULL,
    sealed BLOB NOT NULL);
CREATE INDEX IF NOT EXISTS decision_records_case ON decision_records (certificate_id, case_id);
CREATE TABLE IF NOT EXISTS challenges (
    challenge_id BLOB PRIMARY KEY, study_id BLOB NOT NULL, certificate_id BLOB NOT NULL,
    source TEXT NOT NULL CHECK (source IN ('record', 'typed')), record_digest BLOB,
    envelope_digest BLOB NOT NULL, sealed BLOB NOT NULL, outcome TEXT);
CREATE TABLE IF NOT EXISTS answered_batches (
    job_id BLOB NOT NULL, attempt INTEGER NOT NULL, certificate_id BLOB NOT NULL,
    n INTEGER NOT NULL, PRIMARY KEY (job_id, attempt)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS attempts (
    job_id BLOB NOT NULL, attempt INTEGER NOT NULL, study_id BLOB NOT NULL, kind TEXT NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('RUNNING', 'DONE', 'FAILED')),
    PRIMARY KEY (job_id, attempt)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS running (
    job_id BLOB NOT NULL, attempt INTEGER NOT NULL, process INTEGER NOT NULL,
    deadline REAL NOT NULL, PRIMARY KEY (job_id, attempt)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS cancellations (
    job_id BLOB PRIMARY KEY, by TEXT NOT NULL CHECK (by IN ('modeler', 'regulator')))
    WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS checkpoints (
    number INTEGER PRIMARY KEY AUTOINCREMENT, job_id BLOB NOT NULL, name BLOB NOT NULL,
    study_id BLOB NOT NULL, sealed BLOB NOT NULL, UNIQUE (job_id, name));
CREATE TABLE IF NOT EXISTS ends (
    subject BLOB PRIMARY KEY, kind TEXT NOT NULL, study_id BLOB NOT NULL, job_id BLOB NOT NULL,
    attempt INTEGER NOT NULL, run BLOB NOT NULL, about BLOB NOT NULL, state TEXT NOT NULL
    CHECK (state IN ('KEPT', 'ANSWERING', 'ANSWERED', 'REFUSED', 'UNDELIVERED')),
    kept_at TEXT NOT NULL, sealed BLOB NOT NULL, answer BLOB NOT NULL);
CREATE TABLE IF NOT EXISTS closings (
    study_id BLOB PRIMARY KEY, run BLOB NOT NULL, state TEXT NOT NULL CHECK (state IN
    ('KEPT', 'OPENED', 'AGREED', 'DISAGREED', 'NOBODY_VALID', 'UNFINISHED')),
    since TEXT NOT NULL, sealed BLOB NOT NULL);
CREATE TABLE IF NOT EXISTS openings (
    job_id BLOB NOT NULL, model_id BLOB NOT NULL, attempt INTEGER NOT NULL,
    PRIMARY KEY (job_id, model_id, attempt)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS stock (
    number INTEGER PRIMARY KEY AUTOINCREMENT, stock_id BLOB NOT NULL UNIQUE,
    certificate_id BLOB NOT NULL, bound BLOB NOT NULL, made_at TEXT NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('READY', 'SPENT')));
CREATE TABLE IF NOT EXISTS stock_sides (
    stock_id BLOB PRIMARY KEY, sealed BLOB NOT NULL);
CREATE TABLE IF NOT EXISTS deletions (number INTEGER PRIMARY KEY AUTOINCREMENT);
CREATE TABLE IF NOT EXISTS keys_to_destroy (
    study_id BLOB NOT NULL, key_id BLOB NOT NULL, PRIMARY KEY (study_id, key_id)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS complete (job_id BLOB PRIMARY KEY) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS questions (
    study_id BLOB NOT NULL, number INTEGER NOT NULL, entry TEXT NOT NULL,
    entry_digest BLOB NOT NULL, kind TEXT NOT NULL, cohort BLOB NOT NULL, rule BLOB NOT NULL,
    model_id BLOB NOT NULL, job_id BLOB NOT NULL, attempt INTEGER NOT NULL,
    millibits INTEGER NOT NULL, asked_at TEXT NOT NULL, outcome TEXT NOT NULL, answer TEXT,
    taken_over INTEGER NOT NULL,
    PRIMARY KEY (study_id, number), UNIQUE (job_id, attempt, model_id)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS prepared_questions (
    job_id BLOB NOT NULL, attempt INTEGER NOT NULL, model_id BLOB NOT NULL, entry TEXT NOT NULL,
    PRIMARY KEY (job_id, attempt, model_id)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS asked_cohorts (
    study_id BLOB NOT NULL, cohort BLOB NOT NULL, floor INTEGER NOT NULL, people BLOB NOT NULL,
    PRIMARY KEY (study_id, cohort));
CREATE TABLE IF NOT EXISTS same_people (
    study_id BLOB NOT NULL, other_study BLOB NOT NULL, other_cohort BLOB NOT NULL,
    PRIMARY KEY (study_id, other_study, other_cohort)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS told (
    number INTEGER PRIMARY KEY AUTOINCREMENT, job_id BLOB NOT NULL, body TEXT NOT NULL,
    signature BLOB NOT NULL);
CREATE INDEX IF NOT EXISTS told_of_job ON told (job_id, number);
CREATE TABLE IF NOT EXISTS outbox (
    number INTEGER PRIMARY KEY AUTOINCREMENT, body TEXT NOT NULL, signature BLOB NOT NULL);
"""


@dataclass(frozen=True)
class _Held:
    """A connection and the process that opened it."""

    process: int
    connection: sqlite3.Connection


_INHERITED: list[_Held] = []
"""Connections of the parent process: a child may neither use nor close them."""


class Database:
    """The party's store; columns named ``sealed...`` are encrypted under the storage key."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._local = threading.local()

    def create(self) -> None:
        """Make the file, mode 600, and its tables; existing ones are kept."""
        if not self.path.exists():
            self.path.touch(mode=PRIVATE_FILE)
            leave_to_owner(self.path)
        self.path.chmod(PRIVATE_FILE)
        self._connection().execute("PRAGMA journal_mode = WAL")
        self.add_missing_tables()
        self.close()

    def add_missing_tables(self) -> None:
        """Add the tables that the store of an earlier version lacks, all or none; others are kept.

        Raises ResourceError: ``STORE_MISSING`` if there is no store, ``STORE_OTHER_VERSION`` where
        its tables are not those of this version.
        """
        with self.transaction() as connection:
            (version,) = connection.execute("PRAGMA user_version").fetchone()
            is_new = connection.execute("SELECT 1 FROM sqlite_master").fetchone() is None
            if version != SCHEMA_VERSION and not is_new:
                raise ResourceError(
                    f"The party's store has version {version}, and this software needs "
                    f"{SCHEMA_VERSION}. Nothing was changed: start the version that made the "
                    "store, or set the party up in another data_dir.",
                    code="STORE_OTHER_VERSION",
                )
            # One by one: executescript() would commit first, and a command that was killed would
            # leave tables of no version.
            for statement in _SCHEMA.split(";"):
                connection.execute(statement)
            connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")

    @contextmanager
    def transaction(self, *, durable: bool = True) -> Iterator[sqlite3.Connection]:
        """Run a block in one immediate transaction: all of it happens, or none.

        It is on disk afterwards; not ``durable``, a power failure may undo it.
        """
        connection = self._connection()
        connection.execute(f"PRAGMA synchronous = {'FULL' if durable else 'NORMAL'}")
        connection.execute("BEGIN IMMEDIATE")
        try:
            yield connection
            connection.execute("COMMIT")
        except BaseException:
            # A full disk makes SQLite take everything back by itself, at some statements.
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            raise

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """Run a block that only reads, on one consistent view."""
        connection = self._connection()
        connection.execute("BEGIN")
        try:
            yield connection
        finally:
            connection.execute("ROLLBACK")

    def forget_deleted(self) -> bool:
        """Move the log into the file and empty it, so that deleted rows leave no copy there.

        Return False where others read or write all along for a fifth of a second: of what
        `note_deletion` was told, `forget_noted` tries again. Nobody waits for this meanwhile:
        SQLite holds the lock of writers while it waits for readers, so it is not let wait.
        """
        for _ in range(_FORGET_TRIES - 1):
            if self._empty_log():
                return True
            time.sleep(_FORGET_PAUSE_S)
        return self._empty_log()

    def forget_noted(self) -> None:
        """Empty the log if a deletion is noted that it still has, without waiting for anybody."""
        if _last_deletion(self._connection()):
            self._empty_log()

    def _empty_log(self) -> bool:
        """Empty the log now or not at all; return whether it is, and what was noted is forgotten.

        Whoever calls has decided before: what fails here stays noted, and is no error of theirs.
        """
        connection = self._connection()
        connection.execute("PRAGMA busy_timeout = 0")
        try:
            noted = _last_deletion(connection)
            (is_busy, _, _) = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
            if not is_busy and noted:
                with self.transaction() as connection:
                    connection.execute("DELETE FROM deletions WHERE number <= ?", (noted,))
        except sqlite3.OperationalError:
            return False
        finally:
            connection.execute(f"PRAGMA busy_timeout = {int(1000 * LOCK_TIMEOUT_S)}")
        return not is_busy

    def close(self) -> None:
        """Close this thread's connection; a process does so before it forks."""
        held: _Held | None = getattr(self._local, "held", None)
        if held is not None and held.process == os.getpid():
            held.connection.close()
            self._local.held = None

    def _connection(self) -> sqlite3.Connection:
        held: _Held | None = getattr(self._local, "held", None)
        if held is not None and held.process == os.getpid():
            return held.connection
        if held is not None:
            _INHERITED.append(held)
        self._local.held = _Held(os.getpid(), self._connect())
        return self._local.held.connection

    def _connect(self) -> sqlite3.Connection:
        if not self.path.exists():
            raise ResourceError(
                'The party has no store yet; run its command "init" first.', code="STORE_MISSING"
            )
        connection = sqlite3.connect(self.path, timeout=LOCK_TIMEOUT_S, isolation_level=None)
        connection.row_factory = sqlite3.Row
        connection.execute("PRAGMA secure_delete = ON")
        return connection


def note_deletion(connection: sqlite3.Connection) -> None:
    """Note, in the transaction that deletes them, that the log still has rows it must not keep.

    A process that dies, or finds the store busy, leaves the note to whoever next empties the log.
    """
    connection.execute("INSERT INTO deletions DEFAULT VALUES")


def _last_deletion(connection: sqlite3.Connection) -> int:
    """Return the number of the last deletion that is noted, 0 without one."""
    (number,) = connection.execute("SELECT MAX(number) FROM deletions").fetchone()
    return number or 0
