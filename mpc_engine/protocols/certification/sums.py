"""The covariance criterion's inputs: sums over people, entered again under the re-entry check.

Sums and MAC are added up block by block; when everybody is in, the modeler enters the sums once.
"""

from __future__ import annotations

import copy
from dataclasses import dataclass
from typing import Generic, Self

import numpy as np
from numpy.typing import NDArray

from mpc_engine.crypto.tweak_plan import SUMS_CHECK
from mpc_engine.kernels.field61 import block_residues
from mpc_engine.protocols.certification.people import Block
from mpc_engine.protocols.certification.spec import CertificationSpec
from mpc_engine.protocols.instances import bits_of
from mpc_engine.protocols.session import EvaluatorSession, GarblerSession, SessionT


def n_sum_wires(spec: CertificationSpec, n_records: int) -> int:
    """Return the wires on which the modeler enters its sums: B for each sum."""
    return _n_sums(spec) * spec.sum_width(n_records)


def _n_sums(spec: CertificationSpec) -> int:
    return len(spec.real_entries) * (spec.n_features + 1)


def _low_wires(labels: NDArray[np.uint64], width: int, row_width: int) -> NDArray[np.uint64]:
    """Keep the low l of every sum's B wires: uint64 (s * B, 2) to (s * l, 2)."""
    return np.ascontiguousarray(labels.reshape(-1, width, 2)[:, :row_width]).reshape(-1, 2)


@dataclass(frozen=True, repr=False)
class Summed:
    """One side's sums of some people: r or V, uint64 (e, c), and beta or t, mod q."""

    total: NDArray[np.uint64]
    mac: int


class PeopleSums(Generic[SessionT]):
    """What both sides have in common: the sums and the MAC of the people added so far."""

    def __init__(self, session: SessionT, spec: CertificationSpec, n_records: int) -> None:
        self._session: SessionT = session
        self._width = spec.sum_width(n_records)
        self._row_width = spec.row_width(n_records)
        self._total = np.zeros((len(spec.real_entries), spec.n_features + 1), dtype=np.uint64)
        self._mac = 0

    def __repr__(self) -> str:
        return f"{type(self).__name__}(<secret>)"

    def for_worker(self, session: SessionT) -> Self:
        """Return empty sums under the same MAC key, to which a worker adds its people."""
        own = copy.copy(self)
        own._session, own._total, own._mac = session, np.zeros_like(self._total), 0
        return own

    def result(self) -> Summed:
        """Return the sums of the people added so far."""
        return Summed(self._total, self._mac)

    def join(self, worker: Summed) -> None:
        """Add the people of a worker."""
        self._total += worker.total
        self._mac += worker.mac


class RegulatorSums(PeopleSums[GarblerSession]):
    """The regulator's side, block after block, under one MAC key of the job."""

    def __init__(self, session: GarblerSession, spec: CertificationSpec, n_records: int) -> None:
        super().__init__(session, spec, n_records)
        self._alpha = block_residues(session.rng.words(_n_sums(spec), 2))

    def add(self, block: Block) -> None:
        """Send what makes the modeler's sums of a block's people, and keep this side's."""
        ones = np.ones((len(block), 1), dtype=np.int64)
        sums = self._session.send_sums(
            block.item_keys,
            block.entries,
            block.own_bits,
            np.hstack([block.records.require_features(), ones]),
            self._row_width,
            self._alpha.reshape(len(block.entries), -1),
            block.people.start,
        )
        self._total += sums.r
        self._mac += sums.beta

    def enter(self, sum_zero: NDArray[np.uint64]) -> tuple[NDArray[np.uint64], int]:
        """Run the re-entry of everybody's sums.

        ``sum_zero`` uint64 (`n_sum_wires`, 2), zero labels of the modeler's random bits. Returns
        the zero labels of the circuit's inputs entered_sums and kept_sums, and ``beta' - beta``,
        which the modeler's proof must show.
        """
        session = self._session
        entered_zero = session.enter_late(sum_zero)
        beta_entered = session.bind(entered_zero, self._alpha, self._width, SUMS_CHECK)
        kept_bits = bits_of(self._total, self._row_width)
        kept_zero = session.garbler_inputs().zero_labels(kept_bits)
        low = _low_wires(entered_zero, self._width, self._row_width)
        return np.concatenate([low, kept_zero]), beta_entered - self._mac


class ModelerSums(PeopleSums[EvaluatorSession]):
    """The modeler's side, block after block."""

    def add(self, block: Block) -> None:
        """Receive the sums of a block's people; as integers they stay below 2^B for everybody."""
        sums = self._session.recv_sums(
            block.item_keys,
            block.entries,
            block.own_bits,
            self._total.shape[1],
            self._row_width,
            block.people.start,
        )
        self._total += sums.v
        self._mac += sums.t

    def enter(
        self, sum_labels: NDArray[np.uint64], random_bits: NDArray[np.uint8]
    ) -> tuple[NDArray[np.uint64], int]:
        """Enter everybody's sums; return the circuit's input labels and ``t' - t``."""
        session = self._session
        bits = bits_of(self._total, self._width)
        session.enter_late(bits, random_bits)
        t_entered = session.bind(sum_labels, bits, SUMS_CHECK)
        kept_labels = session.garbler_inputs().take(self._total.size * self._row_width)
        low = _low_wires(sum_labels, self._width, self._row_width)
        return np.concatenate([low, kept_labels]), t_entered - self._mac
