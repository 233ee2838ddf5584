"""The integer algebra of circuits: every word carries its proved range.

A word has exactly the wires its range needs in two's complement, so that no operation can
overflow; where the range is not negative, the sign wire is the constant 0 and costs nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mpc_engine.circuits import Bits, CircuitBuilder, Wire, arithmetic


def width_of(low: int, high: int) -> int:
    """Return the two's complement width that holds every integer of ``low .. high``."""
    return max(high.bit_length(), (-low - 1).bit_length() if low < 0 else 0) + 1


@dataclass(frozen=True)
class Word:
    """A signed integer on wires, low bit first, known to lie in ``low .. high``."""

    bits: Bits
    low: int
    high: int


class CircuitAlgebra:
    """Compile a criterion; implements `mpc_engine.fairness.algebra.IntegerAlgebra`."""

    def __init__(self, builder: CircuitBuilder) -> None:
        self._builder = builder

    def word(self, bits: Bits, low: int, high: int) -> Word:
        """Take ``bits``, whose integer is known to lie in ``low .. high`` modulo 2^len(bits)."""
        width = width_of(low, high)
        kept = arithmetic.sign_extend(bits, width)
        if low >= 0:
            kept[-1] = False
        return Word(kept, low, high)

    def constant(self, value: int) -> Word:
        """Return a public integer; it has no wires."""
        width = width_of(value, value)
        return Word([bool((value >> i) & 1) for i in range(width)], value, value)

    def add(self, a: Word, b: Word) -> Word:
        """Return ``a + b``."""
        low, high = a.low + b.low, a.high + b.high
        width = width_of(low, high)
        return self.word(arithmetic.add(self._builder, a.bits, b.bits, width), low, high)

    def subtract(self, a: Word, b: Word) -> Word:
        """Return ``a - b``."""
        low, high = a.low - b.high, a.high - b.low
        width = width_of(low, high)
        return self.word(arithmetic.subtract(self._builder, a.bits, b.bits, width), low, high)

    def multiply(self, a: Word, b: Word) -> Word:
        """Return ``a * b``."""
        corners = [x * y for x in (a.low, a.high) for y in (b.low, b.high)]
        low, high = min(corners), max(corners)
        bits = arithmetic.multiply_signed(self._builder, a.bits, b.bits, width_of(low, high))
        return self.word(bits, low, high)

    def inner_product(self, a: Sequence[Word], b: Sequence[Word]) -> Word:
        """Return ``sum_k a_k * b_k``."""
        low = high = 0
        for x, y in zip(a, b, strict=True):
            corners = [p * q for p in (x.low, x.high) for q in (y.low, y.high)]
            low, high = low + min(corners), high + max(corners)
        pairs = [(x.bits, y.bits) for x, y in zip(a, b, strict=True)]
        bits = arithmetic.inner_product(self._builder, pairs, width_of(low, high))
        return self.word(bits, low, high)

    def scale(self, a: Word, factor: int) -> Word:
        """Return ``a * factor`` for a public factor that is not negative."""
        low, high = a.low * factor, a.high * factor
        width = width_of(low, high)
        return self.word(
            arithmetic.multiply_constant(self._builder, a.bits, factor, width), low, high
        )

    def absolute(self, a: Word) -> Word:
        """Return ``abs(a)``."""
        high = max(abs(a.low), abs(a.high))
        low = 0 if a.low <= 0 <= a.high else min(abs(a.low), abs(a.high))
        extended = arithmetic.sign_extend(a.bits, width_of(-high, high))
        return self.word(arithmetic.absolute(self._builder, extended), low, high)

    def positive_part(self, a: Word) -> Word:
        """Return ``a`` where it is not negative, else 0."""
        kept = self.keep_if(self._builder.not_(a.bits[-1]), a)
        return self.word(kept.bits, max(a.low, 0), max(a.high, 0))

    def keep_if(self, bit: Wire, a: Word) -> Word:
        """Return ``a`` where ``bit`` is set, else 0."""
        low, high = min(a.low, 0), max(a.high, 0)
        return self.word([self._builder.and_(bit, wire) for wire in a.bits], low, high)

    def choose(self, bit: Wire, a: Word, b: Word) -> Word:
        """Return ``a`` where ``bit`` is set, else ``b``."""
        low, high = min(a.low, b.low), max(a.high, b.high)
        width = width_of(low, high)
        own, other = (arithmetic.sign_extend(word.bits, width) for word in (a, b))
        return self.word(self._builder.mux(bit, own, other), low, high)

    def less_than(self, a: Word, b: Word) -> Wire:
        """Return the wire ``a < b``."""
        return arithmetic.less_than(self._builder, a.bits, b.bits, signed=True)

    def less_equal(self, a: Word, b: Word) -> Wire:
        """Return the wire ``a <= b``."""
        return arithmetic.less_equal(self._builder, a.bits, b.bits, signed=True)

    def both(self, a: Wire, b: Wire) -> Wire:
        """Return ``a and b``."""
        return self._builder.and_(a, b)

    def either(self, a: Wire, b: Wire) -> Wire:
        """Return ``a or b``."""
        return self._builder.or_(a, b)

    def negated(self, a: Wire) -> Wire:
        """Return ``not a``."""
        return self._builder.not_(a)
