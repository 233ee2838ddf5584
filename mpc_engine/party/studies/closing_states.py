"""How far a study's closing has come at this party, where both sides commit to it and open.

One row for each study, from this party's first commitment on.

============ ======================================================================================
state        what it means
============ ======================================================================================
KEPT         this party committed, and its opening has not left. The modeler takes answers again and
             a fresh run replaces this one; the regulator takes none before the modeler has said
             that it holds nothing of the run, for it may have opened it, or before the deadline.
OPENED       modeler: its opening may have left; only the same bytes go out again, and never a fresh
             run. The regulator opens when it holds both, and decides in the same transaction.
AGREED       both openings are here and equal: the cohort is closed. The regulator's party ends it
             as UNFINISHED if the modeler's has, which asks nothing of it then.
DISAGREED    they differ, so one side deviated: final.
NOBODY_VALID both agree that nobody's answer is valid: final.
UNFINISHED   an opening did not reach a party until the deadline: final, and blames nobody.
============ ======================================================================================

A study whose closing ended without a cohort stays as it is, `CLOSING`: it takes no answers, and its
shares are gone.
"""

from __future__ import annotations

import logging
import sqlite3
from datetime import timedelta
from enum import StrEnum

from mpc_engine.control.post.exchanges.about_studies import ClosingStanding
from mpc_engine.control.texts.fields import format_time
from mpc_engine.errors import CheckFailedError, EngineError, ResourceError
from mpc_engine.party.studies.known_study import get_study
from mpc_engine.party.zone.database import note_deletion
from mpc_engine.party.zone.faults import log_once
from mpc_engine.party.zone.party import Party
from mpc_engine.protocols.closing.protocol import without_judged
from mpc_engine.roles import Role
from mpc_engine.vocabulary.runs import JobKind

_log = logging.getLogger(__name__)

PART_PLACE = "closing"
"""Where a part of a closing lies sealed, with its study and run."""
OPENING_LIMIT = timedelta(days=7)
"""How long a party waits for the other one's opening: public.

The modeler's from its own opening on; the regulator's, which opens second, from its commitment on.
"""

_OVERDUE = "SELECT study_id FROM closings WHERE state = ? AND since < ?"


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


def closing_standing(
    connection: sqlite3.Connection, role: Role, study_id: bytes
) -> ClosingStanding:
    """Return how a study's closing stands at a party, as it tells the web when asked."""
    state = closing_state(connection, study_id)
    if _is_free(state, role):
        return ClosingStanding.OPEN
    if state in ENDED:
        return ClosingStanding.ENDED
    return ClosingStanding.CLOSED if state is ClosingState.AGREED else ClosingStanding.WAITS


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
            "A part of this study's closing did not reach a party in time; that is final.",
            code="CLOSING_UNFINISHED",
        )
    raise ValueError(f"A closing that is {state} has not ended so.")


def bound_by(
    connection: sqlite3.Connection, role: Role, study_id: bytes, cause: str
) -> EngineError | None:
    """Return what a closing that failed here ends with, None if it binds this party to nothing.

    ``CLOSING_WAITS`` where a run may still be settled, or is and the other party may not know;
    otherwise the error that names its end. ``cause``: the code of what failed.
    """
    state = closing_state(connection, study_id)
    if _is_free(state, role):
        return None
    if state in ENDED:
        return ended_without_cohort(state)
    return CheckFailedError(
        f"This party's part of the closing may be settled still ({cause} came after it). Another "
        "attempt tells. If a part does not reach a party within "
        f"{OPENING_LIMIT.days} days the closing ends as unfinished.",
        code="CLOSING_WAITS",
    )


def is_closed_elsewhere(
    connection: sqlite3.Connection, study_id: bytes, job_id: bytes, attempt: int
) -> bool:
    """Return whether another attempt than this one is closing the study."""
    other = connection.execute(
        "SELECT 1 FROM attempts WHERE study_id = ? AND kind = ? AND state = 'RUNNING'"
        " AND NOT (job_id = ? AND attempt = ?)",
        (study_id, JobKind.CLOSING.value, job_id, attempt),
    ).fetchone()
    return other is not None


def reopen_study(
    connection: sqlite3.Connection, party: Party, study_id: bytes, job_id: bytes, attempt: int
) -> None:
    """Take answers again after an attempt at closing that failed.

    Not while another attempt closes the study, nor if a run of it may still be settled. Of a run
    that is never settled nothing stays but which it was.
    """
    state = closing_state(connection, study_id)
    if not _is_free(state, party.role):
        return
    if is_closed_elsewhere(connection, study_id, job_id, attempt):
        return
    connection.execute(
        "UPDATE studies SET state = 'OPEN' WHERE study_id = ? AND state = 'CLOSING'", (study_id,)
    )
    if state is ClosingState.KEPT:
        connection.execute("DELETE FROM closed_records WHERE study_id = ?", (study_id,))
        _forget_part(connection, study_id)


def _forget_part(connection: sqlite3.Connection, study_id: bytes) -> None:
    """Keep nothing of a part of which nothing goes out again, but the run that it is of."""
    connection.execute("UPDATE closings SET sealed = x'' WHERE study_id = ?", (study_id,))
    note_deletion(connection)


def forget_judged(connection: sqlite3.Connection, party: Party, study_id: bytes) -> None:
    """Keep of an ended run's part what is sent again, and not which rows this side saw as valid."""
    row = connection.execute(
        "SELECT run, sealed FROM closings WHERE study_id = ?", (study_id,)
    ).fetchone()
    ids = (study_id, row["run"])
    part = without_judged(party.cipher.open(PART_PLACE, ids, row["sealed"]))
    connection.execute(
        "UPDATE closings SET sealed = ? WHERE study_id = ?",
        (party.cipher.seal(PART_PLACE, ids, part), study_id),
    )
    note_deletion(connection)


def require_frozen(connection: sqlite3.Connection, study_id: bytes) -> None:
    """Raise ResourceError (``CLOSED_DIFFERENTLY``) where the study takes answers again."""
    (state,) = connection.execute(
        "SELECT state FROM studies WHERE study_id = ?", (study_id,)
    ).fetchone()
    if state != "CLOSING":
        raise ResourceError(
            "The study takes answers again: this run of its closing lacks them.",
            code="CLOSED_DIFFERENTLY",
        )


def _is_free(state: ClosingState | None, role: Role) -> bool:
    return state is None or (state is ClosingState.KEPT and role is Role.MODELER)


def move_closing(
    connection: sqlite3.Connection, study_id: bytes, before: ClosingState, after: ClosingState
) -> None:
    """Move a closing on from the state it is in; ResourceError (``CLOSED_DIFFERENTLY``) if not."""
    changed = connection.execute(
        "UPDATE closings SET state = ? WHERE study_id = ? AND state = ?", (after, study_id, before)
    )
    if changed.rowcount != 1:
        raise ResourceError(
            "This closing was ended, or run again, meanwhile.", code="CLOSED_DIFFERENTLY"
        )


def end_closing(
    connection: sqlite3.Connection,
    role: Role,
    study_id: bytes,
    before: ClosingState,
    state: ClosingState,
) -> None:
    """End a closing without a cohort; shares and the records that were kept are gone.

    So is the part of one that is UNFINISHED, of which nothing goes out again, and soon the party's
    key. ``before``: the state that it is in; errors as of `move_closing`.
    """
    move_closing(connection, study_id, before, state)
    note_key_to_destroy(connection, role, study_id)
    connection.execute(
        "UPDATE studies SET state = 'CLOSING', record_set = NULL, n_records = NULL,"
        " n_invalid = NULL, n_disagreed = NULL WHERE study_id = ?",
        (study_id,),
    )
    for table in ("shares", "closed_records"):
        connection.execute(f"DELETE FROM {table} WHERE study_id = ?", (study_id,))
    note_deletion(connection)
    if state is ClosingState.UNFINISHED:
        _forget_part(connection, study_id)


def note_key_to_destroy(connection: sqlite3.Connection, role: Role, study_id: bytes) -> None:
    """Note, in the transaction that ends a closing, that the study's first key goes now.

    `study_keys.renew_noted_keys` works what is noted, whatever became of the process that ended it.
    """
    key_id = get_study(connection, study_id).configuration.party(role).key_id
    connection.execute(
        "INSERT OR IGNORE INTO keys_to_destroy (study_id, key_id) VALUES (?, ?)", (study_id, key_id)
    )


def end_overdue_closings(party: Party) -> int:
    """End the closings whose other opening did not come in time; return how many.

    The modeler's party waits from its opening on, the regulator's from its commitment on: it opens
    when it holds the other opening, and then decides. Each study ends by itself: one that can't is
    logged, and keeps no other back.
    """
    waiting = ClosingState.OPENED if party.role is Role.MODELER else ClosingState.KEPT
    latest = (waiting, format_time(party.now() - OPENING_LIMIT))
    with party.database.reading() as connection:
        studies = [row["study_id"] for row in connection.execute(_OVERDUE, latest)]
    n_ended = 0
    for study_id in studies:
        try:
            with party.database.transaction() as connection:
                is_overdue = connection.execute(f"{_OVERDUE} AND study_id = ?", (*latest, study_id))
                if is_overdue.fetchone() is None:
                    continue
                end_closing(connection, party.role, study_id, waiting, ClosingState.UNFINISHED)
        except Exception as error:
            log_once(_log, "an overdue closing is not ended yet", error)
        else:
            n_ended += 1
    if n_ended:
        party.database.forget_deleted()
    return n_ended
