"""Policies on rates for tests: the engine's parameters, the reference's rules, and people."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
import pytest
from numpy.typing import NDArray

from mpc_engine.fairness.groups import Floors
from mpc_engine.protocols.certification.grouping import GroupCounts
from mpc_engine.protocols.certification.spec import CertificationSpec
from mpc_engine.vocabulary.criteria import CriterionName
from mpc_engine.vocabulary.policies import Comparison, Disclosure, MissingAnswers, SmallGroups
from mpc_engine.vocabulary.rates import Count
from tests.builders.certification_specs import certification_spec, limits_on
from tests.engine.protocols.datasets import RealData
from tests.engine.protocols.rate_reference import Person, Rules, rates_of

SHAPES: dict[str, tuple[tuple[int, ...], tuple[tuple[int, ...], ...]]] = {
    "2 groups": ((2,), ((0,),)),
    "5 groups": ((5,), ((0,),)),
    "3 x 5": ((3, 5), ((0, 1),)),
}
"""Categories of every attribute, and the groupings."""
LIMITS = {
    "ratio": (Fraction(80), Fraction(50), Fraction(100)),
    "difference": (Fraction(20), Fraction(0), Fraction("33.4")),
    "z_test": (Fraction("1.96"), Fraction(1), Fraction(0)),
}
SIGN = [-1, 1 << 16]
"""A model that selects whoever's only feature is positive."""


EACH_SHAPE = [
    pytest.param(name, marks=[] if number == 0 else [pytest.mark.slow])
    for number, name in enumerate(SHAPES)
]
"""For a test that takes a second for each criterion and shape: the first one is always tried."""


def rules_for(criterion: str, shape: str) -> Rules:
    """Return a policy of one criterion."""
    categories, groupings = SHAPES[shape]
    return Rules(categories, groupings, ((criterion, LIMITS[rates_of(criterion)[1]]),))


def spec_of(rules: Rules, disclosure: Disclosure = Disclosure.VERDICT) -> CertificationSpec:
    """Return the parameters of a certification by these rules, of people with one feature."""
    return certification_spec(
        *(limits_on(name, *limits) for name, limits in rules.criteria),
        entry_counts=tuple(count + 1 for count in rules.categories),
        feature_ranges=((-5, 5),),
        comparison=Comparison(rules.reference),
        floors=Floors(
            rules.floor,
            rules.fewest_answers,
            rules.fewest_decided,
            rules.floor_percent,
            SmallGroups(rules.small_groups),
        ),
        groupings=rules.groupings,
        missing=MissingAnswers(rules.missing),
        disclosure=disclosure,
    )


def counted(spec: CertificationSpec, rules: Rules, people: list[Person]) -> list[GroupCounts[int]]:
    """Return the counts of people, person by person."""
    results = []
    everybody = _counts(people)
    for grouping, cells in zip(rules.groupings, spec.cells, strict=True):
        groups = []
        for cell in cells:
            starts = [sum(rules.categories[:number]) for number in grouping]
            own = tuple(c - start for c, start in zip(cell, starts, strict=True))
            groups.append(
                _counts([p for p in people if tuple(p.choices[k] for k in grouping) == own])
            )
        results.append(GroupCounts(tuple(groups), everybody if spec.bounds_missing else None))
    return results


def _counts(people: list[Person]) -> dict[Count, int]:
    cells = {
        (1, 1): Count.TRUE_POSITIVES,
        (1, 0): Count.FALSE_POSITIVES,
        (0, 0): Count.TRUE_NEGATIVES,
        (0, 1): Count.FALSE_NEGATIVES,
    }
    counts = dict.fromkeys(Count, 0)
    for person in people:
        counts[Count.SIZE] += 1
        counts[Count.SELECTED] += person.decision
        if person.outcome is not None:
            counts[cells[person.decision, person.outcome]] += 1
    return counts


@dataclass(frozen=True)
class Dealt:
    """People as a protocol takes them: choices, features and outcomes in mixed order."""

    choices: NDArray[np.int64]
    features: NDArray[np.int64]
    labels: NDArray[np.uint8]


def as_arrays(rules: Rules, people: list[Person], rng: np.random.Generator) -> Dealt:
    """Return people whom the model `SIGN` decides about as they say."""
    mixed = [people[number] for number in rng.permutation(len(people))]
    choices = [
        [count if c is None else c for c, count in zip(p.choices, rules.categories, strict=True)]
        for p in mixed
    ]
    return Dealt(
        np.array(choices, dtype=np.int64),
        np.array([[5 if p.decision else -5] for p in mixed], dtype=np.int64),
        np.array([2 if p.outcome is None else p.outcome for p in mixed], dtype=np.uint8),
    )


def random_people(
    rules: Rules,
    rng: np.random.Generator,
    largest: int,
    *,
    least: int = 0,
    silent: int = 0,
    evenly: bool = False,
) -> list[Person]:
    """Return ``least`` to ``largest`` people for each group and kind, and ``silent`` without one.

    Some groups are empty, unless ``least`` is above 0. ``evenly``: every group alike, so that
    values lie on their limits often.
    """
    people: list[Person] = []
    cells: list[tuple[int, ...]] = [()]
    for count in rules.categories:
        cells = [(*cell, category) for cell in cells for category in range(count)]
    usual = rng.integers(least, largest + 1, 6)
    kinds = [(1, 1), (1, 0), (0, 0), (0, 1), (1, None), (0, None)]
    for cell in cells:
        numbers = usual if evenly and rng.random() < 0.6 else rng.integers(least, largest + 1, 6)
        if rng.random() < 0.1 and not least:
            numbers = np.zeros(6, dtype=np.int64)
        for number, (decision, outcome) in zip(numbers, kinds, strict=True):
            people += [Person(cell, decision, outcome)] * int(number)
    for _ in range(silent):
        decision, outcome = kinds[int(rng.integers(0, 6))]
        people.append(Person((None,) * len(rules.categories), decision, outcome))
    return people


def can_bound(rules: Rules) -> bool:
    """Return whether every criterion has a worst case under the rules' comparison."""
    return all(
        CriterionName(name).bounds_missing_answers(Comparison(rules.reference))
        for name, _ in rules.criteria
    )


def varied(rules: Rules, rng: np.random.Generator) -> Rules:
    """Return the rules under some floors, reference and treatment of missing answers."""
    changed = replace(
        rules,
        reference=str(rng.choice(["each_pair", "each_against_rest", "most_selected"])),
        floor=int(rng.integers(1, 6)),
        floor_percent=Fraction(int(rng.integers(0, 30))),
        fewest_answers=int(rng.integers(1, 30)),
        fewest_decided=int(rng.integers(1, 4)),
        small_groups=str(rng.choice(["undetermined", "excluded", "excluded_and_named"])),
        missing=str(rng.choice(["left_out", "bounds_shown", "worst_case_certifies"])),
    )
    return changed if can_bound(changed) else replace(changed, missing="left_out")


def as_spec_of_data(
    data: RealData,
    disclosure: Disclosure,
    limits: dict[str, tuple[Fraction, ...]] | None = None,
) -> CertificationSpec:
    """Return a policy on the p%-rule and equalised odds over every attribute of a data set."""
    asked = limits or {"p_rule": (Fraction(80),), "equalised_odds_difference": (Fraction(10),)}
    return certification_spec(
        *(limits_on(name, *values) for name, values in asked.items()),
        entry_counts=data.entry_counts,
        feature_ranges=data.feature_ranges,
        disclosure=disclosure,
    )
