"""Counting groups and their selected people inside the computation, streamed in blocks.

A block of people takes: their decisions as wires (`scores`); their bits, entered under two locks;
one tally circuit that adds the block to running counters. Counters stay labels from block to block
and go into the certification circuit: no count is opened. What is kept of every person is
her item keys; labels, tables and scores live for a block.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mpc_engine.circuits import Circuit
from mpc_engine.protocols.certification.scores import ModelerScores, RegulatorScores
from mpc_engine.protocols.certification.spec import CertificationSpec
from mpc_engine.protocols.certification.tally_circuit import TallyPlan, count_width, tally_circuit
from mpc_engine.protocols.instances import bits_of, blocks_of
from mpc_engine.protocols.session import EvaluatorSession, GarblerSession, JobContext
from mpc_engine.roles import OTDirection
from mpc_engine.secure_ops.label_transfer import recv_labels, send_labels
from mpc_engine.secure_ops.own_inputs import own_zero_labels, recv_own_seed, send_own_seed
from mpc_engine.secure_ops.person_locks import item_indices, item_instances
from mpc_engine.secure_ops.tags import OpTag
from mpc_engine.sharing.records import HeldRecords

BLOCK_RECORDS = 2048
"""People a block; even, since the scores' streams hold two people a cipher block."""
_OUTCOMES = 2
"""Wires of a person's outcome: known to be favourable, known not to be."""
_DIRECTION = OTDirection.REGULATOR_SENDS
_STAGE = "counting decisions"


@dataclass(frozen=True, repr=False)
class Tally:
    """One side's counters, uint64 (counters * w, 2): zero labels or labels; MAC part; costs."""

    counters: NDArray[np.uint64]
    mac_difference: int
    and_gates: int
    ots: int


class _People:
    """Sizes, own bits and hash positions of the people, the same walk on both sides."""

    def __init__(self, spec: CertificationSpec, records: HeldRecords) -> None:
        entries = spec.real_entries
        self.n = len(records)
        self.plan = TallyPlan.of(spec)
        self.n_categories = len(entries)
        self.width = count_width(self.n)
        self.own_bits = np.ascontiguousarray(records.low_bits[:, entries.astype(np.int64)])
        self._instances = item_instances(_DIRECTION, self.n, self.n_categories)
        self._indices = item_indices(self.n, entries)

    def blocks(self) -> list[slice]:
        """Return the blocks of people."""
        return blocks_of(self.n, BLOCK_RECORDS)

    def positions(self, block: slice) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
        """Return hash instances and indices of a block's items, record-major."""
        items = slice(block.start * self.n_categories, block.stop * self.n_categories)
        return self._instances[items], self._indices[items]

    def tally(self, block: slice) -> Circuit:
        """Return the tally circuit of a block."""
        return tally_circuit(block.stop - block.start, self.plan, self.width)

    def no_counts(self) -> NDArray[np.uint64]:
        """Return counters at 0: the all-zero label on both sides."""
        return np.zeros((self.plan.n_counters * self.width, 2), dtype=np.uint64)


class _RegulatorOutcomes:
    """What the regulator knows of people's outcomes, entered as its own bits, block after block."""

    def __init__(self, session: GarblerSession, records: HeldRecords) -> None:
        labels = records.require_labels()
        self._bits = [(labels == value).astype(np.uint8) for value in (1, 0)]
        self._delta = session.delta
        self._active = send_own_seed(session.channel, session.rng)

    def __repr__(self) -> str:
        return "_RegulatorOutcomes(<secret>)"

    def block(self, people: slice) -> NDArray[np.uint64]:
        """Return zero labels uint64 (2 m, 2): whose outcome is favourable, whose is not."""
        bits = np.concatenate([known[people] for known in self._bits])
        return own_zero_labels(self._active, bits, self._delta)


def tally_as_regulator(
    ctx: JobContext,
    session: GarblerSession,
    spec: CertificationSpec,
    records: HeldRecords,
    item_keys: NDArray[np.uint64],
    theta_zero: NDArray[np.uint64],
) -> Tally:
    """Garble every block.

    ``item_keys`` uint64 (n, J, 2, 2) under two locks; ``theta_zero`` uint64 ((d + 1) t, 2).
    """
    people = _People(spec, records)
    features = records.require_features()
    scores = RegulatorScores(session, spec, theta_zero)
    outcomes = _RegulatorOutcomes(session, records) if people.plan.uses_outcomes else None
    counters = people.no_counts()
    tally_ands = 0
    for block in people.blocks():
        selected_zero = scores.block(features, block)
        person_zero = send_labels(
            session.channel,
            OpTag.PERSON_LABEL_CORRECTIONS,
            session.hash,
            item_keys[block].reshape(-1, 2, 2),
            session.delta,
            *people.positions(block),
        )
        own_bits = people.own_bits[block].reshape(-1, 1).astype(np.uint64)
        category_zero = person_zero ^ (own_bits * session.delta)
        circuit = people.tally(block)
        parts = [counters, selected_zero, category_zero]
        if outcomes is not None:
            parts.append(outcomes.block(block))
        inputs = np.concatenate(parts)
        garbled = session.garbler.garble(circuit, inputs[None])
        session.channel.send_array(OpTag.GARBLED_TABLES, garbled.tables)
        counters = garbled.output_zero_labels[0]
        tally_ands += circuit.n_ands
        ctx.progress(_STAGE, block.stop, people.n)
    return Tally(counters, scores.mac_difference, scores.and_gates + tally_ands, scores.ots)


def tally_as_modeler(
    ctx: JobContext,
    session: EvaluatorSession,
    spec: CertificationSpec,
    records: HeldRecords,
    item_keys: NDArray[np.uint64],
    theta: Sequence[int],
    theta_labels: NDArray[np.uint64],
) -> Tally:
    """Evaluate every block; ``item_keys`` uint64 (n, J, 2) of the modeler's own bits."""
    people = _People(spec, records)
    words = np.array([value & ((1 << spec.theta_bits) - 1) for value in theta], dtype=np.uint64)
    scores = ModelerScores(session, spec, theta_labels, bits_of(words, spec.theta_bits))
    outcomes = recv_own_seed(session.channel) if people.plan.uses_outcomes else None
    counters = people.no_counts()
    tally_ands = 0
    for block in people.blocks():
        selected = scores.block(block)
        categories = recv_labels(
            session.channel,
            OpTag.PERSON_LABEL_CORRECTIONS,
            session.hash,
            item_keys[block].reshape(-1, 2),
            people.own_bits[block].reshape(-1),
            *people.positions(block),
        )
        circuit = people.tally(block)
        tables = session.channel.recv_array(OpTag.GARBLED_TABLES, np.uint64, (1, circuit.n_ands, 4))
        parts = [counters, selected, categories]
        if outcomes is not None:
            parts.append(outcomes.words(_OUTCOMES * (block.stop - block.start), 2))
        inputs = np.concatenate(parts)
        counters = session.evaluator.evaluate(circuit, inputs[None], tables)[0]
        tally_ands += circuit.n_ands
        ctx.progress(_STAGE, block.stop, people.n)
    return Tally(counters, scores.mac_difference, scores.and_gates + tally_ands, scores.ots)
