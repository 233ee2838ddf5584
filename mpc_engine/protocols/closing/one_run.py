"""One run of a closing: one party garbles, the other evaluates, and nothing comes back.

Block of records by block, their transfers extended and checked for each: for every entry the
evaluator's bit enters under two locks; the garbler folds its own bit into the zero label, so that
the wire carries ``z = a xor b`` at no cost, and garbles `validity_circuit` once a record. Of a
block only output labels are kept. Which of a person's two sets of keys a run is under follows from
who garbles (`session`); each run is a session of its own, with a hash key of its own.

Bytes: per entry 16 (labels) and 16.0625 (OT); per AND gate 32; a record 64 of promises and a bit.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mpc_engine.garbling import colour_bits, make_promises
from mpc_engine.garbling.labels import BitArray, Labels
from mpc_engine.garbling.promises import PROMISE_BYTES, Promises
from mpc_engine.protocols.closing.circuit import validity_circuit
from mpc_engine.protocols.ending.signed_line import SignedLine
from mpc_engine.protocols.instances import people_blocks
from mpc_engine.protocols.session import EvaluatorSession, GarblerSession, JobContext
from mpc_engine.protocols.tags import ProtocolTag
from mpc_engine.sharing.layout import EnvelopeLayout
from mpc_engine.sharing.records import HeldRecords


@dataclass(frozen=True, repr=False, eq=False)
class OwnCircuit:
    """The outputs of the circuit that this party garbled: ``zero_labels`` uint64 (n, 2)."""

    zero_labels: Labels
    delta: Labels

    def __repr__(self) -> str:
        return "OwnCircuit(<secret>)"

    def labels_of(self, values: BitArray) -> Labels:
        """Return the labels uint64 (n, 2) that stand for ``values`` uint8 (n,)."""
        return self.zero_labels ^ (values.astype(np.uint64)[:, None] * self.delta)


@dataclass(frozen=True, repr=False, eq=False)
class Evaluated:
    """What this party evaluated of the other's circuit: ``labels`` uint64 (n, 2).

    ``promises`` uint8 (n, 2, 32) and ``values`` uint8 (n,) are by the garbler's word: the values
    count for nothing before the equality.
    """

    labels: Labels
    promises: Promises
    values: BitArray

    def __repr__(self) -> str:
        return "Evaluated(<secret>)"


def garble_run(
    ctx: JobContext, layout: EnvelopeLayout, records: HeldRecords, signed: SignedLine
) -> OwnCircuit:
    """Garble everybody's validity; promise the output labels, under this party's signature."""
    session = GarblerSession(ctx, garbler=ctx.role)
    n_records, n_entries = records.low_bits.shape
    zero = np.empty((n_records, 2), dtype=np.uint64)
    for people in people_blocks(n_records, n_entries):
        zero[people] = _garble_block(session, layout, records.read(people), people.start)
    promises = make_promises(zero, session.delta, ctx.job_digest, ctx.role)
    decoding = np.packbits(colour_bits(zero), bitorder="little")
    tag = ProtocolTag.VALIDITY_PROMISES
    ctx.channel.send(tag, signed.signed(tag, promises.tobytes() + decoding.tobytes()))
    return OwnCircuit(zero, session.delta)


def evaluate_run(
    ctx: JobContext, layout: EnvelopeLayout, records: HeldRecords, signed: SignedLine
) -> Evaluated:
    """Evaluate everybody's validity; whether promises are kept is not looked at, nor told, here."""
    session = EvaluatorSession(ctx, garbler=ctx.role.peer)
    n_records, n_entries = records.low_bits.shape
    labels = np.empty((n_records, 2), dtype=np.uint64)
    for people in people_blocks(n_records, n_entries):
        labels[people] = _evaluate_block(session, layout, records.read(people), people.start)
    n_bytes = 2 * PROMISE_BYTES * n_records
    body = signed.take(ProtocolTag.VALIDITY_PROMISES, n_bytes + (n_records + 7) // 8)
    promises = np.frombuffer(body[:n_bytes], dtype=np.uint8).reshape(n_records, 2, PROMISE_BYTES)
    packed = np.frombuffer(body[n_bytes:], dtype=np.uint8)
    decoding = np.unpackbits(packed, count=n_records, bitorder="little")
    return Evaluated(labels, promises, colour_bits(labels) ^ decoding)


def _garble_block(
    session: GarblerSession, layout: EnvelopeLayout, block: HeldRecords, first_record: int
) -> Labels:
    """Return the zero labels uint64 (m, 2) of a block's validity bits."""
    n_records, n_entries = block.low_bits.shape
    entries = np.arange(n_entries, dtype=np.uint64)
    ot_keys = session.ot.extend(n_records * n_entries).reshape(n_records, n_entries, 2, 2)
    keys = session.sender_keys(ot_keys, block.sender_keys, entries, first_record)
    zero = session.enter_people(keys, block.low_bits, entries, first_record)
    circuit = validity_circuit(layout.category_counts)
    return session.garble(circuit, zero.reshape(n_records, n_entries, 2)).reshape(n_records, 2)


def _evaluate_block(
    session: EvaluatorSession, layout: EnvelopeLayout, block: HeldRecords, first_record: int
) -> Labels:
    """Return the labels uint64 (m, 2) of a block's validity bits."""
    n_records, n_entries = block.low_bits.shape
    entries = np.arange(n_entries, dtype=np.uint64)
    bits = np.ascontiguousarray(block.low_bits).reshape(-1)
    ot_keys = session.ot.extend(bits).reshape(n_records, n_entries, 2)
    keys = session.chooser_keys(ot_keys, block.chosen_keys, entries, first_record)
    labels = session.enter_people(keys, bits, entries, first_record)
    circuit = validity_circuit(layout.category_counts)
    return session.evaluate(circuit, labels.reshape(n_records, n_entries, 2)).reshape(n_records, 2)
