"""Fisher's exact test of two groups' opened counts, in integers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from math import comb

EXACT_PEOPLE = 2000
"""Up to so many people the value is exact; beyond, an upper bound that is off by under 2^-200."""
SCALE_BITS = 256


def two_sided_p(selected: int, size: int, other_selected: int, other_size: int) -> Fraction:
    """Return the probability of a table at most as likely as this one, both margins given.

    Every split of all selected people between the two groups has a hypergeometric weight; those
    not above the observed one's are summed (the two-sided rule of R and SciPy). Weights are walked
    from the most likely split outwards, rounded up above the line and down below it, so that the
    value returned is never under the true one; with few people nothing is rounded.
    """
    splits = _Splits(size, other_size, selected + other_selected)
    exact = size + other_size <= EXACT_PEOPLE
    top = splits.weight(splits.mode) if exact else 1 << SCALE_BITS
    walks = [
        _walk(splits.above(), splits.last - splits.mode, top),
        _walk(splits.below(), splits.mode - splits.first, top),
    ]
    upper = {splits.mode: top} | walks[0].upper | walks[1].upper
    observed = upper.get(selected, max(walk.last for walk in walks))
    unlikely = sum(weight for weight in upper.values() if weight <= observed)
    unlikely += sum(walk.n_left * walk.last for walk in walks)
    return min(Fraction(unlikely, top + sum(walk.lower_sum for walk in walks)), Fraction(1))


@dataclass(frozen=True)
class _Walk:
    """Rounded-up weights by split, the sum of the rounded-down ones, and how many are left, none
    of them above ``last``.
    """

    upper: dict[int, int]
    lower_sum: int
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
    high, low, total = top, top, 0
    upper: dict[int, int] = {}
    for split, numerator, denominator in ratios:
        high = -(-high * numerator // denominator)
        low = low * numerator // denominator
        total += low
        upper[split] = high
        if low == 0:
            break
    return _Walk(upper, total, high, n_splits - len(upper))
