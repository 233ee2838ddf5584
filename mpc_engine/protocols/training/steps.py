"""The online steps of training, both sides; the order of messages is in `protocol`."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mpc_engine.circuits import Circuit
from mpc_engine.crypto.prg import Prg
from mpc_engine.protocols.instances import bits_of
from mpc_engine.protocols.session import EvaluatorSession, GarblerSession
from mpc_engine.protocols.tags import ProtocolTag
from mpc_engine.protocols.training.circuits import (
    accumulate_circuit,
    bound_bits,
    clamp_circuit,
    constraint_circuit,
    multiplier_bits,
    opening_circuit,
    update_circuit,
)
from mpc_engine.protocols.training.decoding import recv_decoded, send_decoding
from mpc_engine.protocols.training.material import ModelerBlock, RegulatorBlock
from mpc_engine.protocols.training.shares import (
    Words,
    active_labels,
    own_labels,
    ring_mask,
    signed_words,
    words_of,
)
from mpc_engine.protocols.training.spec import Phase, TrainingSpec
from mpc_engine.secure_ops.label_transfer import recv_late_bits, send_late_bits
from mpc_engine.secure_ops.own_inputs import recv_own_seed, send_own_seed
from mpc_engine.secure_ops.tags import OpTag


class RegulatorSteps:
    """The garbler's state between steps: zero labels of theta, lambda and the running sum."""

    def __init__(self, session: GarblerSession, spec: TrainingSpec, matrix: Words) -> None:
        self._session = session
        self._spec = spec
        self._matrix = matrix
        active = send_own_seed(session.channel, session.rng)
        self._active = active
        d, p, delta = spec.n_columns, len(spec.bounds), session.delta
        no_coefficients, no_constraints = np.zeros(d, np.uint64), np.zeros(p, np.uint64)
        self._theta = own_labels(active, no_coefficients, spec.theta_bits, delta)
        self._sum = own_labels(active, no_coefficients, spec.averaged_bits, delta)
        self._multiplier = own_labels(active, no_constraints, multiplier_bits(spec), delta)
        self._bounds = np.array(spec.bounds, dtype=np.uint64)
        self.theta_mask: Words = np.zeros(d, np.uint64)

    def __repr__(self) -> str:
        return "RegulatorSteps(<secret>)"

    def run(
        self, block: RegulatorBlock, i: int, phase: Phase, next_mask: Words, averaged: bool
    ) -> None:
        """Run step i of a block; ``next_mask`` uint64 (d,) hides the new theta."""
        session, spec, shares = self._session, self._spec, block.shares
        channel, delta, batch = session.channel, session.delta, spec.batch_size
        n_scores = batch + len(spec.bounds)
        cut = n_scores * spec.score_width
        zero = recv_late_bits(channel, block.zero_labels[i, :cut], delta)
        zero = zero.reshape(n_scores, spec.score_width, 2)
        uncovered = channel.recv_array(ProtocolTag.THETA_COVERED, np.uint64, (spec.n_columns,))
        own = shares.scores[i].copy()
        own[batch:] += shares.covered_values[i] + self._matrix @ (self.theta_mask + uncovered)
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
        zero = recv_late_bits(channel, block.zero_labels[i, cut:], delta)
        zero = zero.reshape(spec.n_columns, spec.gradient_width, 2)
        uncovered = channel.recv_array(ProtocolTag.FORCE_COVERED, np.uint64, (len(spec.bounds),))
        force = shares.force[i] + shares.covered_force[i]
        force += (block.force_masks[i] + uncovered) @ self._matrix
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
        circuit = opening_circuit(self._spec)
        self._send_opened(circuit, [self._sum], circuit.n_outputs)

    def _own(self, values: Words, width: int) -> Words:
        return own_labels(self._active, values, width, self._session.delta)

    def _send(self, circuit: Circuit, inputs: list[Words]) -> Words:
        garbled = self._session.garbler.garble(circuit, np.concatenate(inputs, axis=1))
        self._session.channel.send_array(OpTag.GARBLED_TABLES, garbled.tables)
        return garbled.output_zero_labels

    def _send_opened(self, circuit: Circuit, inputs: list[Words], n_opened: int) -> Words:
        """Garble, and let the modeler read the last ``n_opened`` outputs; return the others."""
        outputs = self._send(circuit, inputs)
        send_decoding(self._session.channel, outputs[:, circuit.n_outputs - n_opened :])
        return np.ascontiguousarray(outputs[:, : circuit.n_outputs - n_opened])


class ModelerSteps:
    """The evaluator's state between steps: labels of theta, lambda and the sum, and theta_M."""

    def __init__(self, session: EvaluatorSession, spec: TrainingSpec, matrix: Words) -> None:
        self._session = session
        self._spec = spec
        self._matrix = matrix
        active: Prg = recv_own_seed(session.channel)
        self._active = active
        d, p = spec.n_columns, len(spec.bounds)
        self._theta = active_labels(active, d, spec.theta_bits)
        self._sum = active_labels(active, d, spec.averaged_bits)
        self._multiplier = active_labels(active, p, multiplier_bits(spec))
        self._theta_share: Words = np.zeros(d, np.uint64)

    def __repr__(self) -> str:
        return "ModelerSteps(<secret>)"

    def run(
        self,
        block: ModelerBlock,
        i: int,
        phase: Phase,
        rows: Words,
        targets: Words,
        averaged: bool,
    ) -> None:
        """Run step i on ``rows`` uint64 (batch, d) and ``targets`` uint64 (batch,), 0 or one."""
        session, spec, shares = self._session, self._spec, block.shares
        channel, batch, p = session.channel, spec.batch_size, len(spec.bounds)
        n_scores = batch + p
        cut = n_scores * spec.score_width
        own = shares.scores[i].copy()
        own[:batch] += rows @ self._theta_share + np.uint64(1 << spec.score_frac_bits >> 1)
        own[batch:] += self._matrix @ self._theta_share + shares.covered_values[i]
        bits = bits_of(own & ring_mask(spec.score_width), spec.score_width)
        send_late_bits(channel, bits, block.random_bits[i, :cut])
        covered = (self._theta_share - block.theta_covers[i]) & ring_mask(spec.score_width)
        channel.send_array(ProtocolTag.THETA_COVERED, covered)
        labels = block.labels[i, :cut].reshape(n_scores, spec.score_width, 2)
        kept = active_labels(self._active, n_scores, spec.score_width)
        output_masks = active_labels(self._active, batch, spec.gradient_width)
        force_masks = active_labels(self._active, p, spec.gradient_width)
        bounds = active_labels(self._active, p, bound_bits(spec))
        _, outputs = self._recv_opened(
            clamp_circuit(spec), [labels[:batch], kept[:batch], output_masks], spec.gradient_width
        )
        self._multiplier, forces = self._recv_opened(
            constraint_circuit(spec),
            [self._multiplier, labels[batch:], kept[batch:], bounds, force_masks],
            spec.gradient_width,
        )
        loss = (outputs - targets) @ rows + shares.loss[i]
        force = forces @ self._matrix + shares.force[i] + shares.covered_force[i]
        gradient = np.uint64(phase.loss) * loss + np.uint64(phase.constraint) * force
        gradient += np.uint64(1 << (phase.shift - 1))
        bits = bits_of(gradient & ring_mask(spec.gradient_width), spec.gradient_width)
        send_late_bits(channel, bits, block.random_bits[i, cut:])
        covered = (forces - block.force_covers[i]) & ring_mask(spec.gradient_width)
        channel.send_array(ProtocolTag.FORCE_COVERED, covered)
        labels = block.labels[i, cut:].reshape(spec.n_columns, spec.gradient_width, 2)
        kept = active_labels(self._active, spec.n_columns, spec.gradient_width)
        masks = active_labels(self._active, spec.n_columns, spec.score_width)
        self._theta, self._theta_share = self._recv_opened(
            update_circuit(spec, phase.shift), [self._theta, labels, kept, masks], spec.score_width
        )
        if averaged:
            self._sum = self._recv(accumulate_circuit(spec), [self._sum, self._theta])

    def open_theta(self) -> NDArray[np.int64]:
        """Return the rounded mean of the averaged iterates, int64 (d,)."""
        circuit = opening_circuit(self._spec)
        _, values = self._recv_opened(circuit, [self._sum], circuit.n_outputs)
        return signed_words(values, circuit.n_outputs)

    def _recv(self, circuit: Circuit, inputs: list[Words]) -> Words:
        joined = np.concatenate(inputs, axis=1)
        shape = (len(joined), circuit.n_ands, 4)
        tables = self._session.channel.recv_array(OpTag.GARBLED_TABLES, np.uint64, shape)
        return self._session.evaluator.evaluate(circuit, joined, tables)

    def _recv_opened(
        self, circuit: Circuit, inputs: list[Words], n_opened: int
    ) -> tuple[Words, Words]:
        """Evaluate; return the other outputs' labels and the integers of the opened ones."""
        outputs = self._recv(circuit, inputs)
        start = circuit.n_outputs - n_opened
        opened = recv_decoded(self._session.channel, outputs[:, start:])
        return np.ascontiguousarray(outputs[:, :start]), words_of(opened)
