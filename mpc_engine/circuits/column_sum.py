"""Sums of many bits of known weight modulo 2^width, the one adder behind all arithmetic.

Bits are gathered in columns by weight and reduced from the lowest column up by full adders (three
bits to two, one AND gate) in the manner of Wallace trees. Negative weights cost nothing: ``-b 2^p``
is ``(1 - b) 2^p - 2^p``, inverting is free, and all constants fold into one integer.
"""

from __future__ import annotations

from collections.abc import Sequence

from mpc_engine.circuits.builder import Bits, CircuitBuilder, Wire

_Item = Wire | tuple[Wire, Wire]
"""A wire, or two whose XOR is emitted only when it is needed, to keep few wires alive."""


class ColumnSum:
    """A sum being gathered; ``total`` emits its gates."""

    def __init__(self, builder: CircuitBuilder, width: int) -> None:
        self._builder = builder
        self._width = width
        self._columns: list[list[_Item]] = [[] for _ in range(width)]
        self._constant = 0

    def add_constant(self, value: int) -> None:
        """Add a public integer."""
        self._constant += value

    def add_bit(self, bit: Wire, weight: int) -> None:
        """Add ``bit * 2^weight``."""
        if bit is True:
            self._constant += 1 << weight
        elif bit is not False and weight < self._width:
            self._columns[weight].append(bit)

    def subtract_bit(self, bit: Wire, weight: int) -> None:
        """Add ``-bit * 2^weight``."""
        self.add_bit(self._builder.not_(bit), weight)
        self._constant -= 1 << weight

    def add_unsigned(self, bits: Sequence[Wire], shift: int = 0) -> None:
        """Add an unsigned number times ``2^shift``."""
        for place, bit in enumerate(bits, shift):
            self.add_bit(bit, place)

    def add(self, bits: Sequence[Wire], shift: int = 0) -> None:
        """Add a two's complement number times ``2^shift``."""
        self.add_unsigned(bits[:-1], shift)
        self.subtract_bit(bits[-1], shift + len(bits) - 1)

    def subtract(self, bits: Sequence[Wire], shift: int = 0) -> None:
        """Add minus a two's complement number times ``2^shift``."""
        for place, bit in enumerate(bits[:-1], shift):
            self.subtract_bit(bit, place)
        self.add_bit(bits[-1], shift + len(bits) - 1)

    def add_signed_by(self, negative: Wire, bits: Sequence[Wire], shift: int = 0) -> None:
        """Add a two's complement number times ``2^shift``, or minus it where ``negative`` is 1.

        Minus a number is its inverse plus one, so this needs no AND gate beyond the adders.
        """
        if negative is True or negative is False:
            return self.subtract(bits, shift) if negative else self.add(bits, shift)
        *lower, sign = bits
        for place, bit in enumerate(lower[: max(0, self._width - shift)], shift):
            if bit is True or bit is False:
                self.add_bit(self._builder.xor(bit, negative), place)
            else:
                self._columns[place].append((bit, negative))
        self.subtract_bit(self._builder.xor(sign, negative), shift + len(lower))
        self.add_bit(negative, shift)
        return None

    def total(self) -> Bits:
        """Return the sum modulo 2^width, emptying the columns."""
        return [self._reduce(place) for place in range(self._width)]

    def _reduce(self, place: int) -> Wire:
        """Reduce one column to one bit, sending carries to the next."""
        if place == self._width - 1:
            return self._parity(place)
        builder, column = self._builder, self._columns[place]
        at = 0
        while len(column) - at > 1:
            if len(column) - at > 2:
                x, y, z = column[at : at + 3]
                at += 3
                bit, carry = builder.full_adder(self._wire(x), self._wire(y), self._wire(z))
            else:
                x, y = column[at:]
                at += 2
                bit, carry = builder.full_adder(self._wire(x), self._wire(y), self._one(place))
                self._constant &= ~(1 << place)
            self.add_bit(carry, place + 1)
            self.add_bit(bit, place)
        one = self._one(place)
        if at == len(column):
            return one
        last = self._wire(column[at])
        if not one:
            return last
        self.add_bit(last, place + 1)
        return builder.not_(last)

    def _parity(self, place: int) -> Wire:
        parity = self._one(place)
        for item in self._columns[place]:
            parity = self._builder.xor(parity, self._wire(item))
        return parity

    def _one(self, place: int) -> Wire:
        return bool(self._constant >> place & 1)

    def _wire(self, item: _Item) -> Wire:
        return self._builder.xor(*item) if isinstance(item, tuple) else item
