"""Decisions of the modeler's party: made with the model in use, signed, and counted."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from mpc_engine.control.files.decision_record import (
    DecisionRecord,
    parse_decision_record,
    sign_decision_record,
)
from mpc_engine.control.files.model_file import decide_case
from mpc_engine.control.studies.configuration import Configuration
from mpc_engine.control.texts.canonical import canonical_bytes, parse_canonical
from mpc_engine.errors import UsageError
from mpc_engine.party.services.certificates import get_certificate, require_not_revoked
from mpc_engine.party.services.models import model_in_use, model_theta, require_party_role
from mpc_engine.party.studies.known_study import get_study
from mpc_engine.party.zone.party import Party
from mpc_engine.roles import Role

_PLACE = "decision"


@dataclass(frozen=True, repr=False)
class DecisionCase:
    """A person's case: the modeler's own number for it and the encoded features."""

    case_id: str
    x: tuple[int, ...]


def decide_cases(
    party: Party, study_id: bytes, certificate_id: bytes, cases: Sequence[DecisionCase]
) -> list[DecisionRecord]:
    """Decide with the model in use and return a signed record for each case, all or none.

    A case decided before in the same way keeps its record, also under a certificate that was
    revoked since: its person may challenge it. Nothing else is decided under that one. Raises
    UsageError: ``CERTIFICATE_UNKNOWN``, ``CERTIFICATE_NOT_CURRENT``, ``CERTIFICATE_REVOKED``,
    ``STUDY_UNKNOWN``.
    """
    require_party_role(party, Role.MODELER)
    now = party.now()
    with party.database.transaction() as connection:
        configuration = get_study(connection, study_id).configuration
        certificate = get_certificate(connection, study_id, certificate_id)
        if not certificate.valid_from <= now < certificate.valid_until:
            raise UsageError("The certificate is not valid now.", code="CERTIFICATE_NOT_CURRENT")
        model_id = model_in_use(connection, study_id, certificate.model_id)
        theta = model_theta(party, connection, study_id, model_id)
        return [
            _decide_one(party, connection, configuration, certificate_id, theta, case, now)
            for case in cases
        ]


def n_decision_records(connection: sqlite3.Connection, certificate_id: bytes) -> int:
    """Return how many decision records were signed under a certificate."""
    (n_records,) = connection.execute(
        "SELECT COUNT(*) FROM decision_records WHERE certificate_id = ?", (certificate_id,)
    ).fetchone()
    return int(n_records)


def _decide_one(
    party: Party,
    connection: sqlite3.Connection,
    configuration: Configuration,
    certificate_id: bytes,
    theta: list[int],
    case: DecisionCase,
    now: datetime,
) -> DecisionRecord:
    decision = decide_case(theta, case.x, configuration.x_frac_bits)
    place = (certificate_id, case.case_id.encode("utf-8"))
    rows = connection.execute(
        "SELECT sealed FROM decision_records WHERE certificate_id = ? AND case_id = ?",
        (certificate_id, case.case_id),
    )
    for row in rows:
        stored = parse_canonical(party.cipher.open(_PLACE, place, row["sealed"]))
        record = parse_decision_record(stored, party.keys.signing.public_bytes)
        if (record.x, record.decision) == (case.x, decision):
            return record
    require_not_revoked(connection, certificate_id)
    record = sign_decision_record(
        certificate_id=certificate_id,
        configuration=configuration.digest,
        case_id=case.case_id,
        decision=decision,
        x=case.x,
        issued_at=now,
        key=party.keys.signing,
    )
    sealed = party.cipher.seal(_PLACE, place, canonical_bytes(record.to_json()))
    connection.execute(
        "INSERT INTO decision_records (certificate_id, case_id, sealed) VALUES (?, ?, ?)",
        (certificate_id, case.case_id, sealed),
    )
    return record
