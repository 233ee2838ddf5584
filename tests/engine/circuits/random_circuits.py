"""Random circuits with a plain Python function of the same inputs, for comparison."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

import numpy as np

from mpc_engine.circuits import Circuit, CircuitBuilder

Evaluation = Callable[[list[int]], list[int]]


def random_circuit(seed: int, n_inputs: int = 6, n_gates: int = 60) -> tuple[Circuit, Evaluation]:
    """Return a circuit whose outputs include constants, inputs, inverses and repeated wires."""
    source = Random(seed)
    builder = CircuitBuilder()
    wires: list[int] = [*builder.input("left", n_inputs // 2), False, True]
    steps: list[tuple[str, int, int]] = []
    for number in range(n_gates):
        if number == n_gates // 2:
            wires += builder.input("right", n_inputs - n_inputs // 2)
        kind = source.choice(["xor", "xor", "and_", "or_", "not_"])
        a, b = (
            at if source.random() < 0.1 or wires[at] > 1 else 0
            for at in source.choices(range(len(wires)), k=2)
        )
        steps.append((kind, a, b))
        operands = (wires[a],) if kind == "not_" else (wires[a], wires[b])
        wires.append(getattr(builder, kind)(*operands))
    chosen = [*range(n_inputs // 2 + 2), *source.choices(range(len(wires)), k=12)]
    builder.output("chosen", [wires[at] for at in chosen])

    def evaluate(inputs: list[int]) -> list[int]:
        values = [*inputs[: n_inputs // 2], 0, 1]
        for number, (kind, a, b) in enumerate(steps):
            if number == n_gates // 2:
                values += inputs[n_inputs // 2 :]
            x, y = values[a], values[b]
            values.append({"xor": x ^ y, "and_": x & y, "or_": x | y, "not_": 1 - x}[kind])
        return [values[at] for at in chosen]

    return builder.build(), evaluate


def all_inputs(n_inputs: int) -> np.ndarray:
    """Return every assignment of the inputs, uint8[2^n, n]."""
    numbers = np.arange(1 << n_inputs, dtype=np.uint32)[:, None]
    return ((numbers >> np.arange(n_inputs, dtype=np.uint32)) & 1).astype(np.uint8)
