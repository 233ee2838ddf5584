"""The closing protocol: one agreed, valid cohort, known equally to both parties.

1. Each sends its list of (record, sequence, digest of C); both compute the agreed list.
2. Block of records by block, their transfers extended and checked for each: for every entry the
   modeler's bit enters under two locks; the regulator folds its own bit into the zero label, so
   that the wire carries ``z = a xor b`` at no cost, and garbles `validity_circuit` once a record.
3. When everybody is in, the modeler returns the output labels; the regulator checks that each is
   one of the two and answers with the decoding bits. Of a block only output labels are kept.

Each party learns which agreed records are valid (1 for every honest row), nothing else.
Bytes: lists 52 a record each way; per entry 16 (labels) and 16.0625 (OT); per AND gate 32.
Source: the project's constructions page, section "Closing circuit".
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mpc_engine.errors import ProtocolViolationError, UsageError
from mpc_engine.garbling import check_output_labels
from mpc_engine.protocols.closing.circuit import validity_circuit
from mpc_engine.protocols.closing.record_list import (
    ListedShare,
    ListEntry,
    agree,
    decode_entries,
    encode_entries,
    record_set_digest,
)
from mpc_engine.protocols.instances import people_blocks
from mpc_engine.protocols.session import EvaluatorSession, GarblerSession, JobContext
from mpc_engine.protocols.tags import ProtocolTag
from mpc_engine.roles import GARBLER
from mpc_engine.sharing.layout import EnvelopeLayout
from mpc_engine.sharing.records import HeldRecords
from mpc_engine.vocabulary.runs import Stage

_MAX_LIST_BYTES = 52 * 8_000_000


@dataclass(frozen=True, repr=False)
class ClosingOutcome:
    """The closed cohort of one party; the first field and the counts are equal on both sides."""

    record_set: bytes
    records: HeldRecords
    n_invalid: int
    n_disagreed: int


def run_closing(
    ctx: JobContext,
    layout: EnvelopeLayout,
    held: list[ListedShare],
    peer_receipts: set[ListEntry],
) -> ClosingOutcome:
    """Close a cohort; ``held`` has every share this party signed a receipt for.

    Raises UsageError ``NO_RECORDS`` when nobody, or nobody valid, is left; ProtocolViolationError
    when the parties' lists or sets contradict each other.
    """
    own = {item.entry for item in held}
    entries, n_disagreed = _exchange_lists(ctx, own, peer_receipts)
    if not entries:
        raise UsageError("No record was accepted by both parties.", code="NO_RECORDS")
    by_entry = {item.entry: item.share for item in held}
    records = HeldRecords.from_shares([by_entry[entry] for entry in entries])
    ctx.progress(Stage.CHECKING_ANSWERS, 0, len(entries))
    if ctx.role is GARBLER:
        valid = _check_as_garbler(GarblerSession(ctx), layout, records)
    else:
        valid = _check_as_evaluator(EvaluatorSession(ctx), layout, records)
    ctx.progress(Stage.CHECKING_ANSWERS, len(entries), len(entries))
    kept = [entry for entry, keep in zip(entries, valid, strict=True) if keep]
    if not kept:
        raise UsageError("No record has a valid answer.", code="NO_RECORDS")
    digest = record_set_digest(layout.config_digest, kept)
    ctx.channel.send(ProtocolTag.RECORD_SET, digest)
    if ctx.channel.recv(ProtocolTag.RECORD_SET, size=32) != digest:
        raise ProtocolViolationError("The parties closed different cohorts.")
    return ClosingOutcome(
        record_set=digest,
        records=records.select(valid.astype(bool)),
        n_invalid=len(entries) - len(kept),
        n_disagreed=n_disagreed,
    )


def _exchange_lists(
    ctx: JobContext, own: set[ListEntry], peer_receipts: set[ListEntry]
) -> tuple[list[ListEntry], int]:
    ctx.channel.send(ProtocolTag.RECORD_LIST, encode_entries(own))
    peer = decode_entries(ctx.channel.recv(ProtocolTag.RECORD_LIST, limit=_MAX_LIST_BYTES))
    return agree(own, peer, peer_receipts)


def _check_as_garbler(
    session: GarblerSession, layout: EnvelopeLayout, records: HeldRecords
) -> NDArray[np.uint8]:
    n_records, n_entries = records.low_bits.shape
    output_zero = np.empty((n_records, 2), dtype=np.uint64)
    for people in people_blocks(n_records, n_entries):
        output_zero[people] = _garble_block(session, layout, records.read(people), people.start)
    labels = session.take_outputs(output_zero)
    valid = check_output_labels(labels, output_zero, session.delta)
    session.open(output_zero)
    return valid


def _garble_block(
    session: GarblerSession, layout: EnvelopeLayout, block: HeldRecords, first_record: int
) -> NDArray[np.uint64]:
    """Return the zero labels uint64 (m, 2) of a block's validity bits."""
    n_records, n_entries = block.low_bits.shape
    entries = np.arange(n_entries, dtype=np.uint64)
    ot_keys = session.ot.extend(n_records * n_entries).reshape(n_records, n_entries, 2, 2)
    keys = session.sender_keys(ot_keys, block.sender_keys, entries, first_record)
    zero = session.enter_people(keys, block.low_bits, entries, first_record)
    circuit = validity_circuit(layout.category_counts)
    return session.garble(circuit, zero.reshape(n_records, n_entries, 2)).reshape(n_records, 2)


def _check_as_evaluator(
    session: EvaluatorSession, layout: EnvelopeLayout, records: HeldRecords
) -> NDArray[np.uint8]:
    n_records, n_entries = records.low_bits.shape
    outputs = np.empty((n_records, 2), dtype=np.uint64)
    for people in people_blocks(n_records, n_entries):
        outputs[people] = _evaluate_block(session, layout, records.read(people), people.start)
    session.return_outputs(outputs)
    return session.open(outputs)


def _evaluate_block(
    session: EvaluatorSession, layout: EnvelopeLayout, block: HeldRecords, first_record: int
) -> NDArray[np.uint64]:
    """Return the labels uint64 (m, 2) of a block's validity bits."""
    n_records, n_entries = block.low_bits.shape
    entries = np.arange(n_entries, dtype=np.uint64)
    bits = np.ascontiguousarray(block.low_bits).reshape(-1)
    ot_keys = session.ot.extend(bits).reshape(n_records, n_entries, 2)
    keys = session.chooser_keys(ot_keys, block.chosen_keys, entries, first_record)
    labels = session.enter_people(keys, bits, entries, first_record)
    circuit = validity_circuit(layout.category_counts)
    return session.evaluate(circuit, labels.reshape(n_records, n_entries, 2)).reshape(n_records, 2)
