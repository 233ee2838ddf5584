"""Train to a target: the ladder, its cost, one refinement, the model that is taken."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from mpc_engine.client.targets import SearchCost, TargetSearch
from mpc_engine.errors import UsageError
from tests.builders.policies import criterion, each_pair
from tests.builders.study_drafts import make_configuration

TRAINING = make_configuration(data_holder="modeler")
RULE = criterion("p_rule", "70", "80", "90", certify_at="80")
CERTIFYING = make_configuration(policy=each_pair(RULE))


def search(target: int = 80) -> TargetSearch:
    return TargetSearch(TRAINING, CERTIFYING, Fraction(target))


def outcome(model_id: str, *verdicts: str) -> dict[str, Any]:
    return {
        "model_id": model_id,
        "verdict": verdicts[1],
        "reason": "",
        "thresholds": [
            {"criterion": "p_rule", "threshold": threshold, "verdict": verdict}
            for threshold, verdict in zip(RULE["thresholds"], verdicts, strict=True)
        ],
    }


def test_the_ladder_has_the_same_c_for_every_constraint_and_a_cost() -> None:
    points = search().ladder()
    assert points[0] == ("0.1",) * 4
    assert [point[0] for point in points] == ["0.1", "0.03", "0.01", "0.003", "0.001"]
    assert search(85).ladder(2) == [("0.03",) * 4, ("0.01",) * 4]
    assert search().cost(5) == SearchCost(5 * 3 * 19, 14.04)


def test_a_target_that_the_policy_does_not_ask_about_is_refused() -> None:
    with pytest.raises(UsageError) as caught:
        search(95)
    assert caught.value.code == "TARGET_NOT_ASKED"


def test_a_search_refines_once_and_takes_the_most_accurate_certified_model() -> None:
    found = search()
    assert found.best() is None
    assert found.refinement() is None
    ladder = found.ladder(3)
    found.note(ladder[0], outcome("a" * 32, "PASS", "FAIL", "FAIL"), 850)
    found.note(ladder[1], outcome("b" * 32, "PASS", "PASS", "FAIL"), 830)
    found.note(ladder[2], outcome("c" * 32, "PASS", "PASS", "PASS"), 840)
    best = found.best()
    assert best is not None
    assert best.model_id == "c" * 32
    point = found.refinement()
    assert point == ("0.055",) * 4
    assert found.refinement() is None
    found.note(point, outcome("d" * 32, "PASS", "PASS", "FAIL"), 845)
    best = found.best()
    assert best is not None
    assert (best.model_id, best.passed, best.failed) == ("d" * 32, Fraction(80), Fraction(90))
    assert found.refinement() is None


def test_a_target_above_the_certifying_threshold_needs_that_much_more() -> None:
    found = search(85)
    ladder = found.ladder(2)
    found.note(ladder[0], outcome("a" * 32, "PASS", "PASS", "FAIL"), 850)
    assert found.best() is None
    found.note(ladder[1], outcome("b" * 32, "PASS", "PASS", "PASS"), 700)
    best = found.best()
    assert best is not None
    assert best.model_id == "b" * 32
    assert found.refinement() == ("0.017",) * 4
