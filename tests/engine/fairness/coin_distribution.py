"""The exact distribution of noise, coin by coin."""

from __future__ import annotations

from fractions import Fraction

from mpc_engine.fairness.discrete_laplace import UNIFORM_BITS, coins


def noise_distribution(scale: Fraction) -> list[Fraction]:
    """Return the chance of each number that can be drawn, from the smallest."""
    whole = 1 << UNIFORM_BITS
    shares = [1]
    for threshold in coins(scale):
        unset = [share * (whole - threshold) for share in shares]
        shares = unset + [share * threshold for share in shares]
    found = [0] * (2 * len(shares) - 1)
    for added, first in enumerate(shares):
        for taken, second in enumerate(shares):
            found[added - taken + len(shares) - 1] += first * second
    total = sum(shares) ** 2
    return [Fraction(share, total) for share in found]
