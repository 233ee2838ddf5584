"""Ends of certifications and verifications that this party keeps until they are delivered.

One row for each question: what `protocols.ending` made, under this party's storage key.

============ ======================================================================================
state        what it means
============ ======================================================================================
KEPT         regulator: its last message may have left; the question is charged, and only that
             message goes out again. Modeler: it has labels to answer with, and nothing left; a
             fresh session replaces them where the regulator keeps nothing.
ANSWERING    modeler: its answer may have left; only the same bytes go out again.
ANSWERED     regulator: the answer is recorded; while the modeler lacks it, the same message goes
             out again, and never a fresh session.
REFUSED      the modeler refused, or answered with what no circuit gives: final. The modeler still
             sends its refusal again, to a regulator that missed it.
UNDELIVERED  regulator: no answer came until the deadline, which blames nobody: final.
============ ======================================================================================

What neither party needs again is overwritten, and the row stays: it says that the question was
asked. In their hellos the parties say which run's end they hold, by its job digest. If both hold
the same one it is delivered; otherwise, once one was opened, nothing can be done.
"""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum

from mpc_engine.control.texts.fields import format_time
from mpc_engine.crypto.digests import sha256
from mpc_engine.errors import (
    CheckFailedError,
    EngineError,
    PeerError,
    RefusedError,
    ResourceError,
    UsageError,
)
from mpc_engine.party.jobs.attempts import note_complete, require_running
from mpc_engine.party.jobs.work import JobRun, signatures_of
from mpc_engine.party.ledger.cohorts import same_people
from mpc_engine.party.ledger.entries import end_undelivered
from mpc_engine.party.zone.database import note_deletion
from mpc_engine.party.zone.party import Party
from mpc_engine.protocols.keeping import EndTerms
from mpc_engine.roles import Role
from mpc_engine.vocabulary.runs import JobKind
from mpc_engine.wire.codec import length_prefixed

_PLACE = "end"
_ANSWER_PLACE = "end-answer"
_SUBJECT_LABEL = b"blindjustice/v2/party/end"
_ID_BYTES = 16
DELIVERY_LIMIT = timedelta(days=7)
"""How long the regulator's party waits for the answer to a question that it opened."""


class EndState(StrEnum):
    """What may still be done with a kept end; see the module."""

    KEPT = "KEPT"
    ANSWERING = "ANSWERING"
    ANSWERED = "ANSWERED"
    REFUSED = "REFUSED"
    UNDELIVERED = "UNDELIVERED"


@dataclass(frozen=True, repr=False)
class KeptEnd:
    """A kept end; ``run`` is the job digest of the attempt that it is of.

    ``content`` is empty once overwritten, ``answer`` unless the modeler has answered.
    """

    run: bytes
    state: EndState
    content: bytes
    answer: bytes

    def __repr__(self) -> str:
        return f"KeptEnd(<secret>, {self.state})"


class Ends:
    """What this party keeps of one question, for one attempt at it.

    ``parts`` name the question, whichever job asks it; ``about`` what no two questions may be
    opened about at once: the cohort, or the challenges of a batch, 16 bytes each.
    """

    def __init__(self, run: JobRun, *parts: bytes, about: bytes) -> None:
        self._run = run
        kind = run.spec.kind.value.encode("ascii")
        self._subject = sha256(length_prefixed(_SUBJECT_LABEL, kind, run.spec.study_id, *parts))
        self._about = about
        self._is_regulator = run.party.role is Role.REGULATOR

    def kept(self) -> KeptEnd | None:
        """Return what is kept, None if nothing is."""
        with self._run.party.database.reading() as connection:
            row = connection.execute(
                "SELECT run, state, sealed, answer FROM ends WHERE subject = ?", (self._subject,)
            ).fetchone()
        if row is None:
            return None
        content, answer = (
            self._run.party.cipher.open(place, self._ids(row["run"]), row[column])
            if row[column]
            else b""
            for place, column in ((_PLACE, "sealed"), (_ANSWER_PLACE, "answer"))
        )
        return KeptEnd(row["run"], EndState(row["state"]), content, answer)

    @property
    def held_run(self) -> bytes:
        """Return the job digest of the run whose end is held, for the hello; empty without one."""
        with self._run.party.database.reading() as connection:
            row = connection.execute(
                "SELECT run FROM ends WHERE subject = ?", (self._subject,)
            ).fetchone()
        return b"" if row is None else bytes(row["run"])

    def require_open(self) -> None:
        """Raise if no attempt may follow.

        CheckFailedError as `require_undecided`; UsageError (``END_UNDELIVERED``) while another
        question about the same is opened and not answered, (``CHALLENGE_ANSWERED``) for a
        challenge that was opened in another batch. `keep` looks again, in its transaction.
        """
        close_overdue(self._run.party)
        self.require_undecided()
        with self._run.party.database.reading() as connection:
            self._require_others_answered(connection)

    def require_undecided(self) -> None:
        """Raise CheckFailedError (``REFUSED``, ``UNDELIVERED``) if the question ended so here."""
        with self._run.party.database.reading() as connection:
            self._require_undecided(connection)

    def _require_undecided(self, connection: sqlite3.Connection) -> None:
        state = self._state(connection) if self._is_regulator else None
        if state is EndState.REFUSED:
            raise CheckFailedError(
                "The modeler's party refused the outcome of this question; that is final.",
                code="REFUSED",
            )
        if state is EndState.UNDELIVERED:
            raise CheckFailedError(
                "The answer to this question was not delivered in time; that is final.",
                code="UNDELIVERED",
            )

    def _state(self, connection: sqlite3.Connection) -> EndState | None:
        row = connection.execute(
            "SELECT state FROM ends WHERE subject = ?", (self._subject,)
        ).fetchone()
        return None if row is None else EndState(row["state"])

    def _require_others_answered(self, connection: sqlite3.Connection) -> None:
        states = self._states_of_others(connection)
        if self._is_regulator and EndState.KEPT in states:
            raise UsageError(
                "Another question about the same is opened and not answered yet.",
                code="END_UNDELIVERED",
            )
        if self._run.spec.kind is JobKind.VERIFICATION and states - {EndState.KEPT}:
            raise UsageError(
                "A challenge of this batch was opened in another one.", code="CHALLENGE_ANSWERED"
            )

    def _states_of_others(self, connection: sqlite3.Connection) -> set[EndState]:
        """Return how other questions stand: about the same people, or a challenge of this batch.

        The same people are those of the study, and whom the ledger counts as the same elsewhere.
        """
        spec = self._run.spec
        rows = connection.execute(
            "SELECT study_id, about, state FROM ends WHERE kind = ? AND subject != ?",
            (spec.kind.value, self._subject),
        ).fetchall()
        if spec.kind is JobKind.VERIFICATION:
            own = _ids_in(self._about)
            met = [row for row in rows if not own.isdisjoint(_ids_in(row["about"]))]
        else:
            same = set(same_people(connection, spec.study_id))
            met = [
                row
                for row in rows
                if row["study_id"] == spec.study_id or (row["study_id"], row["about"]) in same
            ]
        return {EndState(row["state"]) for row in met}

    def to_deliver(self, peer_holds: bytes) -> KeptEnd | None:
        """Return the end that both parties hold and deliver again; None for a fresh session.

        Raises PeerError (``END_MISSING``) where one of them opened an end or answered it, and not
        both have it still: a fresh session would ask the question twice.
        """
        kept = self.kept()
        if kept is not None and kept.run == peer_holds and kept.content:
            return kept
        if self._is_regulator:
            opened = kept is not None
        else:
            answered = kept is not None and kept.state is not EndState.KEPT
            opened = answered or bool(peer_holds)
        if opened:
            raise PeerError(
                "The parties hold different ends of this question. One of their stores was set "
                "back or lost; the question is not asked anew.",
                code="END_MISSING",
            )
        return None

    def terms(self, run: bytes) -> EndTerms:
        """Return what the protocol needs for the end of the run of this job digest."""
        return EndTerms(signatures_of(self._run.party), _Store(self, run))

    def note_answered(self, connection: sqlite3.Connection, *, is_settled: bool) -> None:
        """Note in the transaction that records the answer that it came.

        ``is_settled``: neither party needs its end again, and it is overwritten. Raises
        CheckFailedError as `require_undecided`: what was closed meanwhile stays as it was closed.
        """
        self._require_undecided(connection)
        if self._is_regulator:
            connection.execute(
                "UPDATE ends SET state = 'ANSWERED' WHERE subject = ?", (self._subject,)
            )
        if is_settled:
            connection.execute(
                "UPDATE ends SET sealed = x'', answer = x'' WHERE subject = ?", (self._subject,)
            )
            note_deletion(connection)

    def note_refused(self, connection: sqlite3.Connection, error: EngineError) -> bool:
        """Return whether the question ended in a refusal; the regulator notes it, if ``error`` is.

        An answer that is recorded already stands.
        """
        if self._is_regulator and isinstance(error, RefusedError):
            connection.execute(
                "UPDATE ends SET state = 'REFUSED', sealed = x''"
                " WHERE subject = ? AND state = 'KEPT'",
                (self._subject,),
            )
            note_deletion(connection)
        return self._state(connection) is EndState.REFUSED

    def keep(self, run: bytes, content: bytes) -> None:
        """Keep the end of an attempt that still runs; ResourceError if the question is answered.

        At the regulator, where this charges the question for good, the job can't be cancelled any
        more. UsageError as `require_open`: of two jobs that run at once the first one goes on.
        """
        party, spec, attempt = self._run.party, self._run.spec, self._run.order.attempt
        replaced = "" if self._is_regulator else "KEPT"
        with party.database.transaction() as connection:
            require_running(connection, spec.job_id, attempt)
            self._require_others_answered(connection)
            gone = connection.execute(
                "DELETE FROM ends WHERE subject = ? AND state = ?", (self._subject, replaced)
            )
            if gone.rowcount:
                note_deletion(connection)
            changed = connection.execute(
                "INSERT OR IGNORE INTO ends"
                " (subject, kind, study_id, job_id, attempt, run, about, state, kept_at, sealed,"
                " answer) VALUES (?, ?, ?, ?, ?, ?, ?, 'KEPT', ?, ?, x'')",
                (
                    self._subject,
                    spec.kind.value,
                    spec.study_id,
                    spec.job_id,
                    attempt,
                    run,
                    self._about,
                    format_time(party.now()),
                    party.cipher.seal(_PLACE, self._ids(run), content),
                ),
            )
            if changed.rowcount != 1:
                raise ResourceError("This question has an end already.", code="END_MISSING")
            if self._is_regulator:
                note_complete(connection, spec.job_id)

    def note_answering(self, run: bytes, answer: bytes, *, refuses: bool) -> None:
        """Keep the modeler's answer before it leaves; UsageError as `require_open`."""
        party, spec, attempt = self._run.party, self._run.spec, self._run.order.attempt
        with party.database.transaction() as connection:
            require_running(connection, spec.job_id, attempt)
            self._require_others_answered(connection)
            changed = connection.execute(
                "UPDATE ends SET state = ?, answer = ?"
                " WHERE subject = ? AND run = ? AND state = 'KEPT'",
                (
                    EndState.REFUSED if refuses else EndState.ANSWERING,
                    party.cipher.seal(_ANSWER_PLACE, self._ids(run), answer),
                    self._subject,
                    run,
                ),
            )
            if changed.rowcount != 1:
                raise ResourceError("This party holds no such end.", code="END_MISSING")
            note_complete(connection, spec.job_id)

    def _ids(self, run: bytes) -> tuple[bytes, ...]:
        return (self._subject, run)


def close_overdue(party: Party) -> int:
    """End the questions whose answer did not come in time as UNDELIVERED; return how many.

    They stay charged and count like ones that failed. Nobody is blamed: a regulator that is silent
    looks like a modeler that is.
    """
    if party.role is not Role.REGULATOR:
        return 0
    latest = format_time(party.now() - DELIVERY_LIMIT)
    with party.database.reading() as connection:
        overdue = connection.execute(
            "SELECT 1 FROM ends WHERE state = 'KEPT' AND kept_at < ?", (latest,)
        ).fetchone()
    if overdue is None:
        return 0
    with party.database.transaction() as connection:
        rows = connection.execute(
            "UPDATE ends SET state = 'UNDELIVERED', sealed = x''"
            " WHERE state = 'KEPT' AND kept_at < ? RETURNING job_id, attempt",
            (latest,),
        ).fetchall()
        for row in rows:
            end_undelivered(party, connection, row["job_id"], row["attempt"])
        note_deletion(connection)
    party.database.forget_deleted()
    party.outbox.flush()
    return len(rows)


def _ids_in(about: bytes) -> set[bytes]:
    return {about[i : i + _ID_BYTES] for i in range(0, len(about), _ID_BYTES)}


class _Store:
    """The `protocols.keeping.EndStore` of one run."""

    def __init__(self, ends: Ends, run: bytes) -> None:
        self._ends = ends
        self._of_run = run

    def keep(self, end: bytes) -> None:
        """Keep this party's end."""
        self._ends.keep(self._of_run, end)

    def note_answering(self, answer: bytes, *, refuses: bool) -> None:
        """Keep the answer that is about to leave."""
        self._ends.note_answering(self._of_run, answer, refuses=refuses)
