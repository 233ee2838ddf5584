"""A panel as data for Plotly in a page."""

from __future__ import annotations

from typing import Any

from mpc_engine.control.files.lab_report import LabPanel
from mpc_engine.lab.colours import HEX

Json = dict[str, Any]
_DASHES = {"solid": "solid", "dash": "dash", "dot": "dot", "dashdot": "dashdot"}
_INK = "#222222"


def plotly_panel(panel: LabPanel) -> Json:
    """Return traces, layout and settings of one pair of axes; a missing value is a gap."""
    traces = [
        {
            "type": "scatter",
            "mode": "lines+markers" if series.marks else "lines",
            "name": series.name,
            "x": list(series.x),
            "y": list(series.y),
            "line": {"color": HEX[series.colour], "dash": _DASHES[series.dash]},
            "marker": {"color": HEX[series.colour], "size": 5},
            "connectgaps": False,
        }
        for series in panel.series
    ]
    layout = {
        "title": {"text": panel.title, "font": {"size": 15}},
        "font": {"color": _INK},
        "height": 420,
        "margin": {"l": 60, "r": 10, "t": 40, "b": 50},
        "xaxis": _axis(panel.x_label, panel.x_log),
        "yaxis": _axis(panel.y_label, panel.y_log),
        "legend": {"orientation": "h", "y": -0.25},
        "paper_bgcolor": "#ffffff",
        "plot_bgcolor": "#ffffff",
    }
    return {"data": traces, "layout": layout}


def _axis(label: str, logarithmic: bool) -> Json:
    axis: Json = {"title": {"text": label}, "gridcolor": "#dddddd", "linecolor": _INK}
    if logarithmic:
        axis |= {"type": "log", "exponentformat": "power", "dtick": 1}
    return axis
