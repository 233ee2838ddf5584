"""What a party knows of a study: its configuration, its state, and the keys it opens seals with."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

from mpc_engine.control.post.exchanges.cohorts import Cohort
from mpc_engine.control.studies.configuration import Configuration, parse_configuration
from mpc_engine.crypto.digests import KEY_ID_BYTES
from mpc_engine.crypto.hpke import HpkePrivateKey
from mpc_engine.errors import IntakeError, UsageError
from mpc_engine.party.zone.party import Party
from mpc_engine.sharing.layout import EnvelopeLayout
from mpc_engine.sharing.sealed import Purpose, check_cover, open_sealed, unpad_message

KEY_RETIRED = "KEY_RETIRED"
_KEY_ID = slice(2, 2 + KEY_ID_BYTES)


class StudyState(StrEnum):
    """Where a study stands at this party."""

    OPEN = "OPEN"
    CLOSING = "CLOSING"
    CLOSED = "CLOSED"


@dataclass(frozen=True)
class Study:
    """A study this party accepted.

    ``record_set`` and the counts are those of the closed cohort; before that, of a closing that
    this party finished and the other has not confirmed (empty if there is none).
    """

    configuration: Configuration
    state: StudyState
    record_set: bytes
    n_records: int
    n_invalid: int
    n_disagreed: int


def cohort_of(study: Study) -> Cohort:
    """Return the closed cohort of a study as messages carry it."""
    return Cohort(
        record_set=study.record_set,
        n_records=study.n_records,
        n_invalid=study.n_invalid,
        n_disagreed=study.n_disagreed,
    )


@lru_cache(maxsize=64)
def _parsed(text: str) -> Configuration:
    return parse_configuration(text)


def find_study(connection: sqlite3.Connection, study_id: bytes) -> Study | None:
    """Return a study, or None if this party never accepted its configuration."""
    row = connection.execute(
        "SELECT configuration, state, record_set, n_records, n_invalid, n_disagreed"
        " FROM studies WHERE study_id = ?",
        (study_id,),
    ).fetchone()
    if row is None:
        return None
    return Study(
        _parsed(row["configuration"]),
        StudyState(row["state"]),
        row["record_set"] or b"",
        row["n_records"] or 0,
        row["n_invalid"] or 0,
        row["n_disagreed"] or 0,
    )


def get_study(connection: sqlite3.Connection, study_id: bytes) -> Study:
    """Return a study; UsageError (``STUDY_UNKNOWN``) if its configuration was never accepted."""
    study = find_study(connection, study_id)
    if study is None:
        raise UsageError("This study is not known to the party.", code="STUDY_UNKNOWN")
    return study


def load_study(party: Party, study_id: bytes) -> Study:
    """Return a study on its own view of the store; errors as ``get_study``."""
    with party.database.reading() as connection:
        return get_study(connection, study_id)


def envelope_layout(configuration: Configuration) -> EnvelopeLayout:
    """Return the shape of the envelopes of a study."""
    return EnvelopeLayout(
        study_id=configuration.study_id,
        config_digest=configuration.digest,
        category_counts=configuration.category_counts,
        data_holder=configuration.data_holder,
        data_by_file=configuration.data_source == "file",
        feature_ranges=configuration.feature_ranges,
    )


def current_key_id(connection: sqlite3.Connection, study_id: bytes) -> bytes | None:
    """Return the id of the study's current HPKE key, None if there is none yet."""
    row = connection.execute(
        "SELECT key_id FROM study_keys WHERE study_id = ? AND state = 'CURRENT'", (study_id,)
    ).fetchone()
    return None if row is None else bytes(row["key_id"])


def sealing_key(party: Party, study_id: bytes, envelope: bytes) -> HpkePrivateKey:
    """Return the study's current key if the envelope names it.

    Raises IntakeError: ``KEY_RETIRED`` for a key destroyed at closing, ``ENVELOPE_FOR_OTHER_KEY``
    for any other; before that, as ``check_cover``.
    """
    check_cover(envelope)
    stated = envelope[_KEY_ID]
    with party.database.reading() as connection:
        row = connection.execute(
            "SELECT state FROM study_keys WHERE study_id = ? AND key_id = ?", (study_id, stated)
        ).fetchone()
    if row is None:
        raise IntakeError(
            "The message was sealed for a key this party does not have.",
            code="ENVELOPE_FOR_OTHER_KEY",
        )
    if row["state"] != "CURRENT":
        raise IntakeError(
            "The message was sealed for a key that was destroyed when the study closed; "
            "seal it again for the current key.",
            code=KEY_RETIRED,
        )
    return party.keys.study_key(study_id, stated)


def open_for_study(
    party: Party, configuration: Configuration, purpose: Purpose, object_id: bytes, envelope: bytes
) -> bytes:
    """Return the unpadded plaintext of a sealed model, upload or challenge; IntakeError if bad."""
    key = sealing_key(party, configuration.study_id, envelope)
    padded = open_sealed(
        purpose,
        party.role,
        configuration.study_id,
        configuration.digest,
        key.key_id,
        key,
        object_id,
        envelope,
    )
    return unpad_message(padded)
