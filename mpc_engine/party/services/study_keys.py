"""HPKE keys of studies: one from the proposal until closing, another one after it."""

from __future__ import annotations

import sqlite3

from mpc_engine.control.post.exchanges.about_studies import MakeStudyKey, StudyKey
from mpc_engine.party.studies.closing_states import ENDED, closing_state
from mpc_engine.party.studies.known_study import StudyState, current_key_id, find_study
from mpc_engine.party.zone.carrying import carries_out
from mpc_engine.party.zone.party import Party


@carries_out(MakeStudyKey)
def make_study_key(party: Party, order: MakeStudyKey) -> None:
    """Make a study's first key, or announce the current one again."""
    with party.database.transaction() as connection:
        if current_key_id(connection, order.study_id) is None:
            _make_key(party, connection, order.study_id)
        announce_key(party, connection, order.study_id)
    party.outbox.flush()


def renew_study_key(party: Party, study_id: bytes) -> None:
    """Replace the key of a closed study and destroy the old one; doing it twice is fine.

    The same goes for one whose closing ended without a cohort.

    The configuration's key opened people's shares. Once it is gone, a theft of everything a party
    has opens nothing that the web may have kept.
    """
    with party.database.transaction() as connection:
        study = find_study(connection, study_id)
        current = current_key_id(connection, study_id)
        is_over = closing_state(connection, study_id) in ENDED
        if study is None or not (is_over or study.state is StudyState.CLOSED):
            return
        if current == study.configuration.party(party.role).key_id:
            connection.execute(
                "UPDATE study_keys SET state = 'RETIRED' WHERE study_id = ?", (study_id,)
            )
            _make_key(party, connection, study_id)
            announce_key(party, connection, study_id)
    party.keys.destroy_study_key(study_id, study.configuration.party(party.role).key_id)
    party.database.forget_deleted()
    party.outbox.flush()


def renew_closed_study_keys(party: Party) -> None:
    """Finish what a party that ended between closing a study and renewing its key left undone."""
    with party.database.reading() as connection:
        rows = connection.execute("SELECT study_id FROM studies WHERE state != 'OPEN'").fetchall()
    for row in rows:
        renew_study_key(party, row["study_id"])


def _make_key(party: Party, connection: sqlite3.Connection, study_id: bytes) -> None:
    key = party.keys.make_study_key(study_id, party.rng)
    connection.execute(
        "INSERT INTO study_keys (study_id, key_id, public_key, state) VALUES (?, ?, ?, 'CURRENT')",
        (study_id, key.key_id, key.public_bytes),
    )


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
