from __future__ import annotations

from collections.abc import Callable
from random import Random

import numpy as np
import pytest

from mpc_engine.circuits import Circuit, CircuitBuilder, arithmetic, bits_integer
from mpc_engine.circuits.column_sum import ColumnSum

WIDTHS = (1, 2, 3, 8, 24)
RESULTS = (1, 2, 7, 16, 25, 48, 50)


def _numbers(width: int, count: int, source: Random) -> list[int]:
    """Return signed numbers of a width: edges and zero first, then random ones."""
    low, high = -(1 << (width - 1)), (1 << (width - 1)) - 1
    edges = [low, high, 0, -1, min(1, high), low + 1, high - 1]
    kept = [number for number in edges if low <= number <= high]
    return [
        source.choice(kept) if source.random() < 0.5 else source.randint(low, high)
        for _ in range(count)
    ]


def _check(
    widths: tuple[int, ...],
    build: Callable[..., list[int]],
    expected: Callable[..., int],
    result_width: int,
) -> Circuit:
    """Compare a circuit with Python on pairs of edges and random numbers; return the circuit."""
    source = Random(str((widths, result_width)))
    builder = CircuitBuilder()
    operands = [builder.input(str(at), width) for at, width in enumerate(widths)]
    result = build(builder, *operands)
    assert len(result) == result_width
    builder.output("result", result)
    circuit = builder.build()
    cases = list(zip(*(_numbers(width, 64, source) for width in widths), strict=True))
    rows = np.stack(
        [circuit.pack_inputs({str(at): x for at, x in enumerate(case)}) for case in cases]
    )
    for case, row in zip(cases, circuit.evaluate(rows), strict=True):
        assert bits_integer(row) == expected(*case) % (1 << result_width), case
    return circuit


@pytest.mark.parametrize("width", RESULTS)
@pytest.mark.parametrize("n", WIDTHS)
@pytest.mark.parametrize("m", WIDTHS)
def test_sums_differences_and_products_are_exact_modulo_the_width(
    n: int, m: int, width: int
) -> None:
    def check(operation: Callable[..., list[int]], expected: Callable[[int, int], int]) -> None:
        _check((n, m), lambda b, x, y: operation(b, x, y, width), expected, width)

    check(arithmetic.add, lambda x, y: x + y)
    check(arithmetic.subtract, lambda x, y: x - y)
    check(arithmetic.multiply_signed, lambda x, y: x * y)
    check(lambda b, x, y, width: arithmetic.add_many(b, [x, y, x], width), lambda x, y: 2 * x + y)


@pytest.mark.parametrize("n", WIDTHS)
@pytest.mark.parametrize("m", WIDTHS)
def test_comparisons_equal_python(n: int, m: int) -> None:
    def compare(name: str, holds: Callable[[int, int], bool], **options: bool) -> None:
        function = getattr(arithmetic, name)
        _check((n, m), lambda b, x, y: [function(b, x, y, **options)], holds, 1)

    compare("less_than", lambda x, y: x < y)
    compare("less_equal", lambda x, y: x <= y)
    compare("equal", lambda x, y: x == y)
    compare("less_than", lambda x, y: x % (1 << n) < y % (1 << m), signed=False)
    compare("less_equal", lambda x, y: x % (1 << n) <= y % (1 << m), signed=False)


@pytest.mark.parametrize("n", WIDTHS)
def test_operations_on_one_number_equal_python(n: int) -> None:
    _check((n,), lambda b, x: arithmetic.absolute(b, x), abs, n)
    _check((n,), lambda b, x: [arithmetic.is_zero(b, x)], lambda x: x == 0, 1)
    _check((n,), lambda b, x: arithmetic.sign_extend(x, n + 5), lambda x: x, n + 5)
    _check((n,), lambda b, x: arithmetic.zero_extend(x, n + 5), lambda x: x % (1 << n), n + 5)


@pytest.mark.parametrize("width", RESULTS)
@pytest.mark.parametrize("n", WIDTHS)
def test_negation_equals_python(n: int, width: int) -> None:
    _check((n,), lambda b, x: arithmetic.negate(b, x, width), lambda x: -x, width)


@pytest.mark.parametrize("width", RESULTS)
@pytest.mark.parametrize("constant", [0, 1, -1, 2, 3, -7, 255, -256, 12345, -(2**40) + 3])
def test_products_with_public_integers_equal_python(constant: int, width: int) -> None:
    _check(
        (9,),
        lambda b, x: arithmetic.multiply_constant(b, x, constant, width),
        lambda x: constant * x,
        width,
    )


@pytest.mark.parametrize("shapes", [[(5, 3)], [(5, 3), (3, 8), (1, 1)], [(12, 7)] * 6])
def test_inner_products_equal_python(shapes: list[tuple[int, int]]) -> None:
    def build(builder: CircuitBuilder, *numbers: list[int]) -> list[int]:
        pairs = list(zip(numbers[::2], numbers[1::2], strict=True))
        return arithmetic.inner_product(builder, pairs, 24)

    def expected(*numbers: int) -> int:
        return sum(a * b for a, b in zip(numbers[::2], numbers[1::2], strict=True))

    _check(tuple(width for shape in shapes for width in shape), build, expected, 24)


@pytest.mark.parametrize("value", [-8, -3, -1, 0, 1, 5, 7])
def test_an_operand_may_be_public_or_unsigned(value: int) -> None:
    public = arithmetic.constant_bits(value, 4)
    _check((6,), lambda b, x: arithmetic.add(b, x, public, 8), lambda x: x + value, 8)
    _check((6,), lambda b, x: arithmetic.subtract(b, public, x, 8), lambda x: value - x, 8)
    _check((6,), lambda b, x: arithmetic.multiply_signed(b, x, public, 10), lambda x: x * value, 10)
    _check((6,), lambda b, x: [arithmetic.less_than(b, x, public)], lambda x: x < value, 1)
    _check((6,), lambda b, x: [arithmetic.equal(b, public, x)], lambda x: x == value, 1)
    _check(
        (6, 5),
        lambda b, x, y: arithmetic.multiply_signed(b, [*x, False], [*y, False], 11),
        lambda x, y: (x % 64) * (y % 32),
        11,
    )


def test_everything_public_costs_no_gate() -> None:
    builder = CircuitBuilder()
    a, b = arithmetic.constant_bits(-77, 9), arithmetic.constant_bits(100, 9)
    assert arithmetic.multiply_signed(builder, a, b, 16) == arithmetic.constant_bits(-7700, 16)
    assert arithmetic.add(builder, a, b, 10) == arithmetic.constant_bits(23, 10)
    assert arithmetic.absolute(builder, a) == arithmetic.constant_bits(77, 9)
    assert arithmetic.less_than(builder, a, b) is True
    assert builder.build().n_wires == 0


@pytest.mark.parametrize("n", range(1, 40))
def test_counting_ones_takes_the_fewest_gates(n: int) -> None:
    circuit = _check(
        (n,),
        lambda b, x: arithmetic.popcount(b, x),
        lambda x: (x % (1 << n)).bit_count(),
        n.bit_length(),
    )
    assert circuit.n_ands == n - n.bit_count()


@pytest.mark.parametrize(
    ("widths", "build", "n_ands"),
    [
        ((32, 32), lambda b, x, y: arithmetic.add(b, x, y, 32), 31),
        ((32, 32), lambda b, x, y: arithmetic.add(b, x, y, 40), 32),
        ((32, 32), lambda b, x, y: arithmetic.subtract(b, x, y, 33), 32),
        ((32,), lambda b, x: arithmetic.negate(b, x, 32), 30),
        ((32,), lambda b, x: arithmetic.absolute(b, x), 31),
        ((32, 32), lambda b, x, y: [arithmetic.less_than(b, x, y)], 32),
        ((32, 32), lambda b, x, y: [arithmetic.equal(b, x, y)], 31),
        ((32,), lambda b, x: [arithmetic.is_zero(b, x)], 31),
        ((32,), lambda b, x: arithmetic.multiply_constant(b, x, 8, 40), 0),
        ((32,), lambda b, x: arithmetic.multiply_constant(b, x, 7, 35), 33),
        ((46, 24), lambda b, x, y: arithmetic.multiply_signed(b, x, y, 70), 1172),
        ((24, 46), lambda b, x, y: arithmetic.multiply_signed(b, x, y, 70), 1172),
        ((46, 24), lambda b, x, y: arithmetic.multiply_signed(b, x, y, 46), 872),
        ((64, 64), lambda b, x, y: arithmetic.multiply_signed(b, x, y, 64), 2142),
    ],
)
def test_operations_cost_no_more_gates_than_stated(
    widths: tuple[int, ...], build: Callable[..., list[int]], n_ands: int
) -> None:
    builder = CircuitBuilder()
    operands = [builder.input(str(at), width) for at, width in enumerate(widths)]
    builder.output("result", build(builder, *operands))
    assert builder.build().n_ands == n_ands


def test_repeated_signs_cost_nothing() -> None:
    builder = CircuitBuilder()
    a, b = builder.input("a", 10), builder.input("b", 10)
    wide = arithmetic.multiply_signed(
        builder, arithmetic.sign_extend(a, 40), arithmetic.sign_extend(b, 40), 20
    )
    builder.output("wide", wide)
    narrow = CircuitBuilder()
    narrow.output(
        "narrow",
        arithmetic.multiply_signed(narrow, narrow.input("a", 10), narrow.input("b", 10), 20),
    )
    assert builder.build().n_ands == narrow.build().n_ands


@pytest.mark.parametrize("negative", [False, True, None])
def test_column_sums_add_and_subtract_shifted_numbers(negative: bool | None) -> None:
    def build(builder: CircuitBuilder, x: list[int], y: list[int], s: list[int]) -> list[int]:
        columns = ColumnSum(builder, 16)
        columns.add(x, 3)
        columns.subtract(y, 2)
        columns.add_signed_by(s[0] if negative is None else negative, y, 5)
        columns.add_signed_by(s[0], [True, *x], 1)
        columns.add_unsigned(x, 14)
        columns.add_constant(-12345)
        return columns.total()

    def expected(x: int, y: int, s: int) -> int:
        sign = -1 if (s if negative is None else negative) else 1
        own = -1 if s else 1
        return 8 * x - 4 * y + sign * 32 * y + own * 2 * (2 * x + 1) + (x << 14) - 12345

    _check((6, 4, 1), build, expected, 16)
