"""This party's part of a study's closing, kept until both sides have opened theirs.

In their hellos the parties say of which run they hold a part, by its job digest: the modeler's once
it may have opened it, the regulator's from its commitment on, which comes before that. If both hold
the same run it is settled; otherwise a fresh run begins, unless one of them has opened.
"""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass

from mpc_engine.control.texts.fields import format_time
from mpc_engine.errors import PeerError, ResourceError
from mpc_engine.party.jobs.attempts import require_running
from mpc_engine.party.jobs.work import JobRun, signatures_of
from mpc_engine.party.studies.closed_records import store_closed_records
from mpc_engine.party.studies.closing_states import (
    ENDED,
    ClosingState,
    closing_state,
    end_closing,
    ended_without_cohort,
)
from mpc_engine.protocols.closing.protocol import ClosingOutcome
from mpc_engine.protocols.keeping import ClosingTerms
from mpc_engine.roles import Role

_PLACE = "closing"


@dataclass(frozen=True, repr=False)
class HeldPart:
    """A part of a closing; ``run`` is the job digest of the attempt that it is of."""

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
            row = connection.execute(
                "SELECT run, state, sealed FROM closings WHERE study_id = ?", (self._study_id,)
            ).fetchone()
        if row is None:
            return None
        content = b""
        if row["sealed"]:
            ids = self._ids(row["run"])
            content = self._run.party.cipher.open(_PLACE, ids, row["sealed"])
        return HeldPart(row["run"], ClosingState(row["state"]), content)

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
        """Return the part of the run that both hold; None for a fresh run.

        Raises PeerError (``CLOSED_DIFFERENTLY``) where this party has opened its part, and the
        other one does not hold the run; for an ended closing the error that names its end.
        """
        held = self.held()
        if held is None:
            return None
        if held.run and held.run == peer_holds == self.held_run:
            return held
        if held.state in ENDED:
            raise ended_without_cohort(held.state)
        if held.is_opened:
            raise PeerError(
                "The parties hold different runs of this closing. One of their stores was set "
                "back or lost; no fresh run begins.",
                code="CLOSED_DIFFERENTLY",
            )
        return None

    def end_with_peer(self, connection: sqlite3.Connection) -> None:
        """End a closing that the other party has ended as unfinished; not one opened here."""
        study_id = self._study_id
        if closing_state(connection, study_id) in (None, ClosingState.KEPT):
            connection.execute("DELETE FROM closings WHERE study_id = ?", (study_id,))
            connection.execute(
                "INSERT INTO closings (study_id, run, state, since, sealed)"
                " VALUES (?, x'', 'UNFINISHED', ?, x'')",
                (study_id, format_time(self._run.party.now())),
            )
            end_closing(connection, study_id, ClosingState.UNFINISHED)

    def terms(self, run: bytes) -> ClosingTerms[ClosingOutcome]:
        """Return what the protocol needs for the equality of the run of this job digest."""
        return ClosingTerms(signatures_of(self._run.party), _Store(self, run))

    def keep(self, run: bytes, content: bytes, outcome: ClosingOutcome | None) -> None:
        """Keep the part of an attempt that still runs, and the cohort that may come of it.

        Raises ResourceError (``CLOSED_DIFFERENTLY``) once a part of this closing was opened.
        """
        party, study_id = self._run.party, self._study_id
        with party.database.transaction() as connection:
            require_running(connection, self._run.spec.job_id, self._run.order.attempt)
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
            if outcome is not None:
                store_closed_records(connection, party.cipher, study_id, outcome.records)
                connection.execute(
                    "UPDATE studies SET record_set = ?, n_records = ?, n_invalid = ?,"
                    " n_disagreed = ? WHERE study_id = ?",
                    (
                        outcome.record_set,
                        len(outcome.records),
                        outcome.n_invalid,
                        outcome.n_disagreed,
                        study_id,
                    ),
                )

    def note_opening(self, run: bytes, content: bytes) -> None:
        """Keep the part with its opening, which leaves next; no fresh run begins from here on.

        Raises ResourceError (``CLOSED_DIFFERENTLY``) where another run took its place meanwhile.
        """
        party = self._run.party
        with party.database.transaction() as connection:
            require_running(connection, self._run.spec.job_id, self._run.order.attempt)
            changed = connection.execute(
                "UPDATE closings SET state = 'OPENED', since = ?, sealed = ?"
                " WHERE study_id = ? AND run = ? AND state = 'KEPT'",
                (format_time(party.now()), self._sealed(run, content), self._study_id, run),
            )
            if changed.rowcount != 1:
                raise _opened_before()

    def _sealed(self, run: bytes, content: bytes) -> bytes:
        return self._run.party.cipher.seal(_PLACE, self._ids(run), content)

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

    def keep(self, part: bytes, outcome: ClosingOutcome | None) -> None:
        """Keep this party's part."""
        self._parts.keep(self._of_run, part, outcome)

    def note_opening(self, part: bytes) -> None:
        """Keep the part with the opening that is about to leave."""
        self._parts.note_opening(self._of_run, part)
