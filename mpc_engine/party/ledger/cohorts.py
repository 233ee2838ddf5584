"""Which people were asked about before, and whether another cohort differs by too few of them.

Two answers about cohorts that differ by one person tell that person's answer; so a cohort must be
one that was asked already, or differ from each by at least the smallest group of the policy.

Inside a study a person is her record. In another study of the same party she is recognised where
her record, her key or her invitation's credential is the same; browsers make a fresh key for each
study, so somebody who is invited anew, under a new record and code, is not recognised.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Sequence

from mpc_engine.crypto.digests import sha256
from mpc_engine.errors import UsageError

CODE = "COHORT_TOO_SIMILAR"
_TOKEN_BYTES = 16
_N_TOKENS = 3
_PERSON_BYTES = _TOKEN_BYTES * _N_TOKENS

Person = tuple[bytes, ...]
"""Record id, digest of the owner key, digest of the credential; 16 bytes each."""
SamePeople = tuple[bytes, bytes]
"""Another study and a cohort of it, whose people are the same."""


def people_of(
    connection: sqlite3.Connection, study_id: bytes, record_ids: Sequence[bytes]
) -> list[Person]:
    """Return the people of a study's records, in the order given."""
    keys = dict(
        connection.execute(
            "SELECT record_id, owner_key FROM owners WHERE study_id = ?", (study_id,)
        ).fetchall()
    )
    credentials = dict(
        connection.execute(
            "SELECT record_id, credential FROM credentials WHERE study_id = ?", (study_id,)
        ).fetchall()
    )
    return [
        (
            record_id,
            _token(b"key", keys.get(record_id, record_id)),
            _token(b"credential", credentials.get(record_id, record_id)),
        )
        for record_id in record_ids
    ]


def require_closed(connection: sqlite3.Connection, study_id: bytes) -> None:
    """Raise UsageError (``STUDY_NOT_CLOSED``) unless a study is closed, and so has a cohort.

    In the transaction that charges a question about it, or about a part of it: the regulator's
    party ends a cohort that it has agreed to at the modeler's word, as long as nothing is charged.
    """
    closed = connection.execute(
        "SELECT 1 FROM studies WHERE study_id = ? AND state = 'CLOSED'", (study_id,)
    ).fetchone()
    if closed is None:
        raise UsageError(
            "The study's cohort is not closed, or was ended meanwhile.", code="STUDY_NOT_CLOSED"
        )


def keep_cohort(
    connection: sqlite3.Connection,
    study_id: bytes,
    cohort: bytes,
    floor: int,
    people: Sequence[Person],
    same: Iterable[SamePeople],
) -> None:
    """Keep whom a question is about, the floor of its study, and ``same`` as from ``check``."""
    connection.execute(
        "INSERT OR IGNORE INTO asked_cohorts (study_id, cohort, floor, people) VALUES (?, ?, ?, ?)",
        (study_id, cohort, floor, b"".join(token for person in people for token in person)),
    )
    for other_study, other_cohort in same:
        connection.executemany(
            "INSERT OR IGNORE INTO same_people (study_id, other_study, other_cohort)"
            " VALUES (?, ?, ?)",
            [(study_id, other_study, other_cohort), (other_study, study_id, cohort)],
        )


def same_people(connection: sqlite3.Connection, study_id: bytes) -> list[SamePeople]:
    """Return the cohorts of other studies that are known to hold a cohort's people."""
    rows = connection.execute(
        "SELECT other_study, other_cohort FROM same_people WHERE study_id = ?", (study_id,)
    )
    return [(row["other_study"], row["other_cohort"]) for row in rows]


def check_cohort(
    connection: sqlite3.Connection,
    study_id: bytes,
    cohort: bytes,
    floor: int,
    people: Sequence[Person],
) -> list[SamePeople]:
    """Return the cohorts of other studies that hold exactly these people.

    Raises UsageError (``COHORT_TOO_SIMILAR``) if the cohort is not one that was asked already but
    differs from one by fewer people than the greater of both floors.
    """
    same: list[SamePeople] = []
    for row in connection.execute("SELECT study_id, cohort, floor, people FROM asked_cohorts"):
        if (row["study_id"], row["cohort"]) == (study_id, cohort):
            continue
        is_own = row["study_id"] == study_id
        n_other = n_different(people, list(_people(row["people"])), by_record=is_own)
        if n_other == 0 and not is_own:
            same.append((row["study_id"], row["cohort"]))
        elif n_other < max(floor, row["floor"]):
            raise UsageError(
                "These people differ from people who were asked about before by fewer than the "
                "smallest group of the policy. Both answers together would tell about those few.",
                code=CODE,
            )
    return same


def n_different(first: Sequence[Person], second: Sequence[Person], *, by_record: bool) -> int:
    """Return how many people are in one cohort only; ``by_record`` looks at record ids alone."""
    n_tokens = 1 if by_record else _N_TOKENS
    known = {token for person in first for token in person[:n_tokens]}
    others = {token for person in second for token in person[:n_tokens]}
    return _n_outside(first, others, n_tokens) + _n_outside(second, known, n_tokens)


def _n_outside(people: Sequence[Person], tokens: set[bytes], n_tokens: int) -> int:
    return sum(tokens.isdisjoint(person[:n_tokens]) for person in people)


def _token(what: bytes, value: bytes) -> bytes:
    return sha256(what, value)[:_TOKEN_BYTES]


def _people(data: bytes) -> Iterator[Person]:
    for start in range(0, len(data), _PERSON_BYTES):
        yield tuple(
            data[at : at + _TOKEN_BYTES] for at in range(start, start + _PERSON_BYTES, _TOKEN_BYTES)
        )
