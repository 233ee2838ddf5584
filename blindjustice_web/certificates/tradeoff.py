"""Accuracy against fairness: the models of a sweep, each where its accuracy and its p% put it.

Drawn from the rows of the curve (`certificates.curve`), which says where both numbers come from.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import plotly.graph_objects as go
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from blindjustice_web.certificates.curve import Curve, CurveRow
from blindjustice_web.certificates.models import Verdict
from blindjustice_web.lib.figures import Figure, plain_figure

HEIGHT = 380
EDGE = 85
"""From here on words stand left of their mark, where a phone has room for them."""


def tradeoff_of(curve: Curve | None) -> Figure | None:
    """Return accuracy against p% of the models of a curve; None while no model has both."""
    rows = [row for row in curve.rows if _has_both(row)] if curve else []
    if curve is None or not rows:
        return None
    return Figure(
        name="tradeoff",
        title=_title(rows),
        summary=_summary(rows, len(curve.rows) - len(rows)),
        note=_(
            "A mark stands at the largest limit that the model passed; its p% is there or further "
            "right, on its bar. Accuracy is what the modeler's party says of its training rows."
        ),
        drawing=_drawing(rows, curve.targets),
        caption=_("The same as a table, the strictest c first"),
        headings=[_("Model"), _("c"), _("p% on held-out people"), _("Right on training rows")],
        rows=[[row.name, row.c_text, row.bracket, row.accuracy_text] for row in rows],
        n_words=3,
    )


def _has_both(row: CurveRow) -> bool:
    decided = row.verdict is not None and row.verdict.value != Verdict.UNDETERMINED.value
    return decided and row.accuracy is not None


def _accuracy(row: CurveRow) -> float:
    return float(row.accuracy or 0)


def _title(rows: Sequence[CurveRow]) -> str:
    fairest = max(rows, key=lambda row: (row.low, _accuracy(row)))
    rightest = max(rows, key=lambda row: (_accuracy(row), row.low))
    if rightest.low == fairest.low:
        return _(
            "c = %(c)s is the most accurate and as fair as any: %(right)s, p%% %(bracket)s"
        ) % {
            "c": rightest.c_text,
            "right": rightest.accuracy_text,
            "bracket": rightest.bracket,
        }
    return _("p%% goes from %(before)s to %(after)s at the cost of %(lost)s points of accuracy") % {
        "lost": f"{_accuracy(rightest) - _accuracy(fairest):.1f}",
        "before": rightest.bracket,
        "after": fairest.bracket,
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


def _drawing(rows: Sequence[CurveRow], targets: Sequence[str]) -> dict[str, Any]:
    figure = go.Figure()
    for certified, name, symbol, tone in (
        (True, _("certified"), "circle", "--good"),
        (False, _("not certified"), "x", "--bad"),
    ):
        drawn = [row for row in rows if bool(row.certificate_url) is certified]
        if not drawn:
            continue
        figure.add_scatter(
            x=[float(row.low) for row in drawn],
            y=[_accuracy(row) for row in drawn],
            error_x={
                "type": "data",
                "symmetric": False,
                "array": [float(row.high - row.low) for row in drawn],
                "arrayminus": [0] * len(drawn),
                "thickness": 2,
                "width": 6,
            },
            mode="markers+text",
            text=[f"c = {row.c_text}" for row in drawn],
            hovertext=[row.bracket for row in drawn],
            textposition=["top right" if row.low < EDGE else "top left" for row in drawn],
            cliponaxis=False,
            name=name,
            marker={"symbol": symbol, "size": 12},
            hovertemplate="%{text}<br>p%: %{hovertext}<br>%{y:.1f} %<extra></extra>",
            meta={"tone": tone},
        )
    figure.update_layout(
        template=None,
        xaxis={"title": {"text": _("p% (fairer on the right)")}, "range": [-3, 103]},
        yaxis={"title": {"text": _("right decisions, percent")}, "range": _range(rows)},
        margin={"l": 16, "r": 16, "t": 48, "b": 56},
        height=HEIGHT,
    )
    for target in targets:
        figure.add_vline(x=float(target), line={"dash": "dash", "width": 1})
    return plain_figure(figure)


def _range(rows: Sequence[CurveRow]) -> list[float]:
    """Return an axis with room around the marks, however close together they are."""
    found = [_accuracy(row) for row in rows]
    room = max(2.0, (max(found) - min(found)) / 4)
    return [max(0.0, min(found) - room), min(101.0, max(found) + room)]
