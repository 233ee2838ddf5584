"""The online steps of training, both sides; the order of messages is in `protocol`."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mpc_engine.circuits import Circuit
from mpc_engine.crypto import tweak_plan
from mpc_engine.protocols.instances import bits_of
from mpc_engine.protocols.session import EvaluatorSession, GarblerSession
from mpc_engine.protocols.tags import ProtocolTag
from mpc_engine.protocols.training.checkpoint import (
    TrainingState,
    shared_bits,
    split_state,
    state_wires,
)
from mpc_engine.protocols.training.circuits import (
    accumulate_circuit,
    bound_bits,
    clamp_circuit,
    constraint_circuit,
    opening_circuit,
    update_circuit,
)
from mpc_engine.protocols.training.material import ModelerBlock, RegulatorBlock
from mpc_engine.protocols.training.ring_wires import (
    RingWords,
    own_labels,
    ring_mask,
    ring_words,
    signed_words,
)
from mpc_engine.protocols.training.spec import Phase, TrainingSpec


class RegulatorSteps:
    """The garbler's state between steps: zero labels of theta, lambda and the running sum.

    They are zero at first, or what ``start`` holds with the modeler's state.
    """

    def __init__(
        self,
        session: GarblerSession,
        spec: TrainingSpec,
        matrix: RingWords,
        start: TrainingState | None,
    ) -> None:
        self._session = session
        self.spec = spec
        self.matrix = matrix
        self.first_step = 0 if start is None else start.step
        self._inputs = session.garbler_inputs()
        n_wires = state_wires(spec)
        own = np.zeros(n_wires, np.uint8) if start is None else start.wires
        labels = self._inputs.zero_labels(own)
        if start is not None:
            labels ^= session.enter(n_wires, tweak_plan.MATRIX_LABELS)
        self._theta, self._sum, self._multiplier = split_state(spec, labels)
        self._bounds = np.array(spec.bounds, dtype=np.uint64)
        no_mask: RingWords = np.zeros(spec.n_columns, np.uint64)
        self.theta_mask: RingWords = no_mask if start is None else start.theta_share

    def __repr__(self) -> str:
        return "RegulatorSteps(<secret>)"

    def state(self, step: int) -> TrainingState:
        """Return the regulator's state after ``step`` steps."""
        wires = shared_bits(self._theta, self._sum, self._multiplier)
        return TrainingState(step, self.matrix, self.theta_mask, wires)

    def run(
        self, block: RegulatorBlock, i: int, phase: Phase, next_mask: RingWords, averaged: bool
    ) -> None:
        """Run step i of a block; ``next_mask`` uint64 (d,) hides the new theta."""
        session, spec, shares = self._session, self.spec, block.shares
        channel, batch = session.channel, spec.batch_size
        n_scores = batch + len(spec.bounds)
        cut = n_scores * spec.score_width
        zero = session.enter_late(block.zero_labels[i, :cut])
        zero = zero.reshape(n_scores, spec.score_width, 2)
        uncovered = channel.recv_array(ProtocolTag.THETA_COVERED, np.uint64, (spec.n_columns,))
        own = shares.scores[i].copy()
        matrix = shares.matrices[i]
        own[batch:] += shares.covered_values[i] + matrix @ (self.theta_mask + uncovered)
        kept = self._own(own & ring_mask(spec.score_width), spec.score_width)
        output_masks = self._own(block.output_masks[i], spec.gradient_width)
        force_masks = self._own(block.force_masks[i], spec.gradient_width)
        bounds = self._own(self._bounds, bound_bits(spec))
        self._send_opened(
            clamp_circuit(spec), [zero[:batch], kept[:batch], output_masks], spec.gradient_width
        )
        outputs = self._send_opened(
            constraint_circuit(spec),
            [self._multiplier, zero[batch:], kept[batch:], bounds, force_masks],
            spec.gradient_width,
        )
        self._multiplier = outputs
        zero = session.enter_late(block.zero_labels[i, cut:])
        zero = zero.reshape(spec.n_columns, spec.gradient_width, 2)
        uncovered = channel.recv_array(ProtocolTag.FORCE_COVERED, np.uint64, (len(spec.bounds),))
        force = shares.force[i] + shares.covered_force[i]
        force += (block.force_masks[i] + uncovered) @ matrix
        gradient = np.uint64(phase.loss) * shares.loss[i] + np.uint64(phase.constraint) * force
        kept = self._own(gradient & ring_mask(spec.gradient_width), spec.gradient_width)
        masks = self._own(next_mask, spec.score_width)
        self._theta = self._send_opened(
            update_circuit(spec, phase.shift), [self._theta, zero, kept, masks], spec.score_width
        )
        self.theta_mask = next_mask
        if averaged:
            self._sum = self._send(accumulate_circuit(spec), [self._sum, self._theta])

    def open_theta(self) -> None:
        """Let the modeler read the rounded mean."""
        circuit = opening_circuit(self.spec)
        self._send_opened(circuit, [self._sum], circuit.n_outputs)

    def _own(self, values: RingWords, width: int) -> RingWords:
        return own_labels(self._inputs, values, width)

    def _send(self, circuit: Circuit, inputs: list[RingWords]) -> RingWords:
        return self._session.garble(circuit, np.concatenate(inputs, axis=1))

    def _send_opened(self, circuit: Circuit, inputs: list[RingWords], n_opened: int) -> RingWords:
        """Garble, and let the modeler read the last ``n_opened`` outputs; return the others."""
        outputs = self._send(circuit, inputs)
        self._session.open_packed(outputs[:, circuit.n_outputs - n_opened :])
        return np.ascontiguousarray(outputs[:, : circuit.n_outputs - n_opened])


class ModelerSteps:
    """The evaluator's state between steps: labels of theta, lambda and the sum, and theta_M."""

    def __init__(
        self,
        session: EvaluatorSession,
        spec: TrainingSpec,
        matrix: RingWords,
        start: TrainingState | None,
    ) -> None:
        self._session = session
        self.spec = spec
        self.matrix = matrix
        self.first_step = 0 if start is None else start.step
        self._inputs = session.garbler_inputs()
        labels: RingWords = self._inputs.take(state_wires(spec))
        if start is not None:
            labels ^= session.enter(start.wires, tweak_plan.MATRIX_LABELS)
        self._theta, self._sum, self._multiplier = split_state(spec, labels)
        no_share: RingWords = np.zeros(spec.n_columns, np.uint64)
        self._theta_share: RingWords = no_share if start is None else start.theta_share

    def __repr__(self) -> str:
        return "ModelerSteps(<secret>)"

    def state(self, step: int) -> TrainingState:
        """Return the modeler's state after ``step`` steps."""
        wires = shared_bits(self._theta, self._sum, self._multiplier)
        return TrainingState(step, self.matrix, self._theta_share, wires)

    def run(
        self,
        block: ModelerBlock,
        i: int,
        phase: Phase,
        rows: RingWords,
        targets: RingWords,
        averaged: bool,
    ) -> None:
        """Run step i on ``rows`` uint64 (batch, d) and ``targets`` uint64 (batch,), 0 or one."""
        session, spec, shares = self._session, self.spec, block.shares
        channel, batch, p = session.channel, spec.batch_size, len(spec.bounds)
        n_scores = batch + p
        cut = n_scores * spec.score_width
        own = shares.scores[i].copy()
        own[:batch] += rows @ self._theta_share + np.uint64(1 << spec.score_frac_bits >> 1)
        matrix = shares.matrices[i]
        own[batch:] += matrix @ self._theta_share + shares.covered_values[i]
        bits = bits_of(own & ring_mask(spec.score_width), spec.score_width)
        session.enter_late(bits, block.random_bits[i, :cut])
        covered = (self._theta_share - block.theta_covers[i]) & ring_mask(spec.score_width)
        channel.send_array(ProtocolTag.THETA_COVERED, covered)
        labels = block.labels[i, :cut].reshape(n_scores, spec.score_width, 2)
        kept = self._inputs.take(n_scores, spec.score_width)
        output_masks = self._inputs.take(batch, spec.gradient_width)
        force_masks = self._inputs.take(p, spec.gradient_width)
        bounds = self._inputs.take(p, bound_bits(spec))
        _, outputs = self._recv_opened(
            clamp_circuit(spec), [labels[:batch], kept[:batch], output_masks], spec.gradient_width
        )
        self._multiplier, forces = self._recv_opened(
            constraint_circuit(spec),
            [self._multiplier, labels[batch:], kept[batch:], bounds, force_masks],
            spec.gradient_width,
        )
        loss = (outputs - targets) @ rows + shares.loss[i]
        force = forces @ matrix + shares.force[i] + shares.covered_force[i]
        gradient = np.uint64(phase.loss) * loss + np.uint64(phase.constraint) * force
        gradient += np.uint64(1 << (phase.shift - 1))
        bits = bits_of(gradient & ring_mask(spec.gradient_width), spec.gradient_width)
        session.enter_late(bits, block.random_bits[i, cut:])
        covered = (forces - block.force_covers[i]) & ring_mask(spec.gradient_width)
        channel.send_array(ProtocolTag.FORCE_COVERED, covered)
        labels = block.labels[i, cut:].reshape(spec.n_columns, spec.gradient_width, 2)
        kept = self._inputs.take(spec.n_columns, spec.gradient_width)
        masks = self._inputs.take(spec.n_columns, spec.score_width)
        self._theta, self._theta_share = self._recv_opened(
            update_circuit(spec, phase.shift), [self._theta, labels, kept, masks], spec.score_width
        )
        if averaged:
            self._sum = self._recv(accumulate_circuit(spec), [self._sum, self._theta])

    def open_theta(self) -> NDArray[np.int64]:
        """Return the rounded mean of the averaged iterates, int64 (d,)."""
        circuit = opening_circuit(self.spec)
        _, values = self._recv_opened(circuit, [self._sum], circuit.n_outputs)
        return signed_words(values, circuit.n_outputs)

    def _recv(self, circuit: Circuit, inputs: list[RingWords]) -> RingWords:
        return self._session.evaluate(circuit, np.concatenate(inputs, axis=1))

    def _recv_opened(
        self, circuit: Circuit, inputs: list[RingWords], n_opened: int
    ) -> tuple[RingWords, RingWords]:
        """Evaluate; return the other outputs' labels and the integers of the opened ones."""
        outputs = self._recv(circuit, inputs)
        start = circuit.n_outputs - n_opened
        opened = self._session.open_packed(outputs[:, start:])
        return np.ascontiguousarray(outputs[:, :start]), ring_words(opened)
