"""Noise of certifications by its definition, and cohorts that have the noised counts exactly.

Written from the certification page as a second opinion: coins are compared with constants that
`decimal` computes, cells are filled with people, and the policy is judged on those.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from decimal import Decimal, localcontext
from fractions import Fraction
from itertools import product

import numpy as np
from numpy.typing import NDArray

from tests.engine.protocols.rate_reference import Person, RateAnswer, Rules, judge_rates

Kind = tuple[int, int | None]
"""A decision and, where the policy looks at it, a known outcome."""
_REASONS = ("TOO_FEW_ANSWERS", "GROUP_UNDER_FLOOR", "TOO_FEW_GROUPS", "TOO_FEW_DECIDED")


def thresholds(scale: Fraction) -> list[int]:
    """Return how many of 2^64 values set each digit of a geometric: up to a tail of 2^-64."""
    with localcontext() as context:
        context.prec = 120
        power, found = (Decimal(scale.denominator) / Decimal(scale.numerator)).exp(), []
        while power < 2**64:
            found.append(int((2**64 / (1 + power)).to_integral_value()))
            power *= power
    return found


def noise_of(bits: NDArray[np.uint8], scale: Fraction) -> Iterator[int]:
    """Yield the noise of one cell after another from uniform bits, low bit of a number first."""
    limits = thresholds(scale)
    numbers = iter(
        [sum(int(bit) << place for place, bit in enumerate(row)) for row in bits.reshape(-1, 64)]
    )
    for _ in range(bits.size // (64 * 2 * len(limits))):
        drawn = [
            sum((next(numbers) < limit) << place for place, limit in enumerate(limits))
            for _ in range(2)
        ]
        yield drawn[0] - drawn[1]


def kinds_of(rules: Rules, looked_at: Sequence[Kind]) -> list[Kind]:
    """Return the classes of a group: of each decision the known outcomes, then everybody else."""
    told = [kind for kind in ((1, 1), (1, 0), (0, 0), (0, 1)) if kind in looked_at]
    return [
        kind
        for decision in (1, 0)
        for kind in (*[one for one in told if one[0] == decision], (decision, None))
    ]


def noised_people(
    rules: Rules,
    grouping: tuple[int, ...],
    people: Sequence[Person],
    looked_at: Sequence[Kind],
    noise: Iterator[int],
) -> list[Person]:
    """Return people of one grouping, as many in each cell as its noised number."""
    cells: list[tuple[int, ...] | None] = [
        *product(*(range(rules.categories[number]) for number in grouping))
    ]
    if rules.missing != "left_out":
        cells.append(None)
    found = []
    for cell in cells:
        for kind in kinds_of(rules, looked_at):
            n = 0
            for person in people:
                own = tuple(person.choices[number] for number in grouping)
                outcome = (person.decision, person.outcome)
                is_here = own == cell or (cell is None and None in own)
                n += is_here and kind == (outcome if outcome in looked_at else (outcome[0], None))
            choices: list[int | None] = [None] * len(rules.categories)
            for number, category in zip(grouping, cell or (), strict=False):
                choices[number] = category
            found += [Person(tuple(choices), *kind)] * max(0, n + next(noise))
    return found


def judge_noised(
    rules: Rules,
    counted: Sequence[tuple[int, ...]],
    people: Sequence[Person],
    looked_at: Sequence[Kind],
    noise: Iterator[int],
) -> RateAnswer:
    """Judge each counted grouping, with those made of it, on its own noised people; then all."""
    answers = []
    for grouping in counted:
        joined = tuple(item for item in rules.groupings if set(item) <= set(grouping))
        own = replace(rules, groupings=joined, holds_classes=False)
        answers.append(judge_rates(own, noised_people(rules, grouping, people, looked_at, noise)))
    small = tuple(bit for answer in answers for bit in answer.small)
    reasons = {answer.reason for answer in answers}
    reason = next((name for name in _REASONS if name in reasons), None)

    def together(rows: Sequence[tuple[tuple[bool, ...], ...]]) -> tuple[tuple[bool, ...], ...]:
        return tuple(
            tuple(all(bits) and reason is None for bits in zip(*same, strict=True))
            for same in zip(*rows, strict=True)
        )

    passes, worst, best = (
        together([getattr(answer, name) for answer in answers])
        for name in ("passes", "worst", "best")
    )
    decisive = worst if rules.missing == "worst_case_certifies" else passes
    verdict = "PASS" if all(row[0] for row in decisive) else "FAIL"
    return RateAnswer("UNDETERMINED" if reason else verdict, reason, passes, worst, best, small)
