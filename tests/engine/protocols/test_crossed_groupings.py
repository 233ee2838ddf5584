"""Groupings that have attributes in common are of the same people, so that none tells of another.

Else a model that selects one person of those who did not answer an attribute reads her group: it is
the difference of a table by the other attribute and one that crosses both.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from mpc_engine.errors import UsageError
from mpc_engine.protocols.certification.plaintext import certify_in_the_clear
from mpc_engine.protocols.certification.spec import CertificationOutcome
from mpc_engine.testing.people import one_hot
from mpc_engine.vocabulary.policies import Disclosure
from tests.engine.protocols.both_sides import NONCE
from tests.engine.protocols.rate_cases import SIGN, as_arrays, spec_of, varied
from tests.engine.protocols.rate_reference import Person, Rules
from tests.engine.protocols.rate_runs import agree, certified

_CROSSED = ((0,), (1,), (0, 1))
_RULES = Rules(
    (2, 2), _CROSSED, (("p_rule", (Fraction(80),)),), floor=10, fewest_decided=5, fewest_answers=20
)


def _with_her(group: int) -> list[Person]:
    """Return people who answered both, as many of each decision, and her, who left out one."""
    people = [Person((a, b), d, None) for a in (0, 1) for b in (0, 1) for d in (0, 1)] * 10
    return [*people, Person((group, None), 1, None)]


def _in_the_clear(group: int, disclosure: Disclosure) -> CertificationOutcome:
    spec = spec_of(_RULES, disclosure)
    dealt = as_arrays(_RULES, _with_her(group), np.random.default_rng(group))
    answers = one_hot(dealt.choices, spec.entry_counts)
    return certify_in_the_clear(spec, answers, dealt.features, SIGN, NONCE)


@pytest.mark.parametrize("disclosure", [Disclosure.VERDICT, Disclosure.TABLE])
def test_who_left_out_one_attribute_is_not_read_between_two_divisions(
    disclosure: Disclosure,
) -> None:
    outcomes = [_in_the_clear(group, disclosure) for group in (0, 1)]
    assert outcomes[0] == outcomes[1]


@pytest.mark.parametrize("group", [0, 1])
def test_the_protocol_counts_the_same_people_in_every_division(group: int) -> None:
    """The selected by one attribute, less those by both: else she would be there alone."""
    outcome = certified(_RULES, _with_her(group), Disclosure.TABLE)
    by_one, crossed = outcome.table[:2], outcome.table[4:]
    assert by_one == ((40, 20), (40, 20))
    for own, alone in enumerate(by_one):
        assert alone[1] == sum(row[1] for row in crossed[2 * own : 2 * own + 2])


@pytest.mark.parametrize(
    ("groupings", "finest"),
    [
        (((0,),), (0,)),
        (((0,), (1,), (2,)), (0, 1, 2)),
        (_CROSSED, (2, 2, 2)),
        (((0,), (2, 1), (1,)), (0, 1, 1)),
        (((0,), (0, 1), (2,), (2, 0, 1)), (3, 3, 3, 3)),
    ],
)
def test_groups_are_sums_of_the_grouping_that_crosses_all_they_are_joined_with(
    groupings: tuple[tuple[int, ...], ...], finest: tuple[int, ...]
) -> None:
    spec = spec_of(replace(_RULES, categories=(2, 2, 3), groupings=groupings))
    assert spec.finest == finest
    for cells, number, parts in zip(spec.cells, finest, spec.parts, strict=True):
        assert sorted(at for part in parts for at in part) == list(range(len(spec.cells[number])))
        for cell, part in zip(cells, parts, strict=True):
            assert all(set(cell) <= set(spec.cells[number][at]) for at in part)


@pytest.mark.parametrize("disclosure", [Disclosure.VERDICT, Disclosure.TABLE])
def test_who_is_in_a_group_that_is_left_out_is_in_no_other_division(
    disclosure: Disclosure,
) -> None:
    """Of those with the small third B, told by features, the model selects her alone.

    Each A has twenty selected, and sizes such that one more in the other passes 80 % or does not.
    """
    rules = Rules(
        (2, 3),
        _CROSSED,
        (("p_rule", (Fraction(80),)),),
        floor=20,
        fewest_decided=10,
        fewest_answers=40,
        small_groups="excluded_and_named",
        reference="most_selected",
    )
    small = [Person((0, 2), 0, None)] * 8 + [Person((1, 2), 0, None)] * 9
    people = [
        Person((a, b), d, None)
        for a, b in product((0, 1), (0, 1))
        for d, n in ((1, 10), (0, (490, 602)[a]))
        for _ in range(n)
    ]
    spec = spec_of(rules, disclosure)
    outcomes = []
    for a in (0, 1):
        cohort = [*people, *small, Person((a, 2), 1, None)]
        dealt = as_arrays(rules, cohort, np.random.default_rng(a))
        answers = one_hot(dealt.choices, spec.entry_counts)
        outcomes.append(certify_in_the_clear(spec, answers, dealt.features, SIGN, NONCE))
    assert outcomes[0] == outcomes[1]
    assert outcomes[0].left_out == (0, 0, 0, 0, 1, 0, 0, 1, 0, 0, 1)


_PAIRS = ((0, 1), (0, 2), (1, 2))


@pytest.mark.parametrize("groupings", [_PAIRS[:2], _PAIRS, ((0,), (1,), (2,), *_PAIRS)])
def test_groupings_that_cross_a_join_in_part_are_refused(
    groupings: tuple[tuple[int, ...], ...],
) -> None:
    """Of ten selected with her, B or C of each known from features: she alone has neither.

    The selected of AC with c = 0 less those of AB with b = 1 are she, in the group of her A.
    """
    rules = replace(_RULES, categories=(2, 2, 2), groupings=groupings)
    for a in (0, 1):
        people = [Person((x, b, 1 - b), d, None) for x in (0, 1) for b in (0, 1) for d in (0, 1)]
        people = [*people * 10, *[Person((x, 0, 0), 0, None) for x in (0, 1)] * 10]
        with pytest.raises(UsageError, match="crosses all attributes"):
            certified(rules, [*people, Person((a, 0, 0), 1, None)], Disclosure.TABLE)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("groupings", "n_fixed"),
    [
        (((0, 1, 2),), 0),
        (((0,), (1,), (0, 1)), 0),
        (((0,), (1,), (2,), *_PAIRS, (0, 1, 2)), 0),
        (_PAIRS[:2], 1),
        (_PAIRS, 1),
    ],
)
def test_no_counts_of_a_join_that_is_crossed_fix_an_answer_for_who_knows_the_others(
    groupings: tuple[tuple[int, ...], ...], n_fixed: int
) -> None:
    """All numbers up to two of a class of people, every count of it one or more, are tried."""
    cells = list(product((0, 1), repeat=3))
    seen: dict[tuple[int, ...], set[tuple[int, ...]]] = {}
    for numbers in product(range(3), repeat=len(cells)):
        people = Counter(dict(zip(cells, numbers, strict=True)))
        table = tuple(
            sum(people[cell] for cell in cells if tuple(cell[k] for k in grouping) == own)
            for grouping in groupings
            for own in product((0, 1), repeat=len(grouping))
        )
        if min(table) > 0:
            seen.setdefault(table, set()).update(cell for cell in cells if people[cell])
    fixed = [
        table
        for table, there in seen.items()
        if any(((0, b, c) in there) != ((1, b, c) in there) for b, c in product((0, 1), repeat=2))
    ]
    assert min(len(fixed), 1) == n_fixed


def _people(categories: tuple[int, ...], dice: np.random.Generator) -> list[Person]:
    people = []
    for _ in range(60):
        choices = tuple(
            None if dice.random() < 0.2 else int(dice.integers(0, count)) for count in categories
        )
        outcome = (0, 1, None)[int(dice.integers(0, 3))]
        people.append(Person(choices, int(dice.integers(0, 2)), outcome))
    return people


@pytest.mark.slow
@pytest.mark.parametrize("criterion", ["p_rule", "true_positive_rate_difference"])
@pytest.mark.parametrize("small_groups", ["undetermined", "excluded_and_named"])
@pytest.mark.parametrize(
    ("categories", "groupings"),
    [((2, 2), _CROSSED), ((2, 3), ((0, 1), (1,))), ((2, 2, 2), ((0,), (0, 1), (2,)))],
)
def test_circuit_oracle_and_reference_agree_on_people_who_answered_in_part(
    criterion: str,
    small_groups: str,
    categories: tuple[int, ...],
    groupings: tuple[tuple[int, ...], ...],
) -> None:
    dice = np.random.default_rng(len(groupings) + len(criterion))
    for floor in (1, 9, 12):
        rules = Rules(categories, groupings, ((criterion, (Fraction(50), Fraction(90))),))
        rules = replace(varied(rules, dice), floor=floor, fewest_decided=1)
        if small_groups != "undetermined":
            rules = replace(rules, small_groups=small_groups, missing="left_out")
        agree(rules, _people(categories, dice))
