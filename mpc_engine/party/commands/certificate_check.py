"""Check a downloaded certificate, and what is known of its revocation, without the site."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime

from mpc_engine.control.files.certificate import Certificate, read_certificate_file, require_current
from mpc_engine.control.files.revocation import (
    RevocationList,
    read_revocation_file,
    read_revocation_list_file,
)
from mpc_engine.control.studies.configuration import Configuration, parse_configuration
from mpc_engine.control.studies.study_texts import Revocation
from mpc_engine.party.services.certificates import find_revocation
from mpc_engine.party.zone.party import Party
from mpc_engine.roles import Role


@dataclass(frozen=True)
class Checker:
    """Whoever checks a certificate: whose keys it trusts, its clock, what it was told itself.

    ``keys`` are raw Ed25519 keys or their ids; ``known`` gives the revocation of a certificate's
    id that it knows of, if any.
    """

    keys: Mapping[Role, bytes]
    at: datetime
    known: Callable[[bytes], Revocation | None]


@dataclass(frozen=True)
class CertificateFinding:
    """What a check found: whether the certificate was revoked, and all of it in words.

    ``remarks``: a sentence for each file whose text is intact and that was altered around it.
    """

    is_revoked: bool
    sentence: str
    remarks: tuple[str, ...] = ()


def anybody(at: datetime) -> Checker:
    """Return a checker who knows no key yet, and nothing from a party of her own."""
    return Checker({}, at, lambda _certificate_id: None)


def party_checker(party: Party) -> Checker:
    """Return a party as a checker: its own and its peer's key, and the revocations it was told."""

    def known(certificate_id: bytes) -> Revocation | None:
        with party.database.reading() as connection:
            return find_revocation(connection, certificate_id)

    keys = {party.role: party.descriptor().signing_key, party.role.peer: party.peer().signing_key}
    return Checker(keys, party.now(), known)


def check_certificate(
    checker: Checker,
    certificate_file: bytes,
    *,
    configuration: bytes | None = None,
    revocation: bytes | None = None,
    revocation_list: bytes | None = None,
) -> CertificateFinding:
    """Check a certificate against the parties' keys, its dates and what files say of revocation.

    ``revocation`` and ``revocation_list`` are the files that the register hands out; a revocation
    that the checker knows of itself counts as well. A revoked certificate is said to be that, also
    after its last day. Raises EngineError where a file is not what it should be, is about another
    certificate, was signed by somebody else, or is out of date.
    """
    certificate, altered = read_certificate_file(certificate_file, checker.keys)
    remarks = _remarks("certificate", altered)
    stated = None
    if revocation is not None:
        stated, altered = read_revocation_file(revocation, certificate)
        remarks += _remarks("revocation", altered)
    found = stated or checker.known(certificate.certificate_id)
    if found is not None:
        return CertificateFinding(True, _revoked(certificate, found), remarks)
    listed = None
    if revocation_list is not None:
        key = certificate.regulator_key
        listed, altered = read_revocation_list_file(revocation_list, key, at=checker.at)
        remarks += _remarks("list of revocations", altered)
    if listed is not None and certificate.certificate_id in listed.revoked:
        return CertificateFinding(True, _listed(certificate, listed), remarks)
    require_current(certificate, checker.at, _configuration(configuration))
    return CertificateFinding(False, f"{_passed(certificate)} {_freshness(listed)}", remarks)


def _remarks(what: str, altered: tuple[str, ...]) -> tuple[str, ...]:
    if not altered:
        return ()
    return (
        f"The file of the {what} is not as it was handed out: {'; '.join(altered)}. The signed "
        "text in it is intact, and is what was judged.",
    )


def _configuration(text: bytes | None) -> Configuration | None:
    if text is None:
        return None
    return parse_configuration(text.decode("utf-8", "replace").rstrip("\r\n"))


def _revoked(certificate: Certificate, revocation: Revocation) -> str:
    return (
        f"REVOKED: the regulator took certificate {certificate.certificate_id.hex()} back on "
        f"{revocation.revoked_at:%Y-%m-%d %H:%M} UTC. Reason: {revocation.reason}"
    )


def _listed(certificate: Certificate, listed: RevocationList) -> str:
    row = listed.revoked[certificate.certificate_id]
    return (
        f"REVOKED: the regulator took certificate {certificate.certificate_id.hex()} back on "
        f"{row.revoked_at:%Y-%m-%d %H:%M} UTC, as its list {listed.number} says. The reason is in "
        f"the revocation whose text has SHA-256 {row.revocation.hex()}."
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
