"""Telling the web again what it needs of this party's studies: an older copy of it was restored."""

from __future__ import annotations

import sqlite3

from mpc_engine.control.post.exchanges.about_certificates import CertificateHeld, HeldRevocation
from mpc_engine.control.post.exchanges.about_parties import Resynchronise, Resynchronised
from mpc_engine.control.post.exchanges.about_studies import StudyHeld
from mpc_engine.party.ledger.entries import tell_questions
from mpc_engine.party.services.study_keys import announce_key
from mpc_engine.party.studies.closing_states import closing_standing
from mpc_engine.party.studies.known_study import StudyState, cohort_of, get_study
from mpc_engine.party.zone.carrying import carries_out
from mpc_engine.party.zone.party import Party


@carries_out(Resynchronise)
def resynchronise(party: Party, _order: Resynchronise) -> None:
    """Tell each study's configuration, closing, cohort, key and questions, and each certificate.

    Everything in it was told once before: the web learns nothing new by asking.
    """
    with party.database.transaction() as connection:
        studies = _tell_studies(party, connection)
        certificates = _tell_certificates(party, connection)
        told = Resynchronised(studies=studies, certificates=certificates)
        party.outbox.add(connection, told)
    party.outbox.flush()


def _tell_studies(party: Party, connection: sqlite3.Connection) -> int:
    rows = connection.execute("SELECT study_id FROM studies ORDER BY study_id").fetchall()
    for row in rows:
        study = get_study(connection, row["study_id"])
        held = StudyHeld(
            study_id=row["study_id"],
            configuration=study.configuration.text,
            closing=closing_standing(connection, party.role, row["study_id"]),
            cohort=cohort_of(study) if study.state is StudyState.CLOSED else None,
        )
        party.outbox.add(connection, held)
        announce_key(party, connection, row["study_id"])
        tell_questions(party, connection, row["study_id"])
    return len(rows)


def _tell_certificates(party: Party, connection: sqlite3.Connection) -> int:
    rows = connection.execute(
        "SELECT c.study_id, c.certificate_id, c.text, c.modeler_signature, c.regulator_signature,"
        " r.text AS revocation, r.signature AS statement_signature"
        " FROM certificates c LEFT JOIN revocations r USING (certificate_id)"
        " ORDER BY c.certificate_id"
    ).fetchall()
    for row in rows:
        held = CertificateHeld(
            study_id=row["study_id"],
            certificate_id=row["certificate_id"],
            text=row["text"],
            modeler_signature=row["modeler_signature"],
            regulator_signature=row["regulator_signature"],
            revocation=_revocation(row),
        )
        party.outbox.add(connection, held)
    return len(rows)


def _revocation(row: sqlite3.Row) -> HeldRevocation | None:
    if row["revocation"] is None:
        return None
    return HeldRevocation(text=row["revocation"], statement_signature=row["statement_signature"])
