"""Closing a study: agree on the cohort, keep it under the party's own key, forget the rest.

The modeler stages its cohort on disk before it says so; the regulator then closes and says so;
then the modeler closes. If the line breaks in between, the next attempt sees from the hellos that
the regulator has closed, and the modeler closes what it staged.
"""

from __future__ import annotations

import logging
import sqlite3

from mpc_engine.control.post.exchanges.about_jobs import PeerReceipt
from mpc_engine.control.post.exchanges.about_people import Receipt
from mpc_engine.control.post.messages import read_message
from mpc_engine.control.texts.canonical import JsonObject
from mpc_engine.errors import EngineError, ProtocolViolationError, UsageError
from mpc_engine.party.jobs.work import Conclude, Costs, JobRun, JobWork
from mpc_engine.party.line.tags import PartyTag
from mpc_engine.party.services.intake import SHARE_PLACE, count_refusals, share_ids
from mpc_engine.party.services.study_keys import renew_study_key
from mpc_engine.party.studies.closed_records import store_closed_records
from mpc_engine.party.studies.known_study import (
    Study,
    StudyState,
    cohort_of,
    envelope_layout,
    get_study,
)
from mpc_engine.protocols.closing.protocol import ClosingOutcome
from mpc_engine.protocols.closing.record_list import ListedShare, ListEntry
from mpc_engine.protocols.session import JobContext
from mpc_engine.roles import Role
from mpc_engine.sharing.held_share import HeldShare

_DIGEST_BYTES = 32
_log = logging.getLogger(__name__)


class ClosingWork(JobWork):
    """The work of one party in a closing."""

    def __init__(self, run: JobRun) -> None:
        super().__init__(run)
        self._held: list[ListedShare] = []
        self._peer_receipts: set[ListEntry] = set()
        self._is_closed = run.study.state is StudyState.CLOSED

    @property
    def holds(self) -> bytes:
        """Return the record set this party closed; the modeler's also that it only staged."""
        if self._is_closed or self.party.role is Role.MODELER:
            return self.run.study.record_set
        return b""

    def prepare(self) -> None:
        """Freeze the study and load every share this party signed a receipt for."""
        if self._is_closed:
            return
        self._peer_receipts = self._read_peer_receipts()
        with self.party.database.transaction() as connection:
            state = get_study(connection, self.spec.study_id).state
            if state is StudyState.CLOSING:
                raise UsageError("The study is being closed already.", code="STUDY_CLOSING")
            connection.execute(
                "UPDATE studies SET state = 'CLOSING' WHERE study_id = ?", (self.spec.study_id,)
            )
            self._held = self._load_shares(connection)

    def perform(self, ctx: JobContext, peer_holds: bytes, conclude: Conclude) -> None:
        """Close the study, or finish a closing the other party finished before."""
        regulator_holds = self.holds if self.party.role is Role.REGULATOR else peer_holds
        modeler_holds = self.holds if self.party.role is Role.MODELER else peer_holds
        if regulator_holds:
            if regulator_holds != modeler_holds:
                raise ProtocolViolationError(
                    "The parties closed different cohorts.", code="CLOSED_DIFFERENTLY"
                )
        elif self._is_closed:
            raise ProtocolViolationError(
                "Only the modeler's party has closed this study.", code="CLOSED_DIFFERENTLY"
            )
        else:
            outcome = self.run.table.run_closing(
                ctx, envelope_layout(self.configuration), self._held, self._peer_receipts
            )
            self._stage(outcome)
            self._confirm(ctx, outcome.record_set, conclude)
            return
        conclude(self._close, Costs())

    def give_up(self, connection: sqlite3.Connection, error: EngineError) -> JsonObject | None:
        """Take answers again; a staged cohort stays for the next attempt."""
        if error.code != "STUDY_CLOSING":
            connection.execute(
                "UPDATE studies SET state = 'OPEN' WHERE study_id = ? AND state = 'CLOSING'",
                (self.spec.study_id,),
            )
        return None

    def afterwards(self) -> None:
        """Destroy the key that opened people's shares."""
        renew_study_key(self.party, self.spec.study_id)

    def _confirm(self, ctx: JobContext, record_set: bytes, conclude: Conclude) -> None:
        """Close in the order that leaves no party closed alone for good."""
        if self.party.role is Role.MODELER:
            ctx.channel.send(PartyTag.STAGED, record_set)
            _expect(ctx, PartyTag.COMMITTED, record_set)
            conclude(self._close, Costs())
        else:
            _expect(ctx, PartyTag.STAGED, record_set)
            conclude(self._close, Costs())
            ctx.channel.send(PartyTag.COMMITTED, record_set)

    def _stage(self, outcome: ClosingOutcome) -> None:
        with self.party.database.transaction() as connection:
            store_closed_records(connection, self.party.cipher, self.spec.study_id, outcome.records)
            connection.execute(
                "UPDATE studies SET record_set = ?, n_records = ?, n_invalid = ?, n_disagreed = ?"
                " WHERE study_id = ?",
                (
                    outcome.record_set,
                    len(outcome.records),
                    outcome.n_invalid,
                    outcome.n_disagreed,
                    self.spec.study_id,
                ),
            )

    def _close(self, connection: sqlite3.Connection) -> JsonObject:
        connection.execute(
            "UPDATE studies SET state = 'CLOSED' WHERE study_id = ?", (self.spec.study_id,)
        )
        connection.execute("DELETE FROM shares WHERE study_id = ?", (self.spec.study_id,))
        return _outcome(get_study(connection, self.spec.study_id))

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


def _expect(ctx: JobContext, tag: PartyTag, record_set: bytes) -> None:
    if ctx.channel.recv(tag, size=_DIGEST_BYTES) != record_set:
        raise ProtocolViolationError(
            "The parties closed different cohorts.", code="CLOSED_DIFFERENTLY"
        )


def _outcome(study: Study) -> JsonObject:
    return cohort_of(study).write()
