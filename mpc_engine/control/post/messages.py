"""Signed messages from a party to the web: one body per event.

A body is canonical JSON signed with the party's Ed25519 key. The web verifies, stores the exact
bytes, and believes nothing else about what the parties did.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Generic, TypeVar

from mpc_engine.control.post.declarations import Content, Refusal
from mpc_engine.control.post.table import MESSAGES
from mpc_engine.control.texts.canonical import canonical_text, parse_canonical
from mpc_engine.control.texts.fields import Fields, format_time
from mpc_engine.crypto.signatures import Ed25519SigningKey, verify_ed25519
from mpc_engine.errors import InvalidSignatureError, UsageError
from mpc_engine.roles import Role

FORMAT = "bj2 message"
CODE = "MESSAGE_INVALID"
MESSAGE_LABEL = b"blindjustice/v1/message"
MAX_MESSAGE_BYTES = 1 << 20
MESSAGE_TASK = "web.receive"

_HEADER = ("format", "role", "message_id", "sent_at", "kind")
K = TypeVar("K", bound=Content)
R = TypeVar("R", bound=Refusal)
C = TypeVar("C", bound=Content, covariant=True)


@dataclass(frozen=True)
class Message(Generic[C]):
    """A verified message: the exact body, who signed it, and what it says."""

    body: str
    signature: bytes
    role: Role
    message_id: str
    sent_at: datetime
    content: C

    @property
    def kind(self) -> str:
        """Return the name of its kind on the wire."""
        return self.content.kind


def message_body(role: Role, content: Content, *, message_id: bytes, sent_at: datetime) -> str:
    """Return the canonical body of a message, after reading it back as its receiver will.

    A kind that is dated by day is dated at the start of its day (UTC). Raises UsageError
    (``MESSAGE_INVALID``) naming the field that is wrong.
    """
    if content.is_dated_by_day:
        sent_at = sent_at.astimezone(UTC).replace(hour=0, minute=0, second=0)
    text = canonical_text(
        {
            **content.write(),
            "format": FORMAT,
            "role": role.value,
            "message_id": message_id.hex(),
            "sent_at": format_time(sent_at),
            "kind": content.kind,
        }
    )
    claimed_message(text)
    return text


def read_content(kind: str, values: Mapping[str, object]) -> Content:
    """Return what a message of a kind says, from its JSON fields; UsageError names a fault."""
    if kind not in MESSAGES:
        raise UsageError("This kind of message is not known.", code=CODE)
    return MESSAGES[kind].read(Fields(values, "message", code=CODE))


def read_refusal(refusal: type[R], values: Mapping[str, object]) -> R:
    """Return a refusal from its JSON fields; UsageError names what is wrong."""
    return refusal.read(Fields(values, "message", code=CODE))


def sign_message(body: str, key: Ed25519SigningKey) -> bytes:
    """Return the party's signature of a body."""
    return key.sign(_signed_bytes(body))


def message_of(message: Message[Content], kind: type[K]) -> Message[K] | None:
    """Return a message as one of a kind, None if it is of another."""
    content = message.content
    if not isinstance(content, kind):
        return None
    return Message(
        message.body,
        message.signature,
        message.role,
        message.message_id,
        message.sent_at,
        content,
    )


def read_message(
    body: str, signature: bytes, signing_keys: Mapping[Role, bytes]
) -> Message[Content]:
    """Return a message whose signature verifies under the signing key of the role it states.

    Raises DecodeError or UsageError where the body is not a message, InvalidSignatureError where
    it is not the stated party's.
    """
    claimed = claimed_message(body)
    if claimed.role not in signing_keys:
        raise InvalidSignatureError(f"The key of the {claimed.role.value} is not known here.")
    return signed_message(claimed, signature, signing_keys[claimed.role])


def signed_message(claimed: Message[C], signature: bytes, key: bytes) -> Message[C]:
    """Return a claimed message whose 64-byte signature verifies under a 32-byte Ed25519 key.

    Raises InvalidSignatureError where it does not.
    """
    verify_ed25519(key, _signed_bytes(claimed.body), signature)
    return replace(claimed, signature=signature)


def claimed_message(body: str) -> Message[Content]:
    """Return what a body says, whoever signed it: to find the key it is to be checked with.

    Raises DecodeError or UsageError where the body is not a message.
    """
    value = parse_canonical(body, limit=MAX_MESSAGE_BYTES)
    if not isinstance(value, dict):
        raise UsageError("message must be an object.", code=CODE)
    own = {name: value[name] for name in value if name not in _HEADER}
    header = Fields({name: value[name] for name in _HEADER if name in value}, "message", code=CODE)
    header.choice("format", (FORMAT,))
    role = Role(header.choice("role", list(Role)))
    message_id = header.hex("message_id", 16).hex()
    sent_at = header.time("sent_at")
    content = read_content(header.choice("kind", MESSAGES), own)
    return Message(body, b"", role, message_id, sent_at, content)


def _signed_bytes(body: str) -> bytes:
    return MESSAGE_LABEL + b"\0" + body.encode("utf-8")
