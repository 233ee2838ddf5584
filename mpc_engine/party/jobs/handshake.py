"""The first message of a job, both ways: same job, same attempt, same code, or nothing happens."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

from mpc_engine.control.canonical import canonical_bytes, parse_canonical
from mpc_engine.control.fields import Fields
from mpc_engine.control.jobs import attempt_digest
from mpc_engine.crypto.rng import Randomness
from mpc_engine.errors import EngineError, PeerError, ProtocolViolationError
from mpc_engine.params import PROTOCOL_VERSION
from mpc_engine.party.config import MAX_WORKERS
from mpc_engine.party.jobs.tags import PartyTag
from mpc_engine.roles import Role
from mpc_engine.transport.channel import Channel

_FORMAT = "bj1 hello"
_NONCE_BYTES = 32
_MAX_HELLO_BYTES = 2048
_LABEL = b"blindjustice/v1/party/handshake"


@dataclass(frozen=True)
class Hello:
    """What a party says first.

    ``refusal`` is the code of a reason why it cannot run the job, empty if it can; ``holds`` is
    the outcome it already holds of an earlier attempt, empty if none; ``workers`` is how many
    processes it would divide a certification among.
    """

    role: Role
    attempt: bytes
    code: bytes
    refusal: str
    holds: bytes
    workers: int


@dataclass(frozen=True)
class Agreement:
    """What both parties agreed on: the digest all keys of the job hang on; the peer's outcome.

    ``workers``: the smaller number of both.
    """

    job_digest: bytes
    peer_holds: bytes
    workers: int


def shake_hands(channel: Channel, own: Hello, rng: Randomness) -> Agreement:
    """Exchange hellos and compare them.

    Raises ProtocolViolationError (``OTHER_JOB``, ``OTHER_CODE``, ``OTHER_VERSION``), DecodeError
    or UsageError for a hello that does not parse, PeerError (``PEER_REFUSED``) if the other party
    cannot run the job. Bytes: below 600 each way, one round.
    """
    nonce = rng.bytes(_NONCE_BYTES)
    channel.send(PartyTag.HELLO, _encode(own, nonce))
    peer, peer_nonce = _decode(channel.recv(PartyTag.HELLO, limit=_MAX_HELLO_BYTES), own.code)
    if peer.role is not own.role.peer or peer.attempt != own.attempt:
        raise ProtocolViolationError(
            "The other party came for another job or attempt.", code="OTHER_JOB"
        )
    if peer.refusal:
        raise PeerError(
            f"The other party cannot run this job ({peer.refusal}).", code="PEER_REFUSED"
        )
    nonces = {own.role: nonce, peer.role: peer_nonce}
    digest = hashlib.sha256(
        _LABEL + own.attempt + own.code + nonces[Role.MODELER] + nonces[Role.REGULATOR]
    ).digest()
    return Agreement(digest, peer.holds, min(own.workers, peer.workers))


def own_hello(
    role: Role,
    spec_text: str,
    attempt: int,
    code: bytes,
    *,
    refusal: str,
    holds: bytes,
    workers: int = 1,
) -> Hello:
    """Return this party's hello for one attempt at a job."""
    return Hello(role, attempt_digest(spec_text, attempt), code, refusal, holds, workers)


def _encode(hello: Hello, nonce: bytes) -> bytes:
    return canonical_bytes(
        {
            "format": _FORMAT,
            "protocol": PROTOCOL_VERSION,
            "role": hello.role.value,
            "attempt": hello.attempt.hex(),
            "code": hello.code.hex(),
            "refusal": hello.refusal,
            "holds": hello.holds.hex(),
            "workers": hello.workers,
            "nonce": nonce.hex(),
        }
    )


def _decode(data: bytes, own_code: bytes) -> tuple[Hello, bytes]:
    """Return a hello and its nonce; of another version or code nothing else is read."""
    try:
        fields = Fields(parse_canonical(data), "hello", code="PROTOCOL_VIOLATION")
        fields.choice("format", (_FORMAT,))
        version, code = fields.text("protocol", maximum=20), fields.hex("code", 32)
        if version != PROTOCOL_VERSION:
            raise ProtocolViolationError(
                "The other party speaks another version of the protocol.", code="OTHER_VERSION"
            )
        if code != own_code:
            raise ProtocolViolationError(
                "The other party runs another version of the code.", code="OTHER_CODE"
            )
        hello = Hello(
            role=Role(fields.choice("role", [role.value for role in Role])),
            attempt=fields.hex("attempt", 32),
            code=code,
            refusal=fields.text("refusal", minimum=0, maximum=80),
            holds=fields.hex("holds", limit=32),
            workers=fields.integer("workers", 1, MAX_WORKERS),
        )
        nonce = fields.hex("nonce", _NONCE_BYTES)
        fields.end()
    except ProtocolViolationError:
        raise
    except EngineError as error:
        raise ProtocolViolationError(f"The other party's hello is broken: {error}") from None
    return hello, nonce
