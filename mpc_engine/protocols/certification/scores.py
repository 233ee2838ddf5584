"""Decisions of a block of people as wires: keyed products, re-entered, and their sign.

The score ``theta_0 2^f + sum_k theta_k x_k`` of every person is shared by `keyed_product`; the
modeler enters its integer shares bit by bit, bound by the re-entry check; one subtraction's sign a
person is the decision. Nothing is opened.
"""

from __future__ import annotations

import copy
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from mpc_engine.circuits import Circuit, CircuitBuilder, arithmetic
from mpc_engine.crypto import tweak_plan
from mpc_engine.fairness.circuit_algebra import width_of
from mpc_engine.kernels.field61 import block_residues
from mpc_engine.ot.extension import FinishCall
from mpc_engine.protocols.certification.spec import CertificationSpec
from mpc_engine.protocols.instances import bits_of
from mpc_engine.protocols.session import EvaluatorSession, GarblerSession
from mpc_engine.secure_ops.bound_reentry import sum_width_bits
from mpc_engine.secure_ops.keyed_product import Chunk, chunks_of


@dataclass(frozen=True)
class ScoreShape:
    """Public widths: ``width`` = l bits of a score, ``entered`` = B bits of the modeler's share."""

    chunks: tuple[Chunk, ...]
    width: int
    entered: int


def score_shape(spec: CertificationSpec) -> ScoreShape:
    """Return the widths that hold every score; UsageError ``SUM_TOO_WIDE`` if B is not below 61."""
    bound = 1 << (spec.theta_bits - 1)
    reach = sum(max(abs(low), abs(high)) for low, high in spec.feature_ranges)
    largest = bound * (reach + (1 << spec.x_frac_bits))
    width = width_of(-largest, largest)
    chunks = tuple(chunks_of(spec.n_features + 1, spec.theta_bits))
    return ScoreShape(chunks, width, sum_width_bits(width, len(chunks)))


@lru_cache(maxsize=16)
def sign_circuit(width: int) -> Circuit:
    """Build ``selected = (entered - kept >= 0)`` in two's complement of ``width`` bits."""
    builder = CircuitBuilder()
    entered = builder.input("entered", width)
    kept = builder.input("kept", width)
    score = arithmetic.subtract(builder, entered, kept, width)
    builder.output("selected", [builder.not_(score[-1])])
    return builder.build()


def _low_wires(labels: NDArray[np.uint64], shape: ScoreShape) -> NDArray[np.uint64]:
    return labels.reshape(-1, shape.entered, 2)[:, : shape.width]


@dataclass(frozen=True, repr=False)
class SentProducts:
    """The regulator's share of a block's scores: r uint64 (m,), the MAC's part beta, its key."""

    block: int
    r: NDArray[np.uint64]
    beta: int
    alpha: NDArray[np.uint64]


@dataclass(frozen=True, repr=False)
class ReceivedProducts:
    """The modeler's: the bits uint8 (m B,) of its shares, as it enters them; the MAC's part t."""

    block: int
    bits: NDArray[np.uint8]
    t: int


class RegulatorScores:
    """The regulator's side, block after block: each is sent, begun and entered.

    Later blocks may be sent before an earlier one is entered; they are begun and entered in order,
    one after another.
    """

    def __init__(
        self, session: GarblerSession, spec: CertificationSpec, theta_zero: NDArray[np.uint64]
    ) -> None:
        self._session = session
        self._shape = score_shape(spec)
        self._one = 1 << spec.x_frac_bits
        self._seeds = session.seeds(theta_zero)
        self._inputs = session.garbler_inputs()
        self._block = 0
        self.mac_difference = 0
        self.and_gates = 0
        self.ots = 0

    def __repr__(self) -> str:
        return "RegulatorScores(<secret>)"

    def for_worker(self, session: GarblerSession) -> RegulatorScores:
        """Return a worker's scores: of the same seeds, not sent again, under its hash key.

        Garbler inputs start from a new seed.
        """
        own = copy.copy(self)
        own._session, own._inputs = session, session.garbler_inputs()
        own._block = own.mac_difference = own.and_gates = own.ots = 0
        return own

    def send(self, features: NDArray[np.int64], people: slice) -> SentProducts:
        """Send what makes the modeler's shares of ``people``; nothing of it depends on the modeler.

        ``features`` int64 (m, d) are theirs alone.
        """
        session = self._session
        self._block += 1
        m = people.stop - people.start
        rows = np.hstack([np.full((m, 1), self._one, dtype=np.int64), features])
        alpha = block_residues(session.rng.words(m, 2))
        r, beta = session.keyed_products(
            self._seeds,
            self._shape.chunks,
            rows,
            people,
            self._shape.width,
            alpha,
            self._block,
        )
        return SentProducts(self._block, r, beta, alpha)

    def begin(self, sent: SentProducts) -> FinishCall:
        """Begin the transfers by which the modeler enters its shares."""
        return self._session.ot.begin(len(sent.r) * self._shape.entered)

    def enter(self, sent: SentProducts, keys: NDArray[np.uint64]) -> NDArray[np.uint64]:
        """Return the zero labels of the decisions, uint64 (m, 2); ``keys`` of these transfers."""
        session, shape, m = self._session, self._shape, len(sent.r)
        zero = session.labels(keys, tweak_plan.score_labels(sent.block))
        entered = session.bind(zero, sent.alpha, shape.entered, sent.block)
        kept = self._inputs.zero_labels(bits_of(sent.r, shape.width).reshape(m, shape.width))
        circuit = sign_circuit(shape.width)
        inputs = np.concatenate([_low_wires(zero, shape), kept], axis=1)
        selected_zero = session.garble(circuit, np.ascontiguousarray(inputs))
        self.mac_difference += entered - sent.beta
        self.and_gates += m * circuit.n_ands
        self.ots += len(keys)
        return selected_zero[:, 0]


class ModelerScores:
    """The modeler's side, block after block; see `RegulatorScores`."""

    def __init__(
        self,
        session: EvaluatorSession,
        spec: CertificationSpec,
        theta_labels: NDArray[np.uint64],
        theta_bits: NDArray[np.uint8],
    ) -> None:
        self._session = session
        self._shape = score_shape(spec)
        self._seeds = session.seeds(theta_labels, theta_bits)
        self._inputs = session.garbler_inputs()
        self._block = 0
        self.mac_difference = 0
        self.and_gates = 0
        self.ots = 0

    def __repr__(self) -> str:
        return "ModelerScores(<secret>)"

    def for_worker(self, session: EvaluatorSession) -> ModelerScores:
        """Return the scores of a worker; see `RegulatorScores.for_worker`."""
        own = copy.copy(self)
        own._session, own._inputs = session, session.garbler_inputs()
        own._block = own.mac_difference = own.and_gates = own.ots = 0
        return own

    def receive(self, people: slice) -> ReceivedProducts:
        """Receive this side's shares of the scores of ``people``."""
        shape = self._shape
        self._block += 1
        v, t = self._session.keyed_products(
            self._seeds, shape.chunks, people, shape.width, self._block
        )
        return ReceivedProducts(self._block, bits_of(v, shape.entered), t)

    def begin(self, received: ReceivedProducts) -> FinishCall:
        """Begin the transfers that enter the shares."""
        return self._session.ot.begin(received.bits)

    def enter(self, received: ReceivedProducts, keys: NDArray[np.uint64]) -> NDArray[np.uint64]:
        """Return the labels of the decisions, uint64 (m, 2); ``keys`` of these transfers."""
        session, shape, bits = self._session, self._shape, received.bits
        m = len(bits) // shape.entered
        labels = session.labels(keys, bits, tweak_plan.score_labels(received.block))
        entered = session.bind(labels, bits, received.block)
        kept = self._inputs.take(m, shape.width)
        circuit = sign_circuit(shape.width)
        inputs = np.concatenate([_low_wires(labels, shape), kept], axis=1)
        outputs = session.evaluate(circuit, np.ascontiguousarray(inputs))
        self.mac_difference += entered - received.t
        self.and_gates += m * circuit.n_ands
        self.ots += len(bits)
        return outputs[:, 0]
