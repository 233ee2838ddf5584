"""The verification protocol: one hash of the modeler's model, one decision circuit a challenge.

1. Fresh session; the modeler's coefficients and nonce enter once as labels.
2. The regulator garbles the hash circuit (its input: the certified signature) and, in blocks, one
   instance of the decision circuit a challenge (its inputs: x and the claim), which take the same
   model labels and the equality wire.
3. The regulator promises every output label, the modeler checks the ones it evaluated and commits
   to them, and opens all in one message when the regulator has kept the commitment: it can refuse a
   batch, never an answer (`protocols.ending`).
4. The regulator decodes after every label was held against its promise.

With an item of `preparation` step 1 and the hash circuit were made before: the modeler sends one
bit a wire, the regulator one label a wire and the key of the tables' mask.

The regulator learns ``eq`` and, per challenge, ``eq AND (decision = claim)``; the modeler only the
number of challenges: it gets no decoding bits.
Source: the project's constructions page, section "Verification"; Kilbertus et al. (2018), 3.3.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mpc_engine.crypto import tweak_plan
from mpc_engine.crypto.prg import SEED_BYTES
from mpc_engine.errors import UsageError
from mpc_engine.garbling import InstanceCounter
from mpc_engine.protocols.ending.kept_ends import EndKind, ModelerEnd, RegulatorEnd
from mpc_engine.protocols.ending.modeler import deliver_as_modeler, end_as_modeler
from mpc_engine.protocols.ending.regulator import deliver_as_regulator, end_as_regulator
from mpc_engine.protocols.instances import blocks_of, with_shared_labels
from mpc_engine.protocols.model_inputs import model_bits
from mpc_engine.protocols.session import (
    EvaluatorLine,
    EvaluatorSession,
    GarblerLine,
    GarblerSession,
    JobContext,
)
from mpc_engine.protocols.tags import ProtocolTag
from mpc_engine.protocols.verification.circuit import (
    case_bits,
    decision_circuit,
    hash_circuit,
)
from mpc_engine.protocols.verification.preparation import (
    SIGNATURE_BITS,
    EvaluatorItem,
    GarblerItem,
    masked,
    n_model_wires,
    signature_bits,
)
from mpc_engine.protocols.verification.spec import VerificationSpec
from mpc_engine.secure_ops.garbler_inputs import GarblerInputs, GarblerLabels
from mpc_engine.vocabulary.runs import Stage
from mpc_engine.vocabulary.verdicts import VerificationResult

_BLOCK_CASES = 256


@dataclass(frozen=True, repr=False, eq=False)
class _GarbledHash:
    """The regulator's side after the hash circuit: what decisions are garbled with."""

    line: GarblerLine
    model_zero: NDArray[np.uint64]
    equal_zero: NDArray[np.uint64]
    inputs: GarblerInputs


@dataclass(frozen=True, repr=False, eq=False)
class _EvaluatedHash:
    """The modeler's side after the hash circuit."""

    line: EvaluatorLine
    model_labels: NDArray[np.uint64]
    equal: NDArray[np.uint64]
    inputs: GarblerLabels


def verify_as_regulator(
    ctx: JobContext,
    spec: VerificationSpec,
    certified_signature: bytes,
    cases: Sequence[tuple[Sequence[int], int]],
    item: GarblerItem | None = None,
) -> list[VerificationResult]:
    """Run the regulator's side for challenges ``(x, claimed decision)``, encoded integers.

    ``item``: this party's side of what was prepared under the same signature, used here for the
    first and last time. Raises UsageError when a case is out of range, DisputedError when the
    modeler stopped, RefusedError when a label is forged: then nothing was decoded and the batch
    counts as not answered.
    """
    if not cases:
        raise UsageError("There is no challenge to verify.", code="NO_CHALLENGES")
    bits = case_bits(spec, cases)
    hashed = (
        _garble_hash(ctx, spec, certified_signature, len(cases))
        if item is None
        else _hash_from_stock(ctx, item, len(cases))
    )
    deciding = decision_circuit(
        spec.n_features, spec.x_frac_bits, spec.theta_bits, spec.feature_ranges
    )
    theta_zero = hashed.model_zero[: (spec.n_features + 1) * spec.theta_bits]
    shared = np.concatenate([theta_zero, hashed.equal_zero])
    output_zero = [hashed.equal_zero]
    for block in blocks_of(len(cases), _BLOCK_CASES):
        own_zero = hashed.inputs.zero_labels(bits[block])
        decided_zero = hashed.line.garble(deciding, with_shared_labels(shared, own_zero))
        output_zero.append(decided_zero[:, 0])
        ctx.progress(Stage.DECISIONS, block.stop, len(cases))
    all_zero = np.concatenate(output_zero)
    return _results(end_as_regulator(ctx, EndKind.VERIFICATION, hashed.line, all_zero))


def verify_as_modeler(
    ctx: JobContext,
    spec: VerificationSpec,
    theta: Sequence[int],
    nonce: bytes,
    n_cases: int,
    item: EvaluatorItem | None = None,
) -> None:
    """Run the modeler's side; it learns nothing but that the batch was answered."""
    own_bits = model_bits(theta, spec.n_features, spec.theta_bits, nonce)
    hashed = (
        _evaluate_hash(ctx, spec, own_bits, n_cases)
        if item is None
        else _evaluate_stock(ctx, spec, own_bits, n_cases, item)
    )
    deciding = decision_circuit(
        spec.n_features, spec.x_frac_bits, spec.theta_bits, spec.feature_ranges
    )
    theta_labels = hashed.model_labels[: (spec.n_features + 1) * spec.theta_bits]
    shared = np.concatenate([theta_labels, hashed.equal])
    n_own = deciding.n_inputs - len(shared)
    outputs = [hashed.equal]
    for block in blocks_of(n_cases, _BLOCK_CASES):
        own = hashed.inputs.take(block.stop - block.start, n_own)
        labels = with_shared_labels(shared, own)
        outputs.append(hashed.line.evaluate(deciding, labels)[:, 0])
        ctx.progress(Stage.DECISIONS, block.stop, n_cases)
    end_as_modeler(ctx, EndKind.VERIFICATION, np.concatenate(outputs), _look_at_nothing)


def deliver_verification_as_regulator(ctx: JobContext, end: bytes) -> list[VerificationResult]:
    """Call for the answer to a kept end again, on a fresh line; raises as the first time."""
    kept = RegulatorEnd.decode(end)
    return _results(deliver_as_regulator(ctx.channel, ctx.end_terms, kept))


def deliver_verification_as_modeler(ctx: JobContext, end: bytes, answer: bytes) -> None:
    """Answer with a kept end on a fresh line; with ``answer``, as it is, if it was given before."""
    kept = ModelerEnd.decode(end)
    deliver_as_modeler(ctx.channel, ctx.end_terms, kept, _look_at_nothing, answer)


def _results(outcome: NDArray[np.uint8]) -> list[VerificationResult]:
    """Return the result of every case from the outputs uint8 (1 + cases,)."""
    if not outcome[0]:
        return [VerificationResult.DIFFERENT_MODEL] * (len(outcome) - 1)
    return [
        VerificationResult.CONFIRMED if ok else VerificationResult.DIFFERENT_DECISION
        for ok in outcome[1:]
    ]


def _look_at_nothing(values: NDArray[np.uint8]) -> None:
    """Let the labels out: the modeler sees no outcome of a verification."""


def _garble_hash(
    ctx: JobContext, spec: VerificationSpec, certified_signature: bytes, n_cases: int
) -> _GarbledHash:
    """Open a session and send the hash circuit, all within the job."""
    session = GarblerSession(ctx)
    ctx.progress(Stage.OBLIVIOUS_TRANSFER, 0, n_cases)
    model_zero = session.enter(n_model_wires(spec), tweak_plan.MODEL_WIRES)
    inputs = session.garbler_inputs()
    signature_zero = inputs.zero_labels(signature_bits(certified_signature))
    hashing = hash_circuit(spec.config_digest, spec.n_features, spec.theta_bits)
    equal_zero = session.garble(hashing, np.concatenate([model_zero, signature_zero])[None])[0]
    return _GarbledHash(session, model_zero, equal_zero, inputs)


def _evaluate_hash(
    ctx: JobContext, spec: VerificationSpec, own_bits: NDArray[np.uint8], n_cases: int
) -> _EvaluatedHash:
    """Open a session, enter the model and evaluate the hash circuit, all within the job."""
    session = EvaluatorSession(ctx)
    ctx.progress(Stage.OBLIVIOUS_TRANSFER, 0, n_cases)
    model_labels = session.enter(own_bits, tweak_plan.MODEL_WIRES)
    inputs = session.garbler_inputs()
    signature_labels = inputs.take(SIGNATURE_BITS)
    hashing = hash_circuit(spec.config_digest, spec.n_features, spec.theta_bits)
    equal = session.evaluate(hashing, np.concatenate([model_labels, signature_labels])[None])[0]
    return _EvaluatedHash(session, model_labels, equal, inputs)


def _hash_from_stock(ctx: JobContext, item: GarblerItem, n_cases: int) -> _GarbledHash:
    """Fix the modeler's bits by its flips; only then give out labels and the tables' key."""
    ctx.progress(Stage.PREPARED_MATERIAL, 0, n_cases)
    counter = InstanceCounter()
    counter.take(tweak_plan.PREPARED_CIRCUITS)
    line = GarblerLine(ctx.channel, ctx.rng, item.hash_key, item.delta, counter)
    flipped = line.enter_late(item.flip_zero)
    ctx.channel.send_array(ProtocolTag.FLIP_LABELS, flipped)
    ctx.channel.send(ProtocolTag.TABLE_KEY, item.table_key)
    return _GarbledHash(line, item.model_zero, item.equal_zero, line.garbler_inputs())


def _evaluate_stock(
    ctx: JobContext,
    spec: VerificationSpec,
    own_bits: NDArray[np.uint8],
    n_cases: int,
    item: EvaluatorItem,
) -> _EvaluatedHash:
    """Say which prepared bits differ from the model's, and evaluate the prepared hash circuit."""
    ctx.progress(Stage.PREPARED_MATERIAL, 0, n_cases)
    line = EvaluatorLine(ctx.channel, ctx.rng, item.hash_key)
    line.enter_late(own_bits, item.choices)
    flipped = ctx.channel.recv_array(ProtocolTag.FLIP_LABELS, np.uint64, item.labels.shape)
    model_labels = item.labels ^ flipped
    tables = masked(item.masked_tables, ctx.channel.recv(ProtocolTag.TABLE_KEY, size=SEED_BYTES))
    hashing = hash_circuit(spec.config_digest, spec.n_features, spec.theta_bits)
    labels = np.concatenate([model_labels, item.signature_labels])[None]
    equal = line.evaluator.evaluate(hashing, labels, tables)[0]
    return _EvaluatedHash(line, model_labels, equal, line.garbler_inputs())
