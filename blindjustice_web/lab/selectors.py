"""The report that is shown, and its figures."""

from __future__ import annotations

from blindjustice_web.lab.models import LabFigure, LabReport
from blindjustice_web.lib.problems import NotThere


def published_report() -> LabReport | None:
    """Return the report that is shown; None while there is none."""
    return LabReport.objects.order_by("-pk").first()


def published_figure(name: str) -> LabFigure:
    """Return a figure of the report that is shown; NotThere without one of that name."""
    report = published_report()
    figure = report.figures.filter(name=name).first() if report else None
    if figure is None:
        raise NotThere
    return figure
