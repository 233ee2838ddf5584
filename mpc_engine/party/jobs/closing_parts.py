"""This party's part of a study's closing, kept until both sides have opened theirs.

In their hellos the parties say of which run they hold a part, by its job digest: the modeler's once
it may have opened it, the regulator's from its commitment on, which comes before that. If both hold
the same run it is settled; otherwise a fresh run begins, unless one of them has opened. What the
regulator's party holds of another run it forgets first, at the modeler's word that it holds nothing
of it: until then it takes no answers, so that no run is settled that lacks an acknowledged answer.
"""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass

from mpc_engine.control.texts.fields import format_time
from mpc_engine.errors import PeerError, ResourceError
from mpc_engine.party.jobs.attempts import require_running
from mpc_engine.party.jobs.work import JobRun, signatures_of
from mpc_engine.party.studies.closed_records import read_closed_records, store_closed_records
from mpc_engine.party.studies.closing_states import (
    PART_PLACE,
    ClosingState,
    end_closing,
    ended_without_cohort,
    forget_judged,
    move_closing,
    note_key_to_destroy,
    require_frozen,
)
from mpc_engine.party.studies.known_study import envelope_layout
from mpc_engine.party.zone.database import note_deletion
from mpc_engine.protocols.closing.protocol import closed_cohort, openings_agree
from mpc_engine.protocols.keeping import ClosingTerms
from mpc_engine.roles import Role
from mpc_engine.sharing.records import HeldRecords


@dataclass(frozen=True, repr=False)
class HeldPart:
    """A part of a closing; ``run`` is the job digest of the attempt that it is of.

    ``content`` is empty where nothing of it goes out again.
    """

    run: bytes
    state: ClosingState
    content: bytes

    def __repr__(self) -> str:
        return f"HeldPart(<secret>, {self.state})"

    @property
    def is_opened(self) -> bool:
        """Return whether this party's opening may have left."""
        return self.state is not ClosingState.KEPT


class ClosingParts:
    """What this party keeps of one study's closing, for one attempt at it."""

    def __init__(self, run: JobRun) -> None:
        self._run = run
        self._study_id = run.spec.study_id

    def held(self) -> HeldPart | None:
        """Return the part that is kept, None if there is none."""
        with self._run.party.database.reading() as connection:
            return self._held(connection)

    def _held(self, connection: sqlite3.Connection) -> HeldPart | None:
        row = connection.execute(
            "SELECT run, state, sealed FROM closings WHERE study_id = ?", (self._study_id,)
        ).fetchone()
        if row is None:
            return None
        run, sealed = row["run"], row["sealed"]
        content = self._run.party.cipher.open(PART_PLACE, self._ids(run), sealed) if sealed else b""
        return HeldPart(run, ClosingState(row["state"]), content)

    @property
    def held_run(self) -> bytes:
        """Return the run whose part both sides may settle, for the hello; empty without one."""
        held = self.held()
        if held is None or (self._run.party.role is Role.MODELER and not held.is_opened):
            return b""
        return held.run

    def require_unended(self) -> None:
        """Raise CheckFailedError (``CLOSING_UNFINISHED``) for a closing that ended so here.

        One that ended otherwise is settled again, for a party that missed its end.
        """
        held = self.held()
        if held is not None and held.state is ClosingState.UNFINISHED:
            raise ended_without_cohort(held.state)

    def to_settle(self, peer_holds: bytes) -> HeldPart | None:
        """Return the part of the run that both hold; None for a fresh run, no other being held.

        Raises PeerError (``CLOSED_DIFFERENTLY``) where this party has opened its part, or the
        closing has ended here, and the other one does not hold the run.
        """
        held = self.held()
        if held is None:
            return None
        if held.state is ClosingState.UNFINISHED:
            raise ended_without_cohort(held.state)
        if held.run == peer_holds == self.held_run:
            return held
        if held.is_opened:
            raise PeerError(
                "The parties hold different runs of this closing. One of their stores was set "
                "back or lost; no fresh run begins.",
                code="CLOSED_DIFFERENTLY",
            )
        if self._run.party.role is Role.REGULATOR:
            self._forget(held.run)
        return None

    def _forget(self, run: bytes) -> None:
        """Forget a run that the modeler's party says it holds nothing of: it is never settled.

        Only an attempt that still runs may; ResourceError (``CLOSED_DIFFERENTLY``) where another
        one moved the run on meanwhile, whose records stay.
        """
        with self._run.party.database.transaction() as connection:
            require_running(connection, self._run.spec.job_id, self._run.order.attempt)
            changed = connection.execute(
                "DELETE FROM closings WHERE study_id = ? AND run = ? AND state = 'KEPT'",
                (self._study_id, run),
            )
            if changed.rowcount != 1:
                raise _opened_before()
            connection.execute("DELETE FROM closed_records WHERE study_id = ?", (self._study_id,))
            note_deletion(connection)
        self._run.party.database.forget_deleted()

    def end_with_peer(self, connection: sqlite3.Connection, peer_holds: bytes) -> None:
        """End the closing that the other party has ended as unfinished, where its word does so.

        ``peer_holds``: the run that its hello names. A party that holds nothing ends whichever that
        is, and so does the modeler's that has not opened: the regulator's is final, and there is
        nothing to settle. The regulator's ends otherwise only the run that it holds itself: also a
        cohort that it has agreed to, unless something was asked about it. The modeler's has closed
        it then, whatever it says.
        """
        held = self._held(connection)
        if not self._may_end(connection, held, peer_holds):
            return
        if held is None:
            connection.execute(
                "INSERT INTO closings (study_id, run, state, since, sealed)"
                " VALUES (?, ?, 'KEPT', ?, x'')",
                (self._study_id, peer_holds, format_time(self._run.party.now())),
            )
        before = ClosingState.KEPT if held is None else held.state
        role = self._run.party.role
        end_closing(connection, role, self._study_id, before, ClosingState.UNFINISHED)

    def _may_end(
        self, connection: sqlite3.Connection, held: HeldPart | None, peer_holds: bytes
    ) -> bool:
        if held is None:
            return True
        if self._run.party.role is Role.MODELER:
            return held.state is ClosingState.KEPT
        if held.run != peer_holds or held.state not in (ClosingState.KEPT, ClosingState.AGREED):
            return False
        asked = connection.execute(
            "SELECT 1 FROM questions WHERE study_id = ?", (self._study_id,)
        ).fetchone()
        return asked is None

    def decide(self, run: bytes, *, agrees: bool) -> ClosingState:
        """End the run that this party has opened by both openings; return how it ended.

        An end that it reached before stays. Errors as of `closing_states.move_closing`.
        """
        with self._run.party.database.transaction() as connection:
            ended = self._decide(connection, run, agrees=agrees)
        self._run.party.database.forget_deleted()
        return ended

    def _decide(self, connection: sqlite3.Connection, run: bytes, *, agrees: bool) -> ClosingState:
        held = self._held(connection)
        if held is None or held.run != run or not held.is_opened:
            raise _opened_before()
        if held.state is not ClosingState.OPENED:
            return held.state
        if agrees:
            ended = self._close(connection, held)
        else:
            ended = ClosingState.DISAGREED
            end_closing(connection, self._run.party.role, self._study_id, held.state, ended)
        forget_judged(connection, self._run.party, self._study_id)
        return ended

    def _close(self, connection: sqlite3.Connection, held: HeldPart) -> ClosingState:
        """Keep of the records those that both parties have found valid."""
        party, study_id = self._run.party, self._study_id
        (n_kept,) = connection.execute(
            "SELECT n_records FROM studies WHERE study_id = ?", (study_id,)
        ).fetchone()
        everybody = read_closed_records(connection, party.cipher, study_id, slice(0, n_kept))
        layout = envelope_layout(self._run.study.configuration)
        cohort = closed_cohort(layout, held.content, everybody)
        if not len(cohort.records):
            end_closing(connection, party.role, study_id, held.state, ClosingState.NOBODY_VALID)
            return ClosingState.NOBODY_VALID
        move_closing(connection, study_id, held.state, ClosingState.AGREED)
        note_key_to_destroy(connection, party.role, study_id)
        store_closed_records(connection, party.cipher, study_id, cohort.records)
        connection.execute(
            "UPDATE studies SET state = 'CLOSED', record_set = ?, n_records = ?, n_invalid = ?,"
            " n_disagreed = ? WHERE study_id = ?",
            (
                cohort.record_set,
                len(cohort.records),
                cohort.n_invalid,
                cohort.n_disagreed,
                study_id,
            ),
        )
        connection.execute("DELETE FROM shares WHERE study_id = ?", (study_id,))
        return ClosingState.AGREED

    def terms(self, run: bytes) -> ClosingTerms:
        """Return what the protocol needs for the equality of the run of this job digest."""
        return ClosingTerms(signatures_of(self._run.party), _Store(self, run))

    def keep(self, run: bytes, content: bytes, records: HeldRecords) -> None:
        """Keep the part of an attempt that still runs, and all records of the agreed list.

        The same rows of the same sizes are written whatever is in them. Raises ResourceError
        (``CLOSED_DIFFERENTLY``) once a part of this closing was opened.
        """
        party, study_id = self._run.party, self._study_id
        with party.database.transaction() as connection:
            require_running(connection, self._run.spec.job_id, self._run.order.attempt)
            require_frozen(connection, study_id)
            connection.execute(
                "DELETE FROM closings WHERE study_id = ? AND state = 'KEPT'", (study_id,)
            )
            changed = connection.execute(
                "INSERT OR IGNORE INTO closings (study_id, run, state, since, sealed)"
                " VALUES (?, ?, 'KEPT', ?, ?)",
                (study_id, run, format_time(party.now()), self._sealed(run, content)),
            )
            if changed.rowcount != 1:
                raise _opened_before()
            store_closed_records(connection, party.cipher, study_id, records)
            connection.execute(
                "UPDATE studies SET n_records = ? WHERE study_id = ?", (len(records), study_id)
            )

    def note_opening(self, run: bytes, content: bytes) -> None:
        """Keep the part with its opening, which leaves next; no fresh run begins from here on.

        The regulator's party, which holds both openings, decides in the same transaction. Raises
        ResourceError (``CLOSED_DIFFERENTLY``) where another run took its place meanwhile.
        """
        party = self._run.party
        with party.database.transaction() as connection:
            require_running(connection, self._run.spec.job_id, self._run.order.attempt)
            require_frozen(connection, self._study_id)
            changed = connection.execute(
                "UPDATE closings SET state = 'OPENED', since = ?, sealed = ?"
                " WHERE study_id = ? AND run = ? AND state = 'KEPT'",
                (format_time(party.now()), self._sealed(run, content), self._study_id, run),
            )
            if changed.rowcount != 1:
                raise _opened_before()
            if party.role is Role.REGULATOR:
                self._decide(connection, run, agrees=openings_agree(content))

    def _sealed(self, run: bytes, content: bytes) -> bytes:
        return self._run.party.cipher.seal(PART_PLACE, self._ids(run), content)

    def _ids(self, run: bytes) -> tuple[bytes, ...]:
        return (self._study_id, run)


def _opened_before() -> ResourceError:
    return ResourceError(
        "Another run of this study's closing was opened.", code="CLOSED_DIFFERENTLY"
    )


class _Store:
    """The `protocols.keeping.ClosingStore` of one run."""

    def __init__(self, parts: ClosingParts, run: bytes) -> None:
        self._parts = parts
        self._of_run = run

    def keep(self, part: bytes, records: HeldRecords) -> None:
        """Keep this party's part, and all records of the agreed list."""
        self._parts.keep(self._of_run, part, records)

    def note_opening(self, part: bytes) -> None:
        """Keep the part with the opening that is about to leave."""
        self._parts.note_opening(self._of_run, part)
