"""Protocols in the clear: same functions, same outcomes, no secrecy; they test the runner alone."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from mpc_engine.control.files.model_file import decide_case
from mpc_engine.errors import UsageError
from mpc_engine.party.jobs.protocol_table import ProtocolTable
from mpc_engine.protocols.certification.spec import CertificationOutcome, CertificationSpec
from mpc_engine.protocols.closing.equality import compare_runs
from mpc_engine.protocols.closing.protocol import ClosingOutcome
from mpc_engine.protocols.closing.record_list import (
    JudgedList,
    ListedShare,
    ListEntry,
    agree,
    decode_entries,
    encode_entries,
    record_set_digest,
)
from mpc_engine.protocols.ending.signed_line import SignedLine, first_digest
from mpc_engine.protocols.keeping import ClosingTerms
from mpc_engine.protocols.model_encoding import model_signature
from mpc_engine.protocols.session import JobContext
from mpc_engine.protocols.training.checkpoint import (
    Checkpointing,
    TrainingState,
    state_wires,
)
from mpc_engine.protocols.training.plaintext import train_plaintext
from mpc_engine.protocols.training.spec import TrainingSpec
from mpc_engine.protocols.verification.preparation import EvaluatorItem, GarblerItem
from mpc_engine.protocols.verification.spec import VerificationSpec
from mpc_engine.sharing.layout import EnvelopeLayout
from mpc_engine.sharing.records import HeldRecords, RecordSource
from mpc_engine.vocabulary.verdicts import NoVerdict, Verdict, VerificationResult

TAG = 0xF001


def run_closing(
    ctx: JobContext,
    layout: EnvelopeLayout,
    held: list[ListedShare],
    peer_receipts: set[ListEntry],
    terms: ClosingTerms,
    value: bytes = b"",
    valid: int = 1,
) -> ClosingOutcome:
    """Agree on the list; every row counts as ``valid``. The equality is the real one.

    ``value``: what this side commits to, the record set unless given.
    """
    own = {item.entry for item in held}
    ctx.channel.send(TAG, encode_entries(own))
    entries, n_disagreed = agree(own, decode_entries(ctx.channel.recv(TAG)), peer_receipts)
    if not entries:
        raise UsageError("No record was accepted by both parties.", code="NO_RECORDS")
    ctx.progress("checking answers", len(entries), len(entries))
    by_entry = {item.entry: item.share for item in held}
    records = HeldRecords.from_shares([by_entry[entry] for entry in entries])
    judged = JudgedList(entries, bytes([valid]) * len(entries), n_disagreed)
    record_set = record_set_digest(layout.config_digest, entries)
    start = first_digest("closing", ctx.job_digest)
    signed = SignedLine(ctx.channel, ctx.role, terms.signatures, start)
    compare_runs(ctx, terms, signed, value or record_set, judged, records)
    return ClosingOutcome(record_set, records, 0, n_disagreed)


def _outcome(spec: CertificationSpec, theta: list[int], nonce: bytes) -> CertificationOutcome:
    """Pass a model whose first coefficient is 0, fail others, give up on 1."""
    verdict = Verdict.PASS if theta[1] == 0 else Verdict.FAIL
    reason = None
    if theta[1] == 1:
        verdict, reason = Verdict.UNDETERMINED, NoVerdict.GROUP_UNDER_FLOOR
    passed = verdict is Verdict.PASS
    return CertificationOutcome(
        verdict=verdict,
        reason=reason,
        passes=tuple(tuple(passed for _ in criterion.thresholds) for criterion in spec.criteria),
        model_signature=model_signature(spec.config_digest, nonce, theta) if passed else None,
        and_gates=11,
        ots=7,
    )


def certify_as_modeler(
    ctx: JobContext,
    spec: CertificationSpec,
    records: RecordSource,
    theta: Sequence[int],
    nonce: bytes,
) -> CertificationOutcome:
    """Hand over the model."""
    assert records.read(slice(0, len(records))).features is None
    ctx.channel.send(TAG, json.dumps([list(theta), nonce.hex()]).encode())
    return _outcome(spec, list(theta), nonce)


def certify_as_regulator(
    ctx: JobContext, spec: CertificationSpec, records: RecordSource
) -> CertificationOutcome:
    """Judge the model."""
    assert records.read(slice(0, len(records))).features is not None
    theta, nonce = json.loads(ctx.channel.recv(TAG))
    return _outcome(spec, theta, bytes.fromhex(nonce))


def train_as_modeler(
    ctx: JobContext,
    points: Iterable[TrainingSpec],
    records: HeldRecords,
    rows: NDArray[np.int64],
    labels: NDArray[np.uint8],
    checkpoints: Checkpointing,
) -> Iterator[NDArray[np.int64]]:
    """Take the other party's shares and run the oracle."""
    for number, spec in enumerate(points):
        if not number:
            checkpoints.start(spec)
        other = ctx.channel.recv_array(TAG, np.uint8, records.low_bits.shape)
        ctx.progress("training", spec.n_steps, spec.n_steps)
        checkpoints.keep(spec, _empty_state(spec))
        checkpoints.opening(spec)
        yield train_plaintext(spec, rows, labels, records.low_bits ^ other).theta


def train_as_regulator(
    ctx: JobContext,
    points: Iterable[TrainingSpec],
    records: HeldRecords,
    checkpoints: Checkpointing,
) -> Iterator[None]:
    """Hand over the shares."""
    assert records.features is None
    for number, spec in enumerate(points):
        if not number:
            checkpoints.start(spec)
        ctx.channel.send_array(TAG, records.low_bits)
        ctx.progress("training", spec.n_steps, spec.n_steps)
        checkpoints.keep(spec, _empty_state(spec))
        checkpoints.opening(spec)
        yield


def _empty_state(spec: TrainingSpec) -> TrainingState:
    """Return a state after the last step: the opening is next."""
    shape = (len(spec.bounds), spec.n_columns)
    return TrainingState(
        spec.n_steps,
        np.zeros(shape, np.uint64),
        np.zeros(spec.n_columns, np.uint64),
        np.zeros(state_wires(spec), np.uint8),
    )


def verify_as_modeler(
    ctx: JobContext,
    spec: VerificationSpec,
    theta: Sequence[int],
    nonce: bytes,
    n_cases: int,
    item: EvaluatorItem | None = None,
) -> None:
    """Hand over the model."""
    ctx.channel.send(TAG, json.dumps([list(theta), nonce.hex(), n_cases]).encode())


def verify_as_regulator(
    ctx: JobContext,
    spec: VerificationSpec,
    certified_signature: bytes,
    cases: Sequence[tuple[Sequence[int], int]],
    item: GarblerItem | None = None,
) -> list[VerificationResult]:
    """Compare model and decisions."""
    theta, nonce, n_cases = json.loads(ctx.channel.recv(TAG))
    assert n_cases == len(cases)
    if model_signature(spec.config_digest, bytes.fromhex(nonce), theta) != certified_signature:
        return [VerificationResult.DIFFERENT_MODEL] * len(cases)
    return [
        VerificationResult.CONFIRMED
        if decide_case(theta, x, spec.x_frac_bits) == claim
        else VerificationResult.DIFFERENT_DECISION
        for x, claim in cases
    ]


PLAIN = ProtocolTable(
    run_closing=run_closing,
    certify_as_modeler=certify_as_modeler,
    certify_as_regulator=certify_as_regulator,
    train_as_modeler=train_as_modeler,
    train_as_regulator=train_as_regulator,
    verify_as_modeler=verify_as_modeler,
    verify_as_regulator=verify_as_regulator,
)
