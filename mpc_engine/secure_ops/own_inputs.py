"""The garbler's own input bits: 16 bytes in all, however many wires.

The label that the evaluator holds for a bit the garbler knows may be any public block: the garbler
expands active labels from a seed that it sends, and sets ``zero = active xor bit delta``. The
evaluator sees uniform blocks that do not depend on the bits.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mpc_engine.crypto.prg import SEED_BYTES, Prg
from mpc_engine.crypto.rng import Randomness
from mpc_engine.kernels.bits import turn_blocks
from mpc_engine.secure_ops.tags import OpTag
from mpc_engine.transport.channel import Channel


def send_own_seed(channel: Channel, rng: Randomness) -> Prg:
    """Send a fresh seed; return the stream of active labels that both sides now share."""
    seed = rng.bytes(SEED_BYTES)
    channel.send(OpTag.OWN_INPUT_SEED, seed)
    return Prg(seed)


def recv_own_seed(channel: Channel) -> Prg:
    """Receive the garbler's seed; return the stream of active labels."""
    return Prg(channel.recv(OpTag.OWN_INPUT_SEED, size=SEED_BYTES))


def own_zero_labels(
    active: Prg, bits: NDArray[np.uint8], delta: NDArray[np.uint64]
) -> NDArray[np.uint64]:
    """Return zero labels uint64 (..., 2) of bits uint8 (...), taken from the stream in order."""
    return turn_blocks(active.words(*bits.shape, 2), bits, delta)
