"""Stand-ins for what a party hands to a protocol for its end: fixed keys, and a store in memory."""

from __future__ import annotations

from mpc_engine.crypto.signatures import Ed25519SigningKey, verify_ed25519
from mpc_engine.protocols.keeping import ClosingTerms, EndTerms, Signatures
from mpc_engine.roles import Role
from mpc_engine.sharing.records import HeldRecords

KEYS = {role: Ed25519SigningKey(role.value.encode("ascii").ljust(32, b"\0")) for role in Role}
"""Known to everybody."""


class MemoryEnds:
    """An `EndStore` whose ``kept``, ``answer`` and ``is_answering`` a test reads."""

    def __init__(self) -> None:
        self.kept = b""
        self.answer = b""
        self.is_answering = False

    def keep(self, end: bytes) -> None:
        """Keep an end in place of an earlier one."""
        self.kept, self.answer, self.is_answering = end, b"", False

    def note_answering(self, answer: bytes, *, refuses: bool) -> None:
        """Keep the answer that is about to leave."""
        self.answer, self.is_answering = answer, True


class MemoryPart:
    """A `ClosingStore` whose ``part``, ``records`` and ``is_opened`` a test reads."""

    def __init__(self) -> None:
        self.part = b""
        self.records: HeldRecords | None = None
        self.is_opened = False

    def keep(self, part: bytes, records: HeldRecords) -> None:
        """Keep a part in place of an earlier one."""
        self.part, self.records = part, records

    def note_opening(self, part: bytes) -> None:
        """Keep the part whose opening is about to leave."""
        self.part, self.is_opened = part, True


def signatures(role: Role) -> Signatures:
    """Return how a role signs and checks in tests."""
    peer = KEYS[role.peer].public_bytes
    return Signatures(
        sign=KEYS[role].sign,
        verify=lambda message, signature: verify_ed25519(peer, message, signature),
    )


def memory_terms(role: Role, ends: MemoryEnds | None = None) -> EndTerms:
    """Return the terms of a role, with a store of its own unless one is given."""
    return EndTerms(signatures(role), MemoryEnds() if ends is None else ends)


def closing_terms(role: Role, part: MemoryPart | None = None) -> ClosingTerms:
    """Return the terms of a role in a closing, with a store of its own unless one is given."""
    return ClosingTerms(signatures(role), MemoryPart() if part is None else part)
