"""Telling the web again what it needs of this party's studies: an older copy of it was restored."""

from __future__ import annotations

import sqlite3

from mpc_engine.control.post.messages import hex_values
from mpc_engine.control.post.orders import Resynchronise
from mpc_engine.control.texts.canonical import JsonObject
from mpc_engine.party.ledger.entries import tell_questions
from mpc_engine.party.services.study_keys import announce_key
from mpc_engine.party.studies.known_study import Study, StudyState, get_study
from mpc_engine.party.zone.party import Party


def resynchronise(party: Party, _order: Resynchronise) -> None:
    """Tell each study's configuration, cohort, current key and questions, and each certificate.

    Everything in it was told once before: the web learns nothing new by asking.
    """
    with party.database.transaction() as connection:
        studies = _tell_studies(party, connection)
        certificates = _tell_certificates(party, connection)
        counts = {"studies": studies, "certificates": certificates}
        party.outbox.add(connection, "resynchronised", counts)
    party.outbox.flush()


def _tell_studies(party: Party, connection: sqlite3.Connection) -> int:
    rows = connection.execute("SELECT study_id FROM studies ORDER BY study_id").fetchall()
    for row in rows:
        study = get_study(connection, row["study_id"])
        values: dict[str, object] = {
            **hex_values(study_id=row["study_id"]),
            "configuration": study.configuration.text,
            "cohort": _cohort(study),
        }
        party.outbox.add(connection, "study_held", values)
        announce_key(party, connection, row["study_id"])
        tell_questions(party, connection, row["study_id"])
    return len(rows)


def _cohort(study: Study) -> JsonObject:
    """Return the closed cohort as a closing reported it; nothing for a study that is open."""
    if study.state is not StudyState.CLOSED:
        return {}
    return {
        "record_set": study.record_set.hex(),
        "n_records": study.n_records,
        "n_invalid": study.n_invalid,
        "n_disagreed": study.n_disagreed,
    }


def _tell_certificates(party: Party, connection: sqlite3.Connection) -> int:
    rows = connection.execute(
        "SELECT c.study_id, c.certificate_id, c.text, c.modeler_signature, c.regulator_signature,"
        " r.text AS revocation, r.signature AS statement_signature"
        " FROM certificates c LEFT JOIN revocations r USING (certificate_id)"
        " ORDER BY c.certificate_id"
    ).fetchall()
    for row in rows:
        ids = hex_values(study_id=row["study_id"], certificate_id=row["certificate_id"])
        signatures = hex_values(
            modeler_signature=row["modeler_signature"],
            regulator_signature=row["regulator_signature"],
        )
        party.outbox.add(
            connection,
            "certificate_held",
            {**ids, "text": row["text"], **signatures, "revocation": _revocation(row)},
        )
    return len(rows)


def _revocation(row: sqlite3.Row) -> JsonObject:
    if row["revocation"] is None:
        return {}
    return {
        "text": row["revocation"],
        "statement_signature": row["statement_signature"].hex(),
    }
