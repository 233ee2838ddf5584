"""The policy by its definition: fractions and plain loops, nothing of the engine.

Written from Kilbertus et al. (2018), section 3.2 and eq. 7, and the reasons of the certification
page, as a second opinion on `mpc_engine.fairness`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations


@dataclass(frozen=True)
class Policy:
    """``categories``: per attribute without "prefer not to say", which is any higher number.

    Thresholds are percentages and bounds on the score's covariance; the first certifies.
    """

    categories: tuple[int, ...]
    percents: tuple[Fraction, ...] = ()
    bounds: tuple[Fraction, ...] = ()
    each_pair: bool = True
    floor: int = 1
    fewest_answers: int = 1
    unit: int = 1
    """What the number 1 is in encoded features."""
    weight_unit: int = 1
    """What the number 1 is in encoded coefficients."""


@dataclass(frozen=True)
class Answer:
    """The verdict, its reason, and what each threshold says, criterion by criterion."""

    verdict: str
    reason: str | None
    passes: tuple[tuple[bool, ...], ...]


def judge(
    policy: Policy,
    choices: Sequence[Sequence[int]],
    features: Sequence[Sequence[int]],
    theta: Sequence[int],
) -> Answer:
    """Judge a model, intercept first, on people's choices and encoded features."""
    scores = []
    for row in features:
        score = Fraction(theta[0], policy.weight_unit)
        for value, weight in zip(row, theta[1:], strict=True):
            score += Fraction(value, policy.unit) * Fraction(weight, policy.weight_unit)
        scores.append(score)
    reasons: set[str] = set()
    worst_percent = Fraction(100)
    largest_covariance = Fraction(0)
    for attribute, n_categories in enumerate(policy.categories):
        groups: list[list[int]] = [[] for _ in range(n_categories)]
        for person, row in enumerate(choices):
            if row[attribute] < n_categories:
                groups[row[attribute]].append(person)
        said = [person for group in groups for person in group]
        chosen = [[person for person in group if scores[person] >= 0] for group in groups]
        if len(said) < policy.fewest_answers:
            reasons.add("TOO_FEW_ANSWERS")
        if any(len(group) < policy.floor for group in groups):
            reasons.add("GROUP_UNDER_FLOOR")
        for taken, group in zip(chosen, groups, strict=True):
            if policy.percents and min(len(taken), len(group) - len(taken)) < policy.floor:
                reasons.add("TOO_FEW_DECIDED")
        if reasons:
            continue
        rates = [(len(taken), len(group)) for taken, group in zip(chosen, groups, strict=True)]
        for one, other in _pairs(rates, policy.each_pair):
            low, high = sorted([Fraction(*one), Fraction(*other)])
            if high > 0:
                worst_percent = min(worst_percent, 100 * low / high)
        # The intercept moves every score alike and is left out, as in the paper.
        centre = sum((scores[person] for person in said), Fraction(0)) / len(said)
        for group in groups:
            drift = sum((scores[person] - centre for person in group), Fraction(0))
            largest_covariance = max(largest_covariance, abs(drift) / len(said))
    if reasons:
        order = ["TOO_FEW_ANSWERS", "GROUP_UNDER_FLOOR", "TOO_FEW_DECIDED"]
        reason = next(name for name in order if name in reasons)
        nothing = [(False,) * len(row) for row in (policy.percents, policy.bounds) if row]
        return Answer("UNDETERMINED", reason, tuple(nothing))
    passes = []
    if policy.percents:
        passes.append(tuple(worst_percent >= percent for percent in policy.percents))
    if policy.bounds:
        passes.append(tuple(largest_covariance <= bound for bound in policy.bounds))
    verdict = "PASS" if all(row[0] for row in passes) else "FAIL"
    return Answer(verdict, None, tuple(passes))


def _pairs(
    rates: list[tuple[int, int]], each_pair: bool
) -> list[tuple[tuple[int, int], tuple[int, int]]]:
    if each_pair:
        return list(combinations(rates, 2))
    pairs = []
    for index, own in enumerate(rates):
        others = rates[:index] + rates[index + 1 :]
        pairs.append((own, (sum(m for m, _ in others), sum(n for _, n in others))))
    return pairs
