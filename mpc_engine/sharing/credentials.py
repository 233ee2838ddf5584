"""Invitations: a secret code per invited person, and one credential of it per party.

The parties hold credentials only; a code can't be computed from them, nor one party's credential
from the other's.
"""

from __future__ import annotations

import base64
import binascii

from mpc_engine.crypto.digests import sha256
from mpc_engine.errors import UsageError
from mpc_engine.roles import Role
from mpc_engine.sharing.layout import ID_BYTES
from mpc_engine.wire.codec import fixed

CODE_BYTES = 16
_CREDENTIAL_DOMAIN = b"bj1 cred"


def credential(invitation_code: bytes, role: Role) -> bytes:
    """Return the 32-byte credential that a party checks in place of the code."""
    code = fixed(invitation_code, CODE_BYTES, "invitation code")
    return sha256(_CREDENTIAL_DOMAIN, code, role.value.encode("ascii"))


def invitation_path(study_id: bytes, record_id: bytes, invitation_code: bytes) -> str:
    """Return the site path of an invitation; the part behind ``#`` never leaves the browser."""
    return f"/take-part/{study_id.hex()}/#{_fragment(record_id, invitation_code)}"


def parse_invitation(fragment: str) -> tuple[bytes, bytes]:
    """Return (record id, invitation code) of the part behind ``#``; UsageError if not whole."""
    text = fragment.removeprefix("#")
    record_hex, _, code_text = text.partition(".")
    try:
        record_id = bytes.fromhex(record_hex)
        code = base64.urlsafe_b64decode(code_text + "==")
        is_whole = _fragment(record_id, code) == text
    except (ValueError, binascii.Error, UsageError):
        is_whole = False
    if not is_whole:
        raise UsageError("The invitation link is not complete.", code="INVITATION_INCOMPLETE")
    return record_id, code


def _fragment(record_id: bytes, invitation_code: bytes) -> str:
    record_hex = fixed(record_id, ID_BYTES, "record id").hex()
    code = base64.urlsafe_b64encode(fixed(invitation_code, CODE_BYTES, "invitation code"))
    return f"{record_hex}.{code.rstrip(b'=').decode('ascii')}"
