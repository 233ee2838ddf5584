"""Both parties compare their ledgers before they ask: same list, same answer on record, or stop.

Sent right after the hellos, before anything of a protocol. A party that died between the hellos
and its charge lacks the other's last entry, which was aborted then; it takes that entry over. Any
other difference means that a store was set back or altered, and the study asks nothing any more.
"""

from __future__ import annotations

from dataclasses import dataclass

from mpc_engine.control.policies.questions import (
    MAX_ENTRY_BYTES,
    NO_ENTRY,
    QuestionEntry,
    parse_question,
)
from mpc_engine.control.texts.canonical import JsonObject, canonical_bytes, parse_canonical
from mpc_engine.control.texts.fields import Fields
from mpc_engine.crypto.digests import sha256
from mpc_engine.errors import DecodeError, EngineError, PeerError, ProtocolViolationError
from mpc_engine.party.line.tags import PartyTag
from mpc_engine.transport.channel import Channel
from mpc_engine.vocabulary.runs import QuestionOutcome

FORMAT = "bj1 ledger"
CODE = "LEDGER_DIFFERENT"
_MAX_BYTES = MAX_ENTRY_BYTES + 4096
_MAX_ANSWER_BYTES = 1 << 20


@dataclass(frozen=True)
class LedgerView:
    """Where a party's ledger of a study stands, and the answer it has on record, if any.

    ``is_proved``: the answer carries both parties' signatures, so that the other can take it over.
    ``is_paid``: an earlier attempt at the same was charged, and nothing was opened since.
    """

    last: QuestionEntry | None
    outcome: QuestionOutcome | None
    answer: JsonObject | None
    is_proved: bool
    is_paid: bool

    @property
    def number(self) -> int:
        """Return how many questions were counted."""
        return 0 if self.last is None else self.last.number

    @property
    def head(self) -> bytes:
        """Return the digest of the last entry."""
        return NO_ENTRY if self.last is None else self.last.digest

    @property
    def answer_digest(self) -> bytes:
        """Return the digest of the answer on record, empty without one."""
        return b"" if self.answer is None else sha256(canonical_bytes(self.answer))


@dataclass(frozen=True)
class PeerLedger:
    """What the other party says of its ledger."""

    last: QuestionEntry | None
    outcome: QuestionOutcome | None
    answer_digest: bytes
    is_proved: bool
    is_paid: bool

    @property
    def number(self) -> int:
        """Return how many questions the other party counted."""
        return 0 if self.last is None else self.last.number

    @property
    def head(self) -> bytes:
        """Return the digest of its last entry."""
        return NO_ENTRY if self.last is None else self.last.digest


def compare_ledgers(
    channel: Channel, study_id: bytes, own: LedgerView
) -> tuple[PeerLedger, QuestionEntry | None]:
    """Exchange views; return the other party's, and the entry this party has to take over.

    Raises PeerError (``LEDGER_DIFFERENT``) at both parties if they counted different questions,
    ProtocolViolationError for a view that does not parse. One round, below 13 kB each way.
    """
    channel.send(PartyTag.LEDGER, _encode(own))
    peer = _decode(channel.recv(PartyTag.LEDGER, limit=_MAX_BYTES), study_id)
    if peer.head == own.head:
        return peer, None
    if _is_one_ahead(peer, own):
        return peer, peer.last
    if _is_one_ahead(own, peer):
        return peer, None
    raise ledgers_differ()


def ledgers_differ() -> PeerError:
    """Return the error of two parties that counted different questions."""
    return PeerError(
        "The two parties counted different questions about these people. One of their stores was "
        "set back or altered; nothing is asked until its operator restored the newer one.",
        code=CODE,
    )


def send_answer(channel: Channel, answer: JsonObject) -> None:
    """Hand an answer on record to the other party, which lost it."""
    channel.send(PartyTag.RECORDED_ANSWER, canonical_bytes(answer))


def receive_answer(channel: Channel, digest: bytes) -> JsonObject:
    """Return the answer on record that the other party announced by its digest."""
    data = channel.recv(PartyTag.RECORDED_ANSWER, limit=_MAX_ANSWER_BYTES)
    answer = parse_canonical(data)
    if sha256(data) != digest or not isinstance(answer, dict):
        raise DecodeError("The other party's answer on record is not the one it announced.")
    return answer


def _is_one_ahead(ahead: LedgerView | PeerLedger, behind: LedgerView | PeerLedger) -> bool:
    return (
        ahead.last is not None
        and ahead.last.number == behind.number + 1
        and ahead.last.previous == behind.head
        and ahead.outcome is QuestionOutcome.ABORTED
    )


def _encode(view: LedgerView) -> bytes:
    return canonical_bytes(
        {
            "format": FORMAT,
            "last": "" if view.last is None else view.last.text,
            "outcome": "" if view.outcome is None else view.outcome.value,
            "answer": view.answer_digest.hex(),
            "proved": "yes" if view.is_proved else "no",
            "paid": "yes" if view.is_paid else "no",
        }
    )


def _decode(data: bytes, study_id: bytes) -> PeerLedger:
    try:
        fields = Fields(parse_canonical(data), "ledger", code="PROTOCOL_VIOLATION")
        fields.choice("format", (FORMAT,))
        text = fields.raw_text("last", maximum=MAX_ENTRY_BYTES)
        outcome = fields.choice("outcome", ("", *QuestionOutcome))
        peer = PeerLedger(
            last=parse_question(text) if text else None,
            outcome=QuestionOutcome(outcome) if outcome else None,
            answer_digest=fields.hex("answer", limit=32),
            is_proved=fields.choice("proved", ("yes", "no")) == "yes",
            is_paid=fields.choice("paid", ("yes", "no")) == "yes",
        )
        fields.end()
    except EngineError as error:
        raise ProtocolViolationError(f"The other party's ledger is broken: {error}") from None
    if peer.last is not None and peer.last.study_id != study_id:
        raise ProtocolViolationError("The other party's ledger is of another study.")
    return peer
