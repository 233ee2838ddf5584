"""The p%-rule curve: the figure as data, its table, its words, and what it must not say."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from blindjustice_web.certificates.models import Certificate
from blindjustice_web.presentation.figures.curve import curve_of
from blindjustice_web.studies.models import Study
from tests.web.accuracy_stories import certifying, judged
from tests.web.revocations import revoke
from tests.web.stories import World

ROOMY = {"question_bits_limit": 400}
RIGHTS = {"0.1": 840, "0.03": 801, "0.01": 802, "0.003": 700}
NONE = ("FAIL", "FAIL", "FAIL", "PASS", "PASS")
SEVENTY = ("PASS", "FAIL", "FAIL", "PASS", "PASS")
EIGHTY = ("PASS", "PASS", "FAIL", "FAIL", "PASS")
ALL = ("PASS", "PASS", "PASS", "PASS", "PASS")
UNDECIDED = ("UNDETERMINED",) * 5
TOLD = "right decisions on rows trained on (told by the modeler)"


def _judged_sweep(
    world: World, verdicts: tuple[tuple[str, ...], ...] = (NONE, SEVENTY, EIGHTY, ALL)
) -> tuple[Study, Study]:
    training = world.trainable(**ROOMY)
    trained = world.swept(training, RIGHTS)
    study = world.closed(**ROOMY)
    for model_id, given in zip(
        world.taken_over(study, list(trained.values())), verdicts, strict=False
    ):
        assert world.judged_model(study, model_id, given).state == "DONE"
    return training, study


def _trace(figure: dict[str, Any], name: str) -> dict[str, Any]:
    return next(trace for trace in figure["data"] if trace["name"] == name)


@pytest.mark.database
def test_both_studies_show_accuracy_and_brackets_against_c(world: World) -> None:
    for study in _judged_sweep(world):
        curve = curve_of(study)
        assert curve is not None
        assert [row.c_text for row in curve.rows] == ["0.003", "0.01", "0.03", "0.1"]
        assert [(row.low, row.high) for row in curve.rows] == [
            (Fraction(90), Fraction(100)),
            (Fraction(80), Fraction(90)),
            (Fraction(70), Fraction(80)),
            (Fraction(0), Fraction(70)),
        ]
        assert [row.bracket for row in curve.rows] == [
            "90 % or more",
            "80–90 %",
            "70–80 %",
            "below 70 %",
        ]
        assert curve.figure["layout"]["xaxis"]["type"] == "log"
        assert curve.figure["layout"]["shapes"][0]["y0"] == 80
        bars = _trace(curve.figure, "p% lies in here, held-out people")
        assert bars["x"] == [0.01, 0.01, None, 0.03, 0.03, None]
        assert bars["y"] == [80, 90, None, 70, 80, None]
        for name, symbol, x, y in (
            ("p% is this or more, held-out people", "triangle-up", 0.003, 90),
            ("p% is below this, held-out people", "triangle-down", 0.1, 70),
        ):
            trace = _trace(curve.figure, name)
            assert (trace["x"], trace["y"], trace["marker"]["symbol"]) == ([x], [y], symbol)
        right = _trace(curve.figure, TOLD)
        assert (right["x"], right["y"]) == ([0.003, 0.01, 0.03, 0.1], [70.0, 80.2, 80.1, 84.0])


def test_the_title_states_the_finding_and_the_summary_what_to_try_next(world: World) -> None:
    for study in _judged_sweep(world):
        curve = curve_of(study)
        assert curve is not None
        assert curve.title == (
            "c = 0.01 keeps the p%-rule at 80 % and is right for 80.2\u00a0% of the rows it was "
            "trained on"
        )
        assert "4 models were trained; 4 of them judged, 2 certified." in curve.summary
        assert (
            "“Trained with c = 0.01” is right most often: for 80.2\u00a0% of the rows it"
            in curve.summary
        )
        assert "lies c = 0.017: try it." in curve.summary
        assert [row.c_text for row in curve.rows if row.is_best] == ["0.01"]


@pytest.mark.slow
def test_the_table_says_the_same_without_script_and_links_certificates(world: World) -> None:
    training, study = _judged_sweep(world)
    urls = {f"/certificates/{certificate.id}/" for certificate in Certificate.objects.all()}
    assert len(urls) == 2
    for who in ("mo", "rae"):
        for each in (training, study):
            page = world.study_page(who, each, live=True)
            region = page.split('id="region-curve"')[1].split("</section>")[0]
            assert region.count('data-testid="curve-row"') == 4
            assert all(url in region for url in urls)
            assert "80.2\u00a0% of 1000 people" in region
            assert "80–90 %" in region
            assert 'id="figure-curve"' in region


def test_models_without_a_verdict_have_no_bar(world: World) -> None:
    training = world.trainable(**ROOMY)
    world.swept(training, RIGHTS)
    curve = curve_of(training)
    assert curve is not None
    assert curve.title == "4 trained models, none certified yet"
    assert [trace["name"] for trace in curve.figure["data"]] == [TOLD]
    assert {row.bracket for row in curve.rows} == {"not certified yet"}
    assert "shapes" not in curve.figure["layout"]


def test_an_undecided_model_has_a_row_and_no_bar(world: World) -> None:
    _, study = _judged_sweep(world, (UNDECIDED,))
    curve = curve_of(study)
    assert curve is not None
    assert curve.title == "No model keeps the p%-rule at 80 % yet"
    row = next(row for row in curve.rows if row.c_text == "0.1")
    assert row.bracket == "not decided"
    assert len(curve.figure["data"]) == 1


def test_c_of_zero_stands_left_of_the_smallest_other(world: World) -> None:
    training = world.trainable(**ROOMY)
    world.swept(training, {"0": 500, "0.03": 600})
    curve = curve_of(training)
    assert curve is not None
    axis = curve.figure["layout"]["xaxis"]
    assert axis["ticktext"] == ["0", "0.03"]
    assert 0 < axis["tickvals"][0] < axis["tickvals"][1] / 2
    assert "0 stands off the scale" in axis["title"]["text"]
    (told,) = curve.figure["data"]
    assert told["text"][0].startswith("c = 0<br>")


@pytest.mark.slow
def test_held_out_decisions_go_before_those_on_training_rows(world: World) -> None:
    study = certifying(world)
    trained = world.swept(world.trainable(question_bits_limit=1000), {"0.1": 802, "0.01": 700})
    loose, strict = world.taken_over(study, [trained["0.1"], trained["0.01"]])
    assert not judged(world, study, loose, n_empty=0).reason
    curve = curve_of(study)
    assert curve is not None
    assert curve.is_held_out
    row = next(row for row in curve.rows if row.c_text == "0.1")
    assert (row.right_text, row.accuracy_text) == ("78.9\u00a0%", "80.2\u00a0%")
    for name, share in (
        ("right decisions on held-out people (opened counts)", 71 / 90),
        ("a constant answer on held-out people", 51 / 90),
    ):
        trace = _trace(curve.figure, name)
        assert trace["y"] == pytest.approx([100 * share])
    assert _trace(curve.figure, TOLD)["y"] == [70.0, 80.2]
    page = world.study_page("mo", study, live=True)
    assert "78.9\u00a0% of 180 people; a constant answer 56.7\u00a0%" in page
    judged(world, study, strict, n_empty=2)
    curve = curve_of(study)
    assert curve is not None
    assert not curve.is_held_out, "one of two would be held against the other's training rows"


def test_a_model_whose_certificate_is_not_valid_is_not_called_certified(world: World) -> None:
    _, study = _judged_sweep(world)
    for certificate in Certificate.objects.filter(study=study):
        assert revoke(world, certificate) == 201
    curve = curve_of(study)
    assert curve is not None
    assert "4 of them judged, 0 certified." in curve.summary
    assert not any(row.is_best for row in curve.rows)
    shown = [row.verdict.value for row in curve.rows if row.verdict]
    assert shown == ["REVOKED", "REVOKED", "FAIL", "FAIL"]


def test_a_study_without_trained_models_has_no_curve(world: World) -> None:
    study = world.certified().study
    assert curve_of(study) is None
    page = world.study_page("mo", study, live=True)
    assert "curve-title" not in page
    assert 'id="region-curve"' in page, "a live page exchanges the regions that it has"


@pytest.mark.slow
def test_accuracy_is_told_to_the_two_organisations_alone(world: World) -> None:
    _, study = _judged_sweep(world)
    certificate = Certificate.objects.filter(study=study).first()
    assert certificate is not None
    shown = {
        who: world.page(who, f"/certificates/{certificate.id}/")
        for who in ("mo", "rae", "mia", "uma", "anonymous")
    }
    for who in ("mo", "rae"):
        assert "Accuracy in training" in shown[who]
        assert "as the modeler&#x27;s party computed on its own rows" in shown[who]
        assert "On the people it was certified on nobody can tell" in shown[who]
    for who in ("mia", "uma", "anonymous"):
        assert "Accuracy in training" not in shown[who]
        assert "80.2" not in shown[who]


@pytest.mark.slow
def test_the_form_proposes_ladders_that_the_limit_affords(world: World) -> None:
    roomy = world.trainable(**ROOMY)
    page = world.study_page("mo", roomy, live=True)
    assert 'data-values="0.1 0.03 0.01 0.003 0.001"' in page
    assert "p% of 80: c = 0.1 0.03 0.01 0.003 0.001 (190 bits)" in page
    assert 'data-values="0.03 0.01 0.003 0.001 0.0003"' in page
    tight = world.trainable(question_bits_limit=4 * 38)
    page = world.study_page("mo", tight, live=True)
    assert "p% of 80: c = 0.1 0.03 0.01 (114 bits)" in page
