"""Certificates taken back: signed by the regulator's party, obeyed by the modeler's, and listed.

Revocations are kept for good. Challenges of decisions made before stay answerable: nothing here is
asked by a verification.
"""

from __future__ import annotations

import sqlite3
from datetime import datetime, timedelta

from mpc_engine.control.files.certificate import Certificate, parse_certificate
from mpc_engine.control.files.revocation import (
    MAX_LISTED,
    ListedRevocation,
    RevocationList,
    parse_revocation_list,
    require_about,
    revocation_list_text,
    sign_revocation,
    sign_revocation_list,
    verify_revocation,
)
from mpc_engine.control.post.exchanges.about_certificates import (
    CertificateRevoked,
    ListRevocations,
    RevocationListed,
    RevocationSigned,
    SignRevocation,
    TakeRevocation,
)
from mpc_engine.control.studies.study_texts import Revocation, parse_revocation
from mpc_engine.control.texts.approvals import require_approvals
from mpc_engine.crypto.digests import sha256
from mpc_engine.errors import ResourceError, UsageError
from mpc_engine.party.services.certificates import get_certificate
from mpc_engine.party.studies.known_study import get_study
from mpc_engine.party.zone.carrying import carries_out
from mpc_engine.party.zone.party import Party
from mpc_engine.roles import Role

CLOCKS_DIFFER = timedelta(minutes=10)
LIST_LIFETIME = timedelta(hours=48)
LIST_KEPT = timedelta(hours=12)
"""How long the last list is given out again while nothing more is revoked."""


@carries_out(SignRevocation)
def sign_certificate_revocation(party: Party, order: SignRevocation) -> None:
    """Sign the revocation that an approver of the regulator signed, and keep it.

    The same text again is answered with the same statement, though its approver is one no more.
    Codes besides those of approvals and texts: ``CERTIFICATE_UNKNOWN``,
    ``REVOCATION_OTHER_CERTIFICATE``, ``REVOCATION_DATE``, ``CERTIFICATE_REVOKED``.
    """
    revocation = parse_revocation(order.text)
    require_about(revocation, order.certificate_id)
    with party.database.transaction() as connection:
        certificate = get_certificate(connection, order.study_id, order.certificate_id)
        if not _is_kept(connection, order):
            require_approvals(
                "revocation",
                order.text,
                [order.approval],
                party.trusted_approvers(),
                [Role.REGULATOR],
            )
            _check_date(revocation, certificate, party.now())
            _keep(connection, order, sign_revocation(order.text, party.keys.signing))
        signature = sign_revocation(order.text, party.keys.signing)
        signed = RevocationSigned(
            study_id=order.study_id,
            certificate_id=order.certificate_id,
            revocation=sha256(order.text.encode("utf-8")),
            statement_signature=signature,
        )
        party.outbox.add(connection, signed)
    party.outbox.flush()


@carries_out(TakeRevocation)
def take_revocation(party: Party, order: TakeRevocation) -> None:
    """Use a certificate no more, as the regulator's party signed; the same again changes nothing.

    Codes besides those of `control.revocation`: ``STUDY_UNKNOWN``,
    ``CERTIFICATE_UNKNOWN``, ``CERTIFICATE_REVOKED``.
    """
    with party.database.transaction() as connection:
        configuration = get_study(connection, order.study_id).configuration
        revocation = verify_revocation(
            order.text, order.statement_signature, configuration.regulator.signing_key
        )
        require_about(revocation, order.certificate_id)
        get_certificate(connection, order.study_id, order.certificate_id)
        if not _is_kept(connection, order):
            _keep(connection, order, order.statement_signature)
        revoked = CertificateRevoked(
            study_id=order.study_id,
            certificate_id=order.certificate_id,
            revocation=sha256(order.text.encode("utf-8")),
        )
        party.outbox.add(connection, revoked)
    party.outbox.flush()


@carries_out(ListRevocations)
def list_revocations(party: Party, _order: ListRevocations) -> None:
    """Tell the web the list of revoked certificates: the last one, or where that is old, a new one.

    Certificates that ended anyway are not listed: their dates say enough. ResourceError
    ``REVOCATION_LIST_FULL``.
    """
    with party.database.transaction() as connection:
        text, signature = _present_list(party, connection)
        party.outbox.add(connection, RevocationListed(text=text, list_signature=signature))
    party.outbox.flush()


def _is_kept(connection: sqlite3.Connection, order: SignRevocation | TakeRevocation) -> bool:
    """Return whether exactly this revocation is kept; ``CERTIFICATE_REVOKED`` if another one is."""
    row = connection.execute(
        "SELECT text FROM revocations WHERE certificate_id = ?", (order.certificate_id,)
    ).fetchone()
    if row is not None and row["text"] != order.text:
        raise UsageError(
            "This certificate was revoked before, by another text.", code="CERTIFICATE_REVOKED"
        )
    return row is not None


def _keep(
    connection: sqlite3.Connection, order: SignRevocation | TakeRevocation, signature: bytes
) -> None:
    connection.execute(
        "INSERT INTO revocations (certificate_id, text, signature) VALUES (?, ?, ?)",
        (order.certificate_id, order.text, signature),
    )


def _check_date(revocation: Revocation, certificate: Certificate, now: datetime) -> None:
    earliest, latest = certificate.valid_from - CLOCKS_DIFFER, now + CLOCKS_DIFFER
    if not earliest <= revocation.revoked_at <= latest:
        raise UsageError(
            "The revocation is dated before the certificate, or in the future.",
            code="REVOCATION_DATE",
        )


def _present_list(party: Party, connection: sqlite3.Connection) -> tuple[str, bytes]:
    """Return the list in force; numbers follow the clock, so a restored party's go on growing."""
    row = connection.execute(
        "SELECT number, text, signature FROM revocation_lists ORDER BY number DESC LIMIT 1"
    ).fetchone()
    key, now = party.keys.signing, party.now()
    revoked = _revoked_now(connection, now)
    number = int(now.timestamp())
    if row is not None:
        last = parse_revocation_list(row["text"])
        same = (last.regulator_key, dict(last.revoked)) == (key.public_bytes, revoked)
        if same and last.issued_at <= now < last.issued_at + LIST_KEPT:
            return row["text"], row["signature"]
        number = max(row["number"] + 1, number)
    text = revocation_list_text(
        RevocationList(number, now, now + LIST_LIFETIME, key.public_bytes, revoked)
    )
    signature = sign_revocation_list(text, key)
    connection.execute("DELETE FROM revocation_lists")
    connection.execute(
        "INSERT INTO revocation_lists (number, text, signature) VALUES (?, ?, ?)",
        (number, text, signature),
    )
    return text, signature


def _revoked_now(connection: sqlite3.Connection, now: datetime) -> dict[bytes, ListedRevocation]:
    """Return the revoked certificates that have not ended, by id."""
    rows = connection.execute(
        "SELECT r.certificate_id, r.text, c.text AS certificate"
        " FROM revocations r JOIN certificates c USING (certificate_id)"
    ).fetchall()
    found = {}
    for row in rows:
        if parse_certificate(row["certificate"]).valid_until > now:
            certificate_id = bytes(row["certificate_id"])
            found[certificate_id] = ListedRevocation(
                certificate_id,
                sha256(row["text"].encode("utf-8")),
                parse_revocation(row["text"]).revoked_at,
            )
    if len(found) > MAX_LISTED:
        raise ResourceError(
            f"A list holds at most {MAX_LISTED} certificates.", code="REVOCATION_LIST_FULL"
        )
    return found
