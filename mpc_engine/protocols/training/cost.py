"""What training sends: bytes of every step, of the material of a block, and of A, by sender.

With B rows a batch, d columns, p constraints, w bits of scores and v bits of gradients, a step
moves online, frame headers aside, from the modeler ``((B + p) w + d v) / 8 + 8 d + 8 p`` bytes, and
from the regulator 32 bytes for each AND gate and a bit for each opened one: B clamps and p forces,
then d updates. Offline it moves one OT extension for each of five products and one for labels, 16
bytes a label, and the products themselves (`random_product`).

A takes, for each person and category, a transfer and the ``d + 1`` words of a row; then for each
set of rows and attribute d instances of its circuit, and on the minibatch as many for every step.
"""

from __future__ import annotations

from dataclasses import dataclass

from mpc_engine.circuits import Circuit
from mpc_engine.crypto.prg import SEED_BYTES
from mpc_engine.kernels.random_product import chunk_count
from mpc_engine.ot.extension import call_bytes
from mpc_engine.protocols.training.checkpoint import state_wires
from mpc_engine.protocols.training.circuits import (
    accumulate_circuit,
    clamp_circuit,
    constraint_circuit,
    enough_circuit,
    matrix_circuit,
    update_circuit,
)
from mpc_engine.protocols.training.material import entered_wires
from mpc_engine.protocols.training.matrix_layout import Layout, step_counts
from mpc_engine.protocols.training.spec import Phase, TrainingSpec
from mpc_engine.secure_ops.random_product import product_bytes
from mpc_engine.secure_ops.row_sums import sums_bytes
from mpc_engine.transport.frame import HEADER_BYTES

_WORD_BYTES = 8
_LABEL_BYTES = 16
_AND_BYTES = 32


@dataclass(frozen=True)
class SentBytes:
    """Bytes that each party sends, frame headers included."""

    modeler: int
    regulator: int

    def __add__(self, other: SentBytes) -> SentBytes:
        return SentBytes(self.modeler + other.modeler, self.regulator + other.regulator)

    @property
    def total(self) -> int:
        """Return the bytes of both directions."""
        return self.modeler + self.regulator


def _frame(n_bits: int) -> int:
    return HEADER_BYTES + (n_bits + 7) // 8


def _tables(circuit: Circuit, n_instances: int) -> int:
    return HEADER_BYTES + _AND_BYTES * circuit.n_ands * n_instances


def step_bytes(spec: TrainingSpec, phase: Phase, averaged: bool) -> SentBytes:
    """Return what one step of a phase sends online."""
    batch, d, p = spec.batch_size, spec.n_columns, len(spec.bounds)
    width, gradient = spec.score_width, spec.gradient_width
    shares = _frame((batch + p) * width) + _frame(d * gradient)
    covered = _frame(8 * _WORD_BYTES * d) + _frame(8 * _WORD_BYTES * p)
    tables = _tables(clamp_circuit(spec), batch) + _tables(constraint_circuit(spec), p)
    tables += _tables(update_circuit(spec, phase.shift), d)
    if averaged:
        tables += _tables(accumulate_circuit(spec), d)
    opened = _frame(batch * gradient) + _frame(p * gradient) + _frame(d * width)
    return SentBytes(shares + covered, tables + opened)


def block_bytes(spec: TrainingSpec, n_steps: int) -> SentBytes:
    """Return what the material of a block of steps takes, made ahead."""
    batch, d, p = spec.batch_size, spec.n_columns, len(spec.bounds)
    width, gradient = spec.score_width, spec.gradient_width
    sent = SentBytes(0, 0)
    for per_step, n_columns, bits in (
        (d, batch + p, width),
        (batch, d, gradient),
        (p, d, gradient),
    ):
        chooser, sender = _product(n_steps, per_step, n_columns, bits)
        sent += SentBytes(sender, chooser)
    for per_step, n_columns, bits in ((d, p, width), (p, d, gradient)):
        sent += SentBytes(*_product(n_steps, per_step, n_columns, bits))
    return sent + _transferred(n_steps * entered_wires(spec))


def matrix_bytes(spec: TrainingSpec) -> SentBytes:
    """Return what it takes to share A, that of every step on the minibatch."""
    layout = Layout(spec)
    n_entries = len(layout.entries)
    chooser, sender = call_bytes(spec.n_rows * n_entries)
    rows = sums_bytes(spec.n_rows, n_entries, layout.n_sums, spec.sum_width)
    sent = SentBytes(sender + rows, chooser)
    if layout.n_answered:
        sent += _entered(layout.n_answered * spec.answered_width)
        sent += SentBytes(0, _tables(enough_circuit(spec), layout.n_answered))
    for n_steps in step_counts(spec):
        sent += _entered(n_steps * layout.n_wires)
        for row_set in spec.row_sets:
            for attribute in range(len(spec.entry_counts)):
                circuit = matrix_circuit(spec, attribute, row_set)
                n_instances = n_steps * spec.n_columns
                opened = _frame(n_instances * circuit.n_outputs)
                sent += SentBytes(0, _tables(circuit, n_instances) + opened)
    return sent


def state_bytes(spec: TrainingSpec) -> SentBytes:
    """Return what it takes to enter a checkpoint, in place of A and of the steps done."""
    return _transferred(state_wires(spec))


def _transferred(n_wires: int) -> SentBytes:
    """Return what it takes to enter the modeler's bits on wires."""
    receiver, sender = call_bytes(n_wires)
    return SentBytes(receiver, sender + HEADER_BYTES + _LABEL_BYTES * n_wires)


def _entered(n_wires: int) -> SentBytes:
    """Return the same with the seed of the regulator's inputs after it."""
    return _transferred(n_wires) + SentBytes(0, HEADER_BYTES + SEED_BYTES)


def _product(n_steps: int, per_step: int, n_columns: int, bits: int) -> tuple[int, int]:
    """Return what the chooser and the sender of a product send."""
    receiver, sender = call_bytes(2 * n_steps * per_step * chunk_count(bits))
    return receiver, sender + product_bytes(n_steps, per_step, n_columns, bits)
