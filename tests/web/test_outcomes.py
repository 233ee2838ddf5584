"""What challenges found: dated for the regulator, undated totals for everybody else."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from django.utils.formats import date_format

from blindjustice_web.certificates.models import CandidateModel, Certificate
from blindjustice_web.challenges.models import Challenge
from blindjustice_web.jobs.models import Job
from blindjustice_web.presentation.figures.challenge_outcomes import (
    outcomes_by_model,
    outcomes_over_time,
)
from tests.web.many_rows import add_rows
from tests.web.stories import World

OUTCOMES = ("CONFIRMED", "CONFIRMED", "DIFFERENT_DECISION", "DIFFERENT_MODEL", "NOT_ANSWERED")
LABELS = [
    "Decision confirmed",
    "The certified model decides differently",
    "The model in use is not the certified one",
    "No answer in time",
]


def _judged(world: World, outcomes: tuple[str, ...] = OUTCOMES) -> Certificate:
    """Return a certificate whose k-th case was answered k days ago, and one that was refused."""
    certificate = world.certified()
    for number, outcome in enumerate(outcomes):
        case = world.challenge("uma", certificate, str(number))
        world.challenge_read(certificate, case)
        job = Job.objects.filter(kind="verification").latest("created_at")
        world.verification_result(job, {case: outcome})
        answered = timezone.now() - timedelta(days=number)
        Challenge.objects.filter(pk=case).update(answered_at=answered)
    refused = world.challenge("uma", certificate, "refused")
    world.parties.regulator.says(
        "challenge_refused", challenge_id=refused, code="RECORD_NOT_SIGNED", sentence="No."
    )
    return certificate


def test_the_regulator_sees_outcomes_by_the_day_they_were_found(world: World) -> None:
    _judged(world)
    figure = outcomes_over_time(Challenge.objects.all())
    assert figure is not None
    assert figure.title == "2 of 5 answered cases confirmed the decision; 3 did not"
    assert "One more could not be read." in figure.summary
    assert figure.headings == ["Day (UTC)", *LABELS, "Not readable"]
    assert [row[1:] for row in figure.rows] == [
        ["0", "0", "0", "1", "0"],
        ["0", "0", "1", "0", "0"],
        ["0", "1", "0", "0", "0"],
        ["1", "0", "0", "0", "0"],
        ["1", "0", "0", "0", "1"],
    ]
    traces: dict[str, Any] = {trace["name"]: trace for trace in figure.drawing["data"]}
    assert traces["Decision confirmed"]["y"] == [0, 0, 0, 1, 1]
    patterns = [trace["marker"]["pattern"]["shape"] for trace in traces.values()]
    assert len(set(patterns)) == len(patterns) == 5, "not told apart by colour alone"


@pytest.mark.slow
def test_it_stands_on_the_regulator_s_pages(world: World) -> None:
    certificate = _judged(world)
    for path in ("/regulator/challenges/", f"/regulator/studies/{certificate.study_id}/"):
        page = world.page("rae", path)
        assert "2 of 5 answered cases confirmed the decision; 3 did not" in page
        assert "Only the regulator sees these dates." in page
        assert 'id="figure-outcomes"' in page


@pytest.mark.slow
def test_nobody_else_gets_a_date_of_an_outcome(world: World) -> None:
    certificate = _judged(world)
    answered = Challenge.objects.filter(answered_at__isnull=False)
    days = {date_format(day, "j\u00a0M") for day in answered.dates("answered_at", "day")}
    for who, path in (
        ("mo", f"/modeler/studies/{certificate.study_id}/"),
        ("anonymous", f"/certificates/{certificate.id}/"),
        ("mo", f"/certificates/{certificate.id}/"),
        ("rae", f"/certificates/{certificate.id}/"),
    ):
        figure = world.clients[who].get(path).context["cases"]
        assert figure.rows == [["Model A", "2", "1", "1", "1"]]
        assert figure.headings == ["Model", *LABELS]
        assert not any(day in repr(figure) for day in days)


def test_models_of_one_name_have_a_column_each_and_no_name_becomes_a_link(world: World) -> None:
    name = 'Loans <a href="https://example.org">here</a>'
    study = world.closed()
    for found in OUTCOMES[1:3]:
        world.judged(study, found)
        certificate = Certificate.objects.get(model__name=found)
        case = world.challenge("uma", certificate, found)
        world.challenge_read(certificate, case)
        job = Job.objects.filter(kind="verification").latest("created_at")
        world.verification_result(job, {case: found})
    CandidateModel.objects.update(name=name)
    figure = outcomes_by_model(list(Certificate.objects.select_related("model")))
    assert figure is not None
    assert [row[0] for row in figure.rows] == [name, name]
    axis = figure.drawing["layout"]["xaxis"]
    assert axis["categoryarray"] == axis["tickvals"] == ["0", "1"]
    assert len(axis["ticktext"]) == 2
    for trace in figure.drawing["data"]:
        assert trace["x"] == ["0", "1"]
        assert sorted(trace["y"]) == [0, 1]
        assert "%{x}" not in trace["hovertemplate"]
        assert trace["hovertemplate"].startswith("%{hovertext}<br>")
        assert all(text.startswith("Loans &lt;a href=") for text in trace["hovertext"])
    assert "<a href" not in repr(figure.drawing)


def test_cases_of_other_regulators_do_not_count(world: World) -> None:
    _judged(world)
    assert outcomes_over_time(Challenge.objects.none()) is None
    assert "figure-outcomes" not in world.page("umar", "/me/")


def test_there_is_no_figure_before_the_first_answer(world: World) -> None:
    certificate = world.certified()
    world.challenge("uma", certificate, "waiting")
    assert outcomes_over_time(Challenge.objects.all()) is None
    assert outcomes_by_model([certificate]) is None
    assert "Nobody has challenged a decision" in world.page(
        "anonymous", f"/certificates/{certificate.id}/"
    )
    page = world.page("mo", f"/modeler/studies/{certificate.study_id}/")
    assert '<section id="region-cases" data-region class="stack"></section>' in page


@pytest.mark.database
def test_titles_of_few_cases_are_sentences(world: World) -> None:
    certificate = _judged(world, ("CONFIRMED",))
    alone = outcomes_by_model([certificate])
    assert alone is not None
    assert alone.title == "The one case confirmed the decision"
    unread = outcomes_over_time(Challenge.objects.filter(state="REFUSED"))
    assert unread is not None
    assert unread.title == "No case has been answered yet"


@pytest.mark.slow
@pytest.mark.database
def test_many_cases_cost_as_many_queries_as_few(world: World) -> None:
    certificate = _judged(world)
    add_rows(world, certificate, "many", 500)
    with CaptureQueriesContext(connection) as captured:
        figure = outcomes_over_time(Challenge.objects.all())
    assert len(captured) == 2
    assert figure is not None
    assert figure.title.startswith("252 of 505")
    with CaptureQueriesContext(connection) as captured:
        outcomes_by_model(list(Certificate.objects.select_related("model")))
    assert len(captured) == 2
