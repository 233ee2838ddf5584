"""The report of the lab for anyone: what it found, and a page for each figure."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from blindjustice_web.engine.engine_lab import Cell, read_figure, told
from blindjustice_web.lab.selectors import published_figure, published_report
from blindjustice_web.portals.pages import public_page
from blindjustice_web.presentation.cards.lab import lab_view
from blindjustice_web.presentation.figures.lab import lab_figures


@public_page
def lab(request: HttpRequest) -> HttpResponse:
    """Show the report's claims and figures, or that none is published."""
    report = published_report()
    return render(request, "public/lab.html", {"report": lab_view(report) if report else None})


@public_page
def lab_figure(request: HttpRequest, name: str) -> HttpResponse:
    """Show a figure of the report: what it says, drawn, and its numbers as tables."""
    figure = read_figure(published_figure(name).content)
    table = figure.table
    context = {
        "figure": figure,
        "drawn": lab_figures(figure),
        "columns": table.columns if table else (),
        "rows": [[_cell(cell) for cell in row] for row in table.rows] if table else [],
    }
    return render(request, "public/lab_figure.html", context)


def _cell(cell: Cell) -> tuple[str, bool]:
    """Return a cell as text, and whether it stands where numbers do."""
    return told(cell), not isinstance(cell, str)
