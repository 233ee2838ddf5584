"""The garbler's input labels: 16 bytes in all, however many wires.

The label that the evaluator holds for a bit the garbler knows may be any public block: the garbler
expands active labels from a seed that it sends, and sets ``zero = active xor bit delta``. The
evaluator sees uniform blocks that do not depend on the bits.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mpc_engine.crypto.prg import SEED_BYTES, Prg
from mpc_engine.crypto.rng import Randomness
from mpc_engine.kernels.bits import flip_blocks
from mpc_engine.secure_ops.tags import OpTag
from mpc_engine.transport.channel import Channel


class GarblerInputs:
    """The garbler's side of one seed: bits enter one after another, in the evaluator's order."""

    def __init__(self, seed: bytes, delta: NDArray[np.uint64]) -> None:
        self._active = Prg(seed)
        self._delta = delta

    def __repr__(self) -> str:
        return "GarblerInputs(<secret>)"

    def zero_labels(self, bits: NDArray[np.uint8]) -> NDArray[np.uint64]:
        """Return the zero labels uint64 (..., 2) of the next bits uint8 (...)."""
        return flip_blocks(self._active.words(*bits.shape, 2), bits, self._delta)


class GarblerLabels:
    """The evaluator's side: the active labels of the garbler's bits, which it does not know."""

    def __init__(self, seed: bytes) -> None:
        self._active = Prg(seed)

    def __repr__(self) -> str:
        return "GarblerLabels(<secret>)"

    def take(self, *shape: int) -> NDArray[np.uint64]:
        """Return the labels of the next bits of ``shape``, uint64 (..., 2)."""
        return self._active.words(*shape, 2)


def send_garbler_inputs(
    channel: Channel, rng: Randomness, delta: NDArray[np.uint64]
) -> GarblerInputs:
    """Send a fresh seed; return what the garbler's bits enter by."""
    seed = rng.bytes(SEED_BYTES)
    channel.send(OpTag.GARBLER_INPUT_SEED, seed)
    return GarblerInputs(seed, delta)


def recv_garbler_inputs(channel: Channel) -> GarblerLabels:
    """Receive the garbler's seed; return what their labels are taken from."""
    return GarblerLabels(channel.recv(OpTag.GARBLER_INPUT_SEED, size=SEED_BYTES))
