"""A, shared: sums over people by two locks, centred and scaled in a circuit. Once per run.

The modeler holds the rows and sends; the regulator chooses by its bits. For every category the
modeler keeps ``-r`` and the regulator V with ``sum z x = V - r``; the circuit computes
``A = floor(T K / 2^s + 1/2)`` column by column and gives the modeler ``A - mask``. For every set of
rows the modeler weighs its rows and their count by outcomes, which the regulator does not know; of
a set given by outcomes it enters K too, since the number of its rows is secret.

On the minibatch every step has an A of its own. Shares of ``z x`` are kept row by row, from the
same messages, and each party adds up its shares of the rows of a step; a circuit for each step goes
on as above, all of them before the first step of the run. Whether enough people of a set answered
is a wire made once, from everybody's counts.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mpc_engine.circuits import Circuit
from mpc_engine.crypto import tweak_plan
from mpc_engine.garbling.labels import BitArray
from mpc_engine.ot.extension import RandomOTReceiver, RandomOTSender
from mpc_engine.protocols.instances import bits_of
from mpc_engine.protocols.session import EvaluatorSession, GarblerSession
from mpc_engine.protocols.training.circuits import enough_circuit, matrix_circuit
from mpc_engine.protocols.training.matrix_layout import (
    Columns,
    Layout,
    StepSums,
    factor_bits,
    step_sums,
    weighed_rows,
)
from mpc_engine.protocols.training.ring_wires import (
    RingWords,
    own_labels,
    ring_mask,
    ring_words,
)
from mpc_engine.protocols.training.spec import TrainingSpec
from mpc_engine.sharing.records import HeldRecords


def share_matrix_as_modeler(
    session: EvaluatorSession,
    products: RandomOTSender,
    spec: TrainingSpec,
    records: HeldRecords,
    rows: NDArray[np.int64],
    outcomes: NDArray[np.uint8],
) -> RingWords:
    """Return the modeler's share of A, uint64 of `TrainingSpec.matrix_shape`.

    ``rows`` int64 (n, d), encoded; ``outcomes`` uint8 (n,), enough of each that a set is about.
    """
    layout = Layout(spec)
    n_records, n_entries = len(records), len(layout.entries)
    keys = products.extend(n_records * n_entries).reshape(n_records, n_entries, 2, 2)
    item_keys = session.sender_keys(
        keys,
        np.ascontiguousarray(records.sender_keys[:, layout.columns]),
        layout.entries,
    )
    sums = session.send_sums(
        item_keys,
        layout.entries,
        np.ascontiguousarray(records.low_bits[:, layout.columns]),
        weighed_rows(spec, rows, outcomes),
        spec.sum_width,
        np.zeros((n_entries, layout.n_sums), dtype=np.uint64),
        apart=spec.is_on_minibatch,
    )
    own = np.uint64(0) - sums.r
    enough = _enough_as_modeler(session, layout, own)
    steps = [
        _scale_as_modeler(session, layout, block, own, factor_bits(spec, outcomes, block), enough)
        for block in step_sums(spec)
    ]
    return np.ascontiguousarray(np.concatenate(steps).reshape(spec.matrix_shape))


def share_matrix_as_regulator(
    session: GarblerSession, products: RandomOTReceiver, spec: TrainingSpec, records: HeldRecords
) -> RingWords:
    """Return the regulator's share of A, as at the modeler: its masks."""
    layout = Layout(spec)
    n_records, n_entries = len(records), len(layout.entries)
    own_bits = np.ascontiguousarray(records.low_bits[:, layout.columns])
    item_keys = session.chooser_keys(
        products.extend(own_bits.reshape(-1)).reshape(n_records, n_entries, 2),
        np.ascontiguousarray(records.chosen_keys[:, layout.columns]),
        layout.entries,
    )
    sums = session.recv_sums(
        item_keys,
        layout.entries,
        own_bits,
        layout.n_sums,
        spec.sum_width,
        apart=spec.is_on_minibatch,
    )
    enough = _enough_as_regulator(session, layout, sums.v)
    steps = [
        _scale_as_regulator(session, layout, block, sums.v, enough) for block in step_sums(spec)
    ]
    return np.ascontiguousarray(np.concatenate(steps).reshape(spec.matrix_shape))


def _enough_as_modeler(session: EvaluatorSession, layout: Layout, shares: RingWords) -> RingWords:
    """Return labels (`Layout.n_answered`, 1, 2): whether enough of every set answered; not opened.

    Only where sums are over batches: a sum over everybody tells by itself.
    """
    width = layout.spec.answered_width
    if not layout.n_answered:
        return np.empty((0, 1, 2), np.uint64)
    bits = bits_of(layout.answered(shares), width)
    entered = session.enter(bits, tweak_plan.MATRIX_LABELS).reshape(-1, width, 2)
    kept = session.garbler_inputs().take(layout.n_answered, width)
    circuit = enough_circuit(layout.spec)
    return session.evaluate(circuit, np.concatenate([entered, kept], axis=1))


def _enough_as_regulator(session: GarblerSession, layout: Layout, shares: RingWords) -> RingWords:
    """Return the zero labels of `_enough_as_modeler`."""
    width = layout.spec.answered_width
    if not layout.n_answered:
        return np.empty((0, 1, 2), np.uint64)
    entered = session.enter(layout.n_answered * width, tweak_plan.MATRIX_LABELS)
    kept = own_labels(session.garbler_inputs(), layout.answered(shares), width)
    circuit = enough_circuit(layout.spec)
    return session.garble(circuit, np.concatenate([entered.reshape(kept.shape), kept], axis=1))


def _scale_as_modeler(
    session: EvaluatorSession,
    layout: Layout,
    block: StepSums,
    shares: RingWords,
    factors: BitArray,
    enough: RingWords,
) -> RingWords:
    """Return the modeler's shares uint64 (s, p, d) of A of some steps, from shares of sums."""
    spec = layout.spec
    words = block.sums(shares) & ring_mask(spec.sum_width)
    n_steps = len(words)
    bits = bits_of(words.reshape(-1), spec.sum_width).reshape(n_steps, -1)
    bits = np.concatenate([bits, factors], axis=1)
    entered = session.enter(bits.reshape(-1), block.instance).reshape(n_steps, -1, 2)
    inputs = session.garbler_inputs()
    kept = inputs.take(n_steps * layout.n_words, spec.sum_width).reshape(n_steps, -1, 2)
    found: list[RingWords] = []
    for modeler, regulator in layout.both(entered, kept, enough):
        circuit = matrix_circuit(spec, modeler.attribute, modeler.row_set)
        n_masks = n_steps * spec.n_columns * _n_masks(spec, circuit)
        columns = _column_inputs(spec, modeler, regulator, inputs.take(n_masks, spec.share_width))
        opened = session.open_packed(session.evaluate(circuit, columns))
        values = ring_words(opened.reshape(-1, spec.share_width))
        found.append(values.reshape(n_steps, spec.n_columns, -1).transpose(0, 2, 1))
    return np.concatenate(found, axis=1)


def _scale_as_regulator(
    session: GarblerSession,
    layout: Layout,
    block: StepSums,
    shares: RingWords,
    enough: RingWords,
) -> RingWords:
    """Return the regulator's shares uint64 (s, p, d), masks that it draws."""
    spec = layout.spec
    words = block.sums(shares) & ring_mask(spec.sum_width)
    n_steps = len(words)
    entered = session.enter(n_steps * layout.n_wires, block.instance).reshape(n_steps, -1, 2)
    inputs = session.garbler_inputs()
    kept = own_labels(inputs, words.reshape(-1), spec.sum_width).reshape(n_steps, -1, 2)
    found: list[RingWords] = []
    for modeler, regulator in layout.both(entered, kept, enough):
        circuit = matrix_circuit(spec, modeler.attribute, modeler.row_set)
        drawn = session.rng.words(n_steps * spec.n_columns * _n_masks(spec, circuit))
        drawn &= ring_mask(spec.share_width)
        masks = own_labels(inputs, drawn, spec.share_width)
        columns = _column_inputs(spec, modeler, regulator, masks)
        session.open_packed(session.garble(circuit, columns))
        found.append(drawn.reshape(n_steps, spec.n_columns, -1).transpose(0, 2, 1))
    return np.concatenate(found, axis=1)


def _n_masks(spec: TrainingSpec, circuit: Circuit) -> int:
    return len(circuit.outputs) // spec.share_width


def _column_inputs(
    spec: TrainingSpec, modeler: Columns, regulator: Columns, masks: RingWords
) -> RingWords:
    """Arrange labels as inputs of d instances a step.

    They are of both parties' counts and sums, of what the modeler says of the set, and of masks.
    """
    n_steps, d = len(modeler.sums), spec.n_columns
    both = (modeler.sums, regulator.sums)
    counts = [sums[:, :, -1, : spec.count_width].reshape(n_steps, -1, 2) for sums in both]
    shared = np.concatenate([*counts, modeler.factor], axis=1)
    columns = [
        sums[:, :, :-1].transpose(0, 2, 1, 3, 4).reshape(n_steps * d, -1, 2) for sums in both
    ]
    own = masks.reshape(n_steps * d, -1, 2)
    return np.concatenate([np.repeat(shared, d, axis=0), *columns, own], axis=1)
