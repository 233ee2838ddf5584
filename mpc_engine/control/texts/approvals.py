"""Approvals: what a person with an approver key signed, checked by both parties themselves."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from mpc_engine.control.texts.canonical import JsonObject
from mpc_engine.control.texts.fields import Fields
from mpc_engine.crypto.signatures import P256SigningKey, verify_p256
from mpc_engine.errors import DecodeError, InvalidSignatureError
from mpc_engine.roles import Role

APPROVAL_LABEL = b"blindjustice/v1/approval"
APPROVAL_KINDS = (
    "configuration",
    "closing",
    "certification",
    "training",
    "deployment",
    "revocation",
    "takeover",
    "invitations",
    "model",
    "data",
)
BOTH_ROLES = (Role.MODELER, Role.REGULATOR)

TrustedApprovers = Mapping[Role, Mapping[bytes, bytes]]
"""For each role the approvers' raw P-256 keys (65 bytes) by key id (16 bytes)."""


@dataclass(frozen=True)
class Approval:
    """A signature by an approver of ``role``; ``signature`` is raw ``r || s``."""

    role: Role
    key_id: bytes
    signature: bytes

    def to_json(self) -> JsonObject:
        """Return the JSON form used in task payloads and sealed texts."""
        return {
            "role": self.role.value,
            "key_id": self.key_id.hex(),
            "signature": base64.b64encode(self.signature).decode("ascii"),
        }


def read_approval(fields: Fields) -> Approval:
    """Read an approval; UsageError names the first fault."""
    approval = Approval(
        role=Role(fields.choice("role", [role.value for role in Role])),
        key_id=fields.hex("key_id", 16),
        signature=fields.base64("signature", 64),
    )
    fields.end()
    return approval


def approval_message(kind: str, text: str) -> bytes:
    """Return the bytes an approver signs for a text of one kind; DecodeError if no Unicode."""
    try:
        digest = hashlib.sha256(text.encode("utf-8")).digest()
    except UnicodeEncodeError:
        raise DecodeError("The approved text is not valid Unicode.") from None
    return APPROVAL_LABEL + b"\0" + kind.encode("ascii") + b"\0" + digest


def sign_approval(kind: str, text: str, role: Role, key: P256SigningKey) -> Approval:
    """Return the approval of ``text`` by an approver key (command-line and test clients)."""
    return Approval(role, key.key_id, key.sign(approval_message(kind, text)))


def verify_approval(kind: str, text: str, approval: Approval, trusted: TrustedApprovers) -> None:
    """Return if a trusted approver of the stated role signed ``text``.

    Raises InvalidSignatureError: ``APPROVER_UNKNOWN`` or ``APPROVAL_SIGNATURE_INVALID``;
    DecodeError where ``text`` is not valid Unicode.
    """
    public_key = trusted.get(approval.role, {}).get(approval.key_id)
    if public_key is None:
        raise InvalidSignatureError(
            f"The approval names a key that is no approver of the {approval.role.value}.",
            code="APPROVER_UNKNOWN",
        )
    try:
        verify_p256(public_key, approval_message(kind, text), approval.signature)
    except InvalidSignatureError:
        raise InvalidSignatureError(
            f"The approval by the {approval.role.value} does not fit this text.",
            code="APPROVAL_SIGNATURE_INVALID",
        ) from None


def require_approvals(
    kind: str,
    text: str,
    approvals: Iterable[Approval],
    trusted: TrustedApprovers,
    roles: Iterable[Role] = BOTH_ROLES,
) -> None:
    """Return if every role of ``roles`` approved ``text`` and no approval is bad.

    Raises InvalidSignatureError: as ``verify_approval``, or ``APPROVAL_MISSING``.
    """
    approved = set()
    for approval in approvals:
        verify_approval(kind, text, approval, trusted)
        approved.add(approval.role)
    for role in roles:
        if role not in approved:
            raise InvalidSignatureError(
                f"The approval of the {role.value} is missing.", code="APPROVAL_MISSING"
            )
