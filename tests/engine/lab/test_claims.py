"""Verdicts follow from the numbers, and each of them can be reached."""

from __future__ import annotations

from typing import Any

import pytest

from mpc_engine.control.files.lab_report import Claim
from mpc_engine.lab.catalogue import EXPERIMENTS
from mpc_engine.lab.claims import judged
from mpc_engine.lab.experiment import baseline, our_point, paper_point
from mpc_engine.lab.points import Method, Numbers, Point
from mpc_engine.lab.results import Results
from mpc_engine.lab.sigmoids import Sigmoid
from mpc_engine.lab.tasks import Kind, Study
from mpc_engine.vocabulary.claims import ClaimVerdict
from tests.engine.lab.specimens import SCOPE, all_rows, failed_row, model_row

TIGHT, MIDDLE, LOOSE = SCOPE.constraints


def _claim(name: str, *changed: dict[str, Any]) -> Claim:
    rows = all_rows()
    for row in changed:
        rows[row.pop("key")] = row
    (claim,) = (each for each in judged(Results(rows), SCOPE) if each.name == name)
    return claim


def _changed(point: Point, **more: Any) -> dict[str, Any]:
    return {"key": point.key, **model_row(point, **more)}


def _failed(point: Point) -> dict[str, Any]:
    return {"key": point.key, **failed_row(point)}


def _paper(data: str, c: float, numbers: Numbers = Numbers.ORACLE) -> Point:
    return paper_point(SCOPE, data, Method.LAGRANGE, c, Sigmoid.CLAMP, numbers)


def test_without_results_nothing_is_judged() -> None:
    assert {claim.verdict for claim in judged(Results({}), SCOPE)} == {ClaimVerdict.NOT_JUDGED}


def test_every_claim_names_a_figure_that_exists() -> None:
    claims = judged(Results(all_rows()), SCOPE)
    assert {claim.figure for claim in claims} <= set(EXPERIMENTS)
    assert len({claim.name for claim in claims}) == len(claims)


def test_accuracy_against_slsqp_has_three_verdicts() -> None:
    assert _claim("as-accurate").verdict is ClaimVerdict.HOLDS
    paper = _changed(_paper("German", MIDDLE), accuracy=0.655)
    found = _claim("as-accurate", paper)
    assert found.verdict is ClaimVerdict.OURS_ONLY
    assert "-4.50 points (German, c = 0.01)" in found.evidence
    ours = _changed(our_point(SCOPE, "COMPAS", TIGHT), accuracy=0.6)
    paper = _changed(_paper("German", MIDDLE), accuracy=0.655)
    assert _claim("as-accurate", paper, ours).verdict is ClaimVerdict.DOES_NOT


@pytest.mark.parametrize(
    ("accuracy", "verdict"), [(0.6931, "holds with our settings only"), (0.6929, "does not hold")]
)
def test_ours_are_within_seven_tenths_of_a_point(accuracy: float, verdict: str) -> None:
    row = _changed(our_point(SCOPE, "German", TIGHT), accuracy=accuracy)
    assert _claim("ours-closer", row).verdict.value == verdict


def test_a_failed_run_of_the_baseline_is_compared_with_nothing() -> None:
    row = _changed(our_point(SCOPE, "German", TIGHT), accuracy=0.1)
    gone = _failed(baseline("German", TIGHT))
    assert _claim("ours-closer", row, gone).verdict is ClaimVerdict.OURS_ONLY


def _projected(data: str, numbers: Numbers) -> Point:
    return paper_point(SCOPE, data, Method.PROJECTED, TIGHT, Sigmoid.CLAMP, numbers)


def test_projected_gradients_fail_if_most_shrink_without_becoming_fairer() -> None:
    assert _claim("projected-fails").verdict is ClaimVerdict.DOES_NOT
    each = [(data, n) for data in SCOPE.data for n in (Numbers.FLOAT, Numbers.FIXED)]
    short = [_changed(_projected(*where), length=0.1) for where in each[:4]]
    assert _claim("projected-fails", *short).verdict is ClaimVerdict.HOLDS
    fairer = [_changed(_projected(*where), length=0.1, inside=0.49) for where in each[:4]]
    assert _claim("projected-fails", *fairer).verdict is ClaimVerdict.DOES_NOT
    gone = [_failed(_projected(*where)) for where in each[:4]]
    assert _claim("projected-fails", *gone).verdict is ClaimVerdict.HOLDS


def test_the_barrier_must_fail_on_every_set() -> None:
    assert _claim("barrier-fails").verdict is ClaimVerdict.HOLDS
    point = paper_point(SCOPE, "German", Method.BARRIER, TIGHT, Sigmoid.CLAMP)
    found = _claim("barrier-fails", _changed(point))
    assert found.verdict is ClaimVerdict.DOES_NOT
    assert "German: never" in found.evidence


def test_failed_runs_are_counted_by_method() -> None:
    found = _claim("fewest-failures")
    assert found.verdict is ClaimVerdict.HOLDS
    assert "lagrange 0 of 36, projected 0 of 36, barrier 12 of 36" in found.evidence
    assert (
        _claim("fewest-failures", _failed(_paper("German", TIGHT))).verdict is ClaimVerdict.DOES_NOT
    )


@pytest.mark.parametrize(
    ("name", "other"), [("clamp-no-worse", Sigmoid.EXACT), ("clamp-beats-pieces", Sigmoid.PIECES)]
)
def test_the_clamp_may_be_worse_by_a_point(name: str, other: Sigmoid) -> None:
    point = paper_point(SCOPE, "German", Method.LAGRANGE, MIDDLE, other)
    assert _claim(name, _changed(point, accuracy=0.7099)).verdict is ClaimVerdict.HOLDS
    assert _claim(name, _changed(point, accuracy=0.7101)).verdict is ClaimVerdict.DOES_NOT


def test_collapse_is_where_a_model_is_hardly_better_than_one_decision() -> None:
    assert _claim("compas-collapses").verdict is ClaimVerdict.DOES_NOT
    rows = [
        _changed(paper_point(SCOPE, "COMPAS", method, MIDDLE, Sigmoid.CLAMP), accuracy=0.61)
        for method in (Method.LAGRANGE, Method.PROJECTED, Method.BARRIER)
    ]
    rows.append(_changed(baseline("COMPAS", TIGHT), accuracy=0.61))
    found = _claim("compas-collapses", *rows)
    assert found.verdict is ClaimVerdict.HOLDS
    assert "SLSQP 0.0001" in found.evidence


def test_groups_may_differ_by_two_points_between_the_kinds_of_numbers() -> None:
    assert _claim("fixed-alike").verdict is ClaimVerdict.HOLDS
    row = _changed(_paper("German", MIDDLE), inside=0.43)
    found = _claim("fixed-alike", row)
    assert found.verdict is ClaimVerdict.DOES_NOT
    assert "3.00 points (German, c = 0.01)" in found.evidence


def test_only_sets_below_four_fifths_need_to_become_fairer() -> None:
    loose = [
        _changed(point, inside=0.2)
        for point in (_paper("German", LOOSE), our_point(SCOPE, "German", LOOSE))
    ]
    found = _claim("fairer", *loose)
    assert found.verdict is ClaimVerdict.HOLDS
    assert "COMPAS" not in found.evidence
    loose = [
        _changed(point, inside=0.2)
        for point in (_paper("German", LOOSE), our_point(SCOPE, "German", LOOSE))
    ]
    tight = _changed(_paper("German", TIGHT), inside=0.1)
    assert _claim("fairer", *loose, tight).verdict is ClaimVerdict.OURS_ONLY


def test_an_overflow_of_a_block_is_one_too_many() -> None:
    assert _claim("blocks").verdict is ClaimVerdict.HOLDS
    study = Study(Kind.BLOCKED, True, "German")
    row = all_rows()[study.key]
    row["rows"][1]["error"] = None
    assert _claim("blocks", {"key": study.key, **row}).verdict is ClaimVerdict.DOES_NOT


def test_certification_has_a_second() -> None:
    assert _claim("fast").verdict is ClaimVerdict.HOLDS
    study = Study(Kind.CERTIFICATION_TIMES, True)
    row = all_rows()[study.key]
    row["rows"][0]["ms"] = 1000
    assert _claim("fast", {"key": study.key, **row}).verdict is ClaimVerdict.DOES_NOT
