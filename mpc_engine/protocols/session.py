"""What every protocol runs on: fresh keys of one job, and what the two roles do under them.

The garbler lets the evaluator `enter` bits, garbles circuits on their labels and opens outputs; the
evaluator enters, evaluates and opens with the method of the same purpose, in the same order. The
regulator garbles, but in the second run of a closing.
"""

from __future__ import annotations

import copy
import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from mpc_engine.circuits import Circuit
from mpc_engine.crypto.rng import Randomness
from mpc_engine.crypto.tweak_plan import item_indices, item_instances
from mpc_engine.garbling import Evaluator, Garbler, InstanceCounter, colour_bits
from mpc_engine.garbling.labels import BitArray, Labels
from mpc_engine.kernels.garbling import TABLE_WORDS
from mpc_engine.ot.extension import RandomOTReceiver, RandomOTSender
from mpc_engine.protocols.both_ways import BothWays
from mpc_engine.protocols.keeping import EndTerms
from mpc_engine.protocols.tags import ProtocolTag
from mpc_engine.protocols.workers import Workers
from mpc_engine.roles import GARBLER, OTDirection, Role
from mpc_engine.secure_ops.bound_reentry import recv_check_corrections, send_check_corrections
from mpc_engine.secure_ops.garbler_inputs import (
    GarblerInputs,
    GarblerLabels,
    recv_garbler_inputs,
    send_garbler_inputs,
)
from mpc_engine.secure_ops.keyed_product import (
    Chunk,
    ReceiverSeeds,
    SenderSeeds,
    recv_keyed_products,
    recv_seeds,
    send_keyed_products,
    send_seeds,
)
from mpc_engine.secure_ops.label_transfer import (
    recv_labels,
    recv_late_bits,
    send_labels,
    send_late_bits,
)
from mpc_engine.secure_ops.tags import OpTag
from mpc_engine.transport.channel import Channel

_NONCE_BYTES = 32
_SESSION_TAG = b"blindjustice/v1/session"
_HASH_KEY_TAG = b"blindjustice/v1/session/hash-key"
_WORKER_TAG = b"blindjustice/v1/session/share"


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
    make material ahead (training), ``workers`` for those that may divide people (certification),
    ``end`` for those whose end is kept and signed (certification, verification).
    """

    role: Role
    channel: Channel
    job_digest: bytes
    rng: Randomness
    progress: Callable[[str, int, int], None]
    offline: OfflineLine | None = None
    workers: Workers | None = None
    end: EndTerms | None = None

    @property
    def end_terms(self) -> EndTerms:
        """Return what the job hands in for an end; ValueError for one that hands in nothing."""
        if self.end is None:
            raise ValueError("This protocol signs and keeps its end.")
        return self.end


def _session_id(ctx: JobContext) -> bytes:
    """Exchange nonces, 32 bytes each way; return the 32-byte id of this session."""
    own = ctx.rng.bytes(_NONCE_BYTES)
    ctx.channel.send(ProtocolTag.SESSION_NONCE, own)
    peer = ctx.channel.recv(ProtocolTag.SESSION_NONCE, size=_NONCE_BYTES)
    nonces = {ctx.role: own, ctx.role.peer: peer}
    return hashlib.sha256(
        _SESSION_TAG + ctx.job_digest + nonces[Role.MODELER] + nonces[Role.REGULATOR]
    ).digest()


def _worker_id(session_id: bytes, number: int) -> bytes:
    """Return the 32-byte id under which worker ``number`` of a session makes its own keys."""
    return hashlib.sha256(_WORKER_TAG + session_id + bytes([number])).digest()


def _hash_key(session_id: bytes) -> bytes:
    return hashlib.sha256(_HASH_KEY_TAG + session_id).digest()[:16]


class GarblerLine(BothWays):
    """A line and the garbler's keys of it: hash key and delta; circuits go out as garbled."""

    sends = OTDirection.REGULATOR_SENDS
    takes = OTDirection.MODELER_SENDS

    def __init__(
        self,
        channel: Channel,
        rng: Randomness,
        hash_key: bytes,
        delta: Labels,
        counter: InstanceCounter | None = None,
    ) -> None:
        super().__init__(channel, rng, hash_key)
        self.delta = delta
        self.garbler = Garbler(self.hash, delta, rng, counter=counter)

    def garbler_inputs(self) -> GarblerInputs:
        """Begin this side's own inputs with a fresh seed."""
        return send_garbler_inputs(self.channel, self.rng, self.delta)

    def enter_late(self, zero_labels: Labels) -> Labels:
        """Let the modeler choose its bits on wires that it entered random ones on.

        Returns the zero labels uint64 (m, 2) of its bits; ``zero_labels`` are of the random ones.
        """
        return recv_late_bits(self.channel, zero_labels, self.delta)

    def garble(self, circuit: Circuit, zero_labels: Labels) -> Labels:
        """Garble a circuit for each row of ``zero_labels`` uint64 (n, inputs, 2); send the tables.

        Returns the zero labels of the outputs, uint64 (n, outputs, 2).
        """
        garbled = self.garbler.garble(circuit, zero_labels)
        self.channel.send_array(OpTag.GARBLED_TABLES, garbled.tables)
        return garbled.output_zero_labels

    def drop_delta(self) -> None:
        """Overwrite delta: nothing is garbled, and no label told from another, on this line again.

        Labels that came back are held against promises from then on.
        """
        self.garbler.forget_delta()
        self.delta.flags.writeable = True
        self.delta[:] = 0

    def open_packed(self, zero_labels: Labels) -> None:
        """Send the decoding bits of outputs, colours of ``zero_labels`` (m, w, 2), a bit each."""
        packed = np.packbits(colour_bits(zero_labels).reshape(-1), bitorder="little")
        self.channel.send_array(ProtocolTag.DECODING_BITS, packed)


class EvaluatorLine(BothWays):
    """A line and the evaluator's hash key of it; circuits are evaluated as they come."""

    sends = OTDirection.MODELER_SENDS
    takes = OTDirection.REGULATOR_SENDS

    def __init__(self, channel: Channel, rng: Randomness, hash_key: bytes) -> None:
        super().__init__(channel, rng, hash_key)
        self.evaluator = Evaluator(self.hash)

    def garbler_inputs(self) -> GarblerLabels:
        """Begin the garbler's inputs: their labels are taken in its order."""
        return recv_garbler_inputs(self.channel)

    def enter_late(self, bits: BitArray, random_bits: BitArray) -> None:
        """Enter ``bits`` uint8 (m,) on wires entered with ``random_bits``, whose labels stay."""
        send_late_bits(self.channel, bits, random_bits)

    def evaluate(self, circuit: Circuit, labels: Labels) -> Labels:
        """Receive tables and evaluate a circuit for each row of ``labels`` uint64 (n, inputs, 2).

        Returns the labels of the outputs, uint64 (n, outputs, 2).
        """
        shape = (len(labels), circuit.n_ands, TABLE_WORDS)
        tables = self.channel.recv_array(OpTag.GARBLED_TABLES, np.uint64, shape)
        return self.evaluator.evaluate(circuit, labels, tables)

    def open_packed(self, labels: Labels) -> BitArray:
        """Return the values uint8 (m, w) of output ``labels`` (m, w, 2), opened by a bit each."""
        colours = colour_bits(labels)
        shape = ((colours.size + 7) // 8,)
        packed = self.channel.recv_array(ProtocolTag.DECODING_BITS, np.uint8, shape)
        decoding = np.unpackbits(packed, count=colours.size, bitorder="little")
        opened: BitArray = colours ^ decoding.reshape(colours.shape)
        return opened


class GarblerSession(GarblerLine):
    """The garbler's material of one session: hash key, fresh delta, garbler, OT sender.

    Nothing of it is stored but what a prepared verification keeps: base OTs are made anew for each
    job, so that a failed check leaves nothing behind that a later job could reuse.
    """

    def __init__(self, ctx: JobContext, garbler: Role = GARBLER) -> None:
        if ctx.role is not garbler:
            raise ValueError(f"In this session the {garbler.value} garbles.")
        self.sends, self.takes = OTDirection.sent_by(garbler), OTDirection.sent_by(garbler.peer)
        session_id = _session_id(ctx)
        delta = ctx.rng.words(2)
        delta[0] |= np.uint64(1)
        self._begin(session_id, ctx.channel, ctx.rng, delta)

    def for_worker(self, number: int, channel: Channel, rng: Randomness) -> GarblerSession:
        """Return the session of worker ``number``, from 1, after base OTs on its own ``channel``.

        It has the delta of this session, so that labels of one are labels of the other. Nothing
        that counts or streams goes on: the hash key, and with it every tweak and circuit instance,
        follows from an id of this worker's own, which both parties know; OT delta and streams are
        drawn anew, calls count from 0.
        """
        own = copy.copy(self)
        own._begin(_worker_id(self.session_id, number), channel, rng, self.delta)
        return own

    def _begin(self, session_id: bytes, channel: Channel, rng: Randomness, delta: Labels) -> None:
        super().__init__(channel, rng, _hash_key(session_id), delta)
        self.session_id = session_id
        self.ot = RandomOTSender(channel, session_id, rng, self.hash)

    def enter(self, n_wires: int, instance: int) -> Labels:
        """Let the modeler enter bits; return the wires' zero labels, uint64 (n_wires, 2).

        ``instance`` is the call's own, from `crypto.tweak_plan`.
        """
        return self.labels(self.ot.extend(n_wires), instance)

    def labels(self, keys: Labels, instance: int) -> Labels:
        """Enter bits by transfers made before, whose ``keys`` are uint64 (m, 2, 2); see `enter`."""
        tag, indices = OpTag.LABEL_CORRECTIONS, range(len(keys))
        return send_labels(self.channel, tag, self.hash, keys, self.delta, instance, indices)

    def enter_people(
        self, item_keys: Labels, own_bits: BitArray, entries: Labels, first_record: int
    ) -> Labels:
        """Return zero labels uint64 (n e, 2) of people's bits ``z = a xor b``, item by item.

        The evaluator enters its bit by ``item_keys`` of n people's ``entries`` uint64 (e,), two
        keys each; this side's, uint8 of as many, flips the label at no cost. ``first_record``: the
        place of the first of them in the cohort.
        """
        n_entries = len(entries)
        n_records = own_bits.size // n_entries
        zero = send_labels(
            self.channel,
            OpTag.PERSON_LABEL_CORRECTIONS,
            self.hash,
            item_keys.reshape(-1, 2, 2),
            self.delta,
            item_instances(self.sends, n_records, n_entries, first_record),
            item_indices(n_records, entries),
        )
        return zero ^ (own_bits.reshape(-1, 1).astype(np.uint64) * self.delta)

    def bind(self, zero_labels: Labels, alpha: Labels, width_bits: int, instance: int) -> int:
        """Bind sums that the modeler entered to those that it received; return the part of beta'.

        ``zero_labels`` uint64 (s B, 2), ``alpha`` uint64 (s,): see `send_check_corrections`.
        """
        return send_check_corrections(
            self.channel, self.hash, zero_labels, self.delta, alpha, width_bits, instance
        )

    def seeds(self, zero_labels: Labels) -> SenderSeeds:
        """Make the seeds of products with a vector from its bits' labels; see `send_seeds`."""
        return send_seeds(self.channel, self.hash, zero_labels, self.delta)

    def keyed_products(
        self,
        seeds: SenderSeeds,
        chunks: Sequence[Chunk],
        rows: NDArray[np.int64],
        people: slice,
        width_bits: int,
        alpha: Labels,
        block: int,
    ) -> tuple[Labels, int]:
        """Send a block of people's products; return r uint64 (m,) and the part of beta."""
        return send_keyed_products(
            self.channel, self.hash, seeds, chunks, rows, people, width_bits, alpha, block
        )


class EvaluatorSession(EvaluatorLine):
    """The evaluator's material of one session: hash key, evaluator, OT receiver."""

    def __init__(self, ctx: JobContext, garbler: Role = GARBLER) -> None:
        if ctx.role is garbler:
            raise ValueError(f"In this session the {garbler.value} garbles.")
        self.sends, self.takes = OTDirection.sent_by(garbler.peer), OTDirection.sent_by(garbler)
        self._begin(_session_id(ctx), ctx.channel, ctx.rng)

    def for_worker(self, number: int, channel: Channel, rng: Randomness) -> EvaluatorSession:
        """Return the session of worker ``number``; see `GarblerSession.for_worker`."""
        own = copy.copy(self)
        own._begin(_worker_id(self.session_id, number), channel, rng)
        return own

    def _begin(self, session_id: bytes, channel: Channel, rng: Randomness) -> None:
        super().__init__(channel, rng, _hash_key(session_id))
        self.session_id = session_id
        self.ot = RandomOTReceiver(channel, session_id, rng, self.hash)

    def enter(self, bits: BitArray, instance: int) -> Labels:
        """Enter ``bits`` uint8 (m,), which stay hidden; return their labels, uint64 (m, 2)."""
        return self.labels(self.ot.extend(bits), bits, instance)

    def labels(self, keys: Labels, bits: BitArray, instance: int) -> Labels:
        """Enter bits by transfers made before, whose ``keys`` are uint64 (m, 2); see `enter`."""
        tag, indices = OpTag.LABEL_CORRECTIONS, range(len(bits))
        return recv_labels(self.channel, tag, self.hash, keys, bits, instance, indices)

    def enter_people(
        self, item_keys: Labels, own_bits: BitArray, entries: Labels, first_record: int
    ) -> Labels:
        """Return labels uint64 (n e, 2) of people's bits; see `GarblerSession.enter_people`."""
        n_entries = len(entries)
        n_records = own_bits.size // n_entries
        return recv_labels(
            self.channel,
            OpTag.PERSON_LABEL_CORRECTIONS,
            self.hash,
            item_keys.reshape(-1, 2),
            own_bits.reshape(-1),
            item_instances(self.takes, n_records, n_entries, first_record),
            item_indices(n_records, entries),
        )

    def bind(self, labels: Labels, bits: BitArray, instance: int) -> int:
        """Return the part of t' of entered sums, whose ``labels`` uint64 (m, 2) are of ``bits``."""
        return recv_check_corrections(self.channel, self.hash, labels, bits, instance)

    def seeds(self, labels: Labels, bits: BitArray) -> ReceiverSeeds:
        """Open the seeds of products with a vector of ``bits``; see `recv_seeds`."""
        return recv_seeds(self.channel, self.hash, labels, bits)

    def keyed_products(
        self,
        seeds: ReceiverSeeds,
        chunks: Sequence[Chunk],
        people: slice,
        width_bits: int,
        block: int,
    ) -> tuple[Labels, int]:
        """Receive a block of people's products; return V uint64 (m,) and the part of t."""
        return recv_keyed_products(
            self.channel, self.hash, seeds, chunks, people, width_bits, block
        )


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
