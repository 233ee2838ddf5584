"""Accuracy against fairness: the figure as data, its words, and models that are not on it."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from blindjustice_web.lib.labels import Verdict
from blindjustice_web.lib.named import Named
from blindjustice_web.presentation.figures.curve import Curve
from blindjustice_web.presentation.figures.curve_rows import CurveRow
from blindjustice_web.presentation.figures.tradeoff import tradeoff_of
from tests.web.stories import World


def _row(
    c: str, accuracy: int | None, passed: int | None, failed: int | None = None, **changes: Any
) -> CurveRow:
    right = None if accuracy is None else Fraction(accuracy)
    is_certified = passed is not None and passed >= 80
    values: dict[str, Any] = {
        "name": f"Model {c}",
        "c": Fraction(c),
        "c_text": c,
        "accuracy": right,
        "accuracy_text": f"{accuracy} %",
        "n_rows": 100,
        "held_out": None,
        "constant": None,
        "n_held_out": None,
        "right": right,
        "right_text": f"{accuracy} %",
        "passed": None if passed is None else Fraction(passed),
        "failed": None if failed is None else Fraction(failed),
        "is_decided": True,
        "verdict": Named.of(Verdict.PASS if is_certified else Verdict.FAIL),
        "bracket": f"{passed} % or more" if passed else f"below {failed} %",
        "certificate_url": "/certificates/1/" if is_certified else "",
        "is_certified": is_certified,
        "is_best": False,
    }
    return CurveRow(**{**values, **changes})


def _curve(*rows: CurveRow, is_held_out: bool = False) -> Curve:
    return Curve("", "", {}, rows=list(rows), targets=["80"], is_held_out=is_held_out)


def test_each_model_stands_where_its_numbers_put_it() -> None:
    figure = tradeoff_of(
        _curve(_row("0.01", 70, 90), _row("0.1", 84, None, 70), _row("0.2", 80, 60, 70))
    )
    assert figure is not None
    assert figure.title == (
        "p% goes from below 70 % to 90 % or more at the cost of 14.0 points of accuracy on rows "
        "trained on"
    )
    assert "known of 3 models." in figure.summary
    good, bad = figure.drawing["data"]
    assert (good["x"], good["y"], good["error_x"]["array"]) == ([90], [70], [0])
    assert (bad["x"], bad["y"], bad["error_x"]["array"]) == ([70, 60], [84, 80], [0, 10])
    assert good["marker"]["symbol"] == ["triangle-right"], "90 or more: no bar to 100"
    assert bad["marker"]["symbol"] == ["triangle-left", "x"], "below 70: no bar from 0"
    assert figure.drawing["layout"]["shapes"][0]["x0"] == 80
    assert figure.rows[0] == ["Model 0.01", "0.01", "90 % or more", "70 %"]


def test_the_axis_says_whose_decisions_it_counts_and_that_it_is_cut() -> None:
    figure = tradeoff_of(_curve(_row("0.01", 70, 90), _row("0.1", 84, None, 70)))
    assert figure is not None
    upright = figure.drawing["layout"]["yaxis"]
    assert upright["range"][0] == 66
    assert upright["title"]["text"] == "right on rows trained on, percent (cut at 66)"
    assert figure.drawing["layout"]["xaxis"]["title"]["text"].startswith("p% on held-out people")
    assert "p% is of other people" in figure.note
    assert "does not begin at 0" in figure.note


def test_words_of_marks_that_lie_together_stand_apart() -> None:
    figure = tradeoff_of(
        _curve(_row("0.01", 70, 90), _row("0.02", 70, 85, 90), _row("0.1", 70, 80, 85))
    )
    assert figure is not None
    places = dict(
        zip(("0.01", "0.02", "0.1"), figure.drawing["data"][0]["textposition"], strict=True)
    )
    assert places == {"0.1": "top right", "0.02": "bottom left", "0.01": "top left"}


def test_the_axis_of_p_is_cut_where_every_model_is_known_to_be_far_above() -> None:
    high = [_row("0.01", 70, 90), _row("0.1", 84, 65, 70)]
    figure = tradeoff_of(_curve(*high))
    assert figure is not None
    across = figure.drawing["layout"]["xaxis"]
    assert (across["range"], across["title"]["text"]) == (
        [50, 103],
        "p% on held-out people (fairer right; cut at 50)",
    )
    figure = tradeoff_of(_curve(*high, _row("0.2", 84, None, 50)))
    assert figure is not None
    assert figure.drawing["layout"]["xaxis"]["range"] == [-3, 103], "it may be anywhere below 50"


def test_on_held_out_people_a_constant_answer_is_drawn_beside_the_models() -> None:
    known: dict[str, Any] = {"constant": Fraction(63), "n_held_out": 400}
    figure = tradeoff_of(
        _curve(
            _row("0.01", 64, 90, held_out=Fraction(64), **known),
            _row("0.1", 71, None, 70, held_out=Fraction(71), **known),
            is_held_out=True,
        )
    )
    assert figure is not None
    constant = figure.drawing["data"][-1]
    assert (constant["name"], constant["y"]) == ("a constant answer", [63, 63])
    upright = figure.drawing["layout"]["yaxis"]
    assert upright["title"]["text"] == "right on held-out people, percent (cut at 61)"
    assert figure.rows[0][3:] == ["64 %", "63.0\u00a0%"]
    assert "points of accuracy on held-out people" in figure.title


def test_an_axis_from_zero_says_nothing_of_a_cut() -> None:
    figure = tradeoff_of(_curve(_row("0.01", 1, 90), _row("0.1", 84, None, 70)))
    assert figure is not None
    assert figure.drawing["layout"]["yaxis"]["title"]["text"] == "right on rows trained on, percent"
    assert "begin at 0" not in figure.note


def test_a_model_that_is_best_in_both_is_named() -> None:
    figure = tradeoff_of(_curve(_row("0.01", 84, 90), _row("0.1", 80, None, 70)))
    assert figure is not None
    assert figure.title == (
        "c = 0.01 is the most accurate and as fair as any: right for 84 % on rows trained on, "
        "p% 90 % or more"
    )
    assert figure.summary.endswith("as c = 0.01.")


def test_models_without_a_verdict_or_without_accuracy_are_counted_only() -> None:
    figure = tradeoff_of(
        _curve(
            _row("0.01", 84, 90),
            _row("0.1", None, 90),
            _row("0.2", 80, None, verdict=None, is_decided=False),
            _row("0.3", 80, None, is_decided=False),
        )
    )
    assert figure is not None
    assert len(figure.rows) == 1
    assert "3 more are not drawn" in figure.summary
    assert tradeoff_of(_curve(_row("0.1", None, 90))) is None
    assert tradeoff_of(None) is None


def test_equal_models_leave_room_on_the_axis() -> None:
    figure = tradeoff_of(_curve(_row("0.01", 100, 90)))
    assert figure is not None
    assert figure.drawing["layout"]["yaxis"]["range"] == [98, 101]


@pytest.mark.slow
def test_both_organisations_see_it_below_the_curve(world: World) -> None:
    training = world.trainable(question_bits_limit=400)
    trained = world.swept(training, {"0.1": 840, "0.01": 802})
    study = world.closed(question_bits_limit=400)
    models = world.taken_over(study, list(trained.values()))
    for model_id, verdicts in zip(
        models,
        (("FAIL",) * 3 + ("PASS",) * 2, ("PASS", "PASS", "FAIL", "FAIL", "PASS")),
        strict=True,
    ):
        assert world.judged_model(study, model_id, verdicts).state == "DONE"
    for who in ("mo", "rae"):
        for each in (training, study):
            page = world.study_page(who, each)
            assert "p% goes from below 70 % to 80–90 % at the cost of" in page
            assert 'id="figure-tradeoff"' in page
