"""Discrete Laplace noise from independent coins, one for each binary digit of two geometrics.

``P(d) ~ exp(-abs(d) / scale)`` over the integers gives ``exp(1 / scale)`` differential privacy for
each unit that a count moves by (Canonne, Kamath and Steinke 2020). It is the difference of two
geometrics, ``P(g) ~ a^g`` with ``a = exp(-1 / scale)``; the binary digits of a geometric are
independent, digit i set with probability ``a^(2^i) / (1 + a^(2^i))`` (Dwork et al. 2006, "Our Data,
Ourselves", section 5). So a coin is a comparison of `UNIFORM_BITS` uniform bits with a public
constant, and digits above the last are 0: this cuts off the tail of a geometric, and changes
nothing else of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache

from mpc_engine.fairness.algebra import Bit, Int, IntegerAlgebra
from mpc_engine.fairness.groups import total

UNIFORM_BITS = 64
"""Uniform bits of a coin; a tail of at most ``2^-UNIFORM_BITS`` of a geometric is cut off."""
_FIRST_PRECISION = 256


@lru_cache(maxsize=16)
def coins(scale: Fraction) -> tuple[int, ...]:
    """Return of each digit, lowest first, how many of the 2^64 uniform values set it.

    Each is the whole number nearest to ``2^64 / (1 + exp(2^i / scale))``, for certain: both ends of
    an interval that the exponential lies in give it. ``scale`` is at least 1/4.
    """
    precision = _FIRST_PRECISION
    found = _coins(scale, precision)
    while found is None:
        precision *= 2
        found = _coins(scale, precision)
    return found


def _coins(scale: Fraction, precision: int) -> tuple[int, ...] | None:
    """Return the same, or None where so many bits do not tell to which side one is rounded."""
    unit = 1 << precision
    low, high = exponential_bounds(1 / scale, precision)
    found = []
    while low < unit << UNIFORM_BITS:
        least, most = (
            ((unit << UNIFORM_BITS + 1) + unit + power) // (2 * (unit + power))
            for power in (high, low)
        )
        if least != most:
            return None
        found.append(least)
        low, high = low * low >> precision, -(-high * high >> precision)
    return tuple(found)


def exponential_bounds(power: Fraction, precision: int) -> tuple[int, int]:
    """Return integers that ``2^precision exp(power)`` lies between; ``power`` is not negative.

    Terms of the series are rounded down and up. Behind the last, at which a term is at least twice
    the next and at most a unit, the rest is at most a unit too.
    """
    low = high = smaller = larger = 1 << precision
    number = 0
    while larger > 1 or number < 2 * power:
        number += 1
        divisor = power.denominator * number
        smaller = smaller * power.numerator // divisor
        larger = -(-larger * power.numerator // divisor)
        low, high = low + smaller, high + larger
    return low, high + 1


def largest_noise(scale: Fraction) -> int:
    """Return the largest amount that is ever added or taken away."""
    return (1 << len(coins(scale))) - 1


def uniform_values(scale: Fraction) -> int:
    """Return how many uniform values of 64 bits one noise takes: a coin's each."""
    return 2 * len(coins(scale))


def distance(scale: Fraction) -> Fraction:
    """Return a bound on the total variation between what is drawn and discrete Laplace noise.

    Of each geometric: a tail of at most 2^-64, and at most 2^-65 for each coin that is rounded.
    """
    return Fraction(2 + len(coins(scale)), 1 << UNIFORM_BITS)


def noise(algebra: IntegerAlgebra[Int, Bit], scale: Fraction, uniform: Sequence[Int]) -> Int:
    """Return noise from `uniform_values` numbers below 2^64: for what is added, then taken."""
    n_digits = len(coins(scale))
    added = _geometric(algebra, coins(scale), uniform[:n_digits])
    return algebra.subtract(added, _geometric(algebra, coins(scale), uniform[n_digits:]))


def _geometric(
    algebra: IntegerAlgebra[Int, Bit], thresholds: Sequence[int], uniform: Sequence[Int]
) -> Int:
    digits = [
        algebra.keep_if(
            algebra.less_than(value, algebra.constant(threshold)), algebra.constant(1 << place)
        )
        for place, (value, threshold) in enumerate(zip(uniform, thresholds, strict=True))
    ]
    return total(algebra, digits)
