"""Accuracy against fairness: the figure as data, its words, and models that are not on it."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from blindjustice_web.certificates.curve import Curve, CurveRow
from blindjustice_web.certificates.models import Verdict
from blindjustice_web.certificates.tradeoff import tradeoff_of
from blindjustice_web.lib.named import Named
from tests.web.stories import World


def _row(c: str, accuracy: int | None, low: int, high: int = 100, **changes: Any) -> CurveRow:
    values: dict[str, Any] = {
        "name": f"Model {c}",
        "c": Fraction(c),
        "c_text": c,
        "accuracy": None if accuracy is None else Fraction(accuracy),
        "n_rows": 100,
        "low": Fraction(low),
        "high": Fraction(high),
        "verdict": Named.of(Verdict.PASS if low >= 80 else Verdict.FAIL),
        "bracket": f"{low} % or more",
        "accuracy_text": f"{accuracy} %",
        "certificate_url": "/certificates/1/" if low >= 80 else "",
        "is_best": False,
    }
    return CurveRow(**{**values, **changes})


def _curve(*rows: CurveRow) -> Curve:
    return Curve(title="", summary="", figure={}, rows=list(rows), targets=["80"])


def test_each_model_stands_where_its_numbers_put_it() -> None:
    figure = tradeoff_of(_curve(_row("0.01", 70, 90), _row("0.1", 84, 0, 70), _row("0.2", 80, 0)))
    assert figure is not None
    assert (
        figure.title
        == "p% goes from 0 % or more to 90 % or more at the cost of 14.0 points of accuracy"
    )
    assert "known of 3 models." in figure.summary
    assert figure.summary.endswith("as c = 0.01, 0.1."), "0.2 is beaten by 0.1"
    good, bad = figure.drawing["data"]
    assert (good["x"], good["y"], good["error_x"]["array"]) == ([90], [70], [10])
    assert (bad["x"], bad["y"], bad["error_x"]["array"]) == ([0, 0], [84, 80], [70, 100])
    assert good["marker"]["symbol"] != bad["marker"]["symbol"]
    assert figure.drawing["layout"]["shapes"][0]["x0"] == 80
    assert figure.rows[0] == ["Model 0.01", "0.01", "90 % or more", "70 %"]


def test_a_model_that_is_best_in_both_is_named() -> None:
    figure = tradeoff_of(_curve(_row("0.01", 84, 90), _row("0.1", 80, 0)))
    assert figure is not None
    assert figure.title == (
        "c = 0.01 is the most accurate and as fair as any: 84 %, p% 90 % or more"
    )
    assert figure.summary.endswith("as c = 0.01.")


def test_models_without_a_verdict_or_without_accuracy_are_counted_only() -> None:
    undecided = Named.of(Verdict.UNDETERMINED)
    figure = tradeoff_of(
        _curve(
            _row("0.01", 84, 90),
            _row("0.1", None, 90),
            _row("0.2", 80, 0, verdict=None),
            _row("0.3", 80, 0, verdict=undecided),
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
    for who, role in (("mo", "modeler"), ("rae", "regulator")):
        for each in (training, study):
            page = world.clients[who].get(f"/{role}/studies/{each.id}/").content.decode()
            assert "p% goes from below 70 % to 80 % or more, below 90 % at the cost of" in page
            assert 'id="figure-tradeoff"' in page
