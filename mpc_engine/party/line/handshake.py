"""The first message of a job, both ways: same job, same attempt, same code, or nothing happens."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from mpc_engine.control.post.jobs import attempt_digest
from mpc_engine.control.post.line_report import MAX_CLOCK_MS
from mpc_engine.control.texts.canonical import canonical_bytes, parse_canonical
from mpc_engine.control.texts.fields import Fields
from mpc_engine.crypto.rng import Randomness
from mpc_engine.errors import EngineError, PeerRefusedError, ProtocolViolationError, ResourceError
from mpc_engine.params import PROTOCOL_VERSION
from mpc_engine.party.line.tags import PartyTag
from mpc_engine.party.zone.config import MAX_WORKERS
from mpc_engine.roles import Role
from mpc_engine.transport.channel import Channel

_FORMAT = "bj2 hello"
_NONCE_BYTES = 32
_MAX_HELLO_BYTES = 2048
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_LABEL = b"blindjustice/v1/party/handshake"


@dataclass(frozen=True)
class Hello:
    """What a party says first.

    ``refusal`` is the code of a reason why it cannot run the job, empty if it can; ``holds`` is
    the outcome it already holds of an earlier attempt, empty if none; ``workers`` is how many
    processes it would divide a certification among; ``time_ms`` its clock, since 1970.
    """

    role: Role
    attempt: bytes
    code: bytes
    refusal: str
    holds: bytes
    workers: int
    time_ms: int


@dataclass(frozen=True)
class Agreement:
    """What both parties agreed on: the digest all keys of the job hang on; the peer's outcome.

    ``workers``: the smaller number of both.
    """

    job_digest: bytes
    peer_holds: bytes
    workers: int


def shake_hands(
    channel: Channel, own: Hello, rng: Randomness, *, clock_limit: timedelta | None = None
) -> Agreement:
    """Exchange hellos and compare them; with ``clock_limit`` the clocks as well.

    Raises ProtocolViolationError (``OTHER_JOB``, ``OTHER_CODE``, ``OTHER_VERSION``), DecodeError
    or UsageError for a hello that does not parse, PeerRefusedError if the other party
    cannot run the job, ResourceError (``CLOCKS_DIFFER``). Bytes: below 600 each way, one round.
    """
    nonce = rng.bytes(_NONCE_BYTES)
    channel.send(PartyTag.HELLO, _encode(own, nonce))
    peer, peer_nonce = _decode(channel.recv(PartyTag.HELLO, limit=_MAX_HELLO_BYTES), own.code)
    if peer.role is not own.role.peer or peer.attempt != own.attempt:
        raise ProtocolViolationError(
            "The other party came for another job or attempt.", code="OTHER_JOB"
        )
    if peer.refusal:
        raise PeerRefusedError(
            f"The other party cannot run this job ({peer.refusal}).", peer.refusal, peer.holds
        )
    if clock_limit is not None:
        _compare_clocks(own, peer, clock_limit)
    nonces = {own.role: nonce, peer.role: peer_nonce}
    digest = hashlib.sha256(
        _LABEL + own.attempt + own.code + nonces[Role.MODELER] + nonces[Role.REGULATOR]
    ).digest()
    return Agreement(digest, peer.holds, min(own.workers, peer.workers))


def _compare_clocks(own: Hello, peer: Hello, limit: timedelta) -> None:
    apart = timedelta(milliseconds=abs(peer.time_ms - own.time_ms))
    if apart > limit:
        raise ResourceError(
            f"The two parties' clocks are {apart // timedelta(seconds=1):,} seconds apart; the "
            "certificate's dates would not be agreed on. Set both clocks by a time server (NTP).",
            code="CLOCKS_DIFFER",
        )


def own_hello(
    role: Role,
    spec_text: str,
    attempt: int,
    code: bytes,
    *,
    refusal: str,
    holds: bytes,
    now: datetime,
    workers: int = 1,
) -> Hello:
    """Return this party's hello for one attempt at a job."""
    time_ms = (now - _EPOCH) // timedelta(milliseconds=1)
    return Hello(role, attempt_digest(spec_text, attempt), code, refusal, holds, workers, time_ms)


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
            "time_ms": hello.time_ms,
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
            time_ms=fields.integer("time_ms", 0, MAX_CLOCK_MS),
        )
        nonce = fields.hex("nonce", _NONCE_BYTES)
        fields.end()
    except ProtocolViolationError:
        raise
    except EngineError as error:
        raise ProtocolViolationError(f"The other party's hello is broken: {error}") from None
    return hello, nonce
