"""Certificates a party co-signed, with the nonce only the modeler's keeps, and revocations."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass

from mpc_engine.control.files.certificate import Certificate, parse_certificate
from mpc_engine.control.studies.study_texts import Revocation, parse_revocation
from mpc_engine.errors import UsageError
from mpc_engine.party.zone.party import Party

_PLACE = "certificate-nonce"


@dataclass(frozen=True)
class SignedCertificate:
    """A certificate text with both signatures."""

    text: str
    modeler_signature: bytes
    regulator_signature: bytes


def store_certificate(
    party: Party, connection: sqlite3.Connection, signed: SignedCertificate, nonce: bytes | None
) -> None:
    """Store a certificate; the modeler's party stores the model's nonce with it, sealed."""
    certificate = parse_certificate(signed.text)
    ids = (certificate.study_id, certificate.certificate_id)
    connection.execute(
        "INSERT INTO certificates (certificate_id, study_id, model_id, text, modeler_signature,"
        " regulator_signature, sealed_nonce) VALUES (?, ?, ?, ?, ?, ?, ?)",
        (
            certificate.certificate_id,
            certificate.study_id,
            certificate.model_id,
            signed.text,
            signed.modeler_signature,
            signed.regulator_signature,
            None if nonce is None else party.cipher.seal(_PLACE, ids, nonce),
        ),
    )


def get_certificate(
    connection: sqlite3.Connection, study_id: bytes, certificate_id: bytes
) -> Certificate:
    """Return a certificate of a study; UsageError (``CERTIFICATE_UNKNOWN``) otherwise."""
    row = connection.execute(
        "SELECT text FROM certificates WHERE study_id = ? AND certificate_id = ?",
        (study_id, certificate_id),
    ).fetchone()
    if row is None:
        raise UsageError("The party knows no such certificate.", code="CERTIFICATE_UNKNOWN")
    return parse_certificate(row["text"])


def find_revocation(connection: sqlite3.Connection, certificate_id: bytes) -> Revocation | None:
    """Return how a certificate was taken back, None where this party knows of nothing."""
    row = connection.execute(
        "SELECT text FROM revocations WHERE certificate_id = ?", (certificate_id,)
    ).fetchone()
    return None if row is None else parse_revocation(row["text"])


def require_not_revoked(connection: sqlite3.Connection, certificate_id: bytes) -> None:
    """Raise UsageError (``CERTIFICATE_REVOKED``) with reason and date if it was taken back."""
    revocation = find_revocation(connection, certificate_id)
    if revocation is not None:
        raise UsageError(
            f"The regulator revoked this certificate on {revocation.revoked_at:%Y-%m-%d}: "
            f"{revocation.reason}",
            code="CERTIFICATE_REVOKED",
        )


def require_usable_model(connection: sqlite3.Connection, study_id: bytes, model_id: bytes) -> None:
    """Raise UsageError (``CERTIFICATE_REVOKED``) if a certificate of this model was revoked."""
    rows = connection.execute(
        "SELECT certificate_id FROM certificates WHERE study_id = ? AND model_id = ?",
        (study_id, model_id),
    ).fetchall()
    for row in rows:
        require_not_revoked(connection, row["certificate_id"])


def certificate_nonce(
    party: Party, connection: sqlite3.Connection, certificate: Certificate
) -> bytes:
    """Return the nonce the certified model was hashed with (modeler's party only)."""
    row = connection.execute(
        "SELECT sealed_nonce FROM certificates WHERE certificate_id = ?",
        (certificate.certificate_id,),
    ).fetchone()
    if row is None or row["sealed_nonce"] is None:
        raise UsageError("The party knows no such certificate.", code="CERTIFICATE_UNKNOWN")
    ids = (certificate.study_id, certificate.certificate_id)
    return party.cipher.open(_PLACE, ids, row["sealed_nonce"])
