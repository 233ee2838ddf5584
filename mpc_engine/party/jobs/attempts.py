"""Attempts at jobs: each is written down, on disk, before anything of it happens, and never again.

A broker that delivers twice, a killed worker, a restored message: none makes this party run one
attempt twice, because its row is there already.

``running`` holds, for each attempt that has begun and not ended, its process and its deadline (of
``time.monotonic()``, one clock for all processes of a machine). A process that is past its deadline
and does not end itself is ended by the worker.

A job in ``cancellations`` begins and concludes no more; its deadline has passed.
"""

from __future__ import annotations

import os
import sqlite3
import time

from mpc_engine.control.post.exchanges.about_jobs import JobFailed
from mpc_engine.control.post.jobs import JobSpec
from mpc_engine.errors import EngineError, ResourceError, UsageError
from mpc_engine.party.jobs.told import ATTEMPT_REPEATED, tell_of_job
from mpc_engine.party.ledger.entries import abort_question
from mpc_engine.party.studies.checkpoints import forget_checkpoints
from mpc_engine.party.studies.closing_states import bound_by, reopen_study
from mpc_engine.party.zone.faults import refusal_values
from mpc_engine.party.zone.party import Party
from mpc_engine.vocabulary.runs import JobKind

OVERTAKEN = "ATTEMPT_OVERTAKEN"
CANCELLED = "CANCELLED"


def begin_attempt(party: Party, spec: JobSpec, attempt: int) -> float:
    """Write an attempt down as running and return its deadline; UsageError if it may not begin.

    Codes: ``CANCELLED``, ``ATTEMPT_REPEATED``, ``ATTEMPT_LIMIT``. A job that is done may be
    attempted again: the other party may have missed its end. An earlier attempt that still runs
    has lost its right to conclude from here on.
    """
    with party.database.transaction() as connection:
        cancelled = cancellation(connection, spec.job_id)
        if cancelled is not None:
            raise UsageError(cancelled.sentence, code=cancelled.code)
        states = dict(
            connection.execute(
                "SELECT attempt, state FROM attempts WHERE job_id = ?", (spec.job_id,)
            ).fetchall()
        )
        if attempt <= max(states, default=-1):
            raise UsageError(
                "This attempt, or a later one, was made before.", code=ATTEMPT_REPEATED
            )
        if len(states) >= party.config.max_attempts:
            raise UsageError("This job was attempted too often.", code="ATTEMPT_LIMIT")
        for earlier in (number for number, state in states.items() if state == "RUNNING"):
            end_attempt(party, connection, spec.job_id, earlier, succeeded=False)
            if spec.kind is JobKind.CLOSING:
                reopen_study(connection, party, spec.study_id, spec.job_id, earlier)
        connection.execute(
            "INSERT INTO attempts (job_id, attempt, study_id, kind, state)"
            " VALUES (?, ?, ?, ?, 'RUNNING')",
            (spec.job_id, attempt, spec.study_id, spec.kind.value),
        )
        connection.execute(
            "INSERT INTO running (job_id, attempt, process, deadline) VALUES (?, ?, ?, ?)"
            " ON CONFLICT (job_id, attempt) DO UPDATE SET process = excluded.process",
            (spec.job_id, attempt, os.getpid(), time.monotonic() + spec.time_limit_s),
        )
        (deadline,) = connection.execute(
            "SELECT deadline FROM running WHERE job_id = ? AND attempt = ?", (spec.job_id, attempt)
        ).fetchone()
        return float(deadline)


def put_off_attempt(connection: sqlite3.Connection, job_id: bytes, attempt: int) -> None:
    """Take back an attempt of which nothing has begun, to be tried again; its deadline stays."""
    connection.execute("DELETE FROM attempts WHERE job_id = ? AND attempt = ?", (job_id, attempt))
    connection.execute(
        "UPDATE running SET process = 0 WHERE job_id = ? AND attempt = ?", (job_id, attempt)
    )


def end_attempt(
    party: Party, connection: sqlite3.Connection, job_id: bytes, attempt: int, *, succeeded: bool
) -> None:
    """Write down how an attempt ended; a question it leaves without an answer is aborted.

    Raises ResourceError (``ATTEMPT_OVERTAKEN``) if it had ended before: a process that was stopped
    or orphaned meanwhile must not conclude what was reported as failed. ResourceError
    (``CANCELLED``) if the job was cancelled and would succeed. Checkpoints are deleted where no
    attempt can follow; a job that was cancelled has kept none since then.
    """
    cancelled = cancellation(connection, job_id)
    if cancelled is not None and succeeded:
        raise cancelled
    changed = connection.execute(
        "UPDATE attempts SET state = ? WHERE job_id = ? AND attempt = ? AND state = 'RUNNING'",
        ("DONE" if succeeded else "FAILED", job_id, attempt),
    )
    if changed.rowcount != 1:
        raise ResourceError("This attempt was ended meanwhile.", code=OVERTAKEN)
    connection.execute("DELETE FROM running WHERE job_id = ? AND attempt = ?", (job_id, attempt))
    abort_question(party, connection, job_id, attempt)
    (n_attempts,) = connection.execute(
        "SELECT COUNT(*) FROM attempts WHERE job_id = ?", (job_id,)
    ).fetchone()
    if n_attempts >= party.config.max_attempts:
        forget_checkpoints(connection, job_id)


def cancellation(connection: sqlite3.Connection, job_id: bytes) -> EngineError | None:
    """Return the error (``CANCELLED``) that ends a job which was cancelled, None if it was not."""
    row = connection.execute("SELECT by FROM cancellations WHERE job_id = ?", (job_id,)).fetchone()
    if row is None:
        return None
    return ResourceError(f"The {row['by']} cancelled this job.", code=CANCELLED)


def require_running(connection: sqlite3.Connection, job_id: bytes, attempt: int) -> None:
    """Raise ResourceError unless an attempt runs still (``ATTEMPT_OVERTAKEN``, ``CANCELLED``)."""
    cancelled = cancellation(connection, job_id)
    if cancelled is not None:
        raise cancelled
    row = connection.execute(
        "SELECT 1 FROM attempts WHERE job_id = ? AND attempt = ? AND state = 'RUNNING'",
        (job_id, attempt),
    ).fetchone()
    if row is None:
        raise ResourceError("This attempt was ended meanwhile.", code=OVERTAKEN)


def interruption(connection: sqlite3.Connection, job_id: bytes, attempt: int) -> EngineError | None:
    """Return what ends a process at work on an attempt: its job was cancelled, or it has failed."""
    cancelled = cancellation(connection, job_id)
    if cancelled is not None:
        return cancelled
    row = connection.execute(
        "SELECT 1 FROM attempts WHERE job_id = ? AND attempt = ? AND state = 'FAILED'",
        (job_id, attempt),
    ).fetchone()
    return row and ResourceError("This attempt was ended meanwhile.", code=OVERTAKEN)


def note_complete(connection: sqlite3.Connection, job_id: bytes) -> None:
    """Note that every answer of a job is stored: from here on it can't be cancelled."""
    connection.execute("INSERT OR IGNORE INTO complete (job_id) VALUES (?)", (job_id,))


def abandon_attempts(party: Party) -> int:
    """Report every running attempt as failed; call it only when no worker runs. Return how many.

    Studies that were closing are open again.
    """
    with party.database.transaction() as connection:
        rows = connection.execute(
            "SELECT job_id, attempt, study_id, kind FROM attempts WHERE state = 'RUNNING'"
        ).fetchall()
        for row in rows:
            _abandon(party, connection, row)
        connection.execute("DELETE FROM running")
    party.outbox.flush()
    return len(rows)


def overdue_processes(party: Party, grace_s: float) -> list[int]:
    """Return the processes whose attempt should have ended ``grace_s`` seconds ago."""
    with party.database.reading() as connection:
        rows = connection.execute(
            "SELECT process FROM running WHERE process != 0 AND deadline < ?",
            (time.monotonic() - grace_s,),
        ).fetchall()
    return [int(row["process"]) for row in rows]


def abandon_attempt(party: Party, job_id: bytes, attempt: int) -> None:
    """Report one attempt as failed if it still counts as running (its process died)."""
    with party.database.transaction() as connection:
        row = connection.execute(
            "SELECT job_id, attempt, study_id, kind FROM attempts"
            " WHERE job_id = ? AND attempt = ? AND state = 'RUNNING'",
            (job_id, attempt),
        ).fetchone()
        if row is not None:
            _abandon(party, connection, row)
    party.outbox.flush()


def _abandon(party: Party, connection: sqlite3.Connection, row: sqlite3.Row) -> None:
    job_id, attempt, study_id = row["job_id"], row["attempt"], row["study_id"]
    end_attempt(party, connection, job_id, attempt, succeeded=False)
    is_closing = row["kind"] == JobKind.CLOSING.value
    if is_closing:
        reopen_study(connection, party, study_id, job_id, attempt)
    bound = bound_by(connection, party.role, study_id, "WORKER_LOST") if is_closing else None
    error = (
        bound
        or cancellation(connection, job_id)
        or ResourceError(
            "The party's worker ended during the job. Nothing is lost; try again.",
            code="WORKER_LOST",
        )
    )
    failed = JobFailed(job_id=job_id, attempt=attempt, **refusal_values(error))
    tell_of_job(party, connection, job_id, failed)
