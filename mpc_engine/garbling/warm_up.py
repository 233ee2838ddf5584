"""Compiling this layer's kernels before the first job needs them."""

from __future__ import annotations

import numpy as np

from mpc_engine.circuits import CircuitBuilder
from mpc_engine.crypto.rng import system_randomness
from mpc_engine.crypto.tweaked_hash import TweakedHash
from mpc_engine.errors import ResourceError
from mpc_engine.garbling.evaluator import Evaluator
from mpc_engine.garbling.garbler import Garbler
from mpc_engine.garbling.labels import check_output_labels, encode_bits


def compile_kernels() -> None:
    """Build, garble and evaluate one AND gate, so that later calls find machine code.

    Takes about two seconds in a process without a kernel cache. Raises ``ResourceError`` if this
    machine computes the gate wrongly.
    """
    rng = system_randomness()
    builder = CircuitBuilder()
    builder.output("both", [builder.and_(*builder.input("operands", 2))])
    circuit = builder.build()
    hash_, delta = TweakedHash(rng.bytes(16)), rng.words(2)
    delta[0] |= np.uint64(1)
    bits = np.array([[0, 0], [0, 1], [1, 0], [1, 1]], np.uint8)
    garbler = Garbler(hash_, delta, rng)
    zero = garbler.fresh_zero_labels(*bits.shape)
    garbled = garbler.garble(circuit, zero)
    labels = encode_bits(zero, bits, delta)
    outputs = Evaluator(hash_).evaluate(circuit, labels, garbled.tables)
    opened = check_output_labels(outputs, garbled.output_zero_labels, delta)
    if not np.array_equal(opened, circuit.evaluate(bits)):
        raise ResourceError("The compiled kernels give wrong results on this machine.")
