"""Coverage over time: the figure as data, its table, its words, and what it costs."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from blindjustice_web.enrolment.models import Invitation, InvitationBatch, Submission
from blindjustice_web.presentation.figures.coverage import coverage_over_time
from blindjustice_web.presentation.figures.time_steps import MOST_STEPS, TimeSteps
from blindjustice_web.studies.models import Study
from tests.web.stories import World

NOW = timezone.now()
DAY = timedelta(days=1)


def _answered(world: World, days_ago: list[int], n: int = 10, **changes: Any) -> Study:
    """Return a study whose people were invited ten days ago and answered so many days ago."""
    study, records = world.invited(n, **changes)
    study.invitation_batches.update(created_at=NOW - 10 * DAY)
    for record, ago in zip(records, days_ago, strict=False):
        world.answered(study, record)
        study.submissions.filter(record_id=record).update(created_at=NOW - ago * DAY)
    return study


def _traces(drawing: dict[str, Any]) -> dict[str, list[int]]:
    return {trace["name"]: trace["y"] for trace in drawing["data"]}


@pytest.mark.database
def test_answers_add_up_day_by_day(world: World) -> None:
    figure = coverage_over_time(_answered(world, [9, 9, 5, 0]))
    assert figure is not None
    assert figure.title == "4 of 10 people have answered; 1 of them today"
    assert figure.headings[0] == "Day (UTC)"
    assert [row[1:] for row in figure.rows] == [
        ["0", "0", "10", "0\u00a0%"],
        ["2", "2", "10", "20\u00a0%"],
        ["1", "3", "10", "30\u00a0%"],
        ["1", "4", "10", "40\u00a0%"],
    ]
    traces = _traces(figure.drawing)
    assert traces["answered then"] == [0, 2, 0, 0, 0, 1, 0, 0, 0, 0, 1]
    assert traces["answered before"] == [0, 0, 2, 2, 2, 2, 3, 3, 3, 3, 3]
    assert traces["invited"] == [10] * 11
    labels = figure.drawing["layout"]["xaxis"]["categoryarray"]
    assert len(set(labels)) == 11
    assert len(figure.drawing["layout"]["xaxis"]["tickvals"]) <= 6
    assert "Most at once: 2" in figure.summary
    assert "6 invited people have not answered." in figure.summary


def test_the_title_says_when_nobody_answered_today(world: World) -> None:
    figure = coverage_over_time(_answered(world, [3, 2]))
    assert figure is not None
    assert figure.title == "2 of 10 people have answered; none of them today"


def test_a_closed_study_tells_what_it_came_to(world: World) -> None:
    figure = coverage_over_time(world.closed())
    assert figure is not None
    assert figure.title == "3 of 3 people answered"
    assert "not answered" not in figure.summary


def test_an_answer_that_was_replaced_counts_once_at_its_first(world: World) -> None:
    study, records = world.invited(2)
    for sequence, ago in ((1, 4), (2, 0)):
        sent = world.answered(study, records[0], sequence)
        submissions = study.submissions.filter(submission_id=sent["submission_id"])
        submissions.update(created_at=NOW - ago * DAY)
    figure = coverage_over_time(study)
    assert figure is not None
    assert figure.title == "1 of 2 people have answered; none of them today"


def test_there_is_no_figure_before_the_first_answer(world: World) -> None:
    study, _records = world.invited(2)
    assert coverage_over_time(study) is None
    page = world.study_page("mo", study)
    assert '<div id="region-coverage" data-region></div>' in page


def test_both_organisations_see_it_and_nobody_else(world: World) -> None:
    study = _answered(world, [2, 0])
    for who in ("mo", "rae"):
        page = world.study_page(who, study, live=True)
        region = page.split('id="region-coverage"')[1].split('id="region-invite"')[0]
        assert "2 of 10 people have answered; 1 of them today" in region
        assert 'id="figure-coverage"' in region
        assert 'data-testid="coverage-table"' in region
    for who in ("mia", "uma"):
        assert world.clients[who].get(f"/modeler/studies/{study.id}/").status_code == 404
    assert "people have answered" not in (world.page("anonymous", f"/take-part/{study.id}/"))


@pytest.mark.slow
def test_ten_thousand_answers_cost_as_many_queries_as_three(world: World) -> None:
    study = world.closed()
    batch = InvitationBatch.objects.create(study=study, count=10_000)
    ids = [f"{number:032x}" for number in range(10_000)]
    Invitation.objects.bulk_create(
        (Invitation(study=study, batch=batch, record_id=one) for one in ids), batch_size=1000
    )
    with CaptureQueriesContext(connection) as few:
        coverage_over_time(study)
    Submission.objects.bulk_create(
        (
            Submission(
                study=study,
                record_id=one,
                submission_id=one,
                sequence=1,
                envelope_modeler=b"",
                envelope_regulator=b"",
                digest_modeler=one,
                digest_regulator=one,
            )
            for one in ids
        ),
        batch_size=1000,
    )
    with CaptureQueriesContext(connection) as many:
        figure = coverage_over_time(study)
    assert figure is not None
    assert figure.title == "10003 of 10003 people answered"
    assert len(many) == len(few) == 4
    assert len(figure.rows) < MOST_STEPS


START = datetime(2026, 2, 27, 22, 30, 5, tzinfo=UTC)


@pytest.mark.parametrize(
    ("span", "unit"),
    [
        (timedelta(0), "minute"),
        (timedelta(minutes=50), "minute"),
        (timedelta(hours=2), "hour"),
        (timedelta(days=3), "day"),
        (timedelta(days=80), "week"),
        (timedelta(days=500), "month"),
        (timedelta(days=4000), "month"),
    ],
)
def test_steps_are_the_finest_there_is_room_for(span: timedelta, unit: str) -> None:
    steps = TimeSteps.between(START, START + span)
    assert steps.unit == unit
    assert steps.starts[0] <= START
    assert steps.starts[-1] <= START + span
    assert len(set(steps.starts)) == len(set(steps.labels)) == len(steps.starts)
    assert len(steps.starts) <= MOST_STEPS or unit == "month"


def test_no_step_of_coverage_is_shorter_than_a_day(world: World) -> None:
    study, records = world.invited(3)
    for record in records:
        world.answered(study, record)
    figure = coverage_over_time(study)
    assert figure is not None
    assert figure.headings[0].startswith("Day")
    assert ":" not in figure.summary + figure.rows[0][0]
