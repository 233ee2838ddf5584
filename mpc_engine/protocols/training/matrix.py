"""A, shared: sums over people by two locks, centred and scaled in a circuit. Once per run.

The modeler holds the rows and sends; the regulator chooses by its bits. For every category the
modeler keeps ``-r`` and the regulator V with ``sum z x = V - r``; the circuit computes
``A = floor(T K / 2^s + 1/2)`` column by column and gives the modeler ``A - mask``.
"""

from __future__ import annotations

import numpy as np

from mpc_engine.crypto import tweak_plan
from mpc_engine.ot.extension import RandomOTReceiver, RandomOTSender
from mpc_engine.protocols.instances import bits_of, with_shared_labels
from mpc_engine.protocols.session import EvaluatorSession, GarblerSession
from mpc_engine.protocols.training.circuits import matrix_circuit
from mpc_engine.protocols.training.shares import (
    Words,
    active_labels,
    own_labels,
    ring_mask,
    words_of,
)
from mpc_engine.protocols.training.spec import TrainingSpec
from mpc_engine.roles import OTDirection
from mpc_engine.secure_ops.own_inputs import recv_own_seed, send_own_seed
from mpc_engine.secure_ops.person_locks import chooser_item_keys, sender_item_keys
from mpc_engine.secure_ops.row_sums import recv_row_sums, send_row_sums
from mpc_engine.sharing.records import HeldRecords

_DIRECTION = OTDirection.MODELER_SENDS


class _Layout:
    """Where every attribute's categories lie among the real entries."""

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
        self.n_words = len(entries) * (spec.n_columns + 1)


def _n_masks(spec: TrainingSpec, attribute: int) -> int:
    return len(matrix_circuit(spec, attribute).outputs) // spec.share_width


def share_matrix_as_modeler(
    session: EvaluatorSession,
    products: RandomOTSender,
    spec: TrainingSpec,
    records: HeldRecords,
    rows: Words,
) -> Words:
    """Return the modeler's share of A, uint64 (p, d); ``rows`` uint64 (n, d), encoded."""
    layout = _Layout(spec)
    n_records, n_entries = len(records), len(layout.entries)
    keys = products.extend(n_records * n_entries).reshape(n_records, n_entries, 2, 2)
    item_keys = sender_item_keys(
        session.hash,
        _DIRECTION,
        keys,
        np.ascontiguousarray(records.sender_keys[:, layout.columns]),
        layout.entries,
    )
    counted = np.hstack([rows, np.ones((n_records, 1), dtype=np.uint64)])
    sums = send_row_sums(
        session.channel,
        session.hash,
        _DIRECTION,
        item_keys,
        layout.entries,
        np.ascontiguousarray(records.low_bits[:, layout.columns]),
        counted.view(np.int64),
        spec.sum_width,
        np.zeros((n_entries, counted.shape[1]), dtype=np.uint64),
    )
    own = (np.uint64(0) - sums.r) & ring_mask(spec.sum_width)
    bits = bits_of(own, spec.sum_width)
    entered = session.enter(bits, tweak_plan.MATRIX_LABELS)
    labels = entered.reshape(n_entries, spec.n_columns + 1, spec.sum_width, 2)
    active = recv_own_seed(session.channel)
    kept = active_labels(active, layout.n_words, spec.sum_width).reshape(labels.shape)
    shares: list[Words] = []
    for number, part in enumerate(layout.attributes):
        circuit = matrix_circuit(spec, number)
        masks = active_labels(active, spec.n_columns * _n_masks(spec, number), spec.share_width)
        inputs = _column_inputs(spec, labels[part], kept[part], masks)
        opened = session.open_packed(session.evaluate(circuit, inputs))
        values = words_of(opened.reshape(-1, spec.share_width))
        shares.append(values.reshape(spec.n_columns, -1).T)
    return np.ascontiguousarray(np.vstack(shares))


def share_matrix_as_regulator(
    session: GarblerSession, products: RandomOTReceiver, spec: TrainingSpec, records: HeldRecords
) -> Words:
    """Return the regulator's share of A, uint64 (p, d): its masks."""
    layout = _Layout(spec)
    n_records, n_entries = len(records), len(layout.entries)
    own_bits = np.ascontiguousarray(records.low_bits[:, layout.columns])
    item_keys = chooser_item_keys(
        session.hash,
        _DIRECTION,
        products.extend(own_bits.reshape(-1)).reshape(n_records, n_entries, 2),
        np.ascontiguousarray(records.chosen_keys[:, layout.columns]),
        layout.entries,
    )
    sums = recv_row_sums(
        session.channel,
        session.hash,
        _DIRECTION,
        item_keys,
        layout.entries,
        own_bits,
        spec.n_columns + 1,
        spec.sum_width,
    )
    entered = session.enter(layout.n_words * spec.sum_width, tweak_plan.MATRIX_LABELS)
    zero = entered.reshape(n_entries, spec.n_columns + 1, spec.sum_width, 2)
    active = send_own_seed(session.channel, session.rng)
    values = sums.v.reshape(-1) & ring_mask(spec.sum_width)
    kept = own_labels(active, values, spec.sum_width, session.delta).reshape(zero.shape)
    shares: list[Words] = []
    for number, part in enumerate(layout.attributes):
        circuit = matrix_circuit(spec, number)
        drawn = session.rng.words(spec.n_columns * _n_masks(spec, number))
        drawn &= ring_mask(spec.share_width)
        masks = own_labels(active, drawn, spec.share_width, session.delta)
        inputs = _column_inputs(spec, zero[part], kept[part], masks)
        session.open_packed(session.garble(circuit, inputs))
        shares.append(drawn.reshape(spec.n_columns, -1).T)
    return np.ascontiguousarray(np.vstack(shares))


def _column_inputs(spec: TrainingSpec, modeler: Words, regulator: Words, masks: Words) -> Words:
    """Arrange labels (m, d + 1, sum_width, 2) of both and the masks' as inputs of d instances."""
    counts = [part[:, -1, : spec.count_width].reshape(-1, 2) for part in (modeler, regulator)]
    sums = [
        part[:, :-1].transpose(1, 0, 2, 3).reshape(spec.n_columns, -1, 2)
        for part in (modeler, regulator)
    ]
    own = np.concatenate([*sums, masks.reshape(spec.n_columns, -1, 2)], axis=1)
    return with_shared_labels(np.concatenate(counts), own)
