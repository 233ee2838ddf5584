"""A, shared: sums over people by two locks, centred and scaled in a circuit. Once per run.

The modeler holds the rows and sends; the regulator chooses by its bits. For every category the
modeler keeps ``-r`` and the regulator V with ``sum z x = V - r``; the circuit computes
``A = floor(T K / 2^s + 1/2)`` column by column and gives the modeler ``A - mask``. For every set of
rows the modeler weighs its rows and their count by outcomes, which the regulator does not know; of
a set given by outcomes it enters K too, since the number of its rows is secret.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mpc_engine.circuits import Circuit
from mpc_engine.crypto import tweak_plan
from mpc_engine.garbling.labels import BitArray
from mpc_engine.ot.extension import RandomOTReceiver, RandomOTSender
from mpc_engine.protocols.instances import bits_of, with_shared_labels
from mpc_engine.protocols.session import EvaluatorSession, GarblerSession
from mpc_engine.protocols.training.circuits import matrix_circuit
from mpc_engine.protocols.training.ring_wires import (
    RingWords,
    own_labels,
    ring_mask,
    ring_words,
)
from mpc_engine.protocols.training.row_sets import RowSet, members_of, signs_of
from mpc_engine.protocols.training.spec import TrainingSpec
from mpc_engine.sharing.records import HeldRecords


class _Layout:
    """Where attributes' categories lie among the real entries, and sets' values among the sums."""

    def __init__(self, spec: TrainingSpec) -> None:
        entries: list[int] = []
        self.attributes: list[slice] = []
        start = 0
        for count in spec.entry_counts:
            self.attributes.append(slice(len(entries), len(entries) + count - 1))
            entries.extend(range(start, start + count - 1))
            start += count
        self.entries = np.array(entries, dtype=np.uint64)
        self.columns = self.entries.astype(np.int64)
        self.n_sums = len(spec.row_sets) * (spec.n_columns + 1)
        self.n_words = len(entries) * self.n_sums
        self._spec = spec
        self._n_sum_wires = self.n_words * spec.sum_width
        n_conditional = sum(row_set.is_conditional for row_set in spec.row_sets)
        self.n_wires = self._n_sum_wires + n_conditional * spec.factor_bits

    def columns_of(self, labels: RingWords) -> list[_Columns]:
        """Cut labels (`n_wires`, 2) into those of every set of rows and attribute, in order."""
        spec = self._spec
        shape = (len(self.entries), len(spec.row_sets), spec.n_columns + 1, spec.sum_width, 2)
        sums = labels[: self._n_sum_wires].reshape(shape)
        start = self._n_sum_wires
        found: list[_Columns] = []
        for position, row_set in enumerate(spec.row_sets):
            stop = start + row_set.is_conditional * spec.factor_bits
            for number, part in enumerate(self.attributes):
                own = sums[part, position]
                found.append(_Columns(row_set, number, own, labels[start:stop]))
            start = stop
        return found


@dataclass(frozen=True, repr=False, eq=False)
class _Columns:
    """A party's labels of an attribute's sums over a set, (m, d + 1, width, 2), and of K."""

    row_set: RowSet
    attribute: int
    sums: RingWords
    factor: RingWords


def _n_masks(spec: TrainingSpec, circuit: Circuit) -> int:
    return len(circuit.outputs) // spec.share_width


def _counted(
    spec: TrainingSpec, rows: NDArray[np.int64], labels: NDArray[np.uint8]
) -> NDArray[np.int64]:
    """Return what is summed over people, int64 (n, sets (d + 1)): rows and ones, weighed."""
    weighed = []
    for row_set in spec.row_sets:
        weighed += [rows * signs_of(row_set, labels)[:, None], members_of(row_set, labels)[:, None]]
    return np.hstack(weighed)


def _factor_bits(spec: TrainingSpec, labels: NDArray[np.uint8]) -> BitArray:
    """Return the bits of K for every set that is given by outcomes, uint8."""
    sizes = [int(members_of(s, labels).sum()) for s in spec.row_sets if s.is_conditional]
    factors = np.array([spec.factor_of(size) for size in sizes], dtype=np.uint64)
    return bits_of(factors, spec.factor_bits)


def share_matrix_as_modeler(
    session: EvaluatorSession,
    products: RandomOTSender,
    spec: TrainingSpec,
    records: HeldRecords,
    rows: NDArray[np.int64],
    outcomes: NDArray[np.uint8],
) -> RingWords:
    """Return the modeler's share of A, uint64 (p, d).

    ``rows`` int64 (n, d), encoded; ``outcomes`` uint8 (n,), enough of each that a set is about.
    """
    layout = _Layout(spec)
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
        _counted(spec, rows, outcomes),
        spec.sum_width,
        np.zeros((n_entries, layout.n_sums), dtype=np.uint64),
    )
    own = (np.uint64(0) - sums.r) & ring_mask(spec.sum_width)
    bits = np.concatenate([bits_of(own, spec.sum_width), _factor_bits(spec, outcomes)])
    entered = layout.columns_of(session.enter(bits, tweak_plan.MATRIX_LABELS))
    inputs = session.garbler_inputs()
    kept = inputs.take(layout.n_words, spec.sum_width).reshape(-1, 2)
    shares: list[RingWords] = []
    for modeler, regulator in zip(entered, layout.columns_of(kept), strict=True):
        circuit = matrix_circuit(spec, modeler.attribute, modeler.row_set)
        masks = inputs.take(spec.n_columns * _n_masks(spec, circuit), spec.share_width)
        columns = _column_inputs(spec, modeler, regulator, masks)
        opened = session.open_packed(session.evaluate(circuit, columns))
        values = ring_words(opened.reshape(-1, spec.share_width))
        shares.append(values.reshape(spec.n_columns, -1).T)
    return np.ascontiguousarray(np.vstack(shares))


def share_matrix_as_regulator(
    session: GarblerSession, products: RandomOTReceiver, spec: TrainingSpec, records: HeldRecords
) -> RingWords:
    """Return the regulator's share of A, uint64 (p, d): its masks."""
    layout = _Layout(spec)
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
    )
    entered = layout.columns_of(session.enter(layout.n_wires, tweak_plan.MATRIX_LABELS))
    inputs = session.garbler_inputs()
    values = sums.v.reshape(-1) & ring_mask(spec.sum_width)
    kept = own_labels(inputs, values, spec.sum_width).reshape(-1, 2)
    shares: list[RingWords] = []
    for modeler, regulator in zip(entered, layout.columns_of(kept), strict=True):
        circuit = matrix_circuit(spec, modeler.attribute, modeler.row_set)
        drawn = session.rng.words(spec.n_columns * _n_masks(spec, circuit))
        drawn &= ring_mask(spec.share_width)
        masks = own_labels(inputs, drawn, spec.share_width)
        columns = _column_inputs(spec, modeler, regulator, masks)
        session.open_packed(session.garble(circuit, columns))
        shares.append(drawn.reshape(spec.n_columns, -1).T)
    return np.ascontiguousarray(np.vstack(shares))


def _column_inputs(
    spec: TrainingSpec, modeler: _Columns, regulator: _Columns, masks: RingWords
) -> RingWords:
    """Arrange the labels of both, of the modeler's K and of the masks as inputs of d instances."""
    counts = [part.sums[:, -1, : spec.count_width].reshape(-1, 2) for part in (modeler, regulator)]
    sums = [
        part.sums[:, :-1].transpose(1, 0, 2, 3).reshape(spec.n_columns, -1, 2)
        for part in (modeler, regulator)
    ]
    own = np.concatenate([*sums, masks.reshape(spec.n_columns, -1, 2)], axis=1)
    return with_shared_labels(np.concatenate([*counts, modeler.factor]), own)
