"""Integer algebras: a criterion is written once and evaluated on integers or compiled to gates.

A criterion is a function of an `IntegerAlgebra`. `PlainAlgebra` gives the plaintext oracle,
`mpc_engine.fairness.circuit_algebra` the circuit.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, TypeVar

Int = TypeVar("Int")
Bit = TypeVar("Bit")


class IntegerAlgebra(Protocol[Int, Bit]):
    """Exact integers with comparisons; no operation overflows or rounds."""

    def constant(self, value: int) -> Int:
        """Return a public integer."""
        ...

    def add(self, a: Int, b: Int) -> Int:
        """Return ``a + b``."""
        ...

    def subtract(self, a: Int, b: Int) -> Int:
        """Return ``a - b``."""
        ...

    def multiply(self, a: Int, b: Int) -> Int:
        """Return ``a * b``."""
        ...

    def inner_product(self, a: Sequence[Int], b: Sequence[Int]) -> Int:
        """Return ``sum_k a_k * b_k`` of equally long sequences."""
        ...

    def scale(self, a: Int, factor: int) -> Int:
        """Return ``a * factor`` for a public factor."""
        ...

    def absolute(self, a: Int) -> Int:
        """Return ``abs(a)``."""
        ...

    def positive_part(self, a: Int) -> Int:
        """Return ``a`` where it is not negative, else 0."""
        ...

    def keep_if(self, bit: Bit, a: Int) -> Int:
        """Return ``a`` where ``bit`` is set, else 0."""
        ...

    def choose(self, bit: Bit, a: Int, b: Int) -> Int:
        """Return ``a`` where ``bit`` is set, else ``b``."""
        ...

    def less_than(self, a: Int, b: Int) -> Bit:
        """Return the bit ``a < b``."""
        ...

    def less_equal(self, a: Int, b: Int) -> Bit:
        """Return the bit ``a <= b``."""
        ...

    def both(self, a: Bit, b: Bit) -> Bit:
        """Return ``a and b``."""
        ...

    def either(self, a: Bit, b: Bit) -> Bit:
        """Return ``a or b``."""
        ...

    def negated(self, a: Bit) -> Bit:
        """Return ``not a``."""
        ...


class PlainAlgebra:
    """Python integers and booleans: the oracle."""

    def constant(self, value: int) -> int:
        """Return ``value``."""
        return value

    def add(self, a: int, b: int) -> int:
        """Return ``a + b``."""
        return a + b

    def subtract(self, a: int, b: int) -> int:
        """Return ``a - b``."""
        return a - b

    def multiply(self, a: int, b: int) -> int:
        """Return ``a * b``."""
        return a * b

    def inner_product(self, a: Sequence[int], b: Sequence[int]) -> int:
        """Return ``sum_k a_k * b_k``."""
        return sum(x * y for x, y in zip(a, b, strict=True))

    def scale(self, a: int, factor: int) -> int:
        """Return ``a * factor``."""
        return a * factor

    def absolute(self, a: int) -> int:
        """Return ``abs(a)``."""
        return abs(a)

    def positive_part(self, a: int) -> int:
        """Return ``max(a, 0)``."""
        return max(a, 0)

    def keep_if(self, bit: bool, a: int) -> int:
        """Return ``a`` where ``bit`` is set, else 0."""
        return a if bit else 0

    def choose(self, bit: bool, a: int, b: int) -> int:
        """Return ``a`` where ``bit`` is set, else ``b``."""
        return a if bit else b

    def less_than(self, a: int, b: int) -> bool:
        """Return ``a < b``."""
        return a < b

    def less_equal(self, a: int, b: int) -> bool:
        """Return ``a <= b``."""
        return a <= b

    def both(self, a: bool, b: bool) -> bool:
        """Return ``a and b``."""
        return a and b

    def either(self, a: bool, b: bool) -> bool:
        """Return ``a or b``."""
        return a or b

    def negated(self, a: bool) -> bool:
        """Return ``not a``."""
        return not a
