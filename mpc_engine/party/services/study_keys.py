"""HPKE keys of studies: one from the proposal until closing, another one after it."""

from __future__ import annotations

import logging
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager

from mpc_engine.control.post.exchanges.about_studies import MakeStudyKey, StudyKey
from mpc_engine.party.studies.known_study import current_key_id
from mpc_engine.party.zone.carrying import carries_out
from mpc_engine.party.zone.faults import log_once
from mpc_engine.party.zone.party import Party

_log = logging.getLogger(__name__)


@carries_out(MakeStudyKey)
def make_study_key(party: Party, order: MakeStudyKey) -> None:
    """Make a study's first key, or announce the current one again."""
    with _fresh_keys(party, order.study_id) as fresh, party.database.transaction() as connection:
        if current_key_id(connection, order.study_id) is None:
            fresh.append(_make_key(party, connection, order.study_id))
        announce_key(party, connection, order.study_id)
    party.outbox.flush()


def renew_noted_keys(party: Party) -> None:
    """Destroy the keys of the studies that closed, or ended, and replace them.

    The configuration's key opened people's shares. Once it is gone, a theft of everything a party
    has opens nothing that the web may have kept. It stays noted until it is; one that can't be
    destroyed or replaced now is logged, and doing it twice, or from two processes at once, is fine.
    """
    with party.database.reading() as connection:
        rows = connection.execute("SELECT study_id, key_id FROM keys_to_destroy").fetchall()
    for row in rows:
        try:
            _renew_key(party, row["study_id"], row["key_id"])
        except Exception as error:
            log_once(_log, "a study's key is not destroyed and replaced yet", error)
    if rows:
        party.outbox.flush()


def _renew_key(party: Party, study_id: bytes, key_id: bytes) -> None:
    """Destroy the old key first: that needs no room, which a full disk lacks for a new one."""
    party.keys.destroy_study_key(study_id, key_id)
    with _fresh_keys(party, study_id) as fresh, party.database.transaction() as connection:
        if current_key_id(connection, study_id) == key_id:
            connection.execute(
                "UPDATE study_keys SET state = 'RETIRED' WHERE study_id = ?", (study_id,)
            )
            fresh.append(_make_key(party, connection, study_id))
            announce_key(party, connection, study_id)
        connection.execute(
            "DELETE FROM keys_to_destroy WHERE study_id = ? AND key_id = ?", (study_id, key_id)
        )


@contextmanager
def _fresh_keys(party: Party, study_id: bytes) -> Iterator[list[bytes]]:
    """Destroy the keys made in a block that failed, unless its transaction kept them."""
    fresh: list[bytes] = []
    try:
        yield fresh
    except BaseException:
        with party.database.reading() as connection:
            kept = current_key_id(connection, study_id)
        for key_id in fresh:
            if key_id != kept:
                party.keys.destroy_study_key(study_id, key_id)
        raise


def _make_key(party: Party, connection: sqlite3.Connection, study_id: bytes) -> bytes:
    key = party.keys.make_study_key(study_id, party.rng)
    connection.execute(
        "INSERT INTO study_keys (study_id, key_id, public_key, state) VALUES (?, ?, ?, 'CURRENT')",
        (study_id, key.key_id, key.public_bytes),
    )
    return key.key_id


def announce_key(party: Party, connection: sqlite3.Connection, study_id: bytes) -> None:
    """Tell the current key and its number: the first is 1, no clock decides which is newer."""
    row = connection.execute(
        "SELECT key_id, public_key FROM study_keys WHERE study_id = ? AND state = 'CURRENT'",
        (study_id,),
    ).fetchone()
    (number,) = connection.execute(
        "SELECT COUNT(*) FROM study_keys WHERE study_id = ?", (study_id,)
    ).fetchone()
    key = StudyKey(
        study_id=study_id, number=number, hpke_key=row["public_key"], key_id=row["key_id"]
    )
    party.outbox.add(connection, key)
