"""Building Boolean circuits gate by gate, with constants folded as they meet.

A wire is a positive integer: twice its number plus one if it is taken inverted, so that ``not_``
costs nothing. Python's ``False`` and ``True`` stand for constants. Since XOR and NOT are free when
garbled, everything here counts and saves AND gates only.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mpc_engine.circuits.circuit import Circuit
from mpc_engine.errors import UsageError
from mpc_engine.kernels.circuit import lay_out

Wire = int
"""A wire, or a bool for a constant."""
Bits = list[Wire]
"""Wires of a number, least significant first."""

_FIRST_WIRE = 2
_MAX_LITERAL = (1 << 31) - 1
_INPUT = 0


@dataclass(frozen=True)
class Template:
    """Gates built once, to be placed into circuits many times (see ``CircuitBuilder.place``)."""

    n_inputs: int
    gates: NDArray[np.int64]
    outputs: NDArray[np.int64]


class CircuitBuilder:
    """Collects gates; ``build`` turns them into a ``Circuit``."""

    def __init__(self) -> None:
        self._gates = array("q")
        self._next = _FIRST_WIRE
        self._inputs: dict[str, int] = {}
        self._outputs: dict[str, Bits] = {}

    def input(self, name: str, width: int) -> Bits:
        """Declare ``width`` input bits under a name of their own and return their wires."""
        if name in self._inputs:
            raise UsageError(f"the circuit already has an input named {name}")
        self._inputs[name] = width
        first = self._next
        self._gates.extend([_INPUT] * width)
        self._next += 2 * width
        return list(range(first, self._next, 2))

    def output(self, name: str, bits: Sequence[Wire]) -> None:
        """Declare output bits under a name of their own; constants and inputs are allowed."""
        if name in self._outputs:
            raise UsageError(f"the circuit already has an output named {name}")
        self._outputs[name] = list(bits)

    def not_(self, a: Wire) -> Wire:
        """Return the inverse of a wire; free."""
        if a is True or a is False:
            return not a
        return a ^ 1

    def xor(self, a: Wire, b: Wire) -> Wire:
        """Return a xor b; free."""
        if a is False:
            return b
        if b is False:
            return a
        if a is True:
            return self.not_(b)
        if b is True:
            return a ^ 1
        if a ^ b < 2:
            return a != b
        wire = self._next
        self._gates.append(a << 32 | b << 1)
        self._next = wire + 2
        return wire

    def and_(self, a: Wire, b: Wire) -> Wire:
        """Return a and b; one AND gate."""
        if a is False or b is False:
            return False
        if a is True:
            return b
        if b is True:
            return a
        if a ^ b < 2:
            return a if a == b else False
        wire = self._next
        self._gates.append(a << 32 | b << 1 | 1)
        self._next = wire + 2
        return wire

    def or_(self, a: Wire, b: Wire) -> Wire:
        """Return a or b; one AND gate."""
        return self.not_(self.and_(self.not_(a), self.not_(b)))

    def mux(self, select: Wire, if_one: Sequence[Wire], if_zero: Sequence[Wire]) -> Bits:
        """Return ``if_one`` where ``select`` is 1, else ``if_zero``; one AND gate a bit."""
        return [
            self.xor(zero, self.and_(select, self.xor(one, zero)))
            for one, zero in zip(if_one, if_zero, strict=True)
        ]

    def all_of(self, bits: Sequence[Wire]) -> Wire:
        """Return whether all bits are 1; one AND gate less than there are bits."""
        level = list(bits)
        if not level:
            return True
        while len(level) > 1:
            odd = level[len(level) & ~1 :]
            level = [self.and_(a, b) for a, b in zip(level[::2], level[1::2], strict=False)] + odd
        return level[0]

    def any_of(self, bits: Sequence[Wire]) -> Wire:
        """Return whether some bit is 1; one AND gate less than there are bits."""
        return self.not_(self.all_of([self.not_(bit) for bit in bits]))

    def eq(self, a: Sequence[Wire], b: Sequence[Wire]) -> Wire:
        """Return whether two equally long lists of bits are equal; one AND gate less than bits."""
        return self.all_of([self.not_(self.xor(x, y)) for x, y in zip(a, b, strict=True)])

    def half_adder(self, a: Wire, b: Wire) -> tuple[Wire, Wire]:
        """Return sum and carry of two bits; one AND gate."""
        return self.xor(a, b), self.and_(a, b)

    def full_adder(self, a: Wire, b: Wire, c: Wire) -> tuple[Wire, Wire]:
        """Return sum and carry of three bits; one AND gate (Kolesnikov and Schneider, 2008)."""
        if a < 2 or b < 2 or c < 2 or a ^ b < 2 or a ^ c < 2 or b ^ c < 2:
            left, right = self.xor(a, c), self.xor(b, c)
            return self.xor(left, b), self.xor(self.and_(left, right), c)
        wire = self._next
        self._gates.extend(
            (
                a << 32 | c << 1,
                b << 32 | c << 1,
                wire << 32 | b << 1,
                wire << 32 | (wire + 2) << 1 | 1,
                (wire + 6) << 32 | c << 1,
            )
        )
        self._next = wire + 10
        return wire + 4, wire + 8

    def place(self, template: Template, inputs: Sequence[Wire]) -> Bits:
        """Place a copy of a template's gates; the inputs must be wires, not constants."""
        literals = np.array(inputs, np.int64)
        if literals.shape != (template.n_inputs,) or any(bit < _FIRST_WIRE for bit in inputs):
            raise UsageError("a template takes as many wires as it has inputs, and no constants")
        n_gates = len(template.gates)
        own = np.arange(self._next, self._next + 2 * n_gates, 2, dtype=np.int64)
        mapped = np.concatenate([np.zeros(1, np.int64), literals, own])
        left, right = template.gates >> 32, (template.gates >> 1) & _MAX_LITERAL
        left = mapped[left >> 1] ^ (left & 1)
        right = mapped[right >> 1] ^ (right & 1)
        self._gates.frombytes((left << 32 | right << 1 | (template.gates & 1)).tobytes())
        self._next += 2 * n_gates
        outputs = template.outputs
        placed = np.where(outputs < _FIRST_WIRE, outputs, mapped[outputs >> 1] ^ (outputs & 1))
        return [bool(bit) if bit < _FIRST_WIRE else bit for bit in placed.tolist()]

    def build(self) -> Circuit:
        """Return the circuit of the gates that the outputs need.

        Raises ``UsageError`` for a circuit of 2^30 wires or more.
        """
        if self._next > _MAX_LITERAL:
            raise UsageError("the circuit has too many wires")
        outputs = [bit for bits in self._outputs.values() for bit in bits]
        gates, output_literals, n_slots = lay_out(
            np.frombuffer(self._gates, np.int64),
            np.array(outputs, np.int64),
        )
        return Circuit(
            gates=gates,
            outputs=output_literals,
            n_slots=n_slots,
            input_slices=_slices(self._inputs),
            output_slices=_slices({name: len(bits) for name, bits in self._outputs.items()}),
        )

    def _record(self, outputs: Bits) -> Template:
        n_inputs = sum(self._inputs.values())
        gates = np.frombuffer(self._gates, np.int64)[n_inputs:].copy()
        return Template(n_inputs, gates, np.array(outputs, np.int64))


def make_template(body: Callable[[CircuitBuilder, Bits], Bits], n_inputs: int) -> Template:
    """Build the gates of ``body(builder, inputs)`` once, to be placed many times."""
    builder = CircuitBuilder()
    return builder._record(body(builder, builder.input("inputs", n_inputs)))


def _slices(widths: dict[str, int]) -> dict[str, slice]:
    slices, start = {}, 0
    for name, width in widths.items():
        slices[name] = slice(start, start + width)
        start += width
    return slices
