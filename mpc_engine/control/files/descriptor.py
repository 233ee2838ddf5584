"""Public descriptors of parties, and the key files of their approvers."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from mpc_engine.control.texts.canonical import (
    JsonObject,
    JsonValue,
    canonical_text,
    parse_canonical,
)
from mpc_engine.control.texts.fields import Fields
from mpc_engine.crypto.digests import key_id
from mpc_engine.crypto.signatures import P256SigningKey, check_p256_public_key
from mpc_engine.errors import UsageError
from mpc_engine.roles import Role

FORMAT = "bj2 party"
APPROVER_FORMAT = "bj1 approver"
CODE = "DESCRIPTOR_INVALID"
MAX_DESCRIPTOR_BYTES = 1 << 17
MAX_BITS_LIMIT = 100_000
"""The most bits that an operator may let answers about one study's people tell."""


@dataclass(frozen=True)
class PartyDescriptor:
    """What everyone may know about a party; ``approvers`` are raw P-256 keys by key id.

    ``question_bits_limit`` is what all answers about one study's people may tell at this party, in
    bits; ``training_bits_limit`` the same in studies that train a model.
    """

    role: Role
    name: str
    signing_key: bytes
    tls_certificate: str
    approvers: dict[bytes, bytes]
    address: str
    question_bits_limit: int
    training_bits_limit: int

    def bits_limit(self, data_holder: Role) -> int:
        """Return the limit in bits that holds where this party holds the data."""
        if data_holder is Role.MODELER:
            return self.training_bits_limit
        return self.question_bits_limit

    def with_approver(self, public_key: bytes) -> PartyDescriptor:
        """Return the descriptor with one more approver."""
        return replace(self, approvers={**self.approvers, key_id(public_key): public_key})

    def to_text(self) -> str:
        """Return the canonical text of the public descriptor file."""
        return canonical_text(
            {
                "format": FORMAT,
                "role": self.role.value,
                "name": self.name,
                "signing_key": self.signing_key.hex(),
                "tls_certificate": self.tls_certificate,
                "approvers": approvers_json(self.approvers.values()),
                "address": self.address,
                "question_bits_limit": self.question_bits_limit,
                "training_bits_limit": self.training_bits_limit,
            }
        )


def key_fingerprint(signing_key: bytes) -> str:
    """Return a raw Ed25519 key's id in hex: what people compare in place of the key."""
    return key_id(signing_key).hex()


def parse_descriptor(data: bytes | str) -> PartyDescriptor:
    """Return a party's descriptor; UsageError (``DESCRIPTOR_INVALID``) or DecodeError otherwise."""
    fields = Fields(_read_file(data, MAX_DESCRIPTOR_BYTES), "descriptor", code=CODE)
    fields.choice("format", (FORMAT,))
    descriptor = PartyDescriptor(
        role=Role(fields.choice("role", [role.value for role in Role])),
        name=fields.text("name", maximum=200),
        signing_key=fields.hex("signing_key", 32),
        tls_certificate=fields.raw_text("tls_certificate", maximum=1 << 14),
        approvers=read_approvers(fields.objects("approvers", 0, 64)),
        address=fields.text("address", maximum=300),
        question_bits_limit=fields.integer("question_bits_limit", 1, MAX_BITS_LIMIT),
        training_bits_limit=fields.integer("training_bits_limit", 1, MAX_BITS_LIMIT),
    )
    fields.end()
    return descriptor


def approvers_json(public_keys: Iterable[bytes]) -> list[JsonValue]:
    """Return the list form of approver keys."""
    return [
        {"key_id": key_id(public_key).hex(), "public_key": public_key.hex()}
        for public_key in public_keys
    ]


def read_approvers(rows: list[Fields]) -> dict[bytes, bytes]:
    """Return approver keys by key id; every key must be a point and its id must be its own."""
    approvers: dict[bytes, bytes] = {}
    for row in rows:
        stated, public_key = row.hex("key_id", 16), row.hex("public_key", 65)
        row.end()
        check_p256_public_key(public_key)
        if stated != key_id(public_key):
            raise UsageError(f"{row.where}.key_id is not the id of its key.", code=CODE)
        if stated in approvers:
            raise UsageError(f"{row.where} names an approver twice.", code=CODE)
        approvers[stated] = public_key
    return approvers


def approver_file(role: Role, key: P256SigningKey) -> str:
    """Return the secret key file an approver imports into her browser or client."""
    jwk: JsonObject = {**key.to_jwk()}
    return canonical_text(
        {
            "format": APPROVER_FORMAT,
            "role": role.value,
            "key_id": key.key_id.hex(),
            "private_key": jwk,
        }
    )


def parse_approver_file(data: bytes | str) -> tuple[Role, P256SigningKey]:
    """Return role and key of an approver's file; UsageError or DecodeError otherwise."""
    fields = Fields(_read_file(data, 4096), "key file", code=CODE)
    fields.choice("format", (APPROVER_FORMAT,))
    role = Role(fields.choice("role", [role.value for role in Role]))
    stated = fields.hex("key_id", 16)
    key = P256SigningKey.from_jwk(fields.object("private_key"))
    fields.end()
    if stated != key.key_id:
        raise UsageError("key file.key_id is not the id of its key.", code=CODE)
    return role, key


def _read_file(data: bytes | str, limit: int) -> JsonValue:
    """Return the canonical value of a file, which may end with a line end."""
    body = data.rstrip("\r\n") if isinstance(data, str) else data.rstrip(b"\r\n")
    return parse_canonical(body, limit=limit)
