"""How many AES blocks a run takes, from its circuits and shapes; both parties together.

Nothing counts them inside compiled loops, so they are derived: a hash is two blocks; garbling an
AND takes four hashes and evaluating it two; a label entered late takes two at the garbler and one
at the evaluator; an OT takes one block of each stream and one hash of each key, on both sides. Of a
product every chunk takes 14 blocks at the sender and 8 at the chooser, and for each pair of columns
4 and 3. A person's two locks take two hashes and one, and so do a wire's check corrections.
Of a sum over people an item takes six blocks, and three for each pair of columns; of a person's
score a chunk takes seven for each pair of people. Left out: base OTs, consistency checks, seeds of
chunks, and A in training, none of which grows with people, cases or steps.
"""

from __future__ import annotations

from mpc_engine.circuits import Circuit
from mpc_engine.kernels.random_product import chunk_count
from mpc_engine.protocols.certification.scores import score_shape
from mpc_engine.protocols.certification.spec import CertificationOutcome, CertificationSpec
from mpc_engine.protocols.certification.sums import n_sum_wires
from mpc_engine.protocols.closing.circuit import validity_circuit
from mpc_engine.protocols.training.circuits import (
    bound_bits,
    clamp_circuit,
    constraint_circuit,
    update_circuit,
)
from mpc_engine.protocols.training.material import entered_wires
from mpc_engine.protocols.training.spec import Phase, TrainingSpec
from mpc_engine.protocols.verification.circuit import decision_circuit, hash_circuit
from mpc_engine.protocols.verification.spec import VerificationSpec
from mpc_engine.vocabulary.criteria import CriterionName

_GARBLED_BLOCKS, _EVALUATED_BLOCKS, _MASK_BLOCKS = 8, 4, 2
_AND_BLOCKS = _GARBLED_BLOCKS + _EVALUATED_BLOCKS
_OT_BLOCKS = (1 + 4) + (2 + 2)
_LABEL_BLOCKS = 4 + 2
_OWN_LABEL_BLOCKS = 1 + 1
_LOCK_BLOCKS = 4 + 2
_CHECK_BLOCKS = 4 + 2
_NONCE_WIRES, _DIGEST_WIRES = 256, 256


def certification_blocks(
    spec: CertificationSpec, n_records: int, outcome: CertificationOutcome
) -> int:
    """Return the blocks of one certification of ``n_records`` people; ``outcome`` names gates."""
    items, pairs = n_records * len(spec.real_entries), (spec.n_features + 2) // 2
    late = _model_wires(spec.n_features, spec.theta_bits)
    blocks = outcome.and_gates * _AND_BLOCKS + outcome.ots * _OT_BLOCKS + items * _LOCK_BLOCKS
    if spec.criterion(CriterionName.COVARIANCE) is not None:
        entered = n_sum_wires(spec, n_records)
        late += entered
        blocks += items * (6 + 3 * pairs) + entered * _CHECK_BLOCKS
    if spec.rate_criteria:
        shape = score_shape(spec)
        entered = n_records * shape.entered
        late += entered + items
        blocks += len(shape.chunks) * ((n_records + 1) // 2) * 7 + entered * _CHECK_BLOCKS
        blocks += n_records * shape.width * _OWN_LABEL_BLOCKS
    return blocks + late * _LABEL_BLOCKS


def closing_gates(entry_counts: tuple[int, ...], n_records: int) -> int:
    """Return the AND gates of closing a cohort: one check a person."""
    return n_records * validity_circuit(entry_counts).n_ands


def closing_blocks(entry_counts: tuple[int, ...], n_records: int) -> int:
    """Return the blocks of closing a cohort; every entry has a transfer, two locks and a label."""
    items = n_records * sum(entry_counts)
    gates = closing_gates(entry_counts, n_records) * _AND_BLOCKS
    return gates + items * (_OT_BLOCKS + _LOCK_BLOCKS + _LABEL_BLOCKS)


def verification_gates(spec: VerificationSpec, n_cases: int) -> int:
    """Return the AND gates of a batch: one hash of the model, and a decision a case."""
    hashing = hash_circuit(spec.config_digest, spec.n_features, spec.theta_bits)
    return hashing.n_ands + n_cases * _deciding(spec).n_ands


def verification_blocks(spec: VerificationSpec, n_cases: int) -> int:
    """Return the blocks of a batch of ``n_cases`` challenges."""
    model = _model_wires(spec.n_features, spec.theta_bits)
    own = n_cases * _case_wires(spec) + _DIGEST_WIRES
    gates = verification_gates(spec, n_cases) * _AND_BLOCKS
    return gates + model * (_OT_BLOCKS + _LABEL_BLOCKS) + own * _OWN_LABEL_BLOCKS


def stocked_blocks(spec: VerificationSpec, n_cases: int) -> int:
    """Return the blocks of a batch whose hash of the model was garbled before and kept masked.

    What is left of the hash is its evaluation, and a one-time mask of its tables to be undone.
    """
    hashing = hash_circuit(spec.config_digest, spec.n_features, spec.theta_bits).n_ands
    own = n_cases * _case_wires(spec)
    deciding = n_cases * _deciding(spec).n_ands
    return (
        deciding * _AND_BLOCKS
        + hashing * (_EVALUATED_BLOCKS + _MASK_BLOCKS)
        + own * _OWN_LABEL_BLOCKS
    )


def _case_wires(spec: VerificationSpec) -> int:
    """Return the inputs of a decision that are the regulator's: features and the claim."""
    return _deciding(spec).n_inputs - (spec.n_features + 1) * spec.theta_bits - 1


def _deciding(spec: VerificationSpec) -> Circuit:
    return decision_circuit(spec.n_features, spec.x_frac_bits, spec.theta_bits, spec.feature_ranges)


def _model_wires(n_features: int, theta_bits: int) -> int:
    return (n_features + 1) * theta_bits + _NONCE_WIRES


def training_blocks(spec: TrainingSpec) -> int:
    """Return the blocks of all steps."""
    return sum(phase.n_steps * _step_blocks(spec, phase) for phase in spec.phases)


def training_gates(spec: TrainingSpec) -> int:
    """Return the AND gates of all steps."""
    return sum(phase.n_steps * _step_gates(spec, phase) for phase in spec.phases)


def _step_gates(spec: TrainingSpec, phase: Phase) -> int:
    return (
        spec.batch_size * clamp_circuit(spec).n_ands
        + len(spec.bounds) * constraint_circuit(spec).n_ands
        + spec.n_columns * update_circuit(spec, phase.shift).n_ands
    )


def _step_blocks(spec: TrainingSpec, phase: Phase) -> int:
    d, p, batch = spec.n_columns, len(spec.bounds), spec.batch_size
    score, gradient = spec.score_width, spec.gradient_width
    products = (
        _product_blocks(d, batch + p, score)
        + _product_blocks(batch, d, gradient)
        + _product_blocks(p, d, gradient)
        + _product_blocks(d, p, score)
        + _product_blocks(p, d, gradient)
    )
    own = (batch + p) * (score + gradient) + p * bound_bits(spec) + d * (gradient + score)
    entered = entered_wires(spec) * (_OT_BLOCKS + _LABEL_BLOCKS)
    return products + _step_gates(spec, phase) * _AND_BLOCKS + own * _OWN_LABEL_BLOCKS + entered


def _product_blocks(n_values: int, n_columns: int, width: int) -> int:
    chunks, pairs = n_values * chunk_count(width), (n_columns + 1) // 2
    return chunks * (2 * _OT_BLOCKS + (14 + 4 * pairs) + (8 + 3 * pairs))
