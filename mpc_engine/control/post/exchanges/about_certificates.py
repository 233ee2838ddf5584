"""Orders and messages about certificates: taken back, listed, and told again."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from mpc_engine.control.files.certificate import MAX_CERTIFICATE_BYTES
from mpc_engine.control.files.revocation import MAX_LIST_BYTES, MAX_REVOCATION_BYTES
from mpc_engine.control.post.declarations import (
    MODELER_ALONE,
    REGULATOR_ALONE,
    Content,
    Order,
    Refusal,
    Subject,
)
from mpc_engine.control.post.shapes import (
    Digest,
    Id,
    OneApproval,
    Record,
    Signature,
    object_or_nothing,
    text_up_to,
)

RevocationText = Annotated[str, text_up_to(MAX_REVOCATION_BYTES)]
_REVOCATION = Subject("sign_revocation", ("study_id", "certificate_id"))


@dataclass(frozen=True, kw_only=True)
class RevocationSigned(Content, kind="revocation_signed", said_by=REGULATOR_ALONE):
    """The regulator's party signed a revocation; ``revocation`` is the digest of its text."""

    study_id: Id
    certificate_id: Id
    revocation: Digest
    statement_signature: Signature


@dataclass(frozen=True, kw_only=True)
class CertificateRevoked(Content, kind="certificate_revoked", said_by=MODELER_ALONE):
    """The modeler's party uses a certificate no more."""

    study_id: Id
    certificate_id: Id
    revocation: Digest


@dataclass(frozen=True, kw_only=True)
class RevocationRefused(Refusal, kind="revocation_refused"):
    """A revocation was neither signed nor taken."""

    study_id: Id
    certificate_id: Id


@dataclass(frozen=True)
class SignRevocation(
    Order,
    kind="sign_revocation",
    to=REGULATOR_ALONE,
    subject=_REVOCATION,
    answered_by=(RevocationSigned,),
    refused_by=RevocationRefused,
):
    """Take a certificate back, as an approver of the regulator signed."""

    study_id: Id
    certificate_id: Id
    text: RevocationText
    approval: OneApproval


@dataclass(frozen=True)
class TakeRevocation(
    Order,
    kind="take_revocation",
    to=MODELER_ALONE,
    subject=_REVOCATION,
    answered_by=(CertificateRevoked,),
    refused_by=RevocationRefused,
):
    """Use a certificate no more: the regulator's party signed that."""

    study_id: Id
    certificate_id: Id
    text: RevocationText
    statement_signature: Signature


@dataclass(frozen=True, kw_only=True)
class RevocationListed(Content, kind="revocation_list", said_by=REGULATOR_ALONE):
    """The list of revoked certificates in force."""

    text: Annotated[str, text_up_to(MAX_LIST_BYTES)]
    list_signature: Signature


@dataclass(frozen=True)
class ListRevocations(
    Order,
    kind="list_revocations",
    to=REGULATOR_ALONE,
    subject=Subject("list_revocations"),
    answered_by=(RevocationListed,),
):
    """Sign a dated list of what is revoked, unless the last one is recent."""


@dataclass(frozen=True, kw_only=True)
class HeldRevocation(Record):
    """A revocation as the regulator's party signed it."""

    text: RevocationText
    statement_signature: Signature


@dataclass(frozen=True, kw_only=True)
class CertificateHeld(Content, kind="certificate_held"):
    """A certificate that a party holds, and how it was taken back, if it was."""

    study_id: Id
    certificate_id: Id
    text: Annotated[str, text_up_to(MAX_CERTIFICATE_BYTES)]
    modeler_signature: Signature
    regulator_signature: Signature
    revocation: Annotated[
        HeldRevocation | None, object_or_nothing(HeldRevocation.read, HeldRevocation.write)
    ]
