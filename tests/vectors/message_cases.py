"""Signatures and invitations: signatures.json, invitations.json."""

from __future__ import annotations

import base64
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from tests.vectors.reference_envelope import (
    ROLES,
    Owner,
    credential,
    digest,
)
from tests.vectors.stream import Stream
from tests.vectors.value_cases import canonical_text


def signature_cases() -> dict[str, Any]:
    """Return the whole file."""
    stream = Stream("signatures")
    ed25519, p256, other = [], [], Owner("somebody else")
    for size in (0, 1, 100):
        message = stream.bytes(size)
        key = Ed25519PrivateKey.from_private_bytes(stream.bytes(32))
        ed25519.append(
            {
                "private_key": key.private_bytes_raw().hex(),
                "public_key": key.public_key().public_bytes_raw().hex(),
                "message": message.hex(),
                "signature": key.sign(message).hex(),
            }
        )
        owner = Owner(f"signature {size}")
        p256.append(
            {
                "secret": f"{owner.secret:064x}",
                "public_key": owner.public.hex(),
                "key_id": digest(owner.public)[:16].hex(),
                "jwk": _jwk(owner),
                "message": message.hex(),
                "signature": owner.sign(message).hex(),
                "refused_signatures": {
                    "by another key": other.sign(message).hex(),
                    "over another message": owner.sign(message + b"\0").hex(),
                    "r and s swapped": (lambda s: s[32:] + s[:32])(owner.sign(message)).hex(),
                    "zero": bytes(64).hex(),
                    "cut off": owner.sign(message)[:-1].hex(),
                    "empty": "",
                },
            }
        )
    return {"ed25519": ed25519, "p256": p256, "approvals": _approvals()}


def _approvals() -> list[dict[str, Any]]:
    cases = []
    kinds = ("configuration", "closing", "certification", "deployment", "invitations", "model")
    for number, kind in enumerate((*kinds, "data")):
        role = ROLES[number % 2]
        approver = Owner(f"approver {role}")
        text = canonical_text({"format": f"bj1 {kind}", "number": number, "title": "\u00c9t\u00e9"})
        message = b"blindjustice/v1/approval\0" + kind.encode() + b"\0" + digest(text.encode())
        cases.append(
            {
                "kind": kind,
                "text": text,
                "message": message.hex(),
                "approver": {
                    "format": "bj1 approver",
                    "role": role,
                    "key_id": digest(approver.public)[:16].hex(),
                    "private_key": _jwk(approver),
                },
                "public_key": approver.public.hex(),
                "signature": approver.sign(message).hex(),
            }
        )
    return cases


def _jwk(owner: Owner) -> dict[str, str]:
    def text(data: bytes) -> str:
        return base64.urlsafe_b64encode(data).decode().rstrip("=")

    x, y = owner.public[1:33], owner.public[33:]
    secret = owner.secret.to_bytes(32, "big")
    return {"kty": "EC", "crv": "P-256", "x": text(x), "y": text(y), "d": text(secret)}


def invitation_cases() -> dict[str, Any]:
    """Return the whole file."""
    stream = Stream("invitations")
    study_id, configuration = stream.bytes(16), stream.bytes(32)
    randomness = stream.bytes(4 * 32)
    cases: list[dict[str, Any]] = []
    for start in range(0, len(randomness), 32):
        record_id, code = randomness[start : start + 16], randomness[start + 16 : start + 32]
        code_text = base64.urlsafe_b64encode(code).decode().rstrip("=")
        cases.append(
            {
                "record_id": record_id.hex(),
                "code": code.hex(),
                "credentials": {role: credential(code, role).hex() for role in ROLES},
                "path": f"/take-part/{study_id.hex()}/#{record_id.hex()}.{code_text}",
            }
        )
    whole = cases[0]["path"].partition("#")[2]
    return {
        "study_id": study_id.hex(),
        "configuration": configuration.hex(),
        "randomness": randomness.hex(),
        "cases": cases,
        "lists": {role: _list(role, study_id, configuration, cases) for role in ROLES},
        "refused_fragments": [
            "", "#", ".", whole[:-1], whole + "A", whole.replace(".", ""), whole.upper(),
            whole[1:], " " + whole, whole + "=", whole[:-1] + "+", whole[:-1] + "B",
            "g" * 32 + whole[32:],
        ],
    }  # fmt: skip


def _list(role: str, study_id: bytes, configuration: bytes, cases: list[dict[str, Any]]) -> str:
    credentials = [
        {"record_id": case["record_id"], "credential": case["credentials"][role]} for case in cases
    ]
    return canonical_text(
        {
            "format": "bj1 invitations",
            "study_id": study_id.hex(),
            "configuration": configuration.hex(),
            "role": role,
            "credentials": sorted(credentials, key=lambda item: item["record_id"]),
        }
    )
