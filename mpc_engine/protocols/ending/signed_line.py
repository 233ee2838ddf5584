"""Messages of an end, each signed with the digest of all of them so far.

``D_0 = SHA-256(label, kind, job digest)``; each message, of either party, moves it on by
``D' = SHA-256(label, D, sender, tag, body)``, and its sender signs D'. What goes over the line is
the body and then the signature, of 64 bytes. So a party proves of the other what it sent, and
after what; a message of another job, place or sender does not verify.
"""

from __future__ import annotations

from mpc_engine.crypto.digests import sha256
from mpc_engine.crypto.signatures import SIGNATURE_BYTES
from mpc_engine.protocols.keeping import Signatures
from mpc_engine.protocols.tags import ProtocolTag
from mpc_engine.roles import Role
from mpc_engine.transport.channel import Channel
from mpc_engine.wire.codec import length_prefixed, u16

_START = b"blindjustice/v2/ending/start"
_NEXT = b"blindjustice/v2/ending/message"
_SIGNED = b"blindjustice/v2/ending/signed"


def first_digest(kind: str, job_digest: bytes) -> bytes:
    """Return the running digest before the first message of the end of a protocol ``kind``."""
    return sha256(length_prefixed(_START, kind.encode("ascii"), job_digest))


class SignedLine:
    """One party's end of the line; ``digest`` is the running one, after the last message."""

    def __init__(self, channel: Channel, role: Role, signatures: Signatures, digest: bytes) -> None:
        self._channel = channel
        self._role = role
        self._signatures = signatures
        self.digest = digest

    def signed(self, tag: ProtocolTag, body: bytes) -> bytes:
        """Count a message of this party as sent; return its bytes, to be kept before they are."""
        self._move_on(self._role, tag, body)
        return body + self._signatures.sign(_SIGNED + self.digest)

    def received(self, tag: ProtocolTag, message: bytes) -> bytes:
        """Count a message of the other party; return its body, InvalidSignatureError if not its."""
        body, signature = message[:-SIGNATURE_BYTES], message[-SIGNATURE_BYTES:]
        self._move_on(self._role.peer, tag, body)
        try:
            self._signatures.verify(_SIGNED + self.digest, signature)
        except BaseException:
            self._channel.close()
            raise
        return body

    def take(self, tag: ProtocolTag, n_bytes: int) -> bytes:
        """Receive the other party's next message, of a body of ``n_bytes``; return the body."""
        return self.received(tag, self._channel.recv(tag, size=n_bytes + SIGNATURE_BYTES))

    def _move_on(self, sender: Role, tag: ProtocolTag, body: bytes) -> None:
        own = sender.value.encode("ascii")
        self.digest = sha256(length_prefixed(_NEXT, self.digest, own, u16(tag), body))
