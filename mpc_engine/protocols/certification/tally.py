"""Counting groups and their selected people inside the computation, streamed in blocks.

A block of people takes: their decisions as wires (`scores`); their bits, entered under two locks;
one tally circuit that adds the block to running counters. Counters stay labels from block to block
and go into the certification circuit: no count is opened. What is kept of every person is
her item keys; labels, tables and scores live for a block.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from mpc_engine.circuits import Bits, Circuit, CircuitBuilder, Wire, arithmetic
from mpc_engine.protocols.certification.circuit import count_width
from mpc_engine.protocols.certification.scores import ModelerScores, RegulatorScores
from mpc_engine.protocols.certification.spec import CertificationSpec
from mpc_engine.protocols.instances import bits_of, blocks_of
from mpc_engine.protocols.session import EvaluatorSession, GarblerSession, JobContext
from mpc_engine.roles import OTDirection
from mpc_engine.secure_ops.label_transfer import recv_labels, send_labels
from mpc_engine.secure_ops.person_locks import item_indices, item_instances
from mpc_engine.secure_ops.tags import OpTag
from mpc_engine.sharing.records import HeldRecords

BLOCK_RECORDS = 2048
"""People a block; even, since the scores' streams hold two people a cipher block."""
_DIRECTION = OTDirection.REGULATOR_SENDS
_STAGE = "counting decisions"


@dataclass(frozen=True, repr=False)
class Tally:
    """One side's counters, uint64 (2 J w, 2): zero labels or labels; its MAC part; public costs."""

    counters: NDArray[np.uint64]
    mac_difference: int
    and_gates: int
    ots: int


@lru_cache(maxsize=16)
def tally_circuit(n_people: int, category_counts: tuple[int, ...], width: int) -> Circuit:
    """Build ``counts += block``; inputs counts, selected (n), categories (n x J, record-major).

    ``counts``: J sizes, then J selected counts, each of ``width`` bits. A person who would stand in
    two categories of an attribute stands in none: closing checked her row once, and a person who
    helps the modeler could otherwise open other bits here than there.
    """
    n_categories = sum(category_counts)
    builder = CircuitBuilder()
    counts = builder.input("counts", 2 * n_categories * width)
    selected = builder.input("selected", n_people)
    categories = builder.input("categories", n_people * n_categories)
    rows = [
        _at_most_one(builder, categories[i : i + n_categories], category_counts)
        for i in range(0, len(categories), n_categories)
    ]
    groups = [[row[j] for row in rows] for j in range(n_categories)]
    chosen = [
        [builder.and_(s, z) for s, z in zip(selected, group, strict=True)] for group in groups
    ]
    updated = []
    for index, bits in enumerate(groups + chosen):
        before = counts[index * width : (index + 1) * width]
        added = arithmetic.zero_extend(arithmetic.popcount(builder, bits), width)
        updated += arithmetic.add(builder, before, added, width)
    builder.output("counts", updated)
    return builder.build()


def _at_most_one(builder: CircuitBuilder, row: Bits, category_counts: Sequence[int]) -> Bits:
    """Return a person's bits, all 0 in an attribute where more than one is set."""
    kept: Bits = []
    for count in category_counts:
        attribute, row = row[:count], row[count:]
        seen: Wire = attribute[0]
        twice: Wire = False
        for bit in attribute[1:]:
            both = builder.and_(seen, bit)
            twice = builder.or_(twice, both)
            seen = builder.xor(builder.xor(seen, bit), both)
        if count == 2:
            kept += [builder.xor(bit, twice) for bit in attribute]
        else:
            kept += [builder.and_(bit, builder.not_(twice)) for bit in attribute]
    return kept


class _People:
    """Sizes, own bits and hash positions of the people, the same walk on both sides."""

    def __init__(self, spec: CertificationSpec, records: HeldRecords) -> None:
        entries = spec.real_entries
        self.n = len(records)
        self.category_counts = spec.category_counts
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
        return tally_circuit(block.stop - block.start, self.category_counts, self.width)


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
    counters = np.zeros((2 * people.n_categories * people.width, 2), dtype=np.uint64)
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
        inputs = np.concatenate([counters, selected_zero, category_zero])
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
    counters = np.zeros((2 * people.n_categories * people.width, 2), dtype=np.uint64)
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
        inputs = np.concatenate([counters, selected, categories])
        counters = session.evaluator.evaluate(circuit, inputs[None], tables)[0]
        tally_ands += circuit.n_ands
        ctx.progress(_STAGE, block.stop, people.n)
    return Tally(counters, scores.mac_difference, scores.and_gates + tally_ands, scores.ots)
