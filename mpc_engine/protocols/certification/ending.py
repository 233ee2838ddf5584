"""How a certification ends: `protocols.ending`, and what its outputs mean to either party."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from mpc_engine.circuits import Circuit
from mpc_engine.protocols.certification.circuit import certification_circuit
from mpc_engine.protocols.certification.plausible import require_plausible
from mpc_engine.protocols.certification.spec import CertificationOutcome, CertificationSpec
from mpc_engine.protocols.certification.verdict import read_opened
from mpc_engine.protocols.ending.kept_ends import EndKind, ModelerEnd, RegulatorEnd
from mpc_engine.protocols.ending.modeler import deliver_as_modeler, end_as_modeler
from mpc_engine.protocols.ending.regulator import deliver_as_regulator, end_as_regulator
from mpc_engine.protocols.model_encoding import model_signature
from mpc_engine.protocols.session import GarblerLine, JobContext
from mpc_engine.vocabulary.verdicts import Verdict

Bits = NDArray[np.uint8]
Labels = NDArray[np.uint64]


def conclude_as_regulator(
    ctx: JobContext,
    spec: CertificationSpec,
    n_records: int,
    line: GarblerLine,
    zero_labels: Labels,
    proof: bytes,
) -> CertificationOutcome:
    """End a run whose outputs have ``zero_labels`` uint64 (n, 2), and whose proof is ``proof``."""
    bits = end_as_regulator(ctx, EndKind.CERTIFICATION, line, zero_labels, proof)
    return _regulators_outcome(spec, n_records, bits)


def conclude_as_modeler(
    ctx: JobContext,
    spec: CertificationSpec,
    n_records: int,
    theta: Sequence[int],
    nonce: bytes,
    labels: Labels,
    proof: bytes,
) -> CertificationOutcome:
    """End a run whose outputs' ``labels`` uint64 (n, 2) this side evaluated."""
    look = _Look(spec, n_records, theta, nonce)
    end_as_modeler(ctx, EndKind.CERTIFICATION, labels, look, proof=proof, private=nonce)
    return look.outcome()


def deliver_certification_as_regulator(
    ctx: JobContext, spec: CertificationSpec, n_records: int, end: bytes
) -> CertificationOutcome:
    """Send the last message of a kept end again, on a fresh line, and take the answer.

    Raises as `protocols.ending.regulator.deliver_as_regulator`. The outcome tells no costs.
    """
    kept = RegulatorEnd.decode(end)
    bits = deliver_as_regulator(ctx.channel, ctx.end_terms, kept)
    return _regulators_outcome(spec, n_records, bits)


def deliver_certification_as_modeler(
    ctx: JobContext,
    spec: CertificationSpec,
    n_records: int,
    theta: Sequence[int],
    end: bytes,
    answer: bytes,
) -> CertificationOutcome:
    """Answer the regulator's last message of a kept end, on a fresh line.

    ``answer``: what was answered before, empty if nothing was. The outcome tells no costs. Raises
    as `protocols.ending.modeler.deliver_as_modeler`.
    """
    kept = ModelerEnd.decode(end)
    look = _Look(spec, n_records, theta, kept.private)
    deliver_as_modeler(ctx.channel, ctx.end_terms, kept, look, answer)
    return look.outcome()


def kept_nonce(end: bytes) -> bytes:
    """Return the nonce of the model that was entered, from the modeler's kept end."""
    return ModelerEnd.decode(end).private


def with_costs(outcome: CertificationOutcome, and_gates: int, ots: int) -> CertificationOutcome:
    """Return an outcome with what the run before its end has cost."""
    return replace(outcome, and_gates=and_gates, ots=ots)


class _Look:
    """The modeler's look at an outcome; it holds what an honest one must show."""

    def __init__(
        self, spec: CertificationSpec, n_records: int, theta: Sequence[int], nonce: bytes
    ) -> None:
        self._spec = spec
        self._n_records = n_records
        self._signature = model_signature(spec.config_digest, nonce, theta)
        self._outcome: CertificationOutcome | None = None

    def __repr__(self) -> str:
        return "_Look(<secret>)"

    def __call__(self, bits: Bits) -> None:
        """Keep the outcome that the outputs uint8 (n,) say; DisputedError if it isn't one."""
        circuit = certification_circuit(self._spec, self._n_records)
        opened = require_plausible(
            self._spec,
            bits[circuit.output_slices["verdict"]],
            _signature(circuit, bits),
            self._signature,
            self._n_records,
        )
        self._outcome = CertificationOutcome(
            **vars(opened), model_signature=None, and_gates=0, ots=0
        )

    def outcome(self) -> CertificationOutcome:
        """Return the outcome that was looked at; ValueError before."""
        if self._outcome is None:
            raise ValueError("No outcome was opened.")
        return self._outcome


def _regulators_outcome(
    spec: CertificationSpec, n_records: int, bits: Bits
) -> CertificationOutcome:
    circuit = certification_circuit(spec, n_records)
    opened = read_opened(
        spec, [int(bit) for bit in bits[circuit.output_slices["verdict"]]], n_records
    )
    signature = _signature(circuit, bits) if opened.verdict is Verdict.PASS else None
    return CertificationOutcome(**vars(opened), model_signature=signature, and_gates=0, ots=0)


def _signature(circuit: Circuit, bits: Bits) -> bytes:
    return np.packbits(bits[circuit.output_slices["signature"]], bitorder="big").tobytes()
