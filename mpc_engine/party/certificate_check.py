"""Check a downloaded certificate, and what is known of its revocation, without the site."""

from __future__ import annotations

from dataclasses import dataclass

from mpc_engine.control.certificate import (
    Certificate,
    check_certificate_file,
    read_certificate_file,
)
from mpc_engine.control.configuration import Configuration, parse_configuration
from mpc_engine.control.revocation import (
    RevocationList,
    check_revocation_file,
    check_revocation_list_file,
)
from mpc_engine.control.study_texts import Revocation
from mpc_engine.party.party import Party
from mpc_engine.party.services.certificates import find_revocation


@dataclass(frozen=True)
class CertificateFinding:
    """What a check found: whether the certificate was revoked, and all of it in words."""

    is_revoked: bool
    sentence: str


def check_certificate(
    party: Party,
    certificate_file: bytes,
    *,
    configuration: bytes | None = None,
    revocation: bytes | None = None,
    revocation_list: bytes | None = None,
) -> CertificateFinding:
    """Check a certificate against the parties' keys, its dates and what files say of revocation.

    ``revocation`` and ``revocation_list`` are the files that the register hands out; a revocation
    that this party knows of itself counts as well. A revoked certificate is said to be that, also
    after its last day. Raises EngineError where a file is not what it should be, is about another
    certificate, was signed by somebody else, or is out of date.
    """
    keys = {party.role: party.descriptor().signing_key, party.role.peer: party.peer().signing_key}
    certificate = read_certificate_file(certificate_file, keys)
    stated = None if revocation is None else check_revocation_file(revocation, certificate)
    with party.database.reading() as connection:
        found = stated or find_revocation(connection, certificate.certificate_id)
    if found is not None:
        return _revoked(certificate, found)
    listed = (
        None
        if revocation_list is None
        else check_revocation_list_file(revocation_list, certificate.regulator_key, at=party.now())
    )
    if listed is not None and certificate.certificate_id in listed.revoked:
        return _listed(certificate, listed)
    check_certificate_file(
        certificate_file, keys, at=party.now(), configuration=_configuration(configuration)
    )
    return CertificateFinding(False, f"{_passed(certificate)} {_freshness(listed)}")


def _configuration(text: bytes | None) -> Configuration | None:
    if text is None:
        return None
    return parse_configuration(text.decode("utf-8", "replace").rstrip("\r\n"))


def _revoked(certificate: Certificate, revocation: Revocation) -> CertificateFinding:
    return CertificateFinding(
        True,
        f"REVOKED: the regulator took certificate {certificate.certificate_id.hex()} back on "
        f"{revocation.revoked_at:%Y-%m-%d %H:%M} UTC. Reason: {revocation.reason}",
    )


def _listed(certificate: Certificate, listed: RevocationList) -> CertificateFinding:
    row = listed.revoked[certificate.certificate_id]
    return CertificateFinding(
        True,
        f"REVOKED: the regulator took certificate {certificate.certificate_id.hex()} back on "
        f"{row.revoked_at:%Y-%m-%d %H:%M} UTC, as its list {listed.number} says. The reason is in "
        f"the revocation whose text has SHA-256 {row.revocation.hex()}.",
    )


def _passed(certificate: Certificate) -> str:
    passed = " and ".join(
        f"{item.criterion} at {item.certify_at}" for item in certificate.policy.criteria
    )
    return (
        f"Certificate {certificate.certificate_id.hex()} is valid until "
        f"{certificate.valid_until:%Y-%m-%d}: model {certificate.model_id.hex()} passed "
        f"{passed} on {certificate.n_records} records."
    )


def _freshness(listed: RevocationList | None) -> str:
    if listed is None:
        return (
            "Whether it was revoked since was not checked: get the regulator's list of revocations "
            "from the register and give it with --list."
        )
    return (
        f"It was not revoked by {listed.issued_at:%Y-%m-%d %H:%M} UTC, as the regulator's list "
        f"{listed.number} says; the next list is due by {listed.next_update:%Y-%m-%d %H:%M} UTC."
    )
