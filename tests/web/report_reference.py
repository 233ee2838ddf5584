"""Rates, tests and sample sizes once more, by plain loops and fractions, for reports' tests."""

from __future__ import annotations

from decimal import Decimal, getcontext
from fractions import Fraction
from math import comb

Counts = tuple[int, int]
"""People and selected people of a group."""


def impact_ratios(groups: list[Counts], left_out: set[int]) -> list[Fraction | None]:
    """Return every group's ratio to the most selected one of those compared."""
    best = Fraction(0)
    for number, (size, selected) in enumerate(groups):
        if number not in left_out and size and Fraction(selected, size) > best:
            best = Fraction(selected, size)
    ratios: list[Fraction | None] = []
    for number, (size, selected) in enumerate(groups):
        compared = best > 0 and size > 0 and number not in left_out
        ratios.append(Fraction(selected, size) / best if compared else None)
    return ratios


def fisher_p(first: Counts, second: Counts) -> Fraction:
    """Return the two-sided p by trying every division of the selected people."""
    (size, selected), (other_size, other_selected) = first, second
    everybody = selected + other_selected
    weights = {
        split: comb(size, split) * comb(other_size, everybody - split)
        for split in range(everybody + 1)
        if split <= size and everybody - split <= other_size
    }
    unlikely = sum(weight for weight in weights.values() if weight <= weights[selected])
    return Fraction(unlikely, sum(weights.values()))


def further_selections(group: Counts, reference: Counts, percent: int) -> int:
    """Return the first number of further selections that passes, tried one after another."""
    further = 0
    while 100 * (group[1] + further) * reference[0] < percent * reference[1] * group[0]:
        further += 1
    return further


def people_needed(base: Fraction, ratio: Fraction, z_alpha: Fraction, z_beta: Fraction) -> int:
    """Return Fleiss's sample size by the formula with its roots, at sixty digits."""
    getcontext().prec = 60

    def decimal(value: Fraction) -> Decimal:
        return Decimal(value.numerator) / Decimal(value.denominator)

    first, second = decimal(base), decimal(ratio * base)
    mean = (first + second) / 2
    under_null = decimal(z_alpha) * (2 * mean * (1 - mean)).sqrt()
    under_other = decimal(z_beta) * (first * (1 - first) + second * (1 - second)).sqrt()
    exact = (under_null + under_other) ** 2 / (first - second) ** 2
    return int(exact.to_integral_value(rounding="ROUND_CEILING"))
