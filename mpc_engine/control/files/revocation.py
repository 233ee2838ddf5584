"""Revocations as the regulator's zone signs them: statements on one certificate, and dated lists.

An approver of the regulator signs the text of a revocation (`control.study_texts`); the regulator's
party checks that and puts its own signature, by the key that signs certificates, under the same
bytes. Whoever can check a certificate can check its revocation.

A list names every certificate that is revoked and would otherwise be valid, with a number that
grows and the moment by which the next list comes: the small form of an X.509 revocation list
(RFC 5280, section 5: thisUpdate, nextUpdate, CRL number).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from mpc_engine.control.files.certificate import Certificate
from mpc_engine.control.studies.study_texts import Revocation, parse_revocation
from mpc_engine.control.texts.canonical import JsonObject, canonical_text, parse_canonical
from mpc_engine.control.texts.fields import Fields, format_time
from mpc_engine.control.texts.signed_file import read_signed_file, signed_file
from mpc_engine.crypto.signatures import Ed25519SigningKey, verify_ed25519
from mpc_engine.errors import CheckFailedError, InvalidSignatureError, UsageError

REVOCATION_LABEL = b"blindjustice/v1/revocation"
LIST_LABEL = b"blindjustice/v1/revocation-list"
FILE_FORMAT = "bj1 revocation file"
LIST_FORMAT = "bj1 revocation list"
LIST_FILE_FORMAT = "bj1 revocation list file"
CODE = "REVOCATION_INVALID"
LIST_CODE = "REVOCATION_LIST_INVALID"
MAX_REVOCATION_BYTES = 1 << 14
MAX_LISTED = 4096
MAX_LIST_BYTES = 704 << 10
CLOCKS_DIFFER = timedelta(minutes=10)
"""By how much the clocks of whoever signs and whoever checks may differ."""


@dataclass(frozen=True)
class ListedRevocation:
    """A revoked certificate in a list; ``revocation`` is SHA-256 of the text that was signed."""

    certificate_id: bytes
    revocation: bytes
    revoked_at: datetime

    def to_json(self) -> JsonObject:
        """Return the JSON form used in lists."""
        return {
            "certificate_id": self.certificate_id.hex(),
            "revocation": self.revocation.hex(),
            "revoked_at": format_time(self.revoked_at),
        }


@dataclass(frozen=True)
class RevocationList:
    """What is revoked on a day, by certificate id; ``number`` grows from list to list."""

    number: int
    issued_at: datetime
    next_update: datetime
    regulator_key: bytes
    revoked: Mapping[bytes, ListedRevocation]


def sign_revocation(text: str, key: Ed25519SigningKey) -> bytes:
    """Return the regulator's zone's signature of a revocation text."""
    return key.sign(_signed_bytes(REVOCATION_LABEL, text))


def verify_revocation(text: str, signature: bytes, regulator_key: bytes) -> Revocation:
    """Return a revocation that the zone of ``regulator_key`` (raw Ed25519) signed.

    Raises UsageError or DecodeError where the text is no revocation, InvalidSignatureError
    (``REVOCATION_SIGNATURE_INVALID``).
    """
    revocation = parse_revocation(text)
    try:
        verify_ed25519(regulator_key, _signed_bytes(REVOCATION_LABEL, text), signature)
    except InvalidSignatureError:
        raise InvalidSignatureError(
            "The revocation was not signed by the regulator's party.",
            code="REVOCATION_SIGNATURE_INVALID",
        ) from None
    return revocation


def require_about(revocation: Revocation, certificate_id: bytes) -> None:
    """Raise UsageError (``REVOCATION_OTHER_CERTIFICATE``) unless it takes back this certificate."""
    if revocation.certificate_id != certificate_id:
        raise UsageError(
            f"The revocation takes back certificate {revocation.certificate_id.hex()}, no other.",
            code="REVOCATION_OTHER_CERTIFICATE",
        )


def revocation_file(text: str, signature: bytes) -> str:
    """Return the file anyone can download and check without an account."""
    return _file(FILE_FORMAT, text, signature)


def check_revocation_file(data: bytes, certificate: Certificate) -> Revocation:
    """Return the revocation of a file if it takes back ``certificate``, by its regulator's key.

    Raises what `read_signed_file`, `verify_revocation` and `require_about` raise.
    """
    return read_revocation_file(data, certificate)[0]


def read_revocation_file(
    data: bytes, certificate: Certificate
) -> tuple[Revocation, tuple[str, ...]]:
    """Return what `check_revocation_file` does, and what is wrong with the file around the text."""
    file = read_signed_file(
        data, FILE_FORMAT, ("signature",), code=CODE, limit=MAX_REVOCATION_BYTES
    )
    key = certificate.regulator_key
    revocation = verify_revocation(file.text, file.signatures["signature"], key)
    require_about(revocation, certificate.certificate_id)
    return revocation, file.remarks


def revocation_list_text(revocations: RevocationList) -> str:
    """Return the text of a list, its certificates in the order of their ids."""
    return canonical_text(
        {
            "format": LIST_FORMAT,
            "number": revocations.number,
            "issued_at": format_time(revocations.issued_at),
            "next_update": format_time(revocations.next_update),
            "regulator_key": revocations.regulator_key.hex(),
            "revoked": [
                revocations.revoked[certificate_id].to_json()
                for certificate_id in sorted(revocations.revoked)
            ],
        }
    )


def parse_revocation_list(text: str) -> RevocationList:
    """Return a list whoever signed it; UsageError (``REVOCATION_LIST_INVALID``) or DecodeError."""
    value = parse_canonical(text, limit=MAX_LIST_BYTES)
    fields = Fields(value, "list", code=LIST_CODE)
    fields.choice("format", (LIST_FORMAT,))
    number = fields.integer("number", 1)
    issued_at, next_update = fields.time("issued_at"), fields.time("next_update")
    if next_update <= issued_at:
        raise UsageError("The list ends before it begins.", code=LIST_CODE)
    regulator_key = fields.hex("regulator_key", 32)
    rows = [_read_listed(row) for row in fields.objects("revoked", 0, MAX_LISTED)]
    fields.end()
    ids = [row.certificate_id for row in rows]
    if ids != sorted(set(ids)):
        raise UsageError("The list names a certificate twice or out of order.", code=LIST_CODE)
    revoked = {row.certificate_id: row for row in rows}
    return RevocationList(number, issued_at, next_update, regulator_key, revoked)


def sign_revocation_list(text: str, key: Ed25519SigningKey) -> bytes:
    """Return the regulator's zone's signature of a list."""
    return key.sign(_signed_bytes(LIST_LABEL, text))


def verify_revocation_list(text: str, signature: bytes, regulator_key: bytes) -> RevocationList:
    """Return a list that the zone of ``regulator_key`` (raw Ed25519) signed, of whatever date.

    Raises UsageError (``REVOCATION_LIST_INVALID``) or DecodeError where the text is no list,
    InvalidSignatureError (``REVOCATION_LIST_SIGNATURE_INVALID``).
    """
    revocations = parse_revocation_list(text)
    try:
        if revocations.regulator_key != regulator_key:
            raise InvalidSignatureError("Another regulator's list.")
        verify_ed25519(regulator_key, _signed_bytes(LIST_LABEL, text), signature)
    except InvalidSignatureError:
        raise InvalidSignatureError(
            "The list of revocations was not signed by the regulator's party.",
            code="REVOCATION_LIST_SIGNATURE_INVALID",
        ) from None
    return revocations


def revocation_list_file(text: str, signature: bytes) -> str:
    """Return a list as the file anyone can download and check without an account."""
    return _file(LIST_FILE_FORMAT, text, signature)


def check_revocation_list_file(
    data: bytes, regulator_key: bytes, *, at: datetime
) -> RevocationList:
    """Return the list of a file if the regulator's zone signed it and no newer one is due.

    Raises what `read_signed_file` and `verify_revocation_list` raise, CheckFailedError
    (``REVOCATION_LIST_OUTDATED``, ``REVOCATION_LIST_EARLY``).
    """
    return read_revocation_list_file(data, regulator_key, at=at)[0]


def read_revocation_list_file(
    data: bytes, regulator_key: bytes, *, at: datetime
) -> tuple[RevocationList, tuple[str, ...]]:
    """Return what `check_revocation_list_file` does, and what is wrong around the text."""
    file = read_signed_file(
        data, LIST_FILE_FORMAT, ("signature",), code=LIST_CODE, limit=MAX_LIST_BYTES
    )
    revocations = verify_revocation_list(file.text, file.signatures["signature"], regulator_key)
    _require_in_date(revocations, at)
    return revocations, file.remarks


def _require_in_date(revocations: RevocationList, at: datetime) -> None:
    if at >= revocations.next_update:
        raise CheckFailedError(
            f"List {revocations.number} was to be replaced by "
            f"{format_time(revocations.next_update)}: get the present one from the register.",
            code="REVOCATION_LIST_OUTDATED",
        )
    if revocations.issued_at > at + CLOCKS_DIFFER:
        raise CheckFailedError(
            f"List {revocations.number} is dated {format_time(revocations.issued_at)}, in the "
            "future: a clock is wrong, this machine's or that of the regulator's party.",
            code="REVOCATION_LIST_EARLY",
        )


def _read_listed(fields: Fields) -> ListedRevocation:
    row = ListedRevocation(
        fields.hex("certificate_id", 16), fields.hex("revocation", 32), fields.time("revoked_at")
    )
    fields.end()
    return row


def _file(file_format: str, text: str, signature: bytes) -> str:
    return signed_file(file_format, text, {"signature": signature})


def _signed_bytes(label: bytes, text: str) -> bytes:
    return label + b"\0" + text.encode("utf-8")
