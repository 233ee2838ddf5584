"""Attempts at jobs over a line that is cut at a chosen message, with all material noted.

The parties are real ones with stores and runners; only the line between them is in memory. What an
attempt leaves is a `Transcript`: frames that went out, draws, labels, tweaks. `repeats` names what
two attempts have in common and must not. Of many attempts real base OTs are in those that nobody
cuts, and in those that are cut there.
"""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest

from mpc_engine.crypto.rng import Randomness, system_randomness
from mpc_engine.crypto.tweaked_hash import HashDomain, TweakedHash, make_tweaks
from mpc_engine.garbling import Garbler
from mpc_engine.garbling.instance_counter import InstanceCounter
from mpc_engine.ot.extension import RandomOTSender
from mpc_engine.party.line.tags import PartyTag
from mpc_engine.party.zone.party import Party
from mpc_engine.protocols import session
from mpc_engine.protocols.tags import ProtocolTag
from mpc_engine.roles import Role
from mpc_engine.testing.channel import JobChannel, MemoryStream, memory_stream_pair
from mpc_engine.testing.twins import tweaked_hash as pairs_twin
from mpc_engine.transport.channel import StreamChannel
from mpc_engine.transport.frame import HEADER_BYTES, decode_header
from mpc_engine.transport.tags import MessageTag
from tests.engine.ot.ideal import use_ideal_base_ots
from tests.engine.party.world import World
from tests.leak_search import RecordingRandomness

BLOCK_BYTES = 16
SAME_BY_DESIGN = {
    *PartyTag,
    ProtocolTag.RECORD_LIST,
    ProtocolTag.AGREED_RECORDS,
    ProtocolTag.DECODING_OPENING,
    ProtocolTag.LABELS_CALL,
    ProtocolTag.LABELS_OPENING,
    ProtocolTag.CLOSING_OPENING,
}
"""Frames of public text: what the job is, who takes part, which records, the certificate.

And the last two messages of an end, which go again byte for byte (`protocols.ending`), as a
closing's openings do.
"""
_BASE_OTS = {MessageTag.BASE_OT_OFFERS, MessageTag.BASE_OT_ANSWERS}


@dataclass
class Transcript:
    """What one attempt used: everything here is used once, or by this attempt alone."""

    frames: list[tuple[int, bytes]] = field(default_factory=list)
    drawn: dict[Any, RecordingRandomness] = field(default_factory=dict)
    deltas: set[bytes] = field(default_factory=set)
    hash_keys: set[bytes] = field(default_factory=set)
    instances: Counter[tuple[bytes, int]] = field(default_factory=Counter)
    delta_tweaks: Counter[tuple[bytes, int]] = field(default_factory=Counter)
    tweaks: set[tuple[bytes, bytes]] = field(default_factory=set)
    labels: set[bytes] = field(default_factory=set)

    drawn_beside: dict[Role, RecordingRandomness] = field(default_factory=dict)

    def __repr__(self) -> str:
        return f"<Transcript of {len(self.frames)} frames>"

    def draws(self) -> Iterator[bytes]:
        """Return every whole block that a party drew."""
        for rng in [*self.drawn.values(), *self.drawn_beside.values()]:
            for value in rng.drawn:
                yield from blocks(value)

    def wire(self) -> Iterator[bytes]:
        """Return every whole block on the wire, but for public texts."""
        for tag, data in self.frames:
            if tag not in SAME_BY_DESIGN:
                yield from blocks(data[HEADER_BYTES:])


def merged(*transcripts: Transcript) -> Transcript:
    """Return what several lines used as what one used: material made on one and used on another."""
    whole = Transcript()
    for number, one in enumerate(transcripts):
        whole.frames += one.frames
        whole.drawn |= {(number, role): rng for role, rng in one.drawn.items()}
        whole.deltas |= one.deltas
        whole.hash_keys |= one.hash_keys
        whole.instances += one.instances
        whole.delta_tweaks += one.delta_tweaks
        whole.tweaks |= one.tweaks
        whole.labels |= one.labels
    return whole


def blocks(data: bytes) -> Iterator[bytes]:
    """Cut bytes into whole blocks; a shorter rest says too little to be told apart."""
    for start in range(0, len(data) - BLOCK_BYTES + 1, BLOCK_BYTES):
        yield data[start : start + BLOCK_BYTES]


def repeats(*transcripts: Transcript) -> dict[str, int]:
    """Return, for each kind of material, how much of it occurs twice; empty is as it must be.

    Attempts draw at random and hold fewer than 2^20 blocks of 128 bits: two of them are equal by
    chance, a false alarm, with probability below 2^-88.
    """

    def shared(sets: Iterable[set[Any]]) -> int:
        return _doubled(item for found in sets for item in found)

    found = {
        "draw": _doubled(piece for one in transcripts for piece in one.draws()),
        "block on the wire": _doubled(piece for one in transcripts for piece in one.wire()),
        "delta": shared(one.deltas for one in transcripts),
        "hash key": shared(one.hash_keys for one in transcripts),
        "circuit instance": _doubled(i for one in transcripts for i in one.instances.elements()),
        "delta and tweak": _doubled(i for one in transcripts for i in one.delta_tweaks.elements()),
        "tweak under a hash key": shared(one.tweaks for one in transcripts),
        "label": shared(one.labels for one in transcripts),
    }
    return {kind: number for kind, number in found.items() if number}


def _doubled(items: Iterable[Any]) -> int:
    return sum(number - 1 for number in Counter(items).values() if number > 1)


@dataclass(frozen=True)
class Cut:
    """A message, by its line (1 is the one of material) and number there, that arrives by half."""

    at: int
    line: int = 0


class Line:
    """Both parties' ends of one attempt's lines, of which one may be cut."""

    def __init__(self, transcript: Transcript, cut: Cut | None) -> None:
        self.transcript = transcript
        self.sent = [0, 0]
        self.base_ots: set[Cut] = set()
        self._cut = cut
        self._lock = threading.Lock()
        self._streams = [dict(zip(Role, memory_stream_pair(), strict=True)) for _ in self.sent]

    @property
    def n_messages(self) -> int:
        """Return how many messages the first line carried."""
        return self.sent[0]

    @property
    def end_at(self) -> int:
        """Return the number of an end's first message: an attempt cut there begins afresh."""
        tags = [tag for tag, _ in self.transcript.frames]
        return tags.index(ProtocolTag.OUTPUT_PROMISES)

    def cuts(self) -> list[Cut]:
        """Return every message of both lines."""
        return [Cut(at, line) for line, n in enumerate(self.sent) for at in range(n)]

    def end(self, role: Role, receive_limit_s: float) -> JobChannel:
        """Return a party's ends."""
        first, second = (_Stream(self, i, self._streams[i][role]) for i in range(2))
        beside = StreamChannel(second, timeout_s=receive_limit_s)
        return JobChannel(first, beside, timeout_s=receive_limit_s)

    def carry(
        self, line: int, stream: MemoryStream, parts: tuple[memoryview, ...], deadline: float
    ) -> None:
        """Take one message; everything after the cut is lost, as in a broken connection."""
        data = b"".join(parts)
        with self._lock:
            place, tag = Cut(self.sent[line], line), decode_header(data[:HEADER_BYTES]).tag
            is_cut = place == self._cut
            self.sent[line] += 1
            if tag in _BASE_OTS:
                self.base_ots.add(place)
            sent = data[: len(data) // 2] if is_cut else data
            self.transcript.frames.append((tag, sent))
            stream.write((memoryview(sent),), deadline)
            if is_cut:
                stream.close()


class _Stream:
    """One end as a byte stream."""

    def __init__(self, owner: Line, line: int, stream: MemoryStream) -> None:
        self._owner = owner
        self._line = line
        self._stream = stream

    def write(self, parts: tuple[memoryview, ...], deadline: float) -> None:
        self._owner.carry(self._line, self._stream, parts, deadline)

    def read_into(self, target: memoryview, deadline: float) -> int:
        return self._stream.read_into(target, deadline)

    def close(self) -> None:
        self._stream.close()

    def abort(self) -> None:
        self._stream.abort()

    def leave(self) -> None:
        self._stream.leave()


@dataclass
class Attempts:
    """Makes attempts of a world's parties run over lines that are cut, and notes them.

    ``base_ots_are_ideal``: what `tests.engine.ot.ideal` says, for the attempts from now on.
    """

    world: World
    patch: pytest.MonkeyPatch
    randomness: Callable[[Role], Randomness] = lambda role: system_randomness()
    base_ots_are_ideal: bool = False

    @contextmanager
    def noted(self, cut_at: int | None = None) -> Iterator[Line]:
        """Run the body's attempt over one line; the parties' material is noted in it."""
        transcript = Transcript()
        line = Line(transcript, None if cut_at is None else Cut(cut_at))

        def open_lines(
            party: Party,
            peer: object,
            session: bytes,
            n_lines: int,
            *,
            wait_s: float,
            receive_limit_s: float,
        ) -> list[StreamChannel]:
            first = line.end(party.role, receive_limit_s)
            return [first, first.beside][:n_lines]

        with self.patch.context() as patch:
            patch.setattr("mpc_engine.party.jobs.runner.open_lines", open_lines)
            patch.setattr("mpc_engine.party.worker.line_check.open_lines", open_lines)
            if self.base_ots_are_ideal:
                use_ideal_base_ots(patch)
            for role, party in self.world.parties.items():
                transcript.drawn[role] = RecordingRandomness(self.randomness(role))
                patch.setattr(party, "rng", transcript.drawn[role])
            note_material(patch, transcript)
            yield line


def note_material(patch: pytest.MonkeyPatch, transcript: Transcript) -> None:
    """Note what the regulator hashes, garbles and deals: it alone knows delta and both labels."""
    garble, extend, hash_blocks = Garbler.garble, RandomOTSender.extend, TweakedHash.__call__
    take = InstanceCounter.take
    make_key = session._hash_key
    taken = threading.local()

    def noting_take(self: InstanceCounter, count: int) -> int:
        taken.first = take(self, count)
        return int(taken.first)

    def noting_garble(self: Any, circuit: Any, zero_labels: Any) -> Any:
        garbled = garble(self, circuit, zero_labels)
        delta, key = self._delta.tobytes(), np.asarray(self._schedule).tobytes()[:176]
        transcript.deltas.add(delta)
        for instance in range(taken.first, taken.first + len(zero_labels)):
            transcript.instances[(key, instance)] += 1
            transcript.delta_tweaks[(delta, instance)] += 1
        for labels in (zero_labels, garbled.output_zero_labels):
            transcript.labels.update(_real(labels, self._delta))
        return garbled

    def noting_extend(self: Any, m: int) -> Any:
        keys = extend(self, m)
        transcript.deltas.add(self._delta.tobytes())
        transcript.labels.update(blocks(keys.tobytes()))
        return keys

    def noting_hash(self: Any, given: Any, domain: HashDomain, instance: Any, index: Any) -> Any:
        if given.size:
            key = self.round_keys.tobytes()
            tweaks = make_tweaks(len(given), domain, instance, index)
            transcript.tweaks.update((key, tweak) for tweak in blocks(tweaks.tobytes()))
        return hash_blocks(self, given, domain, instance, index)

    def noting_key(session_id: bytes) -> bytes:
        transcript.hash_keys.add(make_key(session_id))
        return make_key(session_id)

    patch.setattr(InstanceCounter, "take", noting_take)
    patch.setattr(Garbler, "garble", noting_garble)
    patch.setattr(RandomOTSender, "extend", noting_extend)
    patch.setattr(TweakedHash, "__call__", noting_hash)
    patch.setattr(TweakedHash, "pairs", pairs_twin.pairs)
    patch.setattr(session, "_hash_key", noting_key)


def _real(labels: Any, delta: Any) -> Iterator[bytes]:
    """Return labels but for those of constant wires, which are zero or delta."""
    constants = {bytes(BLOCK_BYTES), delta.tobytes()}
    return (label for label in blocks(labels.tobytes()) if label not in constants)
