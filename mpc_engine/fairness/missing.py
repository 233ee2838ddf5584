"""What a comparison could say if the people who did not answer were in groups after all.

``unknown`` of a rate: among the cases without a group, s successes and f failures. Whatever groups
they are in, the rate of a is at least ``s_a / (c_a + f)``, that of b at most
``(s_b + s) / (c_b + s)``, and putting every failure into a and every success into b attains both at
once. So "a is not too far below b" holds for every distribution iff it holds for that one, and for
some distribution iff it holds for the opposite one. The worst case of a policy is exact: it fails
for some distribution iff one pair does. The best case is exact for each pair.
The proof is in docs/protocols/certification.md.
"""

from __future__ import annotations

from mpc_engine.fairness.algebra import Bit, Int, IntegerAlgebra
from mpc_engine.fairness.rates import Rate


def worst_case(
    algebra: IntegerAlgebra[Int, Bit], low: Rate[Int], high: Rate[Int], unknown: Rate[Int]
) -> tuple[Rate[Int], Rate[Int]]:
    """Return both rates where every unknown failure is in ``low``, every success in ``high``."""
    failures = algebra.subtract(unknown.cases, unknown.successes)
    return (
        Rate(low.successes, algebra.add(low.cases, failures)),
        Rate(
            algebra.add(high.successes, unknown.successes),
            algebra.add(high.cases, unknown.successes),
        ),
    )


def best_case(
    algebra: IntegerAlgebra[Int, Bit], low: Rate[Int], high: Rate[Int], unknown: Rate[Int]
) -> tuple[Rate[Int], Rate[Int]]:
    """Return both rates where every unknown success is in ``low``, every failure in ``high``."""
    other, own = worst_case(algebra, high, low, unknown)
    return own, other
