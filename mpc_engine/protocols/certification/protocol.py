"""The certification protocol: every criterion of the policy and the model's signature.

1. Fresh session; one checked OT extension for the modeler's choices: its bits of every category,
   its model, its nonce, and random bits for the sums it will enter later.
2. Labels of model and nonce: the model enters once, for every criterion and the hash.
3. Rates: decisions and group counts, block by block (`tally`). Covariance: sums over people
   (`sums`), which the modeler enters again under the re-entry check.
4. The regulator garbles the certification circuit; the modeler returns the proof that it entered
   the sums and scores it received, with all output labels.
5. The regulator checks, in this order: the proof, then that every output label is one of the two;
   then it decodes, and sends the decoding bits of the verdict wires.

Both learn the verdict bits, and what else the policy discloses (`verdict`); the regulator also
learns ``s(theta) AND pass``. Nothing else is opened. On any failed check nothing is decoded and the
session's keys die with it.
Source: the project's protocols page, section 3, and constructions page; Kilbertus et al. (2018),
section 3.3.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from mpc_engine.errors import UsageError
from mpc_engine.garbling import check_output_labels, colour_bits
from mpc_engine.protocols.certification.circuit import certification_circuit
from mpc_engine.protocols.certification.criteria import CriterionName
from mpc_engine.protocols.certification.spec import (
    CertificationOutcome,
    CertificationSpec,
    Verdict,
)
from mpc_engine.protocols.certification.sums import (
    n_sum_wires,
    sums_as_modeler,
    sums_as_regulator,
)
from mpc_engine.protocols.certification.tally import tally_as_modeler, tally_as_regulator
from mpc_engine.protocols.certification.verdict import read_opened
from mpc_engine.protocols.model_inputs import model_bits
from mpc_engine.protocols.session import EvaluatorSession, GarblerSession, JobContext
from mpc_engine.protocols.tags import ProtocolTag
from mpc_engine.roles import OTDirection
from mpc_engine.secure_ops.bound_reentry import PROOF_BYTES, check_proof, make_proof
from mpc_engine.secure_ops.label_transfer import recv_labels, send_labels
from mpc_engine.secure_ops.person_locks import chooser_item_keys, sender_item_keys
from mpc_engine.secure_ops.tags import OpTag
from mpc_engine.sharing.records import HeldRecords

_DIRECTION = OTDirection.REGULATOR_SENDS
_WIRE_INSTANCE = (1 << 56) - 1
"""Hash instance of wires that belong to no record; record instances stay below 2^49."""


class _Sizes:
    """Public sizes of one run, the same on both sides."""

    def __init__(self, spec: CertificationSpec, n_records: int) -> None:
        if n_records < 1:
            raise UsageError("The cohort is empty.", code="NO_RECORDS")
        self.sums = spec.criterion(CriterionName.COVARIANCE) is not None
        self.tally = bool(spec.rate_criteria)
        self.entries = spec.real_entries
        self.columns = self.entries.astype(np.int64)
        self.people_ots = n_records * len(self.entries)
        self.theta_wires = (spec.n_features + 1) * spec.theta_bits
        self.model_wires = self.theta_wires + 256
        self.sum_wires = n_sum_wires(spec, n_records) if self.sums else 0
        self.wires = self.model_wires + self.sum_wires
        self.ots = self.people_ots + self.wires
        self.circuit = certification_circuit(spec, n_records)
        self.verdict = self.circuit.output_slices["verdict"]
        self.signature = self.circuit.output_slices["signature"]


def certify_as_regulator(
    ctx: JobContext, spec: CertificationSpec, records: HeldRecords
) -> CertificationOutcome:
    """Run the regulator's side; ``records`` must hold the features.

    Raises CheckFailedError subclasses when the modeler cheats, before anything is decoded.
    """
    records.require_features()
    n_records = len(records)
    sizes = _Sizes(spec, n_records)
    session = GarblerSession(ctx)
    ctx.progress("oblivious transfer", 0, 1)
    people, wires = np.split(session.ot.extend(sizes.ots), [sizes.people_ots])
    item_keys = sender_item_keys(
        session.hash,
        _DIRECTION,
        people.reshape(n_records, -1, 2, 2),
        np.ascontiguousarray(records.sender_keys[:, sizes.columns]),
        sizes.entries,
    )
    zero = send_labels(
        session.channel,
        OpTag.LABEL_CORRECTIONS,
        session.hash,
        wires,
        session.delta,
        _WIRE_INSTANCE,
        range(sizes.wires),
    )
    model_zero, sum_zero = np.split(zero, [sizes.model_wires])
    inputs = [model_zero]
    and_gates, ots = sizes.circuit.n_ands, sizes.ots
    mac_difference = 0
    if sizes.sums:
        sum_inputs, difference = sums_as_regulator(ctx, session, spec, records, item_keys, sum_zero)
        inputs.append(sum_inputs)
        mac_difference += difference
    if sizes.tally:
        tally = tally_as_regulator(
            ctx, session, spec, records, item_keys, model_zero[: sizes.theta_wires]
        )
        inputs.append(tally.counters)
        mac_difference += tally.mac_difference
        and_gates += tally.and_gates
        ots += tally.ots
    ctx.progress("verdict and signature", 0, 1)
    garbled = session.garbler.garble(sizes.circuit, np.concatenate(inputs)[None])
    session.channel.send_array(OpTag.GARBLED_TABLES, garbled.tables)
    output_zero = garbled.output_zero_labels[0]
    proof = session.channel.recv(ProtocolTag.SUM_PROOF, size=PROOF_BYTES)
    labels = session.channel.recv_array(ProtocolTag.OUTPUT_LABELS, np.uint64, output_zero.shape)
    check_proof(proof, mac_difference)
    bits = check_output_labels(labels, output_zero, session.delta)
    session.channel.send_array(ProtocolTag.DECODING_BITS, colour_bits(output_zero[sizes.verdict]))
    opened = read_opened(spec, [int(bit) for bit in bits[sizes.verdict]], n_records)
    ctx.progress("verdict and signature", 1, 1)
    signature = np.packbits(bits[sizes.signature], bitorder="big").tobytes()
    signed = signature if opened.verdict is Verdict.PASS else None
    return CertificationOutcome(
        **vars(opened), model_signature=signed, and_gates=and_gates, ots=ots
    )


def certify_as_modeler(
    ctx: JobContext,
    spec: CertificationSpec,
    records: HeldRecords,
    theta: Sequence[int],
    nonce: bytes,
) -> CertificationOutcome:
    """Run the modeler's side: ``theta`` d + 1 encoded integers, intercept first; 32-byte nonce."""
    n_records = len(records)
    sizes = _Sizes(spec, n_records)
    own_model_bits = model_bits(theta, spec.n_features, spec.theta_bits, nonce)
    session = EvaluatorSession(ctx)
    ctx.progress("oblivious transfer", 0, 1)
    person_bits = np.ascontiguousarray(records.low_bits[:, sizes.columns]).reshape(-1)
    random_bits = session.rng.bits(sizes.sum_wires)
    wire_bits = np.concatenate([own_model_bits, random_bits])
    ot_keys = session.ot.extend(np.concatenate([person_bits, wire_bits]))
    people, wires = np.split(ot_keys, [sizes.people_ots])
    item_keys = chooser_item_keys(
        session.hash,
        _DIRECTION,
        people.reshape(n_records, -1, 2),
        np.ascontiguousarray(records.chosen_keys[:, sizes.columns]),
        sizes.entries,
    )
    labels = recv_labels(
        session.channel,
        OpTag.LABEL_CORRECTIONS,
        session.hash,
        wires,
        wire_bits,
        _WIRE_INSTANCE,
        range(sizes.wires),
    )
    model_labels, sum_labels = np.split(labels, [sizes.model_wires])
    inputs = [model_labels]
    and_gates, ots = sizes.circuit.n_ands, sizes.ots
    mac_difference = 0
    if sizes.sums:
        sum_inputs, difference = sums_as_modeler(
            ctx, session, spec, records, item_keys, sum_labels, random_bits
        )
        inputs.append(sum_inputs)
        mac_difference += difference
    if sizes.tally:
        theta_labels = model_labels[: sizes.theta_wires]
        tally = tally_as_modeler(ctx, session, spec, records, item_keys, theta, theta_labels)
        inputs.append(tally.counters)
        mac_difference += tally.mac_difference
        and_gates += tally.and_gates
        ots += tally.ots
    ctx.progress("verdict and signature", 0, 1)
    tables = session.channel.recv_array(
        OpTag.GARBLED_TABLES, np.uint64, (1, sizes.circuit.n_ands, 4)
    )
    outputs = session.evaluator.evaluate(sizes.circuit, np.concatenate(inputs)[None], tables)[0]
    session.channel.send(ProtocolTag.SUM_PROOF, make_proof(mac_difference))
    session.channel.send_array(ProtocolTag.OUTPUT_LABELS, outputs)
    n_verdict = sizes.verdict.stop - sizes.verdict.start
    decoding = session.channel.recv_array(ProtocolTag.DECODING_BITS, np.uint8, (n_verdict,))
    bits = (colour_bits(outputs[sizes.verdict]) ^ decoding) & np.uint8(1)
    opened = read_opened(spec, [int(bit) for bit in bits], n_records)
    ctx.progress("verdict and signature", 1, 1)
    return CertificationOutcome(**vars(opened), model_signature=None, and_gates=and_gates, ots=ots)
