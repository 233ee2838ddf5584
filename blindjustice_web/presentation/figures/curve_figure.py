"""The figure of the p%-rule curve. Each series says whose decisions or answers it is about."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import plotly.graph_objects as go
from django.utils.translation import gettext as _

from blindjustice_web.presentation.figures.curve_rows import CurveRow, percent_text
from blindjustice_web.presentation.figures.drawing import plain_figure

HEIGHT = 420
_NEXT_BELOW = Fraction(1, 3)
Placed = tuple[float, CurveRow]
Point = tuple[float, CurveRow, Fraction | None]


def curve_figure(rows: Sequence[CurveRow], target: Fraction | None) -> dict[str, Any]:
    """Return brackets of p% and shares of right decisions over c, as Plotly reads it.

    A bracket with both ends is a bar. One that is open at an end is a triangle at the limit that is
    known, which points to where p% lies.
    """
    figure = go.Figure()
    placed = list(zip(_positions(rows), rows, strict=True))
    decided = [(x, row) for x, row in placed if row.is_decided]
    _add_closed(figure, [each for each in decided if each[1].passed and each[1].failed])
    _add_open(
        figure,
        [(x, row, row.passed) for x, row in decided if row.passed and row.failed is None],
        "triangle-up",
        _("p% is this or more, held-out people"),
    )
    _add_open(
        figure,
        [(x, row, row.failed) for x, row in decided if row.failed and row.passed is None],
        "triangle-down",
        _("p% is below this, held-out people"),
    )
    _add_shares(
        figure,
        [(x, row, row.accuracy) for x, row in placed if row.accuracy is not None],
        _("right decisions on rows trained on (told by the modeler)"),
        {"symbol": "square", "dash": "dot", "tone": "--modeler"},
    )
    _add_shares(
        figure,
        [(x, row, row.held_out) for x, row in placed if row.held_out is not None],
        _("right decisions on held-out people (opened counts)"),
        {"symbol": "circle", "dash": "solid", "tone": "--accent"},
    )
    _add_shares(
        figure,
        [(x, row, row.constant) for x, row in placed if row.constant is not None],
        _("a constant answer on held-out people"),
        {"symbol": "line-ew-open", "dash": "longdash", "tone": "--ink-soft"},
    )
    ticks = {x: row.c_text for x, row in placed}
    figure.update_layout(
        template=None,
        xaxis={
            "title": {"text": _axis_title(rows)},
            "type": "log",
            "tickvals": list(ticks),
            "ticktext": list(ticks.values()),
        },
        yaxis={"title": {"text": _("percent")}, "range": [0, 101]},
        margin={"l": 16, "r": 16, "t": 48, "b": 56},
        height=HEIGHT,
    )
    if target is not None:
        figure.add_hline(y=float(target), line={"dash": "dash", "width": 1})
    return plain_figure(figure)


def _positions(rows: Sequence[CurveRow]) -> list[float]:
    """Return where each c is drawn: on a log axis 0 stands a third below the smallest other."""
    smallest = min((row.c for row in rows if row.c > 0), default=Fraction(1))
    return [float(row.c or smallest * _NEXT_BELOW) for row in rows]


def _axis_title(rows: Sequence[CurveRow]) -> str:
    if any(row.c == 0 for row in rows):
        return _("c, the constraint (stricter on the left; 0 stands off the scale)")
    return _("c, the constraint (stricter on the left)")


def _add_closed(figure: go.Figure, placed: Sequence[Placed]) -> None:
    if not placed:
        return
    figure.add_trace(
        go.Scatter(
            x=[at for x, _row in placed for at in (x, x, None)],
            y=[at for _x, row in placed for at in (float(row.low), float(row.high), None)],
            text=[_hover(row, row.bracket) for _x, row in placed for _end in range(3)],
            mode="lines+markers",
            name=_("p% lies in here, held-out people"),
            line={"width": 6},
            marker={"symbol": "line-ew-open", "size": 14},
            hovertemplate="%{text}<extra></extra>",
            meta={"tone": "--regulator"},
        )
    )


def _add_open(
    figure: go.Figure,
    placed: Sequence[Point],
    symbol: str,
    name: str,
) -> None:
    if not placed:
        return
    figure.add_trace(
        go.Scatter(
            x=[x for x, _row, _limit in placed],
            y=[float(limit or 0) for _x, _row, limit in placed],
            text=[_hover(row, row.bracket) for _x, row, _limit in placed],
            mode="markers",
            name=name,
            marker={"symbol": symbol, "size": 14},
            hovertemplate="%{text}<extra></extra>",
            meta={"tone": "--regulator"},
        )
    )


def _add_shares(
    figure: go.Figure, points: Sequence[Point], name: str, look: dict[str, str]
) -> None:
    if not points:
        return
    figure.add_trace(
        go.Scatter(
            x=[x for x, _row, _share in points],
            y=[float(share or 0) for _x, _row, share in points],
            mode="lines+markers",
            name=name,
            line={"width": 2, "dash": look["dash"]},
            marker={"symbol": look["symbol"], "size": 10},
            text=[_hover(row, percent_text(share)) for _x, row, share in points],
            hovertemplate="%{text}<extra></extra>",
            meta={"tone": look["tone"]},
        )
    )


def _hover(row: CurveRow, what: str) -> str:
    return f"c = {row.c_text}<br>{what}"
