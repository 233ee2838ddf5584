"""A party's state of a run between two steps, to go on from in a session of its own.

Every wire value that passes from step to step (theta, the running sum, lambda) is shared already:
the colour of the evaluator's label is the value xor the colour of the garbler's zero label. To go
on, each party enters its bits as inputs of the new session, the modeler through oblivious transfer
and the regulator under labels of its own, and their xor costs nothing. The new labels, delta,
tweaks and all material are fresh; the shares of A and the mask of theta go on as they were, as they
do from step to step. Neither party learns from its state what it did not know in the run.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from mpc_engine.errors import UsageError
from mpc_engine.garbling import colour_bits
from mpc_engine.garbling.labels import BitArray
from mpc_engine.protocols.training.circuits import multiplier_bits
from mpc_engine.protocols.training.ring_wires import RingWords, ring_mask
from mpc_engine.protocols.training.spec import TrainingSpec
from mpc_engine.wire.codec import ByteReader, u32


@dataclass(frozen=True, repr=False, eq=False)
class TrainingState:
    """A party's state after ``step`` steps: a secret at each party, told to nobody.

    ``matrix`` uint64 of `TrainingSpec.matrix_shape`: its share of A; ``theta_share``
    uint64 (d,): theta minus the mask (modeler) or the mask (regulator); ``wires`` uint8
    (`state_wires`,): xor shares of the bits of theta, the running sum and lambda.
    """

    step: int
    matrix: RingWords
    theta_share: RingWords
    wires: BitArray

    def encode(self) -> bytes:
        """Return the bytes that `decode_state` reads."""
        words = np.concatenate([self.matrix.reshape(-1), self.theta_share]).astype("<u8")
        packed = np.packbits(self.wires, bitorder="little")
        return u32(self.step) + words.tobytes() + packed.tobytes()


@dataclass(frozen=True)
class Checkpointing:
    """Where a party's states come from and go to; by default a run that breaks starts anew.

    ``start`` is asked once, for the first point of a run: the state to go on from, None to start
    anew. ``keep`` is given a state of a point at every step of `checkpoint_steps`, at both parties
    after the same step. Both parties must go on from states of one checkpoint. ``opening`` is told,
    at both parties, that a point's model is opened next; what it raises ends the run before that.
    """

    start: Callable[[TrainingSpec], TrainingState | None] = lambda spec: None
    keep: Callable[[TrainingSpec, TrainingState], None] = lambda spec, state: None
    opening: Callable[[TrainingSpec], None] = lambda spec: None


def decode_state(spec: TrainingSpec, data: bytes) -> TrainingState:
    """Return a party's state for a run; DecodeError unless it fits the run exactly."""
    reader = ByteReader(data, "checkpoint")
    step, n_wires = reader.u32(), state_wires(spec)
    matrix = reader.array("<u8", spec.matrix_shape)
    theta_share = reader.array("<u8", (spec.n_columns,))
    bits = np.unpackbits(reader.array("u1", ((n_wires + 7) // 8,)), bitorder="little")
    reader.finish()
    if step not in checkpoint_steps(spec):
        raise reader.error("is of a step at which none is kept")
    if (matrix > ring_mask(spec.share_width)).any() or bits[n_wires:].any():
        raise reader.error("holds values outside their rings")
    if (theta_share > ring_mask(spec.score_width)).any():
        raise reader.error("holds values outside their rings")
    return TrainingState(step, matrix, theta_share, bits[:n_wires])


def checkpoint_steps(spec: TrainingSpec) -> frozenset[int]:
    """Return after how many steps a state is kept: at the end of every pass, and of the last step.

    The last one is kept before anything is opened. Public, like everything it depends on.
    """
    n_passes = spec.n_steps * spec.batch_size // spec.n_rows
    ends = {-(-spec.n_rows * i // spec.batch_size) for i in range(1, n_passes + 1)}
    return frozenset(ends | {spec.n_steps})


def state_wires(spec: TrainingSpec) -> int:
    """Return how many bits pass from step to step on wires."""
    per_column = spec.theta_bits + spec.averaged_bits
    return spec.n_columns * per_column + len(spec.bounds) * multiplier_bits(spec)


def check_state(spec: TrainingSpec, state: TrainingState) -> None:
    """Raise UsageError unless a state fits a run."""
    shapes = (state.matrix.shape, state.theta_share.shape, state.wires.shape)
    fitting = (spec.matrix_shape, (spec.n_columns,), (state_wires(spec),))
    if shapes != fitting or not 0 < state.step <= spec.n_steps:
        raise UsageError("The checkpoint is of another run.", code="CHECKPOINT_DIFFERENT")


def split_state(spec: TrainingSpec, labels: RingWords) -> tuple[RingWords, RingWords, RingWords]:
    """Return the labels of theta, the running sum and lambda: (d, w, 2), (d, w, 2), (p, w, 2)."""
    d, p = spec.n_columns, len(spec.bounds)
    first = d * spec.theta_bits
    second = first + d * spec.averaged_bits
    return (
        labels[:first].reshape(d, spec.theta_bits, 2),
        labels[first:second].reshape(d, spec.averaged_bits, 2),
        labels[second:].reshape(p, multiplier_bits(spec), 2),
    )


def shared_bits(theta: RingWords, summed: RingWords, multiplier: RingWords) -> BitArray:
    """Return the xor shares that labels hold: their colours, in the order of `split_state`."""
    parts = (colour_bits(labels).reshape(-1) for labels in (theta, summed, multiplier))
    return np.concatenate(list(parts))
