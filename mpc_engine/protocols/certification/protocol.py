"""The certification protocol: covariance criterion and model signature, one circuit.

1. Fresh session; one checked OT extension for the modeler's choices: its bits of every summed
   entry, its model, its nonce, and random bits for the sums it will enter later.
2. Labels of model and nonce; sums over people under two locks with a MAC column (`row_sums`).
3. The modeler enters its sums: one flip bit a wire. The regulator sends check corrections, its own
   labels and the garbled tables.
4. The modeler returns the proof that it entered the sums it received, with all output labels.
5. The regulator checks, in this order: the proof, then that every output label is one of the two;
   then it decodes, and sends the decoding bits of the verdict wires.

Both learn the verdict bits; the regulator also learns ``s(theta) AND pass``. Nothing else is
opened. On any failed check nothing is decoded and the session's keys die with it.
Source: the project's protocols page, section 3, and constructions page; Kilbertus et al. (2018),
section 3.3.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from mpc_engine.circuits import Circuit
from mpc_engine.errors import UsageError
from mpc_engine.garbling import check_output_labels, colour_bits, encode_bits
from mpc_engine.kernels.field61 import block_residues
from mpc_engine.protocols.certification.circuit import certification_circuit
from mpc_engine.protocols.certification.spec import (
    CertificationOutcome,
    CertificationSpec,
    Verdict,
    read_verdict,
)
from mpc_engine.protocols.model_inputs import model_bits
from mpc_engine.protocols.session import EvaluatorSession, GarblerSession, JobContext
from mpc_engine.protocols.tags import ProtocolTag
from mpc_engine.roles import OTDirection
from mpc_engine.secure_ops.bound_reentry import (
    check_proof,
    recv_check_corrections,
    send_check_corrections,
)
from mpc_engine.secure_ops.label_transfer import (
    recv_labels,
    recv_late_bits,
    send_labels,
    send_late_bits,
)
from mpc_engine.secure_ops.person_locks import chooser_item_keys, sender_item_keys
from mpc_engine.secure_ops.row_sums import recv_row_sums, send_row_sums
from mpc_engine.secure_ops.tags import OpTag
from mpc_engine.sharing.records import HeldRecords

_DIRECTION = OTDirection.REGULATOR_SENDS
_WIRE_INSTANCE = (1 << 56) - 1
"""Hash instance of wires that belong to no record; record instances stay below 2^49."""


def _bits_of(values: NDArray[np.uint64], width: int) -> NDArray[np.uint8]:
    """Return the low ``width`` bits of every value, low bit first, uint8 (values * width,)."""
    shifts = np.arange(width, dtype=np.uint64)
    return ((values.reshape(-1, 1) >> shifts) & np.uint64(1)).astype(np.uint8).reshape(-1)


def _low_wires(per_sum: NDArray[np.uint64], width: int, row_width: int) -> NDArray[np.uint64]:
    """Keep the low l of every sum's B wires: uint64 (s * B, 2) to (s * l, 2)."""
    return np.ascontiguousarray(per_sum.reshape(-1, width, 2)[:, :row_width]).reshape(-1, 2)


class _Layout:
    """Public sizes of one run, the same on both sides."""

    def __init__(self, spec: CertificationSpec, n_records: int) -> None:
        if n_records < 1:
            raise UsageError("The cohort is empty.", code="NO_RECORDS")
        self.entries = spec.summed_entries
        self.n_columns = spec.n_features + 1
        self.row_width = spec.row_width(n_records)
        self.sum_width = spec.sum_width(n_records)
        self.n_people_ots = n_records * len(self.entries)
        self.n_model_wires = (spec.n_features + 1) * spec.theta_bits + 256
        self.n_sum_wires = len(self.entries) * self.n_columns * self.sum_width
        self.n_ots = self.n_people_ots + self.n_model_wires + self.n_sum_wires
        self.circuit: Circuit = certification_circuit(
            spec.policy,
            spec.config_digest,
            spec.n_features,
            spec.theta_bits,
            self.row_width,
            n_records,
            spec.thresholds.index(spec.certify_at),
            spec.feature_ranges,
        )
        self.wire_indices = np.arange(self.n_model_wires + self.n_sum_wires, dtype=np.uint64)


def certify_as_regulator(
    ctx: JobContext, spec: CertificationSpec, records: HeldRecords
) -> CertificationOutcome:
    """Run the regulator's side; ``records`` must hold the features.

    Raises CheckFailedError subclasses when the modeler cheats, before anything is decoded.
    """
    if records.features is None:
        raise UsageError("The regulator holds no features for this cohort.", code="NO_FEATURES")
    n_records = len(records.record_ids)
    layout = _Layout(spec, n_records)
    session = GarblerSession(ctx)
    ctx.progress("oblivious transfer", 0, 4)
    ot_keys = session.ot.extend(layout.n_ots)
    people, wires = np.split(ot_keys, [layout.n_people_ots])
    selected = layout.entries.astype(np.int64)
    item_keys = sender_item_keys(
        session.hash,
        _DIRECTION,
        people.reshape(n_records, len(selected), 2, 2),
        np.ascontiguousarray(records.sender_keys[:, selected]),
        layout.entries,
    )
    zero = send_labels(
        session.channel,
        OpTag.LABEL_CORRECTIONS,
        session.hash,
        wires,
        session.delta,
        _WIRE_INSTANCE,
        layout.wire_indices,
    )
    ctx.progress("sums over people", 1, 4)
    ones = np.ones((n_records, 1), dtype=np.int64)
    alpha_blocks = session.rng.words(len(selected) * layout.n_columns, 2)
    alpha = block_residues(alpha_blocks).reshape(len(selected), layout.n_columns)
    sums = send_row_sums(
        session.channel,
        session.hash,
        item_keys,
        layout.entries,
        np.ascontiguousarray(records.low_bits[:, selected]),
        np.hstack([records.features, ones]),
        layout.row_width,
        alpha,
    )
    ctx.progress("garbled circuit", 2, 4)
    model_zero, sum_zero = np.split(zero, [layout.n_model_wires])
    sum_zero = recv_late_bits(session.channel, sum_zero, session.delta)
    beta_entered = send_check_corrections(
        session.channel,
        session.hash,
        sum_zero,
        session.delta,
        alpha.reshape(-1),
        layout.sum_width,
    )
    own_bits = _bits_of(sums.r.reshape(-1), layout.row_width)
    own_zero = session.rng.words(len(own_bits), 2)
    session.channel.send_array(
        OpTag.GARBLER_LABELS, encode_bits(own_zero, own_bits, session.delta)
    )
    inputs = np.concatenate(
        [model_zero, _low_wires(sum_zero, layout.sum_width, layout.row_width), own_zero]
    )
    garbled = session.garbler.garble(layout.circuit, inputs[None])
    session.channel.send_array(OpTag.GARBLED_TABLES, garbled.tables)
    ctx.progress("checking and decoding", 3, 4)
    output_zero = garbled.output_zero_labels[0]
    proof = session.channel.recv(ProtocolTag.SUM_PROOF, size=8)
    labels = session.channel.recv_array(ProtocolTag.OUTPUT_LABELS, np.uint64, output_zero.shape)
    check_proof(proof, beta_entered, sums.beta)
    bits = check_output_labels(labels, output_zero, session.delta)
    verdict_wires = layout.circuit.output_slices["verdict"]
    session.channel.send_array(
        ProtocolTag.DECODING_BITS, colour_bits(np.ascontiguousarray(output_zero[verdict_wires]))
    )
    verdict, reason, passes = read_verdict(spec, [int(bit) for bit in bits[verdict_wires]])
    signature_bits = bits[layout.circuit.output_slices["signature"]]
    ctx.progress("checking and decoding", 4, 4)
    return CertificationOutcome(
        verdict=verdict,
        reason=reason,
        threshold_passes=passes,
        model_signature=(
            np.packbits(signature_bits, bitorder="big").tobytes()
            if verdict is Verdict.PASS
            else None
        ),
        and_gates=layout.circuit.n_ands,
        ots=layout.n_ots,
    )


def certify_as_modeler(
    ctx: JobContext,
    spec: CertificationSpec,
    records: HeldRecords,
    theta: Sequence[int],
    nonce: bytes,
) -> CertificationOutcome:
    """Run the modeler's side: ``theta`` d + 1 encoded integers, intercept first; 32-byte nonce."""
    n_records = len(records.record_ids)
    layout = _Layout(spec, n_records)
    own_model_bits = model_bits(theta, spec.n_features, spec.theta_bits, nonce)
    session = EvaluatorSession(ctx)
    ctx.progress("oblivious transfer", 0, 4)
    selected = layout.entries.astype(np.int64)
    person_bits = np.ascontiguousarray(records.low_bits[:, selected])
    random_bits = session.rng.bits(layout.n_sum_wires)
    wire_bits = np.concatenate([own_model_bits, random_bits])
    ot_keys = session.ot.extend(np.concatenate([person_bits.reshape(-1), wire_bits]))
    people, wires = np.split(ot_keys, [layout.n_people_ots])
    item_keys = chooser_item_keys(
        session.hash,
        _DIRECTION,
        people.reshape(n_records, len(selected), 2),
        np.ascontiguousarray(records.chosen_keys[:, selected]),
        layout.entries,
    )
    labels = recv_labels(
        session.channel,
        OpTag.LABEL_CORRECTIONS,
        session.hash,
        wires,
        wire_bits,
        _WIRE_INSTANCE,
        layout.wire_indices,
    )
    ctx.progress("sums over people", 1, 4)
    sums = recv_row_sums(
        session.channel,
        session.hash,
        item_keys,
        layout.entries,
        person_bits,
        layout.n_columns,
        layout.row_width,
    )
    ctx.progress("garbled circuit", 2, 4)
    model_labels, sum_labels = np.split(labels, [layout.n_model_wires])
    sum_bits = _bits_of(sums.v.reshape(-1), layout.sum_width)
    send_late_bits(session.channel, sum_bits, random_bits)
    proof = recv_check_corrections(session.channel, session.hash, sum_labels, sum_bits, sums.t)
    n_own = len(selected) * layout.n_columns * layout.row_width
    peer_labels = session.channel.recv_array(OpTag.GARBLER_LABELS, np.uint64, (n_own, 2))
    tables = session.channel.recv_array(
        OpTag.GARBLED_TABLES, np.uint64, (1, layout.circuit.n_ands, 4)
    )
    inputs = np.concatenate(
        [model_labels, _low_wires(sum_labels, layout.sum_width, layout.row_width), peer_labels]
    )
    outputs = session.evaluator.evaluate(layout.circuit, inputs[None], tables)[0]
    ctx.progress("checking and decoding", 3, 4)
    session.channel.send(ProtocolTag.SUM_PROOF, proof)
    session.channel.send_array(ProtocolTag.OUTPUT_LABELS, outputs)
    verdict_wires = layout.circuit.output_slices["verdict"]
    n_verdict = verdict_wires.stop - verdict_wires.start
    decoding = session.channel.recv_array(ProtocolTag.DECODING_BITS, np.uint8, (n_verdict,))
    bits = (colour_bits(np.ascontiguousarray(outputs[verdict_wires])) ^ decoding) & np.uint8(1)
    verdict, reason, passes = read_verdict(spec, [int(bit) for bit in bits])
    ctx.progress("checking and decoding", 4, 4)
    return CertificationOutcome(
        verdict=verdict,
        reason=reason,
        threshold_passes=passes,
        model_signature=None,
        and_gates=layout.circuit.n_ands,
        ots=layout.n_ots,
    )
