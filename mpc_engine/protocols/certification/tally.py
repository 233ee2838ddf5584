"""Counting groups and their selected people inside the computation, streamed in blocks.

A block of people takes: one instance of the score circuit a person (the model's labels, shared by
all; the regulator's features, which cost no bytes) giving the decision wire; the person's bits,
entered under two locks; one tally circuit that adds the block to running counters. Counters stay
labels from block to block and go into the certification circuit: no count is opened.

Memory does not grow with the number of people. Per person about one AND gate a pair of bits of
theta and x, and three a category.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from mpc_engine.circuits import Circuit, CircuitBuilder, arithmetic
from mpc_engine.protocols.certification.circuit import count_width
from mpc_engine.protocols.certification.spec import CertificationSpec
from mpc_engine.protocols.decision import Ranges, decision_wire, x_bits, x_wires
from mpc_engine.protocols.instances import blocks_of, with_shared_labels
from mpc_engine.protocols.model_circuit import split_coefficients
from mpc_engine.protocols.session import EvaluatorSession, GarblerSession, JobContext
from mpc_engine.roles import OTDirection
from mpc_engine.secure_ops.label_transfer import recv_labels, send_labels
from mpc_engine.secure_ops.own_inputs import own_zero_labels, recv_own_seed, send_own_seed
from mpc_engine.secure_ops.person_locks import item_indices, item_instances
from mpc_engine.secure_ops.tags import OpTag
from mpc_engine.sharing.records import HeldRecords

BLOCK_RECORDS = 256
_DIRECTION = OTDirection.REGULATOR_SENDS
_STAGE = "counting decisions"


@lru_cache(maxsize=16)
def score_circuit(
    n_features: int, x_frac_bits: int, theta_bits: int, feature_ranges: Ranges
) -> Circuit:
    """Build ``selected = decision(theta, x)``; inputs theta, x."""
    builder = CircuitBuilder()
    theta = builder.input("theta", (n_features + 1) * theta_bits)
    x = builder.input("x", x_wires(feature_ranges))
    coefficients = split_coefficients(theta, theta_bits)
    selected = decision_wire(builder, coefficients, x, x_frac_bits, feature_ranges)
    builder.output("selected", [selected])
    return builder.build()


@lru_cache(maxsize=16)
def tally_circuit(n_people: int, n_categories: int, width: int) -> Circuit:
    """Build ``counts += block``; inputs counts, selected (n), categories (n x J, record-major).

    ``counts``: J sizes, then J selected counts, each of ``width`` bits.
    """
    builder = CircuitBuilder()
    counts = builder.input("counts", 2 * n_categories * width)
    selected = builder.input("selected", n_people)
    categories = builder.input("categories", n_people * n_categories)
    totals = []
    for j in range(n_categories):
        totals.append(categories[j::n_categories])
    for j in range(n_categories):
        totals.append(
            [builder.and_(s, z) for s, z in zip(selected, totals[j], strict=True)]
        )
    updated = []
    for index, bits in enumerate(totals):
        before = counts[index * width : (index + 1) * width]
        added = arithmetic.zero_extend(arithmetic.popcount(builder, bits), width)
        updated += arithmetic.add(builder, before, added, width)
    builder.output("counts", updated)
    return builder.build()


def _score_circuit(spec: CertificationSpec) -> Circuit:
    return score_circuit(spec.n_features, spec.x_frac_bits, spec.theta_bits, spec.feature_ranges)


def tally_as_regulator(
    ctx: JobContext,
    session: GarblerSession,
    spec: CertificationSpec,
    records: HeldRecords,
    item_keys: NDArray[np.uint64],
    theta_zero: NDArray[np.uint64],
) -> tuple[NDArray[np.uint64], int]:
    """Garble every block; return the counters' zero labels uint64 (2 J w, 2) and the AND gates.

    ``item_keys`` uint64 (n, J, 2, 2) under two locks; ``theta_zero`` uint64 ((d + 1) t, 2).
    """
    n_records, n_categories = item_keys.shape[:2]
    features = records.require_features()
    entries = spec.real_entries
    width = count_width(n_records)
    active = send_own_seed(session.channel, session.rng)
    counters = own_zero_labels(
        active, np.zeros(2 * n_categories * width, dtype=np.uint8), session.delta
    )
    instances = item_instances(_DIRECTION, n_records, n_categories).reshape(n_records, -1)
    indices = item_indices(n_records, entries).reshape(n_records, -1)
    own_bits = records.low_bits[:, entries.astype(np.int64)].astype(np.uint64)
    score = _score_circuit(spec)
    n_ands = 0
    for block in blocks_of(n_records, BLOCK_RECORDS):
        m = block.stop - block.start
        zero = send_labels(
            session.channel,
            OpTag.PERSON_LABEL_CORRECTIONS,
            session.hash,
            item_keys[block].reshape(-1, 2, 2),
            session.delta,
            instances[block].reshape(-1),
            indices[block].reshape(-1),
        )
        category_zero = zero ^ (own_bits[block].reshape(-1, 1) * session.delta)
        x_zero = own_zero_labels(active, x_bits(spec.feature_ranges, features[block]), session.delta)
        scored = session.garbler.garble(score, with_shared_labels(theta_zero, x_zero))
        session.channel.send_array(OpTag.GARBLED_TABLES, scored.tables)
        tally = tally_circuit(m, n_categories, width)
        inputs = np.concatenate([counters, scored.output_zero_labels[:, 0], category_zero])
        tallied = session.garbler.garble(tally, inputs[None])
        session.channel.send_array(OpTag.GARBLED_TABLES, tallied.tables)
        counters = tallied.output_zero_labels[0]
        n_ands += m * score.n_ands + tally.n_ands
        ctx.progress(_STAGE, block.stop, n_records)
    return counters, n_ands


def tally_as_modeler(
    ctx: JobContext,
    session: EvaluatorSession,
    spec: CertificationSpec,
    records: HeldRecords,
    item_keys: NDArray[np.uint64],
    theta_labels: NDArray[np.uint64],
) -> tuple[NDArray[np.uint64], int]:
    """Evaluate every block; return the counters' labels uint64 (2 J w, 2) and the AND gates.

    ``item_keys`` uint64 (n, J, 2) of the modeler's own bits.
    """
    n_records, n_categories = item_keys.shape[:2]
    entries = spec.real_entries
    width = count_width(n_records)
    active = recv_own_seed(session.channel)
    counters = active.words(2 * n_categories * width, 2)
    instances = item_instances(_DIRECTION, n_records, n_categories).reshape(n_records, -1)
    indices = item_indices(n_records, entries).reshape(n_records, -1)
    own_bits = records.low_bits[:, entries.astype(np.int64)]
    score = _score_circuit(spec)
    n_x = x_wires(spec.feature_ranges)
    n_ands = 0
    for block in blocks_of(n_records, BLOCK_RECORDS):
        m = block.stop - block.start
        category_labels = recv_labels(
            session.channel,
            OpTag.PERSON_LABEL_CORRECTIONS,
            session.hash,
            item_keys[block].reshape(-1, 2),
            np.ascontiguousarray(own_bits[block]).reshape(-1),
            instances[block].reshape(-1),
            indices[block].reshape(-1),
        )
        x_labels = active.words(m, n_x, 2)
        tables = session.channel.recv_array(OpTag.GARBLED_TABLES, np.uint64, (m, score.n_ands, 4))
        selected = session.evaluator.evaluate(
            score, with_shared_labels(theta_labels, x_labels), tables
        )[:, 0]
        tally = tally_circuit(m, n_categories, width)
        tables = session.channel.recv_array(OpTag.GARBLED_TABLES, np.uint64, (1, tally.n_ands, 4))
        inputs = np.concatenate([counters, selected, category_labels])
        counters = session.evaluator.evaluate(tally, inputs[None], tables)[0]
        n_ands += m * score.n_ands + tally.n_ands
        ctx.progress(_STAGE, block.stop, n_records)
    return counters, n_ands
