"""What the last runs of a study cost, stage by stage: seconds, and bytes between the parties."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.formats import date_format
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from blindjustice_web.accounts.models import Role
from blindjustice_web.engine.engine_post import about_jobs, stored_message
from blindjustice_web.jobs.models import Job, JobReport
from blindjustice_web.lib.labels import JobKind, JobState, Stage, title_of
from blindjustice_web.presentation.figures.drawing import Figure, Series, plain_figure, stacked_rows
from blindjustice_web.studies.models import Study

RUNS_SHOWN = 6
KILO, MEGA = 1000, 1_000_000
LOOKS = {
    Stage.SET_UP: ("--ink-soft", "."),
    Stage.OBLIVIOUS_TRANSFER: ("--modeler", ""),
    Stage.PREPARED_MATERIAL: ("--modeler", "x"),
    Stage.CHECKING_ANSWERS: ("--accent", "/"),
    Stage.CONSTRAINTS: ("--modeler", "/"),
    Stage.SUMS_OVER_PEOPLE: ("--accent", ""),
    Stage.COUNTING_DECISIONS: ("--accent", "x"),
    Stage.VERDICT_AND_SIGNATURE: ("--open", ""),
    Stage.DECISIONS: ("--accent", "."),
    Stage.MATERIAL: ("--regulator", ""),
    Stage.TRAINING: ("--accent", "-"),
    Stage.OTHER: ("--ink-soft", ""),
}
"""Colour and hatching of each stage. Stages that a report names beside these count as others."""


@dataclass(frozen=True)
class _Stage:
    """One stage of a run, as one party counted it."""

    name: Stage
    seconds: float
    sent: int
    received: int

    @property
    def n_bytes(self) -> int:
        return self.sent + self.received


@dataclass(frozen=True)
class _Run:
    """A run and its stages, in the order in which they began."""

    name: str
    stages: list[_Stage]


def costs_of(study: Study, role: Role) -> list[Figure]:
    """Return seconds and bytes by stage of the last runs of a study that ended well.

    As the reader's own party counted them; empty without any such report. Two queries.
    """
    runs = _runs(study, role)
    if not runs:
        return []
    return [_seconds_figure(runs), _bytes_figure(runs)]


def _runs(study: Study, role: Role) -> list[_Run]:
    done = study.jobs.filter(state=JobState.DONE).defer("spec").order_by("-finished_at", "pk")
    jobs = list(done[:RUNS_SHOWN])
    told = JobReport.objects.filter(job__in=jobs, role=role, succeeded=True)
    bodies = {(report.job_id, report.attempt): report.body for report in told}
    runs = [_run(job, bodies.get((job.id, job.attempt), "")) for job in jobs]
    return [run for run in runs if run.stages]


def _run(job: Job, body: str) -> _Run:
    told = stored_message(body, about_jobs.JobResult).content.metrics.stages if body else None
    at = date_format(job.finished_at, "j\u00a0M, H:i\u00a0T") if job.finished_at else ""
    stages: dict[Stage, _Stage] = {}
    for cost in told or ():
        name = Stage(cost.stage) if cost.stage in set(Stage) else Stage.OTHER
        before = stages.get(name, _Stage(name, 0, 0, 0))
        stages[name] = _Stage(
            name,
            before.seconds + cost.elapsed_ms / KILO,
            before.sent + cost.bytes_sent,
            before.received + cost.bytes_received,
        )
    return _Run(f"{title_of(JobKind(job.kind))}, {at}", list(stages.values()))


def _seconds_figure(runs: Sequence[_Run]) -> Figure:
    latest = runs[0]
    total = sum(stage.seconds for stage in latest.stages)
    longest = max(latest.stages, key=lambda stage: stage.seconds)
    return Figure(
        name="run-seconds",
        title=_("The last run took %(s)s; the longest stage was %(stage)s: %(part)s")
        % {
            "s": _seconds_text(total),
            "stage": title_of(longest.name),
            "part": _seconds_text(longest.seconds),
        },
        summary=_summary(runs),
        note=_("As your party's clock had it, from meeting the other party to the signed report."),
        drawing=_drawing(runs, lambda stage: stage.seconds, _("seconds")),
        caption=_("The same as a table, the last run first"),
        headings=[_("Run"), _("Stage"), _("Time")],
        rows=[
            [run.name, title_of(stage.name), _seconds_text(stage.seconds)]
            for run in runs
            for stage in run.stages
        ],
        n_words=2,
    )


def _bytes_figure(runs: Sequence[_Run]) -> Figure:
    latest = runs[0]
    sent = sum(stage.sent for stage in latest.stages)
    received = sum(stage.received for stage in latest.stages)
    return Figure(
        name="run-bytes",
        title=_("In the last run your party sent %(sent)s and received %(received)s")
        % {"sent": _bytes_text(sent), "received": _bytes_text(received)},
        summary=_("Most of it in one stage: %(stage)s.")
        % {"stage": title_of(max(latest.stages, key=lambda stage: stage.n_bytes).name)},
        note=_("Between the two parties, both ways, without what encryption and network add."),
        drawing=_drawing(runs, lambda stage: stage.n_bytes / MEGA, _("megabytes, both ways")),
        caption=_("The same as a table, the last run first"),
        headings=[_("Run"), _("Stage"), _("Sent"), _("Received")],
        rows=[
            [run.name, title_of(stage.name), _bytes_text(stage.sent), _bytes_text(stage.received)]
            for run in runs
            for stage in run.stages
        ],
        n_words=2,
    )


def _summary(runs: Sequence[_Run]) -> str:
    return ngettext(
        "One run has told what it took, stage by stage: %(name)s.",
        "The last %(n)d runs that ended well, stage by stage; the last was: %(name)s.",
        len(runs),
    ) % {"n": len(runs), "name": runs[0].name}


def _drawing(runs: Sequence[_Run], value: Callable[[_Stage], float], unit: str) -> dict[str, Any]:
    series = []
    for name, (tone, pattern) in LOOKS.items():
        values = [sum(value(stage) for stage in run.stages if stage.name == name) for run in runs]
        series.append(Series(title_of(name), values, tone, pattern))
    return plain_figure(stacked_rows([run.name for run in runs], series, unit))


def _seconds_text(seconds: float) -> str:
    return f"{seconds:.1f}\u00a0s" if seconds >= 1 else f"{seconds * KILO:.0f}\u00a0ms"


def _bytes_text(n_bytes: int) -> str:
    if n_bytes >= MEGA:
        return f"{n_bytes / MEGA:.1f}\u00a0MB"
    return f"{n_bytes / KILO:.1f}\u00a0kB" if n_bytes >= KILO else f"{n_bytes}\u00a0B"
