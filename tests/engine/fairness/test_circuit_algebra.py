"""Words on wires compute what Python integers do, at the ends of their ranges too."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from mpc_engine.circuits import CircuitBuilder
from mpc_engine.fairness.algebra import PlainAlgebra
from mpc_engine.fairness.circuit_algebra import CircuitAlgebra, width_of

_RANGES = [(-5, 9), (0, 7), (-8, -1), (3, 20), (-128, 127)]


def _bits(value: int, width: int) -> list[int]:
    return [(value >> i) & 1 for i in range(width)]


def _value(bits: list[int]) -> int:
    unsigned = sum(bit << i for i, bit in enumerate(bits))
    return unsigned - (bits[-1] << len(bits))


@pytest.mark.parametrize(("first", "second"), list(itertools.product(_RANGES, repeat=2)))
def test_every_operation_equals_the_plain_algebra(
    first: tuple[int, int], second: tuple[int, int]
) -> None:
    builder = CircuitBuilder()
    algebra, plain = CircuitAlgebra(builder), PlainAlgebra()
    widths = width_of(*first), width_of(*second)
    a = algebra.word(builder.input("a", widths[0]), *first)
    b = algebra.word(builder.input("b", widths[1]), *second)
    words = {
        "add": algebra.add(a, b),
        "subtract": algebra.subtract(a, b),
        "multiply": algebra.multiply(a, b),
        "inner_product": algebra.inner_product([a, b], [b, b]),
        "scale": algebra.scale(a, 13),
        "absolute": algebra.absolute(a),
        "positive_part": algebra.positive_part(a),
        "constant": algebra.constant(-6),
    }
    for name, word in words.items():
        builder.output(name, word.bits)
    builder.output("less_than", [algebra.less_than(a, b)])
    builder.output("less_equal", [algebra.less_equal(a, b)])
    circuit = builder.build()
    pairs = [
        (x, y)
        for x in {first[0], first[1], (first[0] + first[1]) // 2}
        for y in {second[0], second[1], *range(max(second[0], -3), min(second[1], 3) + 1)}
    ]
    inputs = np.array([_bits(x, widths[0]) + _bits(y, widths[1]) for x, y in pairs], dtype=np.uint8)
    rows = circuit.evaluate(inputs)
    for (x, y), row in zip(pairs, rows.tolist(), strict=True):
        expected = {
            "add": plain.add(x, y),
            "subtract": plain.subtract(x, y),
            "multiply": plain.multiply(x, y),
            "inner_product": plain.inner_product([x, y], [y, y]),
            "scale": plain.scale(x, 13),
            "absolute": plain.absolute(x),
            "positive_part": plain.positive_part(x),
            "constant": plain.constant(-6),
        }
        for name, value in expected.items():
            assert _value(row[circuit.output_slices[name]]) == value, name
            assert words[name].low <= value <= words[name].high
        assert row[circuit.output_slices["less_than"]] == [plain.less_than(x, y)]
        assert row[circuit.output_slices["less_equal"]] == [plain.less_equal(x, y)]


@pytest.mark.parametrize(
    ("low", "high", "width"),
    [(0, 0, 1), (0, 1, 2), (-1, 0, 1), (-2, 1, 2), (-128, 127, 8), (0, 128, 9)],
)
def test_a_width_is_the_smallest_that_holds_the_range(low: int, high: int, width: int) -> None:
    assert width_of(low, high) == width
