"""How far a study's closing has come at this party, where both sides commit to it and open.

One row for each study, from this party's first commitment on.

============ ======================================================================================
state        what it means
============ ======================================================================================
KEPT         this party committed, and its opening has not left: a fresh run replaces this one.
OPENED       its opening may have left; only the same bytes go out again, and never a fresh run.
AGREED       both openings are here and equal: the cohort is closed.
DISAGREED    they differ, so one side deviated: final.
NOBODY_VALID both agree that nobody's answer is valid: final.
UNFINISHED   the other side's opening did not come until the deadline: final, and blames nobody.
============ ======================================================================================

A study whose closing ended without a cohort stays as it is, `CLOSING`: it takes no answers, and its
shares are gone.
"""

from __future__ import annotations

import sqlite3
from datetime import timedelta
from enum import StrEnum

from mpc_engine.control.texts.fields import format_time
from mpc_engine.errors import CheckFailedError, EngineError
from mpc_engine.party.zone.party import Party
from mpc_engine.roles import Role

OPENING_LIMIT = timedelta(days=7)
"""How long a party waits for the other one's opening, from its own on: public."""


class ClosingState(StrEnum):
    """What may still be done about a study's closing; see the module."""

    KEPT = "KEPT"
    OPENED = "OPENED"
    AGREED = "AGREED"
    DISAGREED = "DISAGREED"
    NOBODY_VALID = "NOBODY_VALID"
    UNFINISHED = "UNFINISHED"


ENDED = (ClosingState.DISAGREED, ClosingState.NOBODY_VALID, ClosingState.UNFINISHED)
"""Final, without a cohort."""


def closing_state(connection: sqlite3.Connection, study_id: bytes) -> ClosingState | None:
    """Return how a study's closing stands, None before this party's first commitment."""
    row = connection.execute(
        "SELECT state FROM closings WHERE study_id = ?", (study_id,)
    ).fetchone()
    return None if row is None else ClosingState(row["state"])


def ended_without_cohort(state: ClosingState) -> EngineError:
    """Return the error that names how a closing ended; ValueError for one that did not."""
    if state is ClosingState.DISAGREED:
        return CheckFailedError(
            "The two runs of this study's closing did not agree; that is final.",
            code="CLOSING_DISAGREED",
        )
    if state is ClosingState.NOBODY_VALID:
        return CheckFailedError(
            "Both parties agree that nobody's answer in this study is valid; that is final.",
            code="NO_VALID_RECORDS",
        )
    if state is ClosingState.UNFINISHED:
        return CheckFailedError(
            "The other party's part of this study's closing did not come in time; that is final.",
            code="CLOSING_UNFINISHED",
        )
    raise ValueError(f"A closing that is {state} has not ended so.")


def waits(connection: sqlite3.Connection, study_id: bytes, cause: str) -> EngineError | None:
    """Return the error (``CLOSING_WAITS``) of a closing that this party has opened, else None.

    ``cause``: the code of what kept the other party's part away.
    """
    if closing_state(connection, study_id) is not ClosingState.OPENED:
        return None
    return CheckFailedError(
        f"This party has opened its part of the closing ({cause} came after it). Another attempt "
        "sends the same again; without the other party's part the closing ends as unfinished after "
        f"{OPENING_LIMIT.days} days.",
        code="CLOSING_WAITS",
    )


def reopen_study(connection: sqlite3.Connection, study_id: bytes) -> None:
    """Take answers again after a closing that failed, unless this party has opened its part."""
    if closing_state(connection, study_id) in (None, ClosingState.KEPT):
        connection.execute(
            "UPDATE studies SET state = 'OPEN' WHERE study_id = ? AND state = 'CLOSING'",
            (study_id,),
        )


def end_closing(connection: sqlite3.Connection, study_id: bytes, state: ClosingState) -> None:
    """Note that a closing ended without a cohort; shares and the cohort that was kept are gone."""
    connection.execute("UPDATE closings SET state = ? WHERE study_id = ?", (state, study_id))
    connection.execute(
        "UPDATE studies SET state = 'CLOSING', record_set = NULL, n_records = NULL,"
        " n_invalid = NULL, n_disagreed = NULL WHERE study_id = ?",
        (study_id,),
    )
    for table in ("shares", "closed_records"):
        connection.execute(f"DELETE FROM {table} WHERE study_id = ?", (study_id,))


def end_overdue_closings(party: Party) -> int:
    """End the closings whose other opening did not come in time; return how many.

    Only the modeler's party waits: the regulator's opens when it holds the other opening.
    """
    if party.role is not Role.MODELER:
        return 0
    latest = format_time(party.now() - OPENING_LIMIT)
    overdue = "SELECT study_id FROM closings WHERE state = 'OPENED' AND since < ?"
    with party.database.reading() as connection:
        if connection.execute(overdue, (latest,)).fetchone() is None:
            return 0
    with party.database.transaction() as connection:
        rows = connection.execute(overdue, (latest,)).fetchall()
        for row in rows:
            end_closing(connection, row["study_id"], ClosingState.UNFINISHED)
    party.database.forget_deleted()
    return len(rows)
