"""Figures as data: what Plotly draws, the finding as a title, words, and the same as a table."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

import plotly.graph_objects as go

TICKS = 6
"""As many labels as an axis has room for on a phone."""
HEIGHT = 320
ROOM, ROW, LEGEND_LINE = 140, 60, 20
"""Height of lying bars: of the axis and margins, of each bar, of each line of the legend."""
TICK_CHARACTERS = 16
FEW, NARROW = 5, 0.5
"""So many columns or fewer are as wide as half their room."""


@dataclass(frozen=True)
class Figure:
    """A figure of a page, which the template ``components/figure.html`` prints.

    ``name`` makes its ids; ``title`` states the finding and ``summary`` the rest of it in words;
    ``note`` says where the numbers come from; ``drawing`` is for Plotly; ``rows`` are the same as a
    table, a row's name first. The first ``n_words`` columns are words, the others numbers.
    """

    name: str
    title: str
    summary: str
    note: str
    drawing: dict[str, Any]
    caption: str
    headings: list[str]
    rows: list[list[str]]
    n_words: int = 1


@dataclass(frozen=True)
class Series:
    """One colour of a bar: a number at each place, the site's colour for it, its hatching."""

    name: str
    values: Sequence[float]
    tone: str
    pattern: str = ""
    opacity: float = 1.0


def plain_figure(figure: go.Figure) -> dict[str, Any]:
    """Return a figure as JSON values, without Plotly's tool bar."""
    plain: dict[str, Any] = json.loads(figure.to_json())
    plain["config"] = {"displayModeBar": False}
    return plain


def stacked_columns(
    places: Sequence[str], series: Sequence[Series], unit: str, ticks: Sequence[str] = ()
) -> go.Figure:
    """Return columns over ``places``, in their order, of whole numbers stacked on one another.

    Places may be alike: what else is drawn over them takes ``place_keys`` as its x. ``ticks`` are
    the words under the columns; without them every so many places are named.
    """
    width = None if len(places) > FEW else NARROW
    keys = place_keys(places)
    figure = go.Figure([_bar(one, keys, places, width) for one in series if any(one.values)])
    highest = max(sum(column) for column in zip(*(one.values for one in series), strict=True))
    every = 1 if ticks else -(-len(places) // TICKS)
    figure.update_layout(
        template=None,
        barmode="stack",
        bargap=0.15,
        xaxis={
            "type": "category",
            "categoryorder": "array",
            "categoryarray": keys,
            "tickvals": keys[::every],
            "ticktext": list(ticks or hover_texts(places))[::every],
            "tickangle": 0,
        },
        yaxis={
            "title": {"text": unit},
            "rangemode": "tozero",
            **({"dtick": 1} if highest <= FEW else {"tickformat": ",d"}),
        },
        margin={"l": 16, "r": 16, "t": 48, "b": 40},
        height=HEIGHT,
    )
    return figure


def stacked_rows(places: Sequence[str], series: Sequence[Series], unit: str) -> go.Figure:
    """Return bars from left to right over ``places``, which may be alike, the first one on top."""
    shown = [one for one in series if any(one.values)]
    keys = place_keys(places)
    figure = go.Figure([_lying_bar(one, keys, places) for one in shown])
    figure.update_layout(
        template=None,
        barmode="stack",
        bargap=0.3,
        xaxis={"title": {"text": unit}, "rangemode": "tozero"},
        yaxis={
            "type": "category",
            "categoryorder": "array",
            "categoryarray": keys[::-1],
            "tickvals": keys,
            "ticktext": [tick_label(place) for place in places],
        },
        margin={"l": 16, "r": 16, "t": 48, "b": 56},
        height=ROOM + ROW * len(places) + LEGEND_LINE * len(shown),
    )
    return figure


def place_keys(places: Sequence[str]) -> list[str]:
    """Return what tells places of an axis apart, whatever they are called."""
    return [str(number) for number in range(len(places))]


def hover_texts(places: Sequence[str]) -> list[str]:
    """Return names as Plotly prints them: it would read tags in them, but knows no ``&quot;``."""
    return [escape(place, quote=False) for place in places]


def tick_label(name: str) -> str:
    """Break a name into short lines, so that a phone keeps room for what is drawn."""
    return "<br>".join(hover_texts(textwrap.wrap(name, TICK_CHARACTERS)))


def _lying_bar(series: Series, keys: Sequence[str], places: Sequence[str]) -> go.Bar:
    return go.Bar(
        x=list(series.values),
        y=list(keys),
        hovertext=hover_texts(places),
        orientation="h",
        name=series.name,
        marker={"pattern": {"shape": series.pattern}},
        hovertemplate="%{hovertext}<br>" + series.name + ": %{x:.3~g}<extra></extra>",
        meta={"tone": series.tone},
    )


def _bar(series: Series, keys: Sequence[str], places: Sequence[str], width: float | None) -> go.Bar:
    return go.Bar(
        x=list(keys),
        y=list(series.values),
        hovertext=hover_texts(places),
        name=series.name,
        width=width,
        opacity=series.opacity,
        marker={"pattern": {"shape": series.pattern}},
        hovertemplate="%{hovertext}<br>" + series.name + ": %{y}<extra></extra>",
        meta={"tone": series.tone},
    )
