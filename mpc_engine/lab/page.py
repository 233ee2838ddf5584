"""The report as one file of HTML that loads nothing."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from html import escape
from typing import Any

from plotly.offline import get_plotlyjs

from mpc_engine.control.files.lab_report import Cell, Claim, FailedRuns, LabFigure, LabPanel, told
from mpc_engine.lab.plotly_drawing import plotly_panel

Row = dict[str, Any]
_STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; color: #222; background: #fff; margin: 0 auto;
       max-width: 78rem; padding: 1rem; }
table { border-collapse: collapse; margin: 1rem 0; font-size: .9rem; }
th, td { border: 1px solid #bbb; padding: .25rem .6rem; text-align: left; vertical-align: top; }
.panels { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(26rem, 100%), 1fr)); }
.scroll { overflow-x: auto; }
a:focus, summary:focus, .scroll:focus { outline: 3px solid #1f77b4; }
"""
_SCRIPT = """
for (const place of document.querySelectorAll("[data-drawing]")) {
  const drawing = JSON.parse(document.getElementById(place.dataset.drawing).textContent);
  Plotly.newPlot(place, drawing.data, drawing.layout, { displaylogo: false, responsive: true });
}
"""


def page(
    title: str,
    intro: Sequence[str],
    claims: Sequence[Claim],
    figures: Sequence[LabFigure],
    failures: Sequence[FailedRuns],
    made: Row,
) -> str:
    """Return the page."""
    parts = [
        f"<h1>{escape(title)}</h1>",
        *(f"<p>{escape(text)}</p>" for text in intro),
        "<nav><h2>Figures</h2><ul>",
        *(f'<li><a href="#{f.name}">{escape(f.title)}</a></li>' for f in figures),
        "</ul></nav>",
        "<h2>Claims</h2>",
        _table(
            ("claim", "verdict", "evidence", "figure"),
            [(c.text, c.verdict.value, c.evidence, c.figure) for c in claims],
            "Claims and their verdicts",
        ),
        *(part for figure in figures for part in _figure(figure)),
        "<h2>Failed runs</h2>",
        "<p>Each is a gap in a figure.</p>" if failures else "<p>No run failed.</p>",
        _table(
            ("why", "what that is", "runs", "where"),
            [(f.kind, f.explanation, f.runs, f.where) for f in failures],
            "Failed runs",
        )
        if failures
        else "",
        "<h2>How it was made</h2>",
        _table(("what", "value"), [(key, told(made[key])) for key in made], "How it was made"),
    ]
    return (
        f'<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta name="viewport" content="width=device-width">\n<title>{escape(title)}</title>\n'
        f"<style>{_STYLE}</style>\n</head>\n<body>\n<main>\n"
        + "\n".join(parts)
        + f"\n</main>\n<script>{get_plotlyjs()}</script>\n<script>{_SCRIPT}</script>\n"
        "</body>\n</html>\n"
    )


def _figure(figure: LabFigure) -> Iterator[str]:
    yield f'<section id="{figure.name}"><h2>{escape(figure.title)}</h2>'
    yield f"<p>{escape(figure.sentence)}</p>"
    yield f"<p><em>{escape(figure.reproduces)}</em></p>"
    if figure.panels:
        yield '<div class="panels">'
        for i, panel in enumerate(figure.panels):
            yield from _panel(f"{figure.name}-{i}", panel)
        yield "</div>"
    if figure.table:
        yield _table(figure.table.columns, figure.table.rows, figure.title)
    if figure.remarks:
        yield "<ul>" + "".join(f"<li>{escape(text)}</li>" for text in figure.remarks) + "</ul>"
    yield "</section>"


def _panel(name: str, panel: LabPanel) -> Iterator[str]:
    drawing = json.dumps(plotly_panel(panel)).replace("<", "\\u003c")
    yield '<div><div role="img" aria-label="{}" data-drawing="{}"></div>'.format(
        escape(f"{panel.title}: {panel.y_label} against {panel.x_label}; the numbers are below."),
        f"{name}-data",
    )
    yield f'<script type="application/json" id="{name}-data">{drawing}</script>'
    yield f"<details><summary>{escape(panel.title)} as a table</summary>"
    rows = [
        (series.name, x, y)
        for series in panel.series
        if series.marks
        for x, y in zip(series.x, series.y, strict=True)
    ]
    yield _table(("line", panel.x_label, panel.y_label), rows, panel.title)
    yield "</details></div>"


def _table(columns: Sequence[str], rows: Sequence[Sequence[Cell]], label: str) -> str:
    head = "".join(f'<th scope="col">{escape(column)}</th>' for column in columns)
    body = "".join(
        "<tr>" + "".join(f"<td>{escape(told(cell))}</td>" for cell in row) + "</tr>" for row in rows
    )
    return (
        f'<div class="scroll" role="region" tabindex="0" aria-label="{escape(label)}">'
        f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>"
    )
