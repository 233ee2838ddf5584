"""How many AES blocks a training run takes, from its circuits and shapes; both parties together.

Nothing counts them inside compiled loops, so they are derived: a hash is two blocks; garbling an
AND takes four hashes and evaluating it two; a label entered late takes two at the garbler and one
at the evaluator; an OT takes one block of each stream and one hash of each key, on both sides. Of a
product every chunk takes 14 blocks at the sender and 8 at the chooser, and for each pair of columns
4 and 3. Left out: A, base OTs and consistency checks, which do not grow with the steps.
"""

from __future__ import annotations

from mpc_engine.kernels.random_product import chunks_of
from mpc_engine.protocols.training.circuits import (
    bound_bits,
    clamp_circuit,
    constraint_circuit,
    update_circuit,
)
from mpc_engine.protocols.training.material import entered_wires
from mpc_engine.protocols.training.spec import Phase, TrainingSpec

_AND_BLOCKS = 8 + 4
_OT_BLOCKS = (1 + 4) + (2 + 2)
_LABEL_BLOCKS = 4 + 2
_OWN_LABEL_BLOCKS = 1 + 1


def aes_blocks(spec: TrainingSpec) -> int:
    """Return the blocks of all steps."""
    return sum(phase.n_steps * _step_blocks(spec, phase) for phase in spec.phases)


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
    garbled = (
        batch * clamp_circuit(spec).n_ands
        + p * constraint_circuit(spec).n_ands
        + d * update_circuit(spec, phase.shift).n_ands
    )
    own = (batch + p) * (score + gradient) + p * bound_bits(spec) + d * (gradient + score)
    entered = entered_wires(spec) * (_OT_BLOCKS + _LABEL_BLOCKS)
    return products + garbled * _AND_BLOCKS + own * _OWN_LABEL_BLOCKS + entered


def _product_blocks(n_values: int, n_columns: int, width: int) -> int:
    chunks, pairs = n_values * chunks_of(width), (n_columns + 1) // 2
    return chunks * (2 * _OT_BLOCKS + (14 + 4 * pairs) + (8 + 3 * pairs))
