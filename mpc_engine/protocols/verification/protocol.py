"""The verification protocol: one hash of the modeler's model, one decision circuit a challenge.

1. Fresh session; the modeler's coefficients and nonce enter once as labels.
2. The regulator garbles the hash circuit (its input: the certified signature) and, in blocks, one
   instance of the decision circuit a challenge (its inputs: x and the claim), which take the same
   model labels and the equality wire.
3. The modeler returns all output labels in one message: it can refuse a batch, never an answer.
4. The regulator decodes after every label proved to be one of its wire's two.

The regulator learns ``eq`` and, per challenge, ``eq AND (decision = claim)``; the modeler only the
number of challenges: it gets no decoding bits.
Source: the project's constructions page, section "Verification"; Kilbertus et al. (2018), 3.3.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from mpc_engine.errors import UsageError
from mpc_engine.garbling import check_output_labels
from mpc_engine.protocols.instances import blocks_of, with_shared_labels
from mpc_engine.protocols.model_inputs import model_bits
from mpc_engine.protocols.session import EvaluatorSession, GarblerSession, JobContext
from mpc_engine.protocols.tags import ProtocolTag
from mpc_engine.protocols.verification.circuit import (
    case_bits,
    decision_circuit,
    hash_circuit,
)
from mpc_engine.protocols.verification.spec import VerificationResult, VerificationSpec
from mpc_engine.secure_ops.label_transfer import recv_labels, send_labels
from mpc_engine.secure_ops.own_inputs import own_zero_labels, recv_own_seed, send_own_seed
from mpc_engine.secure_ops.tags import OpTag

_WIRE_INSTANCE = (1 << 56) - 1
_BLOCK_CASES = 256


def verify_as_regulator(
    ctx: JobContext,
    spec: VerificationSpec,
    certified_signature: bytes,
    cases: Sequence[tuple[Sequence[int], int]],
) -> list[VerificationResult]:
    """Run the regulator's side for challenges ``(x, claimed decision)``, encoded integers.

    Raises UsageError when a case is out of range, CheckFailedError when a label is forged: then
    nothing was decoded and the batch counts as not answered.
    """
    if not cases:
        raise UsageError("There is no challenge to verify.", code="NO_CHALLENGES")
    bits = case_bits(spec, cases)
    session = GarblerSession(ctx)
    n_model_wires = (spec.n_features + 1) * spec.theta_bits + 256
    ctx.progress("oblivious transfer", 0, len(cases))
    model_zero = send_labels(
        session.channel,
        OpTag.LABEL_CORRECTIONS,
        session.hash,
        session.ot.extend(n_model_wires),
        session.delta,
        _WIRE_INSTANCE,
        np.arange(n_model_wires, dtype=np.uint64),
    )
    signature_bits = np.unpackbits(
        np.frombuffer(certified_signature, dtype=np.uint8), bitorder="big"
    )
    active = send_own_seed(session.channel, session.rng)
    signature_zero = own_zero_labels(active, signature_bits, session.delta)
    hashing = hash_circuit(spec.config_digest, spec.n_features, spec.theta_bits)
    garbled = session.garbler.garble(hashing, np.concatenate([model_zero, signature_zero])[None])
    session.channel.send_array(OpTag.GARBLED_TABLES, garbled.tables)
    equal_zero = garbled.output_zero_labels[0]
    deciding = decision_circuit(
        spec.n_features, spec.x_frac_bits, spec.theta_bits, spec.feature_ranges
    )
    theta_zero = model_zero[: (spec.n_features + 1) * spec.theta_bits]
    shared = np.concatenate([theta_zero, equal_zero])
    output_zero = [equal_zero]
    for block in blocks_of(len(cases), _BLOCK_CASES):
        own_zero = own_zero_labels(active, bits[block], session.delta)
        garbled = session.garbler.garble(deciding, with_shared_labels(shared, own_zero))
        session.channel.send_array(OpTag.GARBLED_TABLES, garbled.tables)
        output_zero.append(garbled.output_zero_labels[:, 0])
        ctx.progress("decisions", block.stop, len(cases))
    all_zero = np.concatenate(output_zero)
    labels = session.channel.recv_array(ProtocolTag.OUTPUT_LABELS, np.uint64, all_zero.shape)
    outcome = check_output_labels(labels, all_zero, session.delta)
    if not outcome[0]:
        return [VerificationResult.DIFFERENT_MODEL] * len(cases)
    return [
        VerificationResult.CONFIRMED if ok else VerificationResult.DIFFERENT_DECISION
        for ok in outcome[1:]
    ]


def verify_as_modeler(
    ctx: JobContext,
    spec: VerificationSpec,
    theta: Sequence[int],
    nonce: bytes,
    n_cases: int,
) -> None:
    """Run the modeler's side; it learns nothing but that the batch was answered."""
    own_bits = model_bits(theta, spec.n_features, spec.theta_bits, nonce)
    session = EvaluatorSession(ctx)
    ctx.progress("oblivious transfer", 0, n_cases)
    model_labels = recv_labels(
        session.channel,
        OpTag.LABEL_CORRECTIONS,
        session.hash,
        session.ot.extend(own_bits),
        own_bits,
        _WIRE_INSTANCE,
        np.arange(len(own_bits), dtype=np.uint64),
    )
    active = recv_own_seed(session.channel)
    signature_labels = active.words(256, 2)
    hashing = hash_circuit(spec.config_digest, spec.n_features, spec.theta_bits)
    tables = session.channel.recv_array(OpTag.GARBLED_TABLES, np.uint64, (1, hashing.n_ands, 4))
    equal = session.evaluator.evaluate(
        hashing, np.concatenate([model_labels, signature_labels])[None], tables
    )[0]
    deciding = decision_circuit(
        spec.n_features, spec.x_frac_bits, spec.theta_bits, spec.feature_ranges
    )
    theta_labels = model_labels[: (spec.n_features + 1) * spec.theta_bits]
    shared = np.concatenate([theta_labels, equal])
    n_own = deciding.n_inputs - len(shared)
    outputs = [equal]
    for block in blocks_of(n_cases, _BLOCK_CASES):
        m = block.stop - block.start
        own = active.words(m, n_own, 2)
        tables = session.channel.recv_array(
            OpTag.GARBLED_TABLES, np.uint64, (m, deciding.n_ands, 4)
        )
        labels = with_shared_labels(shared, own)
        outputs.append(session.evaluator.evaluate(deciding, labels, tables)[:, 0])
        ctx.progress("decisions", block.stop, n_cases)
    session.channel.send_array(ProtocolTag.OUTPUT_LABELS, np.concatenate(outputs))
