"""Who takes part and who is trained on, so that the limits tell the models apart, by the seed.

Both are chosen so that the story can be told: rehearsed on plain data, the model trained under the
strictest c passes and the one fitted freely fails, with room to spare. Nothing of it is a check of
the parties: what they must sign is computed afterwards, from the terms and the models they trained.

One thing is drawn later, by the site: the order of rows in training, and with it the models. p% of
the strictest keeps four times its range over the rehearsed orders from the limit, and 6 points at
least: about eleven standard deviations. That all models that pass would fail, or those that fail
would pass, and the demo say so instead of being played, has a chance below 1e-6.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise

import numpy as np
from sklearn.pipeline import Pipeline

from demo.choices import shuffled, stand_in_seed
from demo.data import OVER_25, UP_TO_25, CreditData
from demo.expectations import Measured
from demo.limits import FOUR_FIFTHS_PERCENT, are_apart, is_unfair
from demo.models import TrainingSet, divided, fit_freely, trained_by_the_parties
from demo.oracle import train_in_the_clear
from demo.plan import DIVISOR, Plan
from demo.scoring import (
    DECLINES,
    UNITS,
    Scores,
    encoded_row,
    fewest_decided,
    measured_among,
    right_among,
    scores_of,
)
from demo.study import MINIMUM_ANSWERS, MINIMUM_GROUP
from demo.sweep import C_LADDER, training_terms
from mpc_engine.errors import ResourceError

N_OF_EACH_OUTCOME = 300
"""All people of the data with a bad credit, and as many with a good one: granting everybody credit
would be right for half of them."""
N_TRAINING = 320
N_DECLINING = 12
ATTEMPTS = 1_000
HALF_A_POINT = Fraction(1, 200)
N_REHEARSALS = 8
RANGES_CLEAR = 4
MORE_DECIDED = 6
"""People of each decision in each group beyond the policy's floor. p% moves by about half a point
with the order of rows, and one person is worth three points or more."""


def make_plan(data: CreditData, seed: int, *, permute_labels: bool) -> Plan:
    """Choose who takes part and who is in training, so that the limits tell the models apart.

    The same limits tell the free and the strictest model apart the other way round when the answers
    of those held out are permuted; those in training always say the truth. The order of rows in
    training is drawn by the site, so several other orders are rehearsed. A choice of people that
    leaves no room between them, or whose sweep would show nothing, is replaced by the next.

    Raises:
        ResourceError: no choice tried leaves room (DEMO_MODELS_TOO_CLOSE).
    """
    encoded = [encoded_row(row) for row in data.rows]
    for attempt in range(ATTEMPTS):
        chosen = _as_many_of_each(data, seed, attempt)
        taking_part = CreditData(
            rows=tuple(data.rows[index] for index in chosen),
            good=tuple(data.good[index] for index in chosen),
            age_group=tuple(data.age_group[index] for index in chosen),
        )
        answers = list(taking_part.age_group)
        for place in shuffled(len(chosen), seed, f"declines {attempt}")[:N_DECLINING]:
            answers[place] = DECLINES
        order = _order(taking_part, seed, attempt)
        people = Plan(
            rows=taking_part.rows,
            rows_fixed=tuple(encoded[index] for index in chosen),
            good=taking_part.good,
            answers=tuple(answers),
            training=tuple(order[:N_TRAINING]),
            held_out=tuple(order[N_TRAINING:]),
            unconstrained=_fit_freely(taking_part, order[:N_TRAINING]),
            rehearsed=(),
            permuted=permute_labels,
        )
        planned = _rehearsed_plan(people, seed)
        if planned is not None:
            return planned
    raise ResourceError(
        "The models are too close with this seed; try another.", code="DEMO_MODELS_TOO_CLOSE"
    )


def _as_many_of_each(data: CreditData, seed: int, attempt: int) -> list[int]:
    """Return the people who take part, in the order of the data: half of them had a good credit."""
    chosen: list[int] = []
    for outcome in (0, 1):
        known = [index for index, good in enumerate(data.good) if good == outcome]
        drawn = shuffled(len(known), seed, f"takes part {outcome} {attempt}")[:N_OF_EACH_OUTCOME]
        chosen += [known[place] for place in drawn]
    return sorted(chosen)


def _order(data: CreditData, seed: int, attempt: int) -> list[int]:
    """Return people in an order whose first `N_TRAINING` are half good, and so are the others."""
    order = shuffled(len(data.rows), seed, f"training {attempt}")
    of_outcome = [[index for index in order if data.good[index] == good] for good in (0, 1)]
    half = N_TRAINING // 2
    in_training = (index for ids in of_outcome for index in ids[:half])
    held_out = (index for ids in of_outcome for index in ids[half:])
    return [*in_training, *held_out]


def _rehearsed_plan(people: Plan, seed: int) -> Plan | None:
    """Return the plan with what was rehearsed, or None if these people leave no room."""
    free = scores_of(people.unconstrained, people.rows_fixed)
    if not is_unfair(measured_among(free, people.answers, people.held_out)):
        return None
    strictest = len(C_LADDER) - 1
    first = _rehearsed(people, seed, 0, strictest)
    if not _turned_round(people, free, [first])[1]:
        return None
    sweep = [_rehearsed(people, seed, 0, point) for point in range(strictest)] + [first]
    if not _is_telling(people, sweep):
        return None
    others = [_rehearsed(people, seed, number, strictest) for number in range(1, N_REHEARSALS)]
    permuted, apart = _turned_round(people, free, [first, *others])
    cases = (people.answers, permuted)
    if not apart or not _is_steady(people, [first, *others], cases):
        return None
    if not _rest_on_enough(people, [people.unconstrained, *sweep, *others], cases):
        return None
    return replace(
        people,
        answers=tuple(permuted) if people.permuted else people.answers,
        rehearsed=tuple(sweep),
    )


def _is_steady(people: Plan, models: Sequence[Pipeline], cases: Sequence[Sequence[int]]) -> bool:
    """Return whether p% moves little with the order of rows, beside how far it is from the limit.

    ``models``: of one c, each with rows in another order; ``cases``: answers of those held out.
    """
    scores = [scores_of(model, people.rows_fixed) for model in models]
    for answers in cases:
        percents = [measured_among(found, answers, people.held_out).percent for found in scores]
        nearest = min(abs(percent - FOUR_FIFTHS_PERCENT) for percent in percents)
        if nearest < RANGES_CLEAR * (max(percents) - min(percents)):
            return False
    return True


def _rest_on_enough(
    people: Plan, models: Sequence[Pipeline], cases: Sequence[Sequence[int]]
) -> bool:
    """Return whether each model decides for, and against, more of each group than a verdict needs.

    ``cases``: answers of those held out.
    """
    fewest = min(
        fewest_decided(scores_of(model, people.rows_fixed), answers, people.held_out)
        for model in models
        for answers in cases
    )
    return fewest >= MINIMUM_GROUP + MORE_DECIDED


def _is_telling(people: Plan, sweep: Sequence[Pipeline]) -> bool:
    """Return whether p% rises and accuracy falls from the loosest c to the strictest.

    p% at every step, by a point or more; accuracy on the rows trained on by half a point or more in
    all, and at no step does it rise by as much. Held out it does not rise in all.
    """
    scores = [scores_of(model, people.rows_fixed) for model in sweep]
    percents = [measured_among(s, people.answers, people.held_out).percent for s in scores]
    right = [right_among(s, people.good, people.training) for s in scores]
    held_out = [right_among(s, people.good, people.held_out) for s in scores]
    return (
        all(high - low >= 1 for low, high in pairwise(percents))
        and all(stricter - looser < HALF_A_POINT for looser, stricter in pairwise(right))
        and right[0] - right[-1] >= HALF_A_POINT
        and held_out[0] >= held_out[-1]
    )


def _turned_round(
    people: Plan, free: Scores, trained: Sequence[Pipeline]
) -> tuple[list[int], bool]:
    """Return the permuted answers, and whether the limits tell models apart in either case."""
    answers, held_out = people.answers, people.held_out
    scores = [scores_of(model, people.rows_fixed) for model in trained]
    permuted = _permuted(answers, free, scores[0], held_out)
    small = [(people.unconstrained, answers), *((model, permuted) for model in trained)]

    def measured(found: Scores, given: Sequence[int]) -> Measured:
        return measured_among(found, given, held_out)

    apart = are_apart(
        passing=[*(measured(found, answers) for found in scores), measured(free, permuted)],
        failing=[
            *(measured(found, permuted) for found in scores),
            *(
                measured(scores_of(divided(model, DIVISOR), people.rows_fixed), given)
                for model, given in small
            ),
            measured(free, answers),
        ],
    )
    return permuted, apart


def _rehearsed(people: Plan, seed: int, number: int, point: int) -> Pipeline:
    terms = training_terms(stand_in_seed(seed, number)).at(point)
    theta = train_in_the_clear(terms, people.plain(people.training), MINIMUM_ANSWERS)
    return trained_by_the_parties(theta, UNITS)


def _fit_freely(data: CreditData, training: Sequence[int]) -> Pipeline:
    return fit_freely(
        TrainingSet(
            x=np.array(data.rows, dtype=np.float64)[training],
            good=np.array(data.good, dtype=np.int64)[training],
            group=np.array(data.age_group, dtype=np.int64)[training],
        )
    )


def _permuted(
    answers: Sequence[int], unconstrained: Scores, trained: Scores, people: Sequence[int]
) -> list[int]:
    """Give "over 25" to those the trained model favours beyond what the other's score explains.

    Only ``people`` are concerned; as many of them as before get each answer, and the same decline.
    """
    kept = [index for index in people if answers[index] != DECLINES]
    base = np.array([float(unconstrained[index]) for index in kept])
    other = np.array([float(trained[index]) for index in kept])
    base -= base.mean()
    residual = other - other.mean() - (base @ other) / (base @ base) * base
    ranked = [kept[place] for place in np.argsort(-residual, kind="stable")]
    n_over = sum(1 for index in kept if answers[index] == OVER_25)
    permuted = list(answers)
    for rank, index in enumerate(ranked):
        permuted[index] = OVER_25 if rank < n_over else UP_TO_25
    return permuted
