"""Counting groups and their selected people inside the computation, streamed in parts.

A part of a block takes: its people's decisions as wires (`scores`); their bits, entered under two
locks; one tally circuit that adds them to running counters. Counters stay labels from part to part
and go into the certification circuit: no count is opened. Labels, tables and scores live for a
part, item keys for a block.
"""

from __future__ import annotations

import copy
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from mpc_engine.circuits import Circuit
from mpc_engine.protocols.certification.people import Block
from mpc_engine.protocols.certification.scores import (
    ModelerScores,
    ReceivedProducts,
    RegulatorScores,
    SentProducts,
)
from mpc_engine.protocols.certification.spec import CertificationSpec
from mpc_engine.protocols.certification.tally_circuit import (
    TallyPlan,
    adder_circuit,
    count_width,
    tally_circuit,
)
from mpc_engine.protocols.instances import bits_of
from mpc_engine.protocols.session import EvaluatorSession, GarblerSession
from mpc_engine.sharing.records import HeldRecords

PRODUCTS_AHEAD = 2
"""Parts whose products are on their way while an earlier one's scores are entered."""
_OUTCOMES = 2
"""Wires of a person's outcome: known to be favourable, known not to be."""


@dataclass(frozen=True, repr=False)
class Tally:
    """One side's counters, uint64 (counters * w, 2): zero labels or labels; MAC part; costs."""

    counters: NDArray[np.uint64]
    mac_difference: int
    and_gates: int
    ots: int


class _Counting:
    """Plan and sizes of the tally circuits, the same on both sides."""

    def __init__(self, spec: CertificationSpec, n_records: int) -> None:
        self.plan = TallyPlan.of(spec)
        self.width = count_width(n_records)

    def circuit(self, n_people: int) -> Circuit:
        """Return the circuit that counts a part of ``n_people``."""
        return tally_circuit(n_people, self.plan, self.width)

    def no_counts(self) -> NDArray[np.uint64]:
        """Return counters at 0: the all-zero label on both sides."""
        return np.zeros((self.plan.n_counters * self.width, 2), dtype=np.uint64)

    def adder(self, n_workers: int) -> Circuit:
        """Return the circuit that adds up the counters of ``n_workers``."""
        return adder_circuit(n_workers, self.plan.n_counters, self.width)


def _together(workers: Sequence[Tally], counters: NDArray[np.uint64], and_gates: int) -> Tally:
    """Return the tally of all workers' people, whose counters an adder of ``and_gates`` added."""
    return Tally(
        counters,
        sum(worker.mac_difference for worker in workers),
        sum(worker.and_gates for worker in workers) + and_gates,
        sum(worker.ots for worker in workers),
    )


class _RegulatorOutcomes:
    """What the regulator knows of people's outcomes, entered as its own bits, part after part."""

    def __init__(self, session: GarblerSession) -> None:
        self._inputs = session.garbler_inputs()

    def __repr__(self) -> str:
        return "_RegulatorOutcomes(<secret>)"

    def part(self, records: HeldRecords) -> NDArray[np.uint64]:
        """Return zero labels uint64 (2 m, 2): whose outcome is favourable, whose is not."""
        labels = records.require_labels()
        bits = np.concatenate([labels == value for value in (1, 0)]).astype(np.uint8)
        return self._inputs.zero_labels(bits)


class RegulatorTally:
    """The regulator's side: garbles part after part."""

    def __init__(
        self,
        session: GarblerSession,
        spec: CertificationSpec,
        n_records: int,
        theta_zero: NDArray[np.uint64],
    ) -> None:
        """Send what the scores and outcomes start from; ``theta_zero`` uint64 ((d + 1) t, 2)."""
        self._session = session
        self._counting = _Counting(spec, n_records)
        self._scores = RegulatorScores(session, spec, theta_zero)
        uses_outcomes = self._counting.plan.uses_outcomes
        self._outcomes = _RegulatorOutcomes(session) if uses_outcomes else None
        self._counters = self._counting.no_counts()
        self._and_gates = 0

    def __repr__(self) -> str:
        return "RegulatorTally(<secret>)"

    def for_worker(self, session: GarblerSession) -> RegulatorTally:
        """Return an empty tally for a worker's people, on the worker's line and session.

        Labels of the model are those of this tally, and what the scores start from is not sent
        again; garbler inputs start from a new seed.
        """
        own = copy.copy(self)
        own._session, own._scores = session, self._scores.for_worker(session)
        if self._outcomes is not None:
            own._outcomes = _RegulatorOutcomes(session)
        own._counters, own._and_gates = self._counting.no_counts(), 0
        return own

    def add(self, parts: Iterable[Block]) -> Iterator[Block]:
        """Count the people of parts, at least one; yield each when it is counted.

        While the modeler answers for the transfers of a part, the labels of the part before it and
        the products of a later one are sent: a far modeler is not waited for at each part.
        """
        scores, coming = self._scores, iter(parts)

        def sent(n: int) -> list[tuple[Block, SentProducts]]:
            return [
                (part, scores.send(part.records.require_features(), part.people))
                for part in islice(coming, n)
            ]

        ahead = deque(sent(PRODUCTS_AHEAD))
        finish = scores.begin(ahead[0][1])
        ahead.extend(sent(1))
        while ahead:
            part, products = ahead.popleft()
            keys = finish()
            if ahead:
                finish = scores.begin(ahead[0][1])
            self._count(part, scores.enter(products, keys))
            yield part
            ahead.extend(sent(1))

    def _count(self, part: Block, selected_zero: NDArray[np.uint64]) -> None:
        session = self._session
        person_zero = session.enter_people(
            part.item_keys, part.own_bits, part.entries, part.people.start
        )
        inputs = [self._counters, selected_zero, person_zero]
        if self._outcomes is not None:
            inputs.append(self._outcomes.part(part.records))
        circuit = self._counting.circuit(len(part))
        self._counters = session.garble(circuit, np.concatenate(inputs)[None])[0]
        self._and_gates += circuit.n_ands

    def result(self) -> Tally:
        """Return the counts of everybody added, and what the modeler's proof must show of them."""
        scores = self._scores
        and_gates = scores.and_gates + self._and_gates
        return Tally(self._counters, scores.mac_difference, and_gates, scores.ots)

    def joined(self, others: Sequence[Tally]) -> Tally:
        """Return the result with the other workers' people in: a circuit adds the counters."""
        workers = [self.result(), *others]
        if not others:
            return workers[0]
        circuit = self._counting.adder(len(workers))
        zero = np.concatenate([worker.counters for worker in workers])
        return _together(workers, self._session.garble(circuit, zero[None])[0], circuit.n_ands)


class ModelerTally:
    """The modeler's side: evaluates part after part."""

    def __init__(
        self,
        session: EvaluatorSession,
        spec: CertificationSpec,
        n_records: int,
        theta: Sequence[int],
        theta_labels: NDArray[np.uint64],
    ) -> None:
        """Receive what the scores and outcomes start from; labels uint64 ((d + 1) t, 2)."""
        self._session = session
        self._counting = _Counting(spec, n_records)
        words = np.array([value & ((1 << spec.theta_bits) - 1) for value in theta], dtype=np.uint64)
        bits = bits_of(words, spec.theta_bits)
        self._scores = ModelerScores(session, spec, theta_labels, bits)
        uses_outcomes = self._counting.plan.uses_outcomes
        self._outcomes = session.garbler_inputs() if uses_outcomes else None
        self._counters = self._counting.no_counts()
        self._and_gates = 0

    def __repr__(self) -> str:
        return "ModelerTally(<secret>)"

    def for_worker(self, session: EvaluatorSession) -> ModelerTally:
        """Return an empty tally for a worker's people; see `RegulatorTally.for_worker`."""
        own = copy.copy(self)
        own._session, own._scores = session, self._scores.for_worker(session)
        if self._outcomes is not None:
            own._outcomes = session.garbler_inputs()
        own._counters, own._and_gates = self._counting.no_counts(), 0
        return own

    def add(self, parts: Iterable[Block]) -> Iterator[Block]:
        """Count the people of parts; see `RegulatorTally.add`.

        A challenge is answered, and the next part's transfers begin, before labels are taken.
        """
        scores, coming = self._scores, iter(parts)

        def received(n: int) -> list[tuple[Block, ReceivedProducts]]:
            return [(part, scores.receive(part.people)) for part in islice(coming, n)]

        ahead = deque(received(1))
        finish = scores.begin(ahead[0][1])
        ahead.extend(received(PRODUCTS_AHEAD - 1))
        answered: deque[tuple[Block, ReceivedProducts, NDArray[np.uint64]]] = deque()

        def answer() -> None:
            nonlocal finish
            if ahead:
                answered.append((*ahead.popleft(), finish()))
            if ahead:
                finish = scores.begin(ahead[0][1])

        answer()
        ahead.extend(received(1))
        while answered:
            answer()
            part, products, keys = answered.popleft()
            self._count(part, scores.enter(products, keys))
            yield part
            ahead.extend(received(1))

    def _count(self, part: Block, selected: NDArray[np.uint64]) -> None:
        session = self._session
        categories = session.enter_people(
            part.item_keys, part.own_bits, part.entries, part.people.start
        )
        inputs = [self._counters, selected, categories]
        if self._outcomes is not None:
            inputs.append(self._outcomes.take(_OUTCOMES * len(part)))
        circuit = self._counting.circuit(len(part))
        self._counters = session.evaluate(circuit, np.concatenate(inputs)[None])[0]
        self._and_gates += circuit.n_ands

    def result(self) -> Tally:
        """Return the labels of everybody's counts, this side's part of the proof, and costs."""
        scores = self._scores
        and_gates = scores.and_gates + self._and_gates
        return Tally(self._counters, scores.mac_difference, and_gates, scores.ots)

    def joined(self, others: Sequence[Tally]) -> Tally:
        """Return the result with the other workers' people in; see `RegulatorTally.joined`."""
        workers = [self.result(), *others]
        if not others:
            return workers[0]
        circuit = self._counting.adder(len(workers))
        labels = np.concatenate([worker.counters for worker in workers])
        return _together(workers, self._session.evaluate(circuit, labels[None])[0], circuit.n_ands)
