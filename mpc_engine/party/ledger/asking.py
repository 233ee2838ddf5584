"""Asking a question about a cohort: may it be asked, do both agree, is it charged.

`prepare_questions` before the parties meet; ``begin`` when they have met, before the first message
of the protocol; ``answer`` in the transaction that concludes. Between them a party may die at any
point: what was charged stays charged.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Sequence
from dataclasses import replace

from mpc_engine.control.policies.questions import NO_ENTRY, QuestionEntry
from mpc_engine.control.post.party_limits import limit_key
from mpc_engine.control.studies.configuration import Configuration
from mpc_engine.control.texts.canonical import JsonObject
from mpc_engine.errors import CheckFailedError, PeerError, ResourceError, UsageError
from mpc_engine.party.ledger import cohorts, entries
from mpc_engine.party.ledger.agreement import (
    LedgerView,
    compare_ledgers,
    ledgers_differ,
    receive_answer,
    send_answer,
)
from mpc_engine.party.zone.party import Party
from mpc_engine.transport.channel import Channel
from mpc_engine.vocabulary.runs import QuestionKind, QuestionOutcome

SPENT = "QUESTION_BITS_SPENT"
QUESTIONS_SPENT = "QUESTIONS_SPENT"
OWN_SPENT = "PARTY_BITS_SPENT"
"""Which limit is reached: of bits or of models that the study names, or of bits this party's own,
which is lower."""

TakeOver = Callable[[JsonObject], tuple[QuestionOutcome, Callable[[sqlite3.Connection], None]]]
"""Checks an answer that only the other party has on record; returns its outcome and what to store.

Raises an EngineError if the answer does not prove itself.
"""


class Asking:
    """One question that one attempt at a job asks.

    ``question`` is its entry; number and previous digest are filled in when it is charged.
    ``record_ids`` are the people it is about, ``is_proved`` says of an answer on record whether it
    carries both parties' signatures, ``is_paid`` whether an earlier attempt was charged for it and
    opened nothing: if both parties say so, this one is charged nothing.
    """

    def __init__(
        self,
        party: Party,
        configuration: Configuration,
        question: QuestionEntry,
        record_ids: Sequence[bytes],
        *,
        is_proved: Callable[[JsonObject], bool] = lambda answer: False,
        is_paid: Callable[[sqlite3.Connection, QuestionEntry], bool] = lambda *_: False,
    ) -> None:
        self._party = party
        self._configuration = configuration
        self._question = question
        self._record_ids = record_ids
        self._is_proved = is_proved
        self._is_paid = is_paid

    def check(self, connection: sqlite3.Connection, ahead_millibits: int) -> int:
        """Return what the question will be charged in thousandths of a bit.

        ``ahead_millibits``: what the same job asks before it. What was answered before costs
        nothing. UsageError as `prepare_questions`.
        """
        if entries.recorded_answer(connection, self._question) is not None:
            return 0
        charge = 0 if self._is_paid(connection, self._question) else self._question.millibits
        self._check(connection, charge + ahead_millibits)
        return charge

    def note(self, connection: sqlite3.Connection) -> None:
        """Keep the question as one about to be asked."""
        entries.note_prepared(connection, self._question)

    def begin(
        self,
        channel: Channel,
        take_over: TakeOver | None = None,
        may_charge: Callable[[], bool] | None = None,
    ) -> JsonObject | None:
        """Return the answer both parties have on record; else charge the question, return None.

        The charge is on disk when this returns. ``may_charge``, of a question with a kept end, is
        asked before: where it says no the question was charged already, and its end is delivered;
        it raises where the question may not be asked anew. Raises PeerError (``LEDGER_DIFFERENT``)
        if the parties counted different questions, (``END_MISSING``) if only one has an answer on
        record to a question with a kept end, and it proves nothing to the other, CheckFailedError
        (``ANSWERS_DIFFERENT``) if they recorded different answers, ResourceError
        (``LEDGER_MOVED``) if another job asked meanwhile, UsageError as `prepare_questions` and
        `cohorts.require_closed`.
        """
        own = self._view()
        peer, missing = compare_ledgers(channel, self._question.study_id, own)
        if peer.head == own.head:
            self._forget_ended()
        if missing is not None:
            self._take_entry(missing)
        if own.answer is not None and peer.answer_digest == own.answer_digest:
            return own.answer
        if own.answer is not None and peer.answer_digest:
            raise CheckFailedError(
                "The two parties recorded different answers to this question.",
                code="ANSWERS_DIFFERENT",
            )
        if own.answer is not None and own.is_proved:
            send_answer(channel, own.answer)
            return own.answer
        if peer.is_proved and peer.answer_digest and take_over is not None:
            answer = receive_answer(channel, peer.answer_digest)
            self._take_answer(answer, take_over)
            return answer
        if may_charge is not None:
            if not may_charge():
                return None
            if own.answer is not None or peer.answer_digest:
                raise PeerError(
                    "This question has an answer that one of the parties lost; it is not asked "
                    "anew.",
                    code="END_MISSING",
                )
        self._charge(max(own.number, peer.number), is_paid=own.is_paid and peer.is_paid)
        return None

    def answer(
        self, connection: sqlite3.Connection, outcome: QuestionOutcome, answer: JsonObject
    ) -> None:
        """Keep the answer in the transaction that concludes (or stages) it."""
        entries.record_answer(self._party, connection, self._question, outcome, answer)

    def refused(self, connection: sqlite3.Connection) -> None:
        """Tell that the modeler refused the outcome; the charge stays, and there is no answer."""
        entries.refuse_question(self._party, connection, self._question)

    def _view(self) -> LedgerView:
        with self._party.database.reading() as connection:
            last = entries.last_entry(connection, self._question.study_id)
            answer = entries.recorded_answer(connection, self._question)
            return LedgerView(
                last=last,
                outcome=None if last is None else entries.outcome_of(connection, last),
                answer=answer,
                is_proved=answer is not None and self._is_proved(answer),
                is_paid=self._is_paid(connection, self._question),
            )

    def _check(
        self, connection: sqlite3.Connection, charge: int
    ) -> tuple[list[cohorts.Person], list[cohorts.SamePeople]]:
        question = self._question
        people = cohorts.people_of(connection, question.study_id, self._record_ids)
        same = cohorts.check_cohort(
            connection, question.study_id, question.cohort, self._floor, people
        )
        spent = entries.spent_millibits(connection, question.study_id, same)
        self._check_number(connection, same)
        if spent + charge > entries.limit_millibits(self._party, self._configuration):
            raise self._refusal(spent, charge)
        return people, same

    def _check_number(
        self, connection: sqlite3.Connection, same: Sequence[cohorts.SamePeople]
    ) -> None:
        """Refuse a certification beyond those that the policy allows about these people.

        One that this party charged before is the same question again, whatever became of it. One
        that it took over is not: else the other party could have it take over what was refused.
        """
        question = self._question
        if question.kind is not QuestionKind.CERTIFICATION:
            return
        if entries.charged_here(connection, question):
            return
        own = (question.study_id, question.cohort, question.rule, question.model_id)
        others = entries.certifications_charged(connection, question.study_id, same) - {own}
        most = entries.most_certifications(connection, self._configuration, same)
        if len(others) >= most:
            raise UsageError(
                f"Models that were asked about these people: {len(others)}, and {most} are "
                "allowed, whatever became of them. That number is signed and cannot be raised.",
                code=QUESTIONS_SPENT,
            )

    def _refusal(self, spent: int, charge: int) -> UsageError:
        """Return the error of a question that can't be paid for: whose limit, and what helps."""
        study = self._configuration.question_bits_limit
        own = entries.own_bits_limit(self._party, self._configuration)
        told = (
            f"The question can tell {_bits(charge)} bits about these people, {_bits(spent)} are "
            "told already, and "
        )
        if own < study:
            return UsageError(
                f"{told}the {self._party.role.value}'s party allows {own:,} in all, fewer than the "
                f"study's {study:,}. Its operator can raise "
                f'"{limit_key(self._configuration.data_holder)}" in party.toml.',
                code=OWN_SPENT,
            )
        return UsageError(
            f"{told}the study allows {study:,} in all. Its limit is signed and cannot be raised; "
            "a study that names a higher one can ask.",
            code=SPENT,
        )

    def _charge(self, n_before: int, *, is_paid: bool) -> None:
        with self._party.database.transaction() as connection:
            number, digest = entries.head(entries.last_entry(connection, self._question.study_id))
            if number != n_before:
                raise _moved()
            cohorts.require_closed(connection, self._question.study_id)
            charge = 0 if is_paid else self._question.millibits
            people, same = self._check(connection, charge)
            entry = replace(self._question, number=number + 1, previous=digest, millibits=charge)
            cohorts.keep_cohort(connection, entry.study_id, entry.cohort, self._floor, people, same)
            entries.insert_entry(self._party, connection, entry)
        self._party.outbox.flush()

    def _forget_ended(self) -> None:
        """Forget what ended attempts were about to ask and neither party charged."""
        with self._party.database.transaction() as connection:
            entries.forget_ended(connection, self._question.study_id)

    def _take_entry(self, entry: QuestionEntry) -> None:
        """Take over the entry of an attempt this party died in, as aborted."""
        with self._party.database.transaction() as connection:
            asked = entries.prepared_question(connection, entry)
            if asked is None or not self._is_charge_of(connection, entry, asked):
                raise ledgers_differ()
            cohorts.require_closed(connection, entry.study_id)
            number, digest = entries.head(entries.last_entry(connection, entry.study_id))
            if (number, digest) != (entry.number - 1, entry.previous):
                raise _moved()
            entries.insert_entry(self._party, connection, entry, taken_over=True)
        self._party.outbox.flush()

    def _is_charge_of(
        self, connection: sqlite3.Connection, entry: QuestionEntry, asked: QuestionEntry
    ) -> bool:
        """Return whether an earlier attempt, about to ask ``asked``, can be charged ``entry``."""
        attempt, own = ((item.job_id, item.attempt) for item in (asked, self._question))
        charges = {asked.millibits, 0 if self._is_paid(connection, asked) else asked.millibits}
        return (
            attempt != own
            and entry.millibits in charges
            and replace(entry, number=1, previous=NO_ENTRY, millibits=asked.millibits) == asked
        )

    def _take_answer(self, answer: JsonObject, take_over: TakeOver) -> None:
        outcome, store = take_over(answer)
        with self._party.database.transaction() as connection:
            store(connection)
            self.answer(connection, outcome, answer)

    @property
    def _floor(self) -> int:
        return self._configuration.policy.minimum_group


def prepare_questions(party: Party, askings: Sequence[Asking]) -> None:
    """Check what one job asks, in this order, and keep all of it, on disk, as about to be asked.

    Raises UsageError if one of them may not be asked; then none is kept. Codes:
    ``COHORT_TOO_SIMILAR``, ``QUESTIONS_SPENT``, ``QUESTION_BITS_SPENT``, ``PARTY_BITS_SPENT``.
    """
    with party.database.transaction() as connection:
        ahead = 0
        for asking in askings:
            ahead += asking.check(connection, ahead)
        for asking in askings:
            asking.note(connection)


def _bits(n_millibits: int) -> str:
    return f"{n_millibits / 1000:,.1f}"


def _moved() -> ResourceError:
    return ResourceError(
        "Another job asked about these people at the same moment; try again.", code="LEDGER_MOVED"
    )
