"""Attempts at jobs: each is written down, on disk, before anything of it happens, and never again.

A broker that delivers twice, a killed worker, a restored message: none makes this party run one
attempt twice, because its row is there already.
"""

from __future__ import annotations

import sqlite3

from mpc_engine.control.jobs import JobSpec
from mpc_engine.control.messages import hex_values
from mpc_engine.errors import ResourceError, UsageError
from mpc_engine.party.ledger.entries import abort_question
from mpc_engine.party.party import Party

REPEATED = "ATTEMPT_REPEATED"
OVERTAKEN = "ATTEMPT_OVERTAKEN"


def begin_attempt(party: Party, spec: JobSpec, attempt: int) -> None:
    """Write an attempt down as running; UsageError if it may not begin.

    Codes: ``ATTEMPT_REPEATED``, ``ATTEMPT_LIMIT``. A job that is done may be attempted again: the
    other party may have missed its end. An earlier attempt that still runs has lost its right to
    conclude from here on.
    """
    with party.database.transaction() as connection:
        states = dict(
            connection.execute(
                "SELECT attempt, state FROM attempts WHERE job_id = ?", (spec.job_id,)
            ).fetchall()
        )
        if attempt <= max(states, default=-1):
            raise UsageError("This attempt, or a later one, was made before.", code=REPEATED)
        if len(states) >= party.config.max_attempts:
            raise UsageError("This job was attempted too often.", code="ATTEMPT_LIMIT")
        for earlier in (number for number, state in states.items() if state == "RUNNING"):
            end_attempt(party, connection, spec.job_id, earlier, succeeded=False)
        connection.execute(
            "INSERT INTO attempts (job_id, attempt, study_id, kind, state)"
            " VALUES (?, ?, ?, ?, 'RUNNING')",
            (spec.job_id, attempt, spec.study_id, spec.kind.value),
        )


def end_attempt(
    party: Party, connection: sqlite3.Connection, job_id: bytes, attempt: int, *, succeeded: bool
) -> None:
    """Write down how an attempt ended; a question it leaves without an answer is aborted.

    Raises ResourceError (``ATTEMPT_OVERTAKEN``) if it had ended before: a process that was stopped
    or orphaned meanwhile must not conclude what was reported as failed.
    """
    changed = connection.execute(
        "UPDATE attempts SET state = ? WHERE job_id = ? AND attempt = ? AND state = 'RUNNING'",
        ("DONE" if succeeded else "FAILED", job_id, attempt),
    )
    if changed.rowcount != 1:
        raise ResourceError("This attempt was ended meanwhile.", code=OVERTAKEN)
    abort_question(party, connection, job_id, attempt)


def abandon_attempts(party: Party) -> int:
    """Report every running attempt as failed; call it only when no worker runs. Return how many.

    Studies that were closing are open again.
    """
    with party.database.transaction() as connection:
        rows = connection.execute(
            "SELECT job_id, attempt FROM attempts WHERE state = 'RUNNING'"
        ).fetchall()
        for row in rows:
            _abandon(party, connection, row["job_id"], row["attempt"])
    party.outbox.flush()
    return len(rows)


def abandon_attempt(party: Party, job_id: bytes, attempt: int) -> None:
    """Report one attempt as failed if it still counts as running (its process died)."""
    with party.database.transaction() as connection:
        row = connection.execute(
            "SELECT 1 FROM attempts WHERE job_id = ? AND attempt = ? AND state = 'RUNNING'",
            (job_id, attempt),
        ).fetchone()
        if row is not None:
            _abandon(party, connection, job_id, attempt)
    party.outbox.flush()


def _abandon(party: Party, connection: sqlite3.Connection, job_id: bytes, attempt: int) -> None:
    end_attempt(party, connection, job_id, attempt, succeeded=False)
    connection.execute(
        "UPDATE studies SET state = 'OPEN' WHERE state = 'CLOSING' AND study_id ="
        " (SELECT study_id FROM attempts WHERE job_id = ? AND attempt = ?)",
        (job_id, attempt),
    )
    party.outbox.add(
        connection,
        "job_failed",
        {
            **hex_values(job_id=job_id),
            "attempt": attempt,
            "code": "WORKER_LOST",
            "sentence": "The party's worker ended during the job. Nothing is lost; try again.",
        },
    )
