"""Fisher's exact test of two groups' opened counts, in integers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from math import comb

EXACT_PEOPLE = 2000
"""Up to so many people the value is exact; beyond, an upper bound (`two_sided_p`)."""
SCALE_BITS = 256


def two_sided_p(selected: int, size: int, other_selected: int, other_size: int) -> Fraction:
    """Return the probability of a table at most as likely as this one, both margins given.

    Every split of all selected people between the two groups has a hypergeometric weight; those
    not above the observed one's are summed (the two-sided rule of R and SciPy). Weights are walked
    from the most likely split outwards, once rounded up and once down. A split counts unless it is
    surely likelier than the observed one, so that the value returned is never under the true one;
    with few people nothing is rounded. With N people the two roundings of a weight differ by at
    most 2 N units of 2^-256 of the largest weight. So the value is under 16 N^2 / 2^256 too high,
    less than 2^-200 up to 2^26 people, if splits whose probabilities differ by under 2^-200 are
    taken as equally likely.
    """
    splits = _Splits(size, other_size, selected + other_selected)
    exact = size + other_size <= EXACT_PEOPLE
    top = splits.weight(splits.mode) if exact else 1 << SCALE_BITS
    above = _walk(splits.above(), splits.last - splits.mode, top)
    below = _walk(splits.below(), splits.mode - splits.first, top)
    weights = {splits.mode: (top, top)} | above.weights | below.weights
    beyond = (above if selected > splits.mode else below).last
    _low, observed = weights.get(selected, (0, beyond))
    unlikely = sum(high for low, high in weights.values() if low <= observed)
    unlikely += above.n_left * above.last + below.n_left * below.last
    return min(Fraction(unlikely, sum(low for low, _high in weights.values())), Fraction(1))


@dataclass(frozen=True)
class _Walk:
    """Weights by split, rounded down and up, and how many are left, none of them above ``last``."""

    weights: dict[int, tuple[int, int]]
    last: int
    n_left: int


class _Splits:
    """The ways to divide ``n_selected`` people between groups of two sizes."""

    def __init__(self, size: int, other_size: int, n_selected: int) -> None:
        self.size, self.other_size, self.n_selected = size, other_size, n_selected
        self.first = max(0, n_selected - other_size)
        self.last = min(size, n_selected)
        self.mode = (n_selected + 1) * (size + 1) // (size + other_size + 2)

    def weight(self, split: int) -> int:
        """Return how many choices of people have ``split`` of them in the first group."""
        return comb(self.size, split) * comb(self.other_size, self.n_selected - split)

    def above(self) -> Iterator[tuple[int, int, int]]:
        """Yield the splits past the mode, each with its weight's ratio to the one before."""
        return (
            (
                split + 1,
                (self.size - split) * (self.n_selected - split),
                (split + 1) * (self.other_size - self.n_selected + split + 1),
            )
            for split in range(self.mode, self.last)
        )

    def below(self) -> Iterator[tuple[int, int, int]]:
        """Yield the same on the other side."""
        return (
            (
                split - 1,
                split * (self.other_size - self.n_selected + split),
                (self.size - split + 1) * (self.n_selected - split + 1),
            )
            for split in range(self.mode, self.first, -1)
        )


def _walk(ratios: Iterator[tuple[int, int, int]], n_splits: int, top: int) -> _Walk:
    """Multiply ``top`` by ratios one after another until what is left is under one unit."""
    high, low = top, top
    weights: dict[int, tuple[int, int]] = {}
    for split, numerator, denominator in ratios:
        high = -(-high * numerator // denominator)
        low = low * numerator // denominator
        weights[split] = (low, high)
        if low == 0:
            break
    return _Walk(weights, high, n_splits - len(weights))
