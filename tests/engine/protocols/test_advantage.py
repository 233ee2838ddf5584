"""How well a modeler that asks several exact questions can say a person's group: the page's table.

It knows whom the model selects, and of some of them the group; of the others it knows the share. Of
X others of her group among the selected each question says whether they, with her or without her,
reach the floor on decisions, and it may move that edge by one person at a time. So all questions
but the last halve what X may be, and the last tells her group if X is then known to be one short:
an advantage of the sum of the ``2^(q - 1)`` likeliest values of X.
"""

from __future__ import annotations

import re
from functools import lru_cache
from math import comb
from pathlib import Path

import numpy as np
import pytest

from mpc_engine.fairness.algebra import PlainAlgebra
from mpc_engine.fairness.groups import Floors
from mpc_engine.protocols.certification.grouping import GroupCounts
from mpc_engine.protocols.certification.predicate import evaluate_policy
from mpc_engine.vocabulary.rates import Count
from mpc_engine.vocabulary.verdicts import NoVerdict
from tests.builders.certification_specs import certification_spec, p_rule

_PAGE = Path(__file__).parents[3] / "docs" / "protocols" / "security.md"
_ROW = re.compile(r"^\| (\d+) \| (nobody|half|nine in ten) \| ([\d. |]+) \|$", re.MULTILINE)
_TOLD = {"nobody": 0.0, "half": 0.5, "nine in ten": 0.9}
_QUESTIONS = (1, 2, 3, 4, 6)
_SHARE = 0.3
_LARGE = 1000
"""People of each group, most of them not selected."""


@lru_cache(maxsize=64)
def _likely(n_others: int) -> tuple[float, ...]:
    """Return the probability of each number of the group among ``n_others`` people."""
    return tuple(
        comb(n_others, x) * _SHARE**x * (1 - _SHARE) ** (n_others - x) for x in range(n_others + 1)
    )


@lru_cache(maxsize=64)
def _likeliest(n_others: int, questions: int) -> tuple[int, int]:
    """Return the least and the most of the values that so many questions can tell apart."""
    likely = _likely(n_others)
    best = sorted(range(n_others + 1), key=likely.__getitem__)[-(2 ** (questions - 1)) :]
    return min(best), max(best)


def _advantage(n_others: int, questions: int) -> float:
    return min(1.0, sum(sorted(_likely(n_others), reverse=True)[: 2 ** (questions - 1)]))


def _unknown(k: int, told: float) -> int:
    """Return how many of unknown group are selected, where k of hers are expected in all."""
    return round((1 - told) * k / _SHARE)


@lru_cache(maxsize=4096)
def _has_verdict(k: int, of_hers: int) -> bool:
    """Ask the policy's predicate about a model that selects so many of her group."""
    spec = certification_spec(p_rule(1), entry_counts=(3,), floors=Floors(2 * k, 4 * k, k))
    groups = tuple({Count.SIZE: _LARGE, Count.SELECTED: selected} for selected in (of_hers, 10 * k))
    bits = evaluate_policy(PlainAlgebra(), spec, [0], None, [GroupCounts(groups, None)]).bits
    return not bits.reasons[NoVerdict.TOO_FEW_DECIDED]


def _guess(k: int, x: int, is_in: bool, n_others: int, questions: int) -> bool:
    """Play the modeler: ``x`` others and she (``is_in`` the group) are what it must not read."""
    likely = _likely(n_others)
    low, high = _likeliest(n_others, questions)
    for _ in range(questions - 1):
        middle = (low + high + 1) // 2
        if _has_verdict(k, x + k - middle):
            low = middle
        else:
            high = middle - 1
    return _has_verdict(
        k, x + int(is_in) + k - max(range(low, high + 1), key=likely.__getitem__) - 1
    )


@pytest.mark.parametrize("k", [10, 30])
@pytest.mark.parametrize("told", _TOLD.values(), ids=_TOLD)
@pytest.mark.parametrize("questions", [1, 2, 3, 4])
def test_a_modeler_that_plays_it_is_right_as_often_as_said(
    k: int, told: float, questions: int
) -> None:
    """Cohorts are drawn by a fixed seed; six standard deviations of 20,000 games are allowed."""
    dice = np.random.default_rng(1000 * k + questions)
    n_others, games = _unknown(k, told), 20_000
    others = dice.binomial(n_others, _SHARE, games)
    hers = dice.integers(0, 2, games)
    right = sum(
        _guess(k, int(x), bool(own), n_others, questions) == bool(own)
        for x, own in zip(others, hers, strict=True)
    )
    expected = _advantage(n_others, questions)
    assert abs(2 * right / games - 1 - expected) < 6 / games**0.5


def test_the_page_says_what_is_computed() -> None:
    rows = _ROW.findall(_PAGE.read_text(encoding="utf-8"))
    assert [(int(k), told) for k, told, _ in rows] == [
        (k, told) for k in (5, 10, 20, 30) for told in _TOLD
    ]
    for k, told, numbers in rows:
        computed = [_advantage(_unknown(int(k), _TOLD[told]), q) for q in _QUESTIONS]
        assert numbers.split(" | ") == [f"{value:.2f}" for value in computed]
