"""The lab's report as its pages show it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from django.urls import reverse

from blindjustice_web.lab.models import LabFigure, LabReport
from blindjustice_web.lib.labels import ClaimVerdict
from blindjustice_web.lib.named import Named


@dataclass(frozen=True)
class LinkView:
    """A figure by its title, and its page; "" for one that the report does not have."""

    title: str
    url: str


@dataclass(frozen=True)
class ClaimView:
    """A claim of the paper, what the results say of it, by which numbers and in which figure."""

    text: str
    verdict: Named
    evidence: str
    figure: LinkView


@dataclass(frozen=True)
class FigureView:
    """A figure in the list: what it shows, and of the paper."""

    title: str
    url: str
    sentence: str
    reproduces: str


@dataclass(frozen=True)
class FailureView:
    """Runs that failed alike."""

    kind: str
    explanation: str
    runs: int
    where: str


@dataclass(frozen=True)
class LabView:
    """A report. ``made``: under what it was made, as names and texts."""

    title: str
    intro: list[str]
    published_at: datetime
    claims: list[ClaimView]
    figures: list[FigureView]
    failures: list[FailureView]
    made: list[tuple[str, str]]
    digest: str


def lab_view(report: LabReport) -> LabView:
    """Return what the page of a report shows."""
    rows = list(report.figures.defer("content"))
    links = {row.name: LinkView(row.title, _url(row)) for row in rows}
    return LabView(
        title=report.title,
        intro=report.intro,
        published_at=report.published_at,
        claims=[
            ClaimView(
                claim["text"],
                Named.of(ClaimVerdict(claim["verdict"])),
                claim["evidence"],
                links.get(claim["figure"], LinkView(claim["figure"], "")),
            )
            for claim in report.claims
        ],
        figures=[FigureView(row.title, _url(row), row.sentence, row.reproduces) for row in rows],
        failures=[FailureView(**failed) for failed in report.failures],
        made=[(name.replace("_", " "), text) for name, text in report.made],
        digest=report.digest,
    )


def _url(row: LabFigure) -> str:
    return reverse("lab_figure", args=(row.name,))
