"""Accuracy against fairness: the models of a sweep, each where its accuracy and its p% put it.

Drawn from the rows of the curve (`certificates.curve`), which says where both numbers come from.
Accuracy is that on held-out people, on whom p% is known too, where it is told of every model; else
that on the rows trained on, and the axis says so.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import floor
from typing import Any

import plotly.graph_objects as go
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from blindjustice_web.presentation.figures.curve import Curve
from blindjustice_web.presentation.figures.curve_rows import CurveRow
from blindjustice_web.presentation.figures.drawing import Figure, plain_figure

HEIGHT = 380
SCALE_END = 103
CERTIFIED_MARK, OTHER_MARK = "circle", "x"
EDGE = 85
"""From here on words stand left of their mark, where a phone has room for them."""
NEAR = (20, 8)
"""Marks nearer than so many points of p%, and than this part of the upright axis, would have their
words on each other: those of the second stand below it."""


def tradeoff_of(curve: Curve | None) -> Figure | None:
    """Return accuracy against p% of the models of a curve; None while no model has both."""
    rows = [row for row in curve.rows if _has_both(row)] if curve else []
    if curve is None or not rows:
        return None
    return Figure(
        name="tradeoff",
        title=_title(rows, curve),
        summary=_summary(rows, len(curve.rows) - len(rows)),
        note=_note(rows, curve),
        drawing=_drawing(rows, curve),
        caption=_("The same as a table, the strictest c first"),
        headings=[
            _("Model"),
            _("c"),
            _("p% on held-out people"),
            _("Right %(where)s") % {"where": curve.where},
            *([_("A constant answer, on held-out people")] if curve.tells_held_out else []),
        ],
        rows=[
            [
                *(row.name, row.c_text, row.bracket, row.right_text),
                *([row.constant_text or _("not told")] if curve.tells_held_out else []),
            ]
            for row in rows
        ],
        n_words=3,
    )


def _note(rows: Sequence[CurveRow], curve: Curve) -> str:
    marks = _(
        "p% of a mark with a bar lies on the bar; a triangle points from the last limit known to "
        "where it lies."
    )
    if curve.is_held_out:
        whose = _("Both numbers are of the people the models were certified on.")
    else:
        whose = _(
            "Accuracy is what the modeler's party says of the rows that it trained on, p% is of "
            "other people: how right a model is on those is not told, nor what a constant answer "
            "would be."
        )
    free = _("What a model without any constraint would reach is known only if one was trained.")
    is_cut = _range(rows, curve)[0] > 0 or _scale(rows)[0] > 0
    cut = _("An axis that is cut does not begin at 0.") if is_cut else ""
    return " ".join(part for part in (marks, whose, free, cut) if part)


def _has_both(row: CurveRow) -> bool:
    return row.is_decided and row.right is not None and bool(row.passed or row.failed)


def _accuracy(row: CurveRow) -> float:
    return float(row.right or 0)


def _title(rows: Sequence[CurveRow], curve: Curve) -> str:
    fairest = max(rows, key=lambda row: (row.low, _accuracy(row)))
    rightest = max(rows, key=lambda row: (_accuracy(row), row.low))
    if rightest.low == fairest.low:
        return _(
            "c = %(c)s is the most accurate and as fair as any: right for %(right)s %(where)s, "
            "p%% %(bracket)s"
        ) % {
            "c": rightest.c_text,
            "right": rightest.right_text,
            "where": curve.where,
            "bracket": rightest.bracket,
        }
    return _(
        "p%% goes from %(before)s to %(after)s at the cost of %(lost)s points of accuracy %(where)s"
    ) % {
        "lost": f"{_accuracy(rightest) - _accuracy(fairest):.1f}",
        "before": rightest.bracket,
        "after": fairest.bracket,
        "where": curve.where,
    }


def _summary(rows: Sequence[CurveRow], n_unknown: int) -> str:
    best = [row.c_text for row in rows if not any(_beats(other, row) for other in rows)]
    sentences = [
        ngettext(
            "Accuracy and p%% are known of one model.",
            "Accuracy and p%% are known of %(n)d models.",
            len(rows),
        )
        % {"n": len(rows)},
        _(
            "No model is known to be fairer and as accurate, or more accurate and as fair, as "
            "c = %(c)s."
        )
        % {"c": ", ".join(best)},
    ]
    if n_unknown:
        sentences.append(
            ngettext(
                "One more is not drawn: it has no verdict, or its accuracy was not told.",
                "%(n)d more are not drawn: they have no verdict, or their accuracy was not told.",
                n_unknown,
            )
            % {"n": n_unknown}
        )
    return " ".join(sentences)


def _beats(one: CurveRow, other: CurveRow) -> bool:
    """Return whether a model is as good as another in both and better in one, as far as known."""
    own, others = (one.low, _accuracy(one)), (other.low, _accuracy(other))
    return own != others and own[0] >= others[0] and own[1] >= others[1]


def _drawing(rows: Sequence[CurveRow], curve: Curve) -> dict[str, Any]:
    figure = go.Figure()
    places = _places_of_words(rows, curve)
    for is_certified, name, tone in (
        (True, _("certified"), "--good"),
        (False, _("not certified"), "--bad"),
    ):
        drawn = [row for row in rows if row.is_certified is is_certified]
        if drawn:
            _add_marks(figure, drawn, name, tone, places)
    constants = {row.constant for row in rows}
    if curve.is_held_out and len(constants) == 1:
        _add_constant(figure, constants.pop() or Fraction(0))
    figure.update_layout(
        template=None,
        xaxis={"title": {"text": _scale_title(rows)}, "range": _scale(rows)},
        yaxis={"title": {"text": _axis_title(rows, curve)}, "range": _range(rows, curve)},
        margin={"l": 16, "r": 16, "t": 48, "b": 56},
        height=HEIGHT,
    )
    for target in curve.targets:
        figure.add_vline(x=float(target), line={"dash": "dash", "width": 1})
    return plain_figure(figure)


def _at(row: CurveRow) -> float:
    return float(row.low if row.passed else row.high)


def _places_of_words(rows: Sequence[CurveRow], curve: Curve) -> dict[CurveRow, str]:
    """Return where the words of each model stand: beside its mark, above or below it."""
    low, high = _range(rows, curve)
    places: dict[CurveRow, str] = {}
    before: CurveRow | None = None
    for row in sorted(rows, key=lambda row: (_at(row), -_accuracy(row))):
        is_near = (
            before is not None
            and _at(row) - _at(before) < NEAR[0]
            and abs(_accuracy(row) - _accuracy(before)) < (high - low) / NEAR[1]
        )
        is_below = before is not None and is_near and places[before].startswith("top")
        side = "right" if _at(row) < EDGE else "left"
        places[row] = f"{'bottom' if is_below else 'top'} {side}"
        before = row
    return places


def _add_marks(
    figure: go.Figure, rows: Sequence[CurveRow], name: str, tone: str, places: dict[CurveRow, str]
) -> None:
    """Draw models at the limit known, with a bar to the other one or as a triangle without it."""
    closed = CERTIFIED_MARK if rows[0].is_certified else OTHER_MARK
    at = [_at(row) for row in rows]
    figure.add_scatter(
        x=at,
        y=[_accuracy(row) for row in rows],
        error_x={
            "type": "data",
            "symmetric": False,
            "array": [float(row.high - row.low) if _is_closed(row) else 0 for row in rows],
            "arrayminus": [0] * len(rows),
            "thickness": 2,
            "width": 6,
        },
        mode="markers+text",
        text=[f"c = {row.c_text}" for row in rows],
        hovertext=[row.bracket for row in rows],
        textposition=[places[row] for row in rows],
        cliponaxis=False,
        name=name,
        marker={
            "symbol": [
                closed if _is_closed(row) else "triangle-right" if row.passed else "triangle-left"
                for row in rows
            ],
            "size": 12,
        },
        hovertemplate="%{text}<br>p%: %{hovertext}<br>%{y:.1f} %<extra></extra>",
        meta={"tone": tone},
    )


def _add_constant(figure: go.Figure, share: Fraction) -> None:
    figure.add_scatter(
        x=[0, 100],
        y=[float(share)] * 2,
        mode="lines",
        name=_("a constant answer"),
        line={"dash": "longdash", "width": 2},
        hovertemplate=_("a constant answer") + ": %{y:.1f} %<extra></extra>",
        meta={"tone": "--ink-soft"},
    )


def _is_closed(row: CurveRow) -> bool:
    return row.passed is not None and row.failed is not None


def _scale(rows: Sequence[CurveRow]) -> list[int]:
    """Return the axis of p%, from 0 unless of every model a limit well above is known to hold."""
    start = 10 * floor(min(float(row.low) for row in rows) / 10) - 10
    return [start if start > 0 else -3, SCALE_END]


def _scale_title(rows: Sequence[CurveRow]) -> str:
    start = _scale(rows)[0]
    if start > 0:
        return _("p%% on held-out people (fairer right; cut at %(low)d)") % {"low": start}
    return _("p% on held-out people (fairer on the right)")


def _axis_title(rows: Sequence[CurveRow], curve: Curve) -> str:
    lowest = _range(rows, curve)[0]
    values = {"where": curve.where, "low": f"{lowest:.0f}"}
    if lowest > 0:
        return _("right %(where)s, percent (cut at %(low)s)") % values
    return _("right %(where)s, percent") % values


def _range(rows: Sequence[CurveRow], curve: Curve) -> list[float]:
    """Return an axis with room around the marks, however close together they are."""
    found = [_accuracy(row) for row in rows]
    if curve.is_held_out:
        found += [float(row.constant) for row in rows if row.constant is not None]
    room = max(2.0, (max(found) - min(found)) / 4)
    return [max(0.0, float(floor(min(found) - room))), min(101.0, max(found) + room)]
