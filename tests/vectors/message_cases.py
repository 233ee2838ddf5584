"""Seals, signatures and invitations: hpke.json, sealed.json, signatures.json, invitations.json."""

from __future__ import annotations

import base64
import struct
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from tests.vectors.envelope_cases import PARTY_KEYS, make_study
from tests.vectors.reference_envelope import (
    ROLES,
    Owner,
    PartyKey,
    credential,
    digest,
    seal_info,
)
from tests.vectors.reference_hpke import key_schedule, reference_seal
from tests.vectors.stream import Stream
from tests.vectors.value_cases import canonical_text

RFC_9180_A_1_1 = {
    "info": "4f6465206f6e2061204772656369616e2055726e",
    "ephemeral": "52c4a758a802cd8b936eceea314432798d5baf2d7e9235dc084ab1b9cfa2f736",
    "public_key": "3948cfe0ad1ddb695d780e59077195da6c56506b027329794ab02bca80815c4d",
    "enc": "37fda3567bdbd628e88668c3c8d7e97d1d1253b6d4ea6d44c150f741f1bf4431",
    "key": "4531685d41d65f03dc48f6b8302c05b0",
    "base_nonce": "56d890e5accaaf011cff4b7d",
    "plaintext": "4265617574792069732074727574682c20747275746820626561757479",
    "aad": "436f756e742d30",
    "ciphertext": "f938558b5d72f1a23810b4be2ab4f84331acc02fc97babc53a52ae8218a355a9"
    "6d8770ac83d07bea87e13c512a",
}


def hpke_cases() -> dict[str, Any]:
    """Return the whole file; the reference first reproduces the RFC's own vector."""
    rfc = {name: bytes.fromhex(value) for name, value in RFC_9180_A_1_1.items()}
    made = key_schedule(rfc["ephemeral"], rfc["public_key"], rfc["info"])
    sealed = reference_seal(
        rfc["ephemeral"], rfc["public_key"], rfc["info"], rfc["plaintext"], rfc["aad"]
    )
    if made != (rfc["enc"], rfc["key"], rfc["base_nonce"]) or sealed[32:] != rfc["ciphertext"]:
        raise ValueError("the reference does not reproduce RFC 9180, appendix A.1.1")
    stream = Stream("hpke")
    cases = []
    for size in (0, 1, 15, 16, 17, 1000):
        key = PartyKey(f"hpke {size}")
        info, plaintext = stream.bytes(size // 2), stream.bytes(size)
        sealed = reference_seal(stream.bytes(32), key.public, info, plaintext)
        cases.append(
            {
                **key.to_json(),
                "info": info.hex(),
                "plaintext": plaintext.hex(),
                "sealed": sealed.hex(),
            }
        )
    return {"rfc_9180_a_1_1": RFC_9180_A_1_1, "cases": cases}


def sealed_cases() -> dict[str, Any]:
    """Return the whole file."""
    study = make_study("sealed", [2], "regulator", [])
    cases = []
    for purpose, role in (("model", "modeler"), ("data", "regulator"), ("challenge", "regulator")):
        stream = Stream(f"sealed {purpose}")
        key, object_id = PARTY_KEYS[role], stream.bytes(16)
        value = {"format": f"bj1 {purpose}", "purpose": purpose, "x": [1, -2, 3]}
        body = canonical_text(value).encode()
        info = seal_info(study, purpose, role, key.key_id, object_id, bytes(16), sequence=0)
        sealed = reference_seal(stream.bytes(32), key.public, info, padded(body))
        cases.append(
            {
                "purpose": purpose,
                "role": role,
                "object_id": object_id.hex(),
                "value": value,
                "info": info.hex(),
                "plaintext": padded(body).hex(),
                "envelope": (struct.pack("<H", 1) + key.key_id + sealed).hex(),
            }
        )
    return {
        "study": study.to_json(),
        "party_keys": {role: key.to_json() for role, key in PARTY_KEYS.items()},
        "cases": cases,
        "padding": [
            {
                "data": data.hex(),
                "padded_bytes": len(padded(data)),
                "digest": digest(padded(data)).hex(),
            }
            for data in (Stream(f"padding {n}").bytes(n) for n in (0, 1, 2043, 2044, 2045, 5000))
        ],
        "refused_paddings": [
            {"name": name, "padded": value.hex()}
            for name, value in {
                "empty": b"",
                "length cut off": b"\0\0\0",
                "no zeros": struct.pack("<I", 3) + b"abc",
                "a byte too few": padded(b"abc")[:-1],
                "a block too many": padded(b"abc") + bytes(2048),
                "something behind the data": padded(b"abc")[:-1] + b"\1",
                "length beyond the end": struct.pack("<I", 2045) + bytes(2044),
                "largest length": b"\xff\xff\xff\xff" + bytes(2044),
            }.items()
        ],
    }


def padded(data: bytes) -> bytes:
    """Return length, data and zeros up to a multiple of 2048."""
    message = struct.pack("<I", len(data)) + data
    return message + bytes((2048 - len(message) % 2048) % 2048)


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
