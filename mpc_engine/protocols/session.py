"""What every protocol starts with: fresh keys of one job, derived from nonces of both parties."""

from __future__ import annotations

import copy
import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from mpc_engine.crypto.rng import Randomness
from mpc_engine.crypto.tweaked_hash import TweakedHash
from mpc_engine.garbling import Evaluator, Garbler
from mpc_engine.ot.extension import RandomOTReceiver, RandomOTSender
from mpc_engine.protocols.shares import Shares
from mpc_engine.protocols.tags import ProtocolTag
from mpc_engine.roles import EVALUATOR, GARBLER, Role
from mpc_engine.transport.channel import Channel

_NONCE_BYTES = 32
_SESSION_TAG = b"blindjustice/v1/session"
_HASH_KEY_TAG = b"blindjustice/v1/session/hash-key"
_SHARE_TAG = b"blindjustice/v1/session/share"


@dataclass(frozen=True, repr=False)
class OfflineLine:
    """A second line of the same job and a source of its own, for material made in a thread."""

    channel: Channel
    rng: Randomness


@dataclass(frozen=True, repr=False)
class JobContext:
    """One party's view of a running job.

    ``job_digest``: SHA-256 over the specification and the attempt, equal on both sides;
    ``progress(stage, done, total)`` is called now and then; ``offline`` is there for protocols that
    make material ahead (training), ``shares`` for those that may divide people (certification).
    """

    role: Role
    channel: Channel
    job_digest: bytes
    rng: Randomness
    progress: Callable[[str, int, int], None]
    offline: OfflineLine | None = None
    shares: Shares | None = None


def _session_id(ctx: JobContext) -> bytes:
    """Exchange nonces, 32 bytes each way; return the 32-byte id of this session."""
    own = ctx.rng.bytes(_NONCE_BYTES)
    ctx.channel.send(ProtocolTag.SESSION_NONCE, own)
    peer = ctx.channel.recv(ProtocolTag.SESSION_NONCE, size=_NONCE_BYTES)
    nonces = {ctx.role: own, ctx.role.peer: peer}
    return hashlib.sha256(
        _SESSION_TAG + ctx.job_digest + nonces[Role.MODELER] + nonces[Role.REGULATOR]
    ).digest()


def _share_id(session_id: bytes, number: int) -> bytes:
    """Return the 32-byte id under which share ``number`` of a session makes its own keys."""
    return hashlib.sha256(_SHARE_TAG + session_id + bytes([number])).digest()


def _hash_key(session_id: bytes) -> bytes:
    return hashlib.sha256(_HASH_KEY_TAG + session_id).digest()[:16]


class GarblerSession:
    """The regulator's material of one job: hash key, fresh delta, garbler, OT sender.

    Nothing of it is stored: base OTs are made anew for each job, so that a failed check leaves
    nothing behind that a later job could reuse.
    """

    def __init__(self, ctx: JobContext) -> None:
        if ctx.role is not GARBLER:
            raise ValueError("Only the regulator garbles.")
        session_id = _session_id(ctx)
        delta = ctx.rng.words(2)
        delta[0] |= np.uint64(1)
        self.delta: NDArray[np.uint64] = delta
        self._begin(session_id, ctx.channel, ctx.rng)

    def share(self, number: int, channel: Channel, rng: Randomness) -> GarblerSession:
        """Return the session of share ``number``, from 1, after base OTs on its own ``channel``.

        It has the delta of this session, so that labels of one are labels of the other. Everything
        that counts or streams is new and hangs on the share's own id: hash key, and with it every
        tweak and circuit instance; OT delta, streams and calls. Nothing of this session goes on.
        """
        share = copy.copy(self)
        share._begin(_share_id(self.session_id, number), channel, rng)
        return share

    def _begin(self, session_id: bytes, channel: Channel, rng: Randomness) -> None:
        self.session_id = session_id
        self.hash_key = _hash_key(session_id)
        self.channel = channel
        self.rng = rng
        self.hash = TweakedHash(self.hash_key)
        self.ot = RandomOTSender(channel, session_id, rng, self.hash)
        self.garbler = Garbler(self.hash, self.delta, rng)

    def __repr__(self) -> str:
        return "GarblerSession(<secret>)"


class EvaluatorSession:
    """The modeler's material of one job: hash key, evaluator, OT receiver."""

    def __init__(self, ctx: JobContext) -> None:
        if ctx.role is not EVALUATOR:
            raise ValueError("Only the modeler evaluates.")
        self._begin(_session_id(ctx), ctx.channel, ctx.rng)

    def share(self, number: int, channel: Channel, rng: Randomness) -> EvaluatorSession:
        """Return the session of share ``number``; see `GarblerSession.share`."""
        share = copy.copy(self)
        share._begin(_share_id(self.session_id, number), channel, rng)
        return share

    def _begin(self, session_id: bytes, channel: Channel, rng: Randomness) -> None:
        self.session_id = session_id
        self.hash_key = _hash_key(session_id)
        self.channel = channel
        self.rng = rng
        self.hash = TweakedHash(self.hash_key)
        self.ot = RandomOTReceiver(channel, session_id, rng, self.hash)
        self.evaluator = Evaluator(self.hash)

    def __repr__(self) -> str:
        return "EvaluatorSession(<secret>)"


SessionT = TypeVar("SessionT", GarblerSession, EvaluatorSession)


def on_second_line(session: SessionT, line: OfflineLine) -> SessionT:
    """Return a session on the second line, for a thread that neither garbles nor evaluates.

    The extension moves there for good, where the peer's does: ``session`` makes no transfers any
    more.
    """
    moved = copy.copy(session)
    moved.channel, moved.rng = line.channel, line.rng
    moved.ot.move(line.channel, line.rng)
    return moved
