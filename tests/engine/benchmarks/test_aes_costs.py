"""AES blocks that are derived from shapes: each further case or step adds the same."""

from __future__ import annotations

from mpc_engine.lab.data_sets import Workload, synthetic
from mpc_engine.protocols.training.hyperparameters import BATCH_SIZE, Preset
from mpc_engine.protocols.verification.circuit import decision_circuit
from tools.bench.aes_costs import (
    closing_blocks,
    closing_gates,
    stocked_blocks,
    training_blocks,
    training_gates,
    verification_blocks,
    verification_gates,
)
from tools.bench.training import Problem
from tools.bench.verification import make_spec


def test_a_further_case_adds_its_decision_and_its_own_labels() -> None:
    spec = make_spec(3)
    deciding = decision_circuit(
        spec.n_features, spec.x_frac_bits, spec.theta_bits, spec.feature_ranges
    )
    own = deciding.n_inputs - (spec.n_features + 1) * spec.theta_bits - 1
    each = 12 * deciding.n_ands + 2 * own
    for blocks in (verification_blocks, stocked_blocks):
        assert blocks(spec, 5) - blocks(spec, 2) == 3 * each
    assert verification_gates(spec, 5) - verification_gates(spec, 2) == 3 * deciding.n_ands


def test_stock_leaves_half_of_the_hash() -> None:
    spec = make_spec(3)
    hashing = verification_gates(spec, 0)
    assert stocked_blocks(spec, 0) == 6 * hashing
    assert verification_blocks(spec, 0) > 12 * hashing


def test_training_grows_with_its_steps() -> None:
    small = Workload("small", 256, 5, 1, (3,), 0)
    people = synthetic(small)
    found = []
    for n_steps in (32, 64):
        epochs = n_steps * BATCH_SIZE / small.n
        spec = Problem(small, people, Preset.PAPER, epochs).spec
        assert spec.n_steps == n_steps
        found.append((training_gates(spec) / n_steps, training_blocks(spec) / n_steps))
    for first, second in zip(*found, strict=True):
        assert 0.9 < first / second < 1.1
    gates, blocks = found[0]
    assert blocks > 12 * gates > 0


def test_a_closed_cohort_costs_the_same_for_each_person() -> None:
    gates, blocks = closing_gates((3,), 1), closing_blocks((3,), 1)
    assert blocks == 12 * gates + 3 * (9 + 6 + 6)
    assert (closing_gates((3,), 7), closing_blocks((3,), 7)) == (7 * gates, 7 * blocks)
