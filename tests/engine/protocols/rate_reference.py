"""Policies on rates by their definitions: people in lists, fractions and plain loops.

Written from Kilbertus et al. (2018), equations 1 to 7, and the certification page, as a second
opinion on `mpc_engine.fairness`, of which nothing is used. Missing answers are bounded by trying
every distribution.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product


@dataclass(frozen=True)
class Person:
    """``choices``: per attribute, None where she prefers not to say; ``outcome``: None unknown."""

    choices: tuple[int | None, ...]
    decision: int
    outcome: int | None


@dataclass(frozen=True)
class Rules:
    """A policy; ``criteria``: (name, thresholds), of which the first certifies.

    ``holds_classes``: whether classes of people are held to the floor on decisions.
    """

    categories: tuple[int, ...]
    groupings: tuple[tuple[int, ...], ...]
    criteria: tuple[tuple[str, tuple[Fraction, ...]], ...]
    reference: str = "each_pair"
    floor: int = 1
    floor_percent: Fraction = Fraction(0)
    fewest_answers: int = 1
    fewest_decided: int = 1
    small_groups: str = "undetermined"
    missing: str = "left_out"
    holds_classes: bool = True


Rows = tuple[tuple[bool, ...], ...]


@dataclass(frozen=True)
class RateAnswer:
    """The verdict, its reason, each threshold's, and which groups are under the floor."""

    verdict: str
    reason: str | None
    passes: Rows
    worst: Rows
    best: Rows
    small: tuple[bool, ...]


Hits = tuple[int, int]
"""Successes and cases of a rate."""

_RATES: dict[str, tuple[Callable[[Person], bool], Callable[[Person], bool]]] = {
    "acceptance_rate": (lambda p: True, lambda p: p.decision == 1),
    "accuracy": (lambda p: p.outcome is not None, lambda p: p.decision == p.outcome),
    "true_positive_rate": (lambda p: p.outcome == 1, lambda p: p.decision == 1),
    "true_negative_rate": (lambda p: p.outcome == 0, lambda p: p.decision == 0),
    "false_positive_rate": (lambda p: p.outcome == 0, lambda p: p.decision == 1),
    "positive_predictive_value": (
        lambda p: p.decision == 1 and p.outcome is not None,
        lambda p: p.outcome == 1,
    ),
    "negative_predictive_value": (
        lambda p: p.decision == 0 and p.outcome is not None,
        lambda p: p.outcome == 0,
    ),
}


def rate(name: str, people: Sequence[Person]) -> Hits:
    """Return successes and cases of a rate."""
    condition, success = _RATES[name]
    cases = [person for person in people if condition(person)]
    return sum(1 for person in cases if success(person)), len(cases)


def example(name: str) -> tuple[tuple[int, int | None], tuple[int, int | None]]:
    """Return a success and a failure of a rate, as decision and outcome."""
    condition, success = _RATES[name]
    everybody = [(decision, outcome) for decision in (1, 0) for outcome in (None, 1, 0)]
    cases = [one for one in everybody if condition(Person((0,), *one))]
    held = [one for one in cases if success(Person((0,), *one))]
    return held[0], next(one for one in cases if one not in held)


def rates_of(criterion: str) -> tuple[tuple[str, ...], str]:
    """Return the rates that a criterion compares, and how."""
    if criterion == "p_rule":
        return ("acceptance_rate",), "ratio"
    kind = next(kind for kind in ("ratio", "difference", "z_test") if criterion.endswith(kind))
    name = criterion[: -len(kind) - 1]
    if name == "equalised_odds":
        return ("true_positive_rate", "false_positive_rate"), kind
    return (name,), kind


def is_within(kind: str, limit: Fraction, one: Hits, other: Hits) -> bool:
    """Return whether two rates keep to a limit, both ways."""
    low, high = sorted([Fraction(*one), Fraction(*other)])
    if kind == "ratio":
        return high == 0 or 100 * low / high >= limit
    if kind == "difference":
        return 100 * (high - low) <= limit
    pooled = Fraction(one[0] + other[0], one[1] + other[1])
    variance = pooled * (1 - pooled) * (Fraction(1, one[1]) + Fraction(1, other[1]))
    return variance == 0 or (high - low) ** 2 / variance <= limit**2


def told_all(
    rules: Rules, grouping: tuple[int, ...], people: Sequence[Person]
) -> tuple[tuple[int, ...], list[Person]]:
    """Return the attributes of all groupings joined with one, and who answered each of them."""
    asked = set(grouping)
    for _ in rules.groupings:
        for other in rules.groupings:
            if not asked.isdisjoint(other):
                asked.update(other)
    told = [p for p in people if all(p.choices[number] is not None for number in asked)]
    return tuple(sorted(asked)), told


def groups_of(rules: Rules, people: Sequence[Person]) -> list[list[list[Person]]]:
    """Return the people of every group of every grouping; the last attribute varies fastest.

    Of groupings that share an attribute, or are joined by others that do, only those count who
    answered every attribute of all of them; in others than the one that crosses all, only those
    whose group there is not left out.
    """
    found = []
    for grouping in rules.groupings:
        asked, told = told_all(rules, grouping, people)
        if len(asked) > len(grouping) and rules.small_groups != "undetermined":
            own = [tuple(p.choices[number] for number in asked) for p in told]
            least = max(Fraction(rules.floor), rules.floor_percent * len(told) / 100)
            told = [p for p, cell in zip(told, own, strict=True) if own.count(cell) >= least]
        cells = product(*(range(rules.categories[number]) for number in grouping))
        found.append(
            [
                [p for p in told if tuple(p.choices[number] for number in grouping) == cell]
                for cell in cells
            ]
        )
    return found


def judge_rates(rules: Rules, people: Sequence[Person]) -> RateAnswer:
    """Judge decisions."""
    reasons: set[str] = set()
    small: list[bool] = []
    compared: list[tuple[list[list[Person]], list[Person]]] = []
    for grouping, groups in zip(rules.groupings, groups_of(rules, people), strict=True):
        told = told_all(rules, grouping, people)[1]
        answered = len(told)
        under = [
            len(group) < rules.floor or 100 * len(group) < rules.floor_percent * answered
            for group in groups
        ]
        small += under
        members = {id(person) for person in told}
        if answered < rules.fewest_answers:
            reasons.add("TOO_FEW_ANSWERS")
        kept = groups
        if rules.small_groups == "undetermined":
            if any(under):
                reasons.add("GROUP_UNDER_FLOOR")
        else:
            kept = [group for group, is_small in zip(groups, under, strict=True) if not is_small]
            if len(kept) < 2:
                reasons.add("TOO_FEW_GROUPS")
        compared.append((kept, [person for person in people if id(person) not in members]))
        names = {name for criterion, _ in rules.criteria for name in rates_of(criterion)[0]}
        for name in names | {"acceptance_rate"}:
            for hits, cases in (rate(name, group) for group in kept):
                if min(hits, cases - hits) < rules.fewest_decided:
                    reasons.add("TOO_FEW_DECIDED")
        looked_at = _outcomes_looked_at(names)
        kinds = [[_kind(person, looked_at) for person in group] for group in kept]
        anybodys = {_kind(person, looked_at) for group in groups for person in group}
        for kind in anybodys if looked_at and rules.holds_classes else ():
            if any(group.count(kind) < rules.fewest_decided for group in kinds):
                reasons.add("TOO_FEW_DECIDED")
    rows = [len(limits) for _, limits in rules.criteria]
    nothing = tuple((False,) * count for count in rows)
    bounds = rules.missing != "left_out"
    if reasons:
        order = ["TOO_FEW_ANSWERS", "GROUP_UNDER_FLOOR", "TOO_FEW_GROUPS", "TOO_FEW_DECIDED"]
        reason = next(name for name in order if name in reasons)
        unknown = nothing if bounds else ()
        return RateAnswer("UNDETERMINED", reason, nothing, unknown, unknown, tuple(small))
    passes = _rows(rules, compared, _given)
    worst = _rows(rules, compared, _in_every_distribution) if bounds else ()
    best = _rows(rules, compared, _in_some_distribution) if bounds else ()
    decisive = worst if rules.missing == "worst_case_certifies" else passes
    verdict = "PASS" if all(row[0] for row in decisive) else "FAIL"
    return RateAnswer(verdict, None, passes, worst, best, tuple(small))


def _outcomes_looked_at(names: set[str]) -> set[tuple[int, int]]:
    """Return the decisions and outcomes that some rate tells from others of the same decision."""
    return {
        (decision, outcome)
        for decision in (0, 1)
        for outcome in (0, 1)
        for name in names - {"acceptance_rate"}
        if _RATES[name][0](Person((), decision, outcome))
    }


def _kind(person: Person, looked_at: set[tuple[int, int]]) -> tuple[int, int | None]:
    """Return a person's decision, and her outcome where some rate looks at it."""
    known = person.outcome is not None and (person.decision, person.outcome) in looked_at
    return person.decision, person.outcome if known else None


Rule = Callable[[str, Fraction, Hits, Hits, Hits], bool]


def _rows(
    rules: Rules, compared: list[tuple[list[list[Person]], list[Person]]], holds: Rule
) -> Rows:
    rows = []
    for criterion, limits in rules.criteria:
        names, kind = rates_of(criterion)
        row = []
        for limit in limits:
            row.append(
                all(
                    holds(kind, limit, one, other, rate(name, unknown))
                    for groups, unknown in compared
                    for name in names
                    for one, other in _pairs(rules, name, groups)
                )
            )
        rows.append(tuple(row))
    return tuple(rows)


def _pairs(rules: Rules, name: str, groups: list[list[Person]]) -> Iterator[tuple[Hits, Hits]]:
    found = [rate(name, group) for group in groups]
    reference = rules.reference
    if reference == "most_selected" and name == "acceptance_rate" and rules.missing != "left_out":
        reference = "each_pair"
    if reference == "most_selected":
        selected = [Fraction(*rate("acceptance_rate", group)) for group in groups]
        first = selected.index(max(selected))
        yield from ((one, found[first]) for one in found)
    elif reference == "each_pair":
        yield from ((a, b) for i, a in enumerate(found) for b in found[i + 1 :])
    else:
        for number, one in enumerate(found):
            others = found[:number] + found[number + 1 :]
            yield one, (sum(hits for hits, _ in others), sum(cases for _, cases in others))


def _given(kind: str, limit: Fraction, one: Hits, other: Hits, unknown: Hits) -> bool:
    return is_within(kind, limit, one, other)


def _distributed(one: Hits, other: Hits, unknown: Hits) -> Iterator[tuple[Hits, Hits]]:
    """Yield two rates for every number of unknown successes and failures in either, or neither."""
    successes, failures = unknown[0], unknown[1] - unknown[0]
    for s_one, f_one in product(range(successes + 1), range(failures + 1)):
        for s_other, f_other in product(range(successes - s_one + 1), range(failures - f_one + 1)):
            yield (
                (one[0] + s_one, one[1] + s_one + f_one),
                (other[0] + s_other, other[1] + s_other + f_other),
            )


def _falls_short(kind: str, limit: Fraction, low: Hits, high: Hits) -> bool:
    """Return whether the first rate is too far below the second."""
    return Fraction(*low) < Fraction(*high) and not is_within(kind, limit, low, high)


def _in_every_distribution(
    kind: str, limit: Fraction, one: Hits, other: Hits, unknown: Hits
) -> bool:
    return all(is_within(kind, limit, *pair) for pair in _distributed(one, other, unknown))


def _in_some_distribution(
    kind: str, limit: Fraction, one: Hits, other: Hits, unknown: Hits
) -> bool:
    """Return whether each of the two can be near enough below the other, one way at a time."""
    pairs = list(_distributed(one, other, unknown))
    return all(
        any(not _falls_short(kind, limit, *way(pair)) for pair in pairs)
        for way in (lambda pair: pair, lambda pair: pair[::-1])
    )
