"""Closing a study: agree on the cohort, keep it under the party's own key, forget the rest.

Each party keeps its part and the agreed records on disk before its commitment leaves, and that it
opens before its opening does (`closing_parts`). The modeler opens first; the regulator, which then
knows how it ends, opens too; each closes, or ends the closing for good, once it holds both. If the
line breaks in between, the next attempt sees from the hellos which run is to be settled.
"""

from __future__ import annotations

import logging
import sqlite3

from mpc_engine.control.post.exchanges.about_jobs import PeerReceipt
from mpc_engine.control.post.exchanges.about_people import Receipt
from mpc_engine.control.post.messages import read_message
from mpc_engine.control.texts.canonical import JsonObject
from mpc_engine.errors import (
    ClosingDisagreedError,
    EngineError,
    PeerRefusedError,
    UsageError,
)
from mpc_engine.party.jobs.closing_parts import ClosingParts
from mpc_engine.party.jobs.work import Conclude, Costs, JobRun, JobWork
from mpc_engine.party.services.intake import SHARE_PLACE, count_refusals, share_ids
from mpc_engine.party.services.study_keys import renew_noted_keys
from mpc_engine.party.studies.closing_states import (
    ENDED,
    ClosingState,
    bound_by,
    closing_state,
    end_overdue_closings,
    ended_without_cohort,
    is_closed_elsewhere,
    reopen_study,
)
from mpc_engine.party.studies.known_study import (
    cohort_of,
    envelope_layout,
    get_study,
)
from mpc_engine.protocols.closing.protocol import settle_closing
from mpc_engine.protocols.closing.record_list import ListedShare, ListEntry
from mpc_engine.protocols.session import JobContext
from mpc_engine.sharing.held_share import HeldShare

_log = logging.getLogger(__name__)


class ClosingWork(JobWork):
    """The work of one party in a closing."""

    def __init__(self, run: JobRun) -> None:
        super().__init__(run)
        self._held: list[ListedShare] = []
        self._peer_receipts: set[ListEntry] = set()
        self._parts = ClosingParts(run)
        self._bound: EngineError | None = None

    @property
    def holds(self) -> bytes:
        """Return the run whose part this party holds, where both may settle it."""
        return self._parts.held_run

    def prepare(self) -> None:
        """Freeze the study and load every share this party signed a receipt for.

        Where this party has opened its part of a run there is nothing to load. Raises
        CheckFailedError (``CLOSING_UNFINISHED``), UsageError (``STUDY_CLOSING``).
        """
        end_overdue_closings(self.party)
        renew_noted_keys(self.party)
        self._parts.require_unended()
        part = self._parts.held()
        if part is not None and part.is_opened:
            return
        self._peer_receipts = self._read_peer_receipts()
        with self.party.database.transaction() as connection:
            self._require_alone(connection)
            changed = connection.execute(
                "UPDATE studies SET state = 'CLOSING' WHERE study_id = ?"
                " AND state IN ('OPEN', 'CLOSING')",
                (self.spec.study_id,),
            )
            if changed.rowcount != 1:
                raise _is_closed_already()
            self._held = self._load_shares(connection)

    def _require_alone(self, connection: sqlite3.Connection) -> None:
        """Raise UsageError (``STUDY_CLOSING``) while another attempt closes the study."""
        attempt = self.run.order.attempt
        if is_closed_elsewhere(connection, self.spec.study_id, self.spec.job_id, attempt):
            raise _is_closed_already()

    def perform(self, ctx: JobContext, peer_holds: bytes, conclude: Conclude) -> None:
        """Settle the run of which both parties hold their part, or run the closing afresh.

        Once a run may be settled, whatever fails is reported as ``CLOSING_WAITS``: another attempt
        sends the same part again.
        """
        state = self._settle(ctx, peer_holds)
        if state in ENDED:
            raise ended_without_cohort(state)
        conclude(self._outcome, Costs())

    def give_up(self, connection: sqlite3.Connection, error: EngineError) -> JsonObject | None:
        """Take answers again, unless a run may still be settled or the closing has ended.

        Where the other party says that it has, this one ends it too.
        """
        study_id, attempt = self.spec.study_id, self.run.order.attempt
        if isinstance(error, PeerRefusedError) and error.peer_code == "CLOSING_UNFINISHED":
            self._parts.end_with_peer(connection, error.peer_holds)
        reopen_study(connection, self.party, study_id, self.spec.job_id, attempt)
        state = closing_state(connection, study_id)
        self.is_over = state is ClosingState.AGREED or state in ENDED
        self._bound = bound_by(connection, self.party.role, study_id, error.code)
        return None

    def reported(self, error: EngineError) -> EngineError:
        """Say what binds this party, or how the closing ended, by what is on its disk.

        Wherever the attempt failed: also before the parties met, or at the other party's refusal.
        """
        return self._bound or error

    def afterwards(self) -> None:
        """Destroy the key that opened people's shares, and empty the log of what an end deleted."""
        renew_noted_keys(self.party)
        self.party.database.forget_deleted()

    def _settle(self, ctx: JobContext, peer_holds: bytes) -> ClosingState:
        """Return how the run that both hold, or a fresh one, ended by both openings."""
        part = self._parts.to_settle(peer_holds)
        run = ctx.job_digest if part is None else part.run
        terms = self._parts.terms(run)
        try:
            if part is not None:
                settle_closing(ctx, terms, part.content)
            else:
                layout = envelope_layout(self.configuration)
                self.run.table.run_closing(ctx, layout, self._held, self._peer_receipts, terms)
        except ClosingDisagreedError:
            return self._parts.decide(run, agrees=False)
        return self._parts.decide(run, agrees=True)

    def _outcome(self, connection: sqlite3.Connection) -> JsonObject:
        return cohort_of(get_study(connection, self.spec.study_id)).write()

    def _load_shares(self, connection: sqlite3.Connection) -> list[ListedShare]:
        rows = connection.execute(
            "SELECT record_id, sequence, submission_id, sealed FROM shares WHERE study_id = ?",
            (self.spec.study_id,),
        )
        held = []
        for row in rows:
            ids = share_ids(
                self.spec.study_id, row["record_id"], row["submission_id"], row["sequence"]
            )
            share = HeldShare.from_bytes(self.party.cipher.open(SHARE_PLACE, ids, row["sealed"]))
            held.append(ListedShare(share.record_id, share.sequence, share.common_digest, share))
        return held

    def _read_peer_receipts(self) -> set[ListEntry]:
        """Return what the other party acknowledged by receipts that its key in the study signed.

        The site relays them. One that doesn't verify, or is of another study, is passed over and
        counted: it binds nobody, and failing for it would let whoever slips one in keep the study
        from closing.
        """
        receipts = self.run.order.receipts
        entries = [entry for receipt in receipts if (entry := self._read_receipt(receipt))]
        n_skipped = len(receipts) - len(entries)
        if n_skipped:
            _log.warning("%d receipts do not count in this closing", n_skipped)
            count_refusals(self.party, self.spec.study_id, "PEER_RECEIPT_INVALID", n_skipped)
        return set(entries)

    def _read_receipt(self, receipt: PeerReceipt) -> ListEntry | None:
        peer = self.party.role.peer
        keys = {peer: self.configuration.party(peer).signing_key}
        try:
            message = read_message(receipt.body, receipt.signature, keys)
        except EngineError:
            return None
        told = message.content
        if not isinstance(told, Receipt) or told.study_id != self.spec.study_id:
            return None
        return told.record_id, told.sequence, told.common_digest


def _is_closed_already() -> UsageError:
    return UsageError("The study is being closed already.", code="STUDY_CLOSING")
