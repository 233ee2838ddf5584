"""A study's questions in the party's store, and the signed messages that tell them."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable

from mpc_engine.control.policies.questions import NO_ENTRY, QuestionEntry, parse_question
from mpc_engine.control.post.exchanges.about_studies import Question
from mpc_engine.control.studies.configuration import Configuration
from mpc_engine.control.texts.canonical import JsonObject, canonical_text, parse_canonical
from mpc_engine.control.texts.fields import format_time, parse_time
from mpc_engine.errors import ResourceError
from mpc_engine.party.ledger import cohorts
from mpc_engine.party.ledger.cohorts import SamePeople
from mpc_engine.party.studies.known_study import get_study
from mpc_engine.party.zone.party import Party
from mpc_engine.roles import Role
from mpc_engine.vocabulary.runs import QuestionKind, QuestionOutcome

CertificationAsked = tuple[bytes, bytes, bytes, bytes]
"""What makes a certification the same question again: study, cohort, rule and model."""


def last_entry(connection: sqlite3.Connection, study_id: bytes) -> QuestionEntry | None:
    """Return a study's last entry, None before the first."""
    row = connection.execute(
        "SELECT entry FROM questions WHERE study_id = ? ORDER BY number DESC LIMIT 1", (study_id,)
    ).fetchone()
    return None if row is None else parse_question(row["entry"])


def head(entry: QuestionEntry | None) -> tuple[int, bytes]:
    """Return number and digest of the entry that is a ledger's last."""
    return (0, NO_ENTRY) if entry is None else (entry.number, entry.digest)


def outcome_of(connection: sqlite3.Connection, entry: QuestionEntry) -> QuestionOutcome:
    """Return how an entry's question ended, as far as this party knows."""
    row = connection.execute(
        "SELECT outcome FROM questions WHERE study_id = ? AND number = ?",
        (entry.study_id, entry.number),
    ).fetchone()
    return QuestionOutcome(row["outcome"])


def note_prepared(connection: sqlite3.Connection, question: QuestionEntry) -> None:
    """Keep what an attempt is about to ask, at full charge, until it is charged or forgotten."""
    connection.execute(
        "INSERT OR REPLACE INTO prepared_questions (job_id, attempt, model_id, entry)"
        " VALUES (?, ?, ?, ?)",
        (question.job_id, question.attempt, question.model_id, question.text),
    )


def forget_ended(connection: sqlite3.Connection, study_id: bytes) -> None:
    """Forget what attempts that run no more were about to ask about a study's people."""
    connection.execute(
        "DELETE FROM prepared_questions WHERE json_extract(entry, '$.study_id') = ?"
        " AND (job_id, attempt) NOT IN"
        " (SELECT job_id, attempt FROM attempts WHERE state = 'RUNNING')",
        (study_id.hex(),),
    )


def prepared_question(connection: sqlite3.Connection, entry: QuestionEntry) -> QuestionEntry | None:
    """Return what the attempt of ``entry`` was about to ask here; None if charged, or never so."""
    row = connection.execute(
        "SELECT entry FROM prepared_questions WHERE job_id = ? AND attempt = ? AND model_id = ?",
        (entry.job_id, entry.attempt, entry.model_id),
    ).fetchone()
    return None if row is None else parse_question(row["entry"])


def recorded_answer(connection: sqlite3.Connection, entry: QuestionEntry) -> JsonObject | None:
    """Return the last answer on record to what ``entry`` asks: same cohort, rule and model."""
    row = connection.execute(
        "SELECT answer FROM questions WHERE study_id = ? AND kind = ? AND cohort = ? AND rule = ?"
        " AND model_id = ? AND answer IS NOT NULL ORDER BY number DESC LIMIT 1",
        (entry.study_id, entry.kind.value, entry.cohort, entry.rule, entry.model_id),
    ).fetchone()
    if row is None:
        return None
    answer = parse_canonical(row["answer"])
    if not isinstance(answer, dict):
        raise ResourceError("An answer on record is broken.", code="STORE_INCOMPLETE")
    return answer


def spent_millibits(
    connection: sqlite3.Connection, study_id: bytes, also: Iterable[SamePeople] = ()
) -> int:
    """Return what a study was charged, with what the same people were asked in other studies.

    ``also`` holds cohorts of the same people elsewhere that are not stored yet.
    """
    (total,) = connection.execute(
        "SELECT COALESCE(SUM(millibits), 0) FROM questions WHERE study_id = ?", (study_id,)
    ).fetchone()
    for cohort in {*also, *cohorts.same_people(connection, study_id)}:
        (part,) = connection.execute(
            "SELECT COALESCE(SUM(millibits), 0) FROM questions WHERE study_id = ? AND cohort = ?",
            cohort,
        ).fetchone()
        total += part
    return int(total)


def certifications_charged(
    connection: sqlite3.Connection, study_id: bytes, also: Iterable[SamePeople] = ()
) -> set[CertificationAsked]:
    """Return which certifications were charged, each once however often it was attempted.

    Whatever became of them: of a study's people, and of exactly these people in other studies.
    ``also`` as of `spent_millibits`.
    """
    asked = "SELECT DISTINCT study_id, cohort, rule, model_id FROM questions WHERE kind = ?"
    kind = QuestionKind.CERTIFICATION.value
    rows = connection.execute(f"{asked} AND study_id = ?", (kind, study_id)).fetchall()
    for cohort in {*also, *cohorts.same_people(connection, study_id)}:
        rows += connection.execute(
            f"{asked} AND study_id = ? AND cohort = ?", (kind, *cohort)
        ).fetchall()
    return {tuple(row) for row in rows}


def most_certifications(
    connection: sqlite3.Connection, configuration: Configuration, also: Iterable[SamePeople] = ()
) -> int:
    """Return how many certifications there may be about a study's people.

    That is the least number of all certifying studies that asked exactly these people; one that
    trains names none. ``also`` as of `spent_millibits`.
    """
    same = {*also, *cohorts.same_people(connection, configuration.study_id)}
    others = [get_study(connection, study_id).configuration for study_id, _ in same]
    certifying = [study for study in others if study.data_holder is Role.REGULATOR]
    return min(study.policy.questions for study in (configuration, *certifying))


def charged_here(connection: sqlite3.Connection, question: QuestionEntry) -> bool:
    """Return whether this party charged what ``question`` asks itself, in any attempt."""
    row = connection.execute(
        "SELECT 1 FROM questions WHERE study_id = ? AND kind = ? AND cohort = ? AND rule = ?"
        " AND model_id = ? AND NOT taken_over",
        (
            question.study_id,
            question.kind.value,
            question.cohort,
            question.rule,
            question.model_id,
        ),
    ).fetchone()
    return row is not None


def limit_millibits(party: Party, configuration: Configuration) -> int:
    """Return the study's limit, or the operator's for such studies where that is lower."""
    return 1000 * min(configuration.question_bits_limit, own_bits_limit(party, configuration))


def own_bits_limit(party: Party, configuration: Configuration) -> int:
    """Return the operator's limit for studies like this one, as it is set now."""
    trains = configuration.data_holder is Role.MODELER
    return party.config.training_bits_limit if trains else party.config.question_bits_limit


def insert_entry(
    party: Party,
    connection: sqlite3.Connection,
    entry: QuestionEntry,
    *,
    taken_over: bool = False,
) -> None:
    """Write an entry down, and tell it; its attempt is not about to ask it any more.

    ``taken_over``: the other party alone charged it, and its attempt is over.
    """
    outcome = QuestionOutcome.ABORTED if taken_over else QuestionOutcome.RUNNING
    connection.execute(
        "DELETE FROM prepared_questions WHERE job_id = ? AND attempt = ? AND model_id = ?",
        (entry.job_id, entry.attempt, entry.model_id),
    )
    connection.execute(
        "INSERT INTO questions (study_id, number, entry, entry_digest, kind, cohort, rule,"
        " model_id, job_id, attempt, millibits, asked_at, outcome, taken_over)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            entry.study_id,
            entry.number,
            entry.text,
            entry.digest,
            entry.kind.value,
            entry.cohort,
            entry.rule,
            entry.model_id,
            entry.job_id,
            entry.attempt,
            entry.millibits,
            format_time(party.now()),
            outcome.value,
            taken_over,
        ),
    )
    _tell(party, connection, entry.study_id, entry.number)


def record_answer(
    party: Party,
    connection: sqlite3.Connection,
    entry: QuestionEntry,
    outcome: QuestionOutcome,
    answer: JsonObject,
) -> None:
    """Keep the answer to the latest asking of what ``entry`` asks, and tell how it ended."""
    number = _latest(connection, entry)
    connection.execute(
        "UPDATE questions SET outcome = ?, answer = ? WHERE study_id = ? AND number = ?",
        (outcome.value, canonical_text(answer), entry.study_id, number),
    )
    _tell(party, connection, entry.study_id, number)


def refuse_question(party: Party, connection: sqlite3.Connection, entry: QuestionEntry) -> None:
    """Tell that the latest asking of what ``entry`` asks ended in a refusal; it is charged."""
    number = _latest(connection, entry)
    connection.execute(
        "UPDATE questions SET outcome = 'REFUSED' WHERE study_id = ? AND number = ?",
        (entry.study_id, number),
    )
    _tell(party, connection, entry.study_id, number)


def end_undelivered(
    party: Party, connection: sqlite3.Connection, job_id: bytes, attempt: int
) -> None:
    """Tell that an attempt's question has no answer that was delivered; its charge stays."""
    row = connection.execute(
        "UPDATE questions SET outcome = 'UNDELIVERED' WHERE job_id = ? AND attempt = ?"
        " RETURNING study_id, number",
        (job_id, attempt),
    ).fetchone()
    if row is not None:
        _tell(party, connection, row["study_id"], row["number"])


def _latest(connection: sqlite3.Connection, entry: QuestionEntry) -> int:
    """Return the number of the latest asking; ResourceError (``STORE_INCOMPLETE``) without one."""
    (number,) = connection.execute(
        "SELECT MAX(number) FROM questions WHERE study_id = ? AND kind = ? AND cohort = ?"
        " AND rule = ? AND model_id = ?",
        (entry.study_id, entry.kind.value, entry.cohort, entry.rule, entry.model_id),
    ).fetchone()
    if number is None:
        raise ResourceError("The question was not written down.", code="STORE_INCOMPLETE")
    return int(number)


def abort_question(
    party: Party, connection: sqlite3.Connection, job_id: bytes, attempt: int
) -> None:
    """Tell that an attempt's question was aborted; its charge stays. Answered ones are kept."""
    row = connection.execute(
        "SELECT study_id, number FROM questions WHERE job_id = ? AND attempt = ?"
        " AND outcome = 'RUNNING'",
        (job_id, attempt),
    ).fetchone()
    if row is None:
        return
    connection.execute(
        "UPDATE questions SET outcome = 'ABORTED' WHERE study_id = ? AND number = ?",
        (row["study_id"], row["number"]),
    )
    _tell(party, connection, row["study_id"], row["number"])


def tell_questions(party: Party, connection: sqlite3.Connection, study_id: bytes) -> None:
    """Tell every question about a study's people again, as it stands."""
    rows = connection.execute(
        "SELECT number FROM questions WHERE study_id = ? ORDER BY number", (study_id,)
    ).fetchall()
    for row in rows:
        _tell(party, connection, study_id, row["number"])


def _tell(party: Party, connection: sqlite3.Connection, study_id: bytes, number: int) -> None:
    row = connection.execute(
        "SELECT entry, asked_at, outcome FROM questions WHERE study_id = ? AND number = ?",
        (study_id, number),
    ).fetchone()
    configuration = get_study(connection, study_id).configuration
    question = Question(
        study_id=study_id,
        entry=row["entry"],
        asked_at=parse_time(row["asked_at"]),
        outcome=QuestionOutcome(row["outcome"]),
        spent_millibits=spent_millibits(connection, study_id),
        limit_millibits=limit_millibits(party, configuration),
    )
    party.outbox.add(connection, question)
