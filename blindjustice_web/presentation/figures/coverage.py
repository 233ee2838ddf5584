"""Coverage over time: how many of the invited people have answered, day by day at the finest.

Whoever hands out links one by one would read from hours and minutes when each person answered.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Count, Exists, Max, Min, OuterRef, Q, QuerySet, Sum
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from blindjustice_web.enrolment.models import Submission
from blindjustice_web.lib.moments import day_text
from blindjustice_web.presentation.figures.drawing import (
    Figure,
    Series,
    hover_texts,
    place_keys,
    plain_figure,
    stacked_columns,
)
from blindjustice_web.presentation.figures.time_steps import TimeSteps
from blindjustice_web.studies.models import Study, StudyState


@dataclass(frozen=True)
class _Step:
    """What one step of time brought, and what there was at its end."""

    label: str
    new: int
    answered: int
    invited: int


@dataclass(frozen=True)
class _Course:
    """The whole course: totals, when answers came, and the steps."""

    invited: int
    answered: int
    today: int
    first: datetime
    last: datetime
    is_open: bool
    heading: str
    steps: list[_Step]


def coverage_over_time(study: Study) -> Figure | None:
    """Return how the answers of a study came in; None before the first.

    A person counts once, when her first answer arrived. Counted in the database, in four queries.
    """
    course = _course(study)
    if course is None:
        return None
    return Figure(
        name="coverage",
        title=_title(course),
        summary=_summary(course),
        note=_(
            "A person counts once, when her answer first arrived here. Who answered what, “Prefer "
            "not to say” included, is known to nobody. Times are in UTC."
        ),
        drawing=_drawing(course),
        caption=_("The same as a table; where nothing came, there is no row"),
        headings=[
            course.heading,
            _("Answered then"),
            _("Answered so far"),
            _("Invited so far"),
            _("Share"),
        ],
        rows=_rows(course),
    )


def _course(study: Study) -> _Course | None:
    firsts, batches = _first_answers(study), study.invitation_batches
    midnight = timezone.localtime().replace(hour=0, minute=0, second=0, microsecond=0)
    told = firsts.aggregate(
        n=Count("pk"),
        first=Min("created_at"),
        last=Max("created_at"),
        today=Count("pk", filter=Q(created_at__gte=midnight)),
    )
    if not told["n"]:
        return None
    asked = batches.aggregate(n=Sum("count"), first=Min("created_at"))
    is_open = study.state == StudyState.OPEN
    steps = TimeSteps.between(
        min(asked["first"] or told["first"], told["first"]),
        max(timezone.now() if is_open else told["last"], told["last"]),
        finest="day",
    )
    return _Course(
        invited=asked["n"] or 0,
        answered=told["n"],
        today=told["today"],
        first=told["first"],
        last=told["last"],
        is_open=is_open,
        heading=steps.heading,
        steps=_steps(
            steps, _by_step(firsts, steps, Count("pk")), _by_step(batches, steps, Sum("count"))
        ),
    )


def _first_answers(study: Study) -> QuerySet[Submission]:
    """Return the first submission of each record: an answer that was replaced counts once."""
    earlier = Submission.objects.filter(
        study=OuterRef("study"), record_id=OuterRef("record_id"), sequence__lt=OuterRef("sequence")
    )
    return study.submissions.filter(~Exists(earlier))


def _by_step(rows: Any, steps: TimeSteps, counted: Count | Sum) -> dict[datetime, int]:
    found = rows.order_by().annotate(step=steps.trunc("created_at")).values("step")
    return {row["step"]: row["n"] for row in found.annotate(n=counted)}


def _steps(
    steps: TimeSteps, answers: dict[datetime, int], invitations: dict[datetime, int]
) -> list[_Step]:
    found: list[_Step] = []
    answered = invited = 0
    for start, label in zip(steps.starts, steps.labels, strict=True):
        answered += answers.get(start, 0)
        invited += invitations.get(start, 0)
        found.append(_Step(label, answers.get(start, 0), answered, invited))
    return found


def _title(course: _Course) -> str:
    values = {"n": course.answered, "all": course.invited, "today": course.today}
    if not course.is_open:
        return _("%(n)d of %(all)d people answered") % values
    if not course.today:
        return _("%(n)d of %(all)d people have answered; none of them today") % values
    return _("%(n)d of %(all)d people have answered; %(today)d of them today") % values


def _summary(course: _Course) -> str:
    first, last = day_text(course.first), day_text(course.last)
    sentences = [
        _("The first answer came on %(first)s, the latest on %(last)s.")
        % {"first": first, "last": last}
        if first != last
        else _("All came on %(first)s.") % {"first": first}
    ]
    busiest = max(course.steps, key=lambda step: step.new)
    if 0 < busiest.new < course.answered:
        sentences.append(
            _("Most at once: %(n)d (%(when)s).") % {"n": busiest.new, "when": busiest.label}
        )
    silent = course.invited - course.answered
    if silent > 0:
        sentences.append(
            ngettext(
                "One invited person has not answered.",
                "%(n)d invited people have not answered.",
                silent,
            )
            % {"n": silent}
        )
    return " ".join(sentences)


def _drawing(course: _Course) -> dict[str, Any]:
    labels = [step.label for step in course.steps]
    figure = stacked_columns(
        labels,
        [
            Series(
                _("answered before"),
                [step.answered - step.new for step in course.steps],
                "--accent",
                opacity=0.45,
            ),
            Series(_("answered then"), [step.new for step in course.steps], "--accent"),
        ],
        _("people"),
    )
    figure.add_scatter(
        x=place_keys(labels),
        y=[step.invited for step in course.steps],
        mode="lines",
        name=_("invited"),
        line={"shape": "hvh", "dash": "dot", "width": 2},
        hovertext=hover_texts(labels),
        hovertemplate="%{hovertext}<br>" + _("invited") + ": %{y}<extra></extra>",
        meta={"tone": "--ink-soft"},
    )
    return plain_figure(figure)


def _rows(course: _Course) -> list[list[str]]:
    rows: list[list[str]] = []
    before = 0
    for step in course.steps:
        if step.new or step.invited != before:
            rows.append(
                [
                    step.label,
                    str(step.new),
                    str(step.answered),
                    str(step.invited),
                    f"{100 * step.answered / step.invited:.0f}\u00a0%" if step.invited else "",
                ]
            )
        before = step.invited
    return rows
