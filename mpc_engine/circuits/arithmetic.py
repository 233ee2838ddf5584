"""Integer arithmetic in circuits: two's complement, explicit widths, as few AND gates as known.

Every number is a list of wires, least significant first, whose last bit is the sign; append
``False`` to read an unsigned number. Results are exact modulo 2^width, so they are the true result
wherever it fits. Costs are given in AND gates for n-bit operands.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from mpc_engine.circuits.builder import Bits, CircuitBuilder, Template, Wire, make_template
from mpc_engine.circuits.column_sum import ColumnSum

Operand = Sequence[Wire]


def constant_bits(value: int, width: int) -> Bits:
    """Return a public integer as constant bits."""
    return [bool(value >> place & 1) for place in range(width)]


def sign_extend(bits: Operand, width: int) -> Bits:
    """Return the number with ``width`` bits, repeating its sign or cutting its top; free."""
    return [*bits[:width], *[bits[-1]] * (width - len(bits))]


def zero_extend(bits: Operand, width: int) -> Bits:
    """Return an unsigned number with ``width`` bits, cutting its top if need be; free."""
    return [*bits[:width], *[False] * (width - len(bits))]


def add(builder: CircuitBuilder, a: Operand, b: Operand, width: int) -> Bits:
    """Return a + b; at most n gates."""
    return _ripple(builder, a, b, False, width)


def subtract(builder: CircuitBuilder, a: Operand, b: Operand, width: int) -> Bits:
    """Return a - b; at most n gates."""
    return _ripple(builder, a, [builder.not_(bit) for bit in b], True, width)


def negate(builder: CircuitBuilder, a: Operand, width: int) -> Bits:
    """Return -a; at most n - 1 gates."""
    return subtract(builder, [False], a, width)


def absolute(builder: CircuitBuilder, a: Operand) -> Bits:
    """Return abs(a) as an unsigned number of as many bits, right for the lowest a too; n - 1."""
    sign = a[-1]
    flipped = [builder.xor(bit, sign) for bit in a]
    return _ripple(builder, flipped, [False], sign, len(a))


def add_many(builder: CircuitBuilder, operands: Sequence[Operand], width: int) -> Bits:
    """Return the sum of numbers of any widths; about one gate for each bit that disappears."""
    columns = ColumnSum(builder, width)
    for operand in operands:
        columns.add(operand)
    return columns.total()


def multiply_constant(builder: CircuitBuilder, a: Operand, constant: int, width: int) -> Bits:
    """Return a times a public integer by its non-adjacent form: n for each digit but the first."""
    columns = ColumnSum(builder, width)
    place = 0
    while constant and place < width:
        if constant & 1:
            digit = 2 - (constant & 3)
            columns.add_signed_by(digit < 0, a, place)
            constant -= digit
        constant >>= 1
        place += 1
    return columns.total()


def multiply_signed(builder: CircuitBuilder, a: Operand, b: Operand, width: int) -> Bits:
    """Return a times b; about one gate for each pair of bits of a and b below ``width``.

    Half the cost of adding masked rows: with digits ``2 b_j - 1`` of +1 or -1 in place of 0 or 1 a
    row is an XOR, and only the adders cost gates. ``a b`` is the sum over j >= 1 of
    ``(2 b_j - 1) a 2^(j-1)``, the sign's digit negated, plus ``(b_0 - 1) a``.
    """
    return inner_product(builder, [(a, b)], width)


def inner_product(
    builder: CircuitBuilder, pairs: Sequence[tuple[Operand, Operand]], width: int
) -> Bits:
    """Return the sum of the products of pairs of numbers, as ``multiply_signed`` does one.

    All rows share one sum, which saves the adders between the products.
    """
    trimmed = []
    for a, b in pairs:
        a, b = _trim(a[:width]), _trim(b[:width])
        if _product_gates(len(b), len(a), width) < _product_gates(len(a), len(b), width):
            a, b = b, a
        trimmed.append((a, b))
    wires = [bit for a, b in trimmed for bit in (*a, *b)]
    widths = tuple((len(a), len(b)) for a, b in trimmed)
    if any(bit is True or bit is False for bit in wires):
        return _inner_product(builder, wires, widths, width)
    return builder.place(_inner_product_template(widths, width), wires)


def less_than(builder: CircuitBuilder, a: Operand, b: Operand, *, signed: bool = True) -> Wire:
    """Return whether a < b; n gates."""
    extend = sign_extend if signed else zero_extend
    width = max(len(a), len(b))
    a, b = extend(a, width), extend(b, width)
    if signed:
        a[-1], b[-1] = builder.not_(a[-1]), builder.not_(b[-1])
    borrow: Wire = False
    for x, y in zip(a, b, strict=True):
        _, borrow = builder.full_adder(builder.not_(x), y, borrow)
    return borrow


def less_equal(builder: CircuitBuilder, a: Operand, b: Operand, *, signed: bool = True) -> Wire:
    """Return whether a <= b; n gates."""
    return builder.not_(less_than(builder, b, a, signed=signed))


def equal(builder: CircuitBuilder, a: Operand, b: Operand) -> Wire:
    """Return whether two signed numbers are equal; n - 1 gates."""
    width = max(len(a), len(b))
    return builder.eq(sign_extend(a, width), sign_extend(b, width))


def is_zero(builder: CircuitBuilder, a: Operand) -> Wire:
    """Return whether all bits are 0; n - 1 gates."""
    return builder.not_(builder.any_of(a))


def popcount(builder: CircuitBuilder, bits: Operand) -> Bits:
    """Return how many bits are 1, unsigned, in as many bits as the largest count needs.

    Takes n minus the weight of n gates, the fewest possible (Boyar and Peralta, 2005).
    """
    columns = ColumnSum(builder, max(1, len(bits).bit_length()))
    for bit in bits:
        columns.add_bit(bit, 0)
    return columns.total()


def _ripple(builder: CircuitBuilder, a: Operand, b: Operand, carry: Wire, width: int) -> Bits:
    """Add with a carry in; bits that only repeat the sign of the exact sum cost nothing."""
    needed = min(width, max(len(a), len(b)) + 1)
    a, b = sign_extend(a, needed), sign_extend(b, needed)
    total = []
    for x, y in zip(a[:-1], b[:-1], strict=True):
        bit, carry = builder.full_adder(x, y, carry)
        total.append(bit)
    total.append(builder.xor(builder.xor(a[-1], b[-1]), carry))
    return sign_extend(total, width)


def _trim(bits: Operand) -> Bits:
    """Drop bits that only repeat the sign, down to two."""
    trimmed = list(bits)
    while len(trimmed) > 2 and trimmed[-1] == trimmed[-2]:
        trimmed.pop()
    return sign_extend(trimmed, max(2, len(trimmed)))


def _product_gates(n: int, m: int, width: int) -> int:
    """Estimate the gates of an n-bit number times the m digits of another."""
    rows = sum(max(0, min(n + 1, width - j + 1)) for j in range(1, m))
    return rows + min(n, width)


def _inner_product(
    builder: CircuitBuilder, wires: Bits, widths: Sequence[tuple[int, int]], width: int
) -> Bits:
    columns = ColumnSum(builder, width)
    start = 0
    for n, m in widths:
        a, b = wires[start : start + n], wires[start + n : start + n + m]
        start += n + m
        lowest = builder.not_(b[0])
        columns.subtract([builder.and_(lowest, bit) for bit in a])
        for j in range(1, m):
            columns.add_signed_by(b[j] if j == m - 1 else builder.not_(b[j]), a, j - 1)
    return columns.total()


@lru_cache(maxsize=64)
def _inner_product_template(widths: tuple[tuple[int, int], ...], width: int) -> Template:
    def body(builder: CircuitBuilder, wires: Bits) -> Bits:
        return _inner_product(builder, wires, widths, width)

    return make_template(body, sum(n + m for n, m in widths))
