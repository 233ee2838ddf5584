"""The covariance criterion's inputs: sums over people, entered again under the re-entry check."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mpc_engine.kernels.field61 import block_residues
from mpc_engine.protocols.certification.spec import CertificationSpec
from mpc_engine.protocols.instances import bits_of
from mpc_engine.protocols.session import EvaluatorSession, GarblerSession, JobContext
from mpc_engine.roles import OTDirection
from mpc_engine.secure_ops.bound_reentry import recv_check_corrections, send_check_corrections
from mpc_engine.secure_ops.label_transfer import recv_late_bits, send_late_bits
from mpc_engine.secure_ops.own_inputs import own_zero_labels, recv_own_seed, send_own_seed
from mpc_engine.secure_ops.row_sums import recv_row_sums, send_row_sums
from mpc_engine.sharing.records import HeldRecords

_STAGE = "sums over people"
_CHECK_INSTANCE = 0
"""Check instance of the sums; blocks of scores count from 1."""


def n_sum_wires(spec: CertificationSpec, n_records: int) -> int:
    """Return the wires on which the modeler enters its sums: B for each sum."""
    return _n_sums(spec) * spec.sum_width(n_records)


def _n_sums(spec: CertificationSpec) -> int:
    return len(spec.real_entries) * (spec.n_features + 1)


def _low_wires(labels: NDArray[np.uint64], width: int, row_width: int) -> NDArray[np.uint64]:
    """Keep the low l of every sum's B wires: uint64 (s * B, 2) to (s * l, 2)."""
    return np.ascontiguousarray(labels.reshape(-1, width, 2)[:, :row_width]).reshape(-1, 2)


def sums_as_regulator(
    ctx: JobContext,
    session: GarblerSession,
    spec: CertificationSpec,
    records: HeldRecords,
    item_keys: NDArray[np.uint64],
    sum_zero: NDArray[np.uint64],
) -> tuple[NDArray[np.uint64], int]:
    """Run the sums and their re-entry.

    ``item_keys`` uint64 (n, J, 2, 2); ``sum_zero`` uint64 (`n_sum_wires`, 2), zero labels of the
    modeler's random bits. Returns the zero labels of the circuit's inputs entered_sums and
    kept_sums, and ``beta' - beta``, which the modeler's proof must show.
    """
    n_records = len(records)
    row_width, width = spec.row_width(n_records), spec.sum_width(n_records)
    entries = spec.real_entries
    ctx.progress(_STAGE, 0, n_records)
    ones = np.ones((n_records, 1), dtype=np.int64)
    alpha = block_residues(session.rng.words(_n_sums(spec), 2))
    sums = send_row_sums(
        session.channel,
        session.hash,
        OTDirection.REGULATOR_SENDS,
        item_keys,
        entries,
        np.ascontiguousarray(records.low_bits[:, entries.astype(np.int64)]),
        np.hstack([records.require_features(), ones]),
        row_width,
        alpha.reshape(len(entries), -1),
    )
    entered_zero = recv_late_bits(session.channel, sum_zero, session.delta)
    beta_entered = send_check_corrections(
        session.channel, session.hash, entered_zero, session.delta, alpha, width, _CHECK_INSTANCE
    )
    active = send_own_seed(session.channel, session.rng)
    kept_zero = own_zero_labels(active, bits_of(sums.r, row_width), session.delta)
    ctx.progress(_STAGE, n_records, n_records)
    inputs = np.concatenate([_low_wires(entered_zero, width, row_width), kept_zero])
    return inputs, beta_entered - sums.beta


def sums_as_modeler(
    ctx: JobContext,
    session: EvaluatorSession,
    spec: CertificationSpec,
    records: HeldRecords,
    item_keys: NDArray[np.uint64],
    sum_labels: NDArray[np.uint64],
    random_bits: NDArray[np.uint8],
) -> tuple[NDArray[np.uint64], int]:
    """Run the modeler's side; return the circuit's input labels and ``t' - t``."""
    n_records = len(records)
    row_width, width = spec.row_width(n_records), spec.sum_width(n_records)
    entries = spec.real_entries
    ctx.progress(_STAGE, 0, n_records)
    sums = recv_row_sums(
        session.channel,
        session.hash,
        OTDirection.REGULATOR_SENDS,
        item_keys,
        entries,
        np.ascontiguousarray(records.low_bits[:, entries.astype(np.int64)]),
        spec.n_features + 1,
        row_width,
    )
    bits = bits_of(sums.v, width)
    send_late_bits(session.channel, bits, random_bits)
    t_entered = recv_check_corrections(
        session.channel, session.hash, sum_labels, bits, _CHECK_INSTANCE
    )
    active = recv_own_seed(session.channel)
    kept_labels = active.words(_n_sums(spec) * row_width, 2)
    ctx.progress(_STAGE, n_records, n_records)
    return np.concatenate(
        [_low_wires(sum_labels, width, row_width), kept_labels]
    ), t_entered - sums.t
