"""The equality that ends a closing: both parties commit to one hash, then both open.

What each hashes: the lists, which rows are valid as it evaluated them, the labels that it evaluated
of the other's circuit, and its own circuit's labels of those values. Whoever deviated lacks a label
of the other's circuit for any but the true values, so the hashes are equal only if both evaluated
the truth, and an opened hash that is another one tells that it is another one, and nothing else. A
party that was given a label which keeps no promise commits to random bytes instead. Until the
openings are equal it does the same work whatever it evaluated: how long it takes tells nothing.

1. The modeler commits, 2. the regulator commits, 3. the modeler opens, 4. the regulator opens; each
message under its sender's signature of all of the end so far. A party keeps its part on disk before
its commitment leaves, and again, with the opening, before that leaves. Before its own opening left
a fresh run is safe; after it the same bytes go out again (`settle_run`), and never anything else.

Source: Huang, Katz, Evans, "Quid-Pro-Quo-tocols", IEEE S&P 2012, with commit and open in place of
its equality test; the roles in the commitments and what is kept are the project's own.
"""

from __future__ import annotations

import hmac
from dataclasses import dataclass, replace

from mpc_engine.crypto.commitments import (
    COMMITMENT_BYTES,
    SALT_BYTES,
    commitment_to,
    fresh_salt,
    require_opening,
)
from mpc_engine.crypto.digests import DIGEST_BYTES, sha256
from mpc_engine.errors import ClosingDisagreedError
from mpc_engine.garbling import are_promised
from mpc_engine.protocols.closing.one_run import Evaluated, OwnCircuit
from mpc_engine.protocols.closing.record_list import JudgedList
from mpc_engine.protocols.ending.kept_ends import label_bytes
from mpc_engine.protocols.ending.signed_line import SignedLine
from mpc_engine.protocols.keeping import ClosingTerms
from mpc_engine.protocols.session import JobContext
from mpc_engine.protocols.tags import ProtocolTag
from mpc_engine.roles import Role
from mpc_engine.sharing.records import HeldRecords
from mpc_engine.transport.channel import Channel
from mpc_engine.wire.codec import ByteReader, length_prefixed

_HASHED = b"blindjustice/v2/closing/both-runs"
_COMMITTED = b"blindjustice/v2/closing/equality"
_OPENS_FIRST = Role.MODELER
_OPENING_BYTES = DIGEST_BYTES + SALT_BYTES


@dataclass(frozen=True, repr=False)
class KeptPart:
    """A party's part of an equality, as it is kept.

    ``digest``: the running digest before the first opening; ``value`` and ``salt``: what this side
    committed to; ``judged``: a `JudgedList`; ``peer_commitment``: the other side's; empty, as
    ``digest`` is, while it has not come. ``opening``: this side's message, once it may have left;
    ``peer_opening``: the body of the other's, where it came first.
    """

    job_digest: bytes
    value: bytes
    salt: bytes
    judged: bytes
    digest: bytes = b""
    peer_commitment: bytes = b""
    opening: bytes = b""
    peer_opening: bytes = b""

    def __repr__(self) -> str:
        return "KeptPart(<secret>)"

    @property
    def agrees(self) -> bool:
        """Return whether the other side opened the same; it has opened."""
        return hmac.compare_digest(self.peer_opening[:DIGEST_BYTES], self.value)

    def encode(self) -> bytes:
        """Return the part as bytes."""
        return length_prefixed(
            self.job_digest,
            self.value,
            self.salt,
            self.judged,
            self.digest,
            self.peer_commitment,
            self.opening,
            self.peer_opening,
        )

    @classmethod
    def decode(cls, data: bytes) -> KeptPart:
        """Return the part from its bytes; DecodeError if they are of another shape."""
        reader = ByteReader(data, "kept part of a closing")
        parts = [reader.take(reader.u32()) for _ in range(8)]
        reader.finish()
        return cls(*parts)


def value_of(ctx: JobContext, lists: bytes, own: OwnCircuit, evaluated: Evaluated) -> bytes:
    """Return the 32 bytes that this side commits to.

    ``lists``: the digest of all that both compared before. Random bytes stand for a broken promise:
    to whoever reads them they are another hash. Both are made either way.
    """
    kept = are_promised(evaluated.labels, evaluated.promises, ctx.job_digest, ctx.role.peer)
    labels = {
        ctx.role: label_bytes(own.labels_of(evaluated.values)),
        ctx.role.peer: label_bytes(evaluated.labels),
    }
    parts = (ctx.job_digest, lists, evaluated.values.tobytes(), *(labels[role] for role in Role))
    return (ctx.rng.bytes(DIGEST_BYTES), sha256(length_prefixed(_HASHED, *parts)))[kept]


def compare_runs(
    ctx: JobContext,
    terms: ClosingTerms,
    signed: SignedLine,
    value: bytes,
    judged: JudgedList,
    records: HeldRecords,
) -> None:
    """Commit to ``value`` and open it; return if both sides opened the same.

    ``records``: all of the list, kept with the part. Errors as of `settle_run`.
    """
    part = KeptPart(ctx.job_digest, value, fresh_salt(ctx.rng), judged.encode())
    commitment = commitment_to(_COMMITTED, ctx.job_digest, ctx.role, value, part.salt)
    tag = ProtocolTag.CLOSING_COMMITMENT
    if ctx.role is _OPENS_FIRST:
        terms.store.keep(part.encode(), records)
        ctx.channel.send(tag, signed.signed(tag, commitment))
        peer_commitment = signed.take(tag, COMMITMENT_BYTES)
        part = replace(part, digest=signed.digest, peer_commitment=peer_commitment)
    else:
        peer_commitment = signed.take(tag, COMMITMENT_BYTES)
        message = signed.signed(tag, commitment)
        part = replace(part, digest=signed.digest, peer_commitment=peer_commitment)
        terms.store.keep(part.encode(), records)
        ctx.channel.send(tag, message)
    settle_run(ctx.channel, ctx.role, terms, part)


def settle_run(channel: Channel, role: Role, terms: ClosingTerms, part: KeptPart) -> None:
    """Open, for the first time or again with the same bytes; return if both opened the same.

    Raises ClosingDisagreedError if the openings differ, which is final; BrokenCommitmentError and
    InvalidSignatureError for an opening that is none: this side waits for the one that is.
    """
    signed = SignedLine(channel, role, terms.signatures, part.digest)
    if role is _OPENS_FIRST:
        _open(channel, terms, signed, part)
        theirs = _take(channel, role, signed, part)
    else:
        theirs = _take(channel, role, signed, part)
        _open(channel, terms, signed, replace(part, peer_opening=theirs))
    if not replace(part, peer_opening=theirs).agrees:
        raise ClosingDisagreedError("The two runs of the closing do not agree.")


def _open(channel: Channel, terms: ClosingTerms, signed: SignedLine, part: KeptPart) -> None:
    tag = ProtocolTag.CLOSING_OPENING
    message = signed.signed(tag, part.value + part.salt)
    if not part.opening:
        terms.store.note_opening(replace(part, opening=message).encode())
    channel.send(tag, part.opening or message)


def _take(channel: Channel, role: Role, signed: SignedLine, part: KeptPart) -> bytes:
    """Receive the other side's opening; return its body."""
    body = signed.take(ProtocolTag.CLOSING_OPENING, _OPENING_BYTES)
    value, salt = body[:DIGEST_BYTES], body[DIGEST_BYTES:]
    try:
        require_opening(part.peer_commitment, _COMMITTED, part.job_digest, role.peer, value, salt)
    except BaseException:
        channel.close()
        raise
    return body
