"""Figures of the lab's report: each pair of axes as a figure of the site, with its numbers.

Names in a report are somebody's words: Plotly, which reads tags in a text, gets them escaped.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import plotly.graph_objects as go
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from blindjustice_web.engine.engine_lab import Colour, LabFigure, LabPanel, LabSeries, told
from blindjustice_web.presentation.figures.drawing import (
    LEGEND_LINE,
    Figure,
    hover_texts,
    plain_figure,
)

HEIGHT = 340
_TONES = {
    Colour.BLUE: "--chart-blue",
    Colour.ORANGE: "--chart-orange",
    Colour.GREEN: "--chart-green",
    Colour.GREY: "--ink-soft",
    Colour.BLACK: "--ink",
    Colour.RED: "--chart-red",
    Colour.PURPLE: "--chart-purple",
    Colour.OCHRE: "--chart-ochre",
    Colour.TURQUOISE: "--chart-turquoise",
    Colour.BROWN: "--chart-brown",
}
_SYMBOLS = ("circle", "square", "diamond", "triangle-up", "x", "star", "triangle-down", "cross")
"""Lines differ in their marks too: no colour says anything alone."""


def lab_figures(figure: LabFigure) -> list[Figure]:
    """Return what is drawn of a figure, a figure of the site for each pair of axes."""
    return [
        Figure(
            name=f"{figure.name}-{number}",
            title=f"{panel.title}: {panel.y_label}",
            summary=_summary(panel),
            note="",
            drawing=_drawing(panel),
            caption=_("The same as a table; “–” is a gap: a run that failed, or no number"),
            headings=[_("Line"), panel.x_label, panel.y_label],
            rows=[
                [line.name, told(x), told(y)]
                for line in panel.series
                for x, y in zip(line.x, line.y, strict=True)
            ],
        )
        for number, panel in enumerate(figure.panels, 1)
    ]


def _summary(panel: LabPanel) -> str:
    values = [y for line in panel.series for y in line.y if y is not None]
    gaps = sum(y is None for line in panel.series for y in line.y)
    names = ", ".join(line.name for line in panel.series)
    sentences = [_("Lines against %(x)s: %(names)s.") % {"x": panel.x_label, "names": names}]
    if values:
        sentences.append(
            _("Values go from %(low)s to %(high)s.")
            % {"low": told(float(min(values))), "high": told(float(max(values)))}
        )
    if gaps:
        sentences.append(ngettext("%(n)d gap.", "%(n)d gaps.", gaps) % {"n": gaps})
    return " ".join(sentences)


def _drawing(panel: LabPanel) -> dict[str, Any]:
    figure = go.Figure([_line(panel, *numbered) for numbered in enumerate(panel.series)])
    figure.update_layout(
        template=None,
        showlegend=True,
        xaxis=_axis(panel.x_label, panel.x_log),
        yaxis=_axis(panel.y_label, panel.y_log),
        margin={"l": 16, "r": 16, "t": 48, "b": 56},
        height=HEIGHT + LEGEND_LINE * len(panel.series),
    )
    return plain_figure(figure)


def _line(panel: LabPanel, number: int, line: LabSeries) -> go.Scatter:
    (name,) = hover_texts([line.name])
    return go.Scatter(
        x=_places(line.x, panel.x_log),
        y=_places(line.y, panel.y_log),
        mode="lines+markers" if line.marks else "lines",
        name=name,
        line={"width": 2, "dash": line.dash},
        marker={"symbol": _SYMBOLS[number % len(_SYMBOLS)], "size": 8},
        connectgaps=False,
        text=[
            "<br>".join(
                hover_texts(
                    [line.name, f"{panel.x_label}: {told(x)}", f"{panel.y_label}: {told(y)}"]
                )
            )
            for x, y in zip(line.x, line.y, strict=True)
        ],
        hovertemplate="%{text}<extra></extra>",
        meta={"tone": _TONES[line.colour]},
    )


def _places(values: Sequence[float | None], is_log: bool) -> list[float | None]:
    """Return where points stand; a logarithmic axis has no place for 0."""
    return [None if value is None or (is_log and value <= 0) else value for value in values]


def _axis(label: str, is_log: bool) -> dict[str, Any]:
    """Return an axis; powers of ten as 1e-4, since raised digits take styles that pages refuse."""
    (title,) = hover_texts([label])
    axis: dict[str, Any] = {"title": {"text": title}}
    return {**axis, "type": "log", "dtick": 1, "exponentformat": "e"} if is_log else axis
