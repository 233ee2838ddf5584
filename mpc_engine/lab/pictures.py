"""Figures as SVG and PNG, by matplotlib, which needs neither a screen nor a browser."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import matplotlib
from matplotlib.axes import Axes
from matplotlib.figure import Figure as Canvas

from mpc_engine.control.files.lab_report import LabFigure, LabPanel
from mpc_engine.lab.colours import HEX

_COLUMNS, _WIDTH, _HEIGHT = 2, 6.4, 4.6
_DASHES = {"solid": "-", "dash": "--", "dot": ":", "dashdot": "-."}
_SETTINGS: dict[Any, Any] = {"svg.hashsalt": "blindjustice", "font.size": 9}
"""The salt makes the same figure the same file."""


def draw_pictures(figure: LabFigure, folder: Path) -> list[Path]:
    """Write ``NAME.svg`` and ``NAME.png`` of a figure with panels; return what was written."""
    if not figure.panels:
        return []
    columns = min(_COLUMNS, len(figure.panels))
    rows = -(-len(figure.panels) // columns)
    with matplotlib.rc_context(_SETTINGS):
        canvas = Canvas(figsize=(_WIDTH * columns, _HEIGHT * rows), layout="constrained")
        canvas.suptitle(figure.title)
        for i, panel in enumerate(figure.panels):
            _draw(canvas.add_subplot(rows, columns, i + 1), panel)
        canvas.draw_without_rendering()
        canvas.set_layout_engine("none")
        written = [folder / f"{figure.name}.svg", folder / f"{figure.name}.png"]
        canvas.savefig(written[0], metadata={"Date": None})
        canvas.savefig(written[1], dpi=110)
    return written


def _draw(axes: Axes, panel: LabPanel) -> None:
    for series in panel.series:
        axes.plot(
            list(series.x),
            [float("nan") if y is None else y for y in series.y],
            _DASHES[series.dash],
            color=HEX[series.colour],
            marker="." if series.marks else None,
            label=series.name,
            linewidth=1.2,
        )
    if panel.x_log:
        axes.set_xscale("log")
    if panel.y_log:
        axes.set_yscale("log")
    axes.minorticks_off()
    axes.set_title(panel.title)
    axes.set_xlabel(panel.x_label)
    axes.set_ylabel(panel.y_label)
    axes.grid(color="#dddddd", linewidth=0.6)
    if panel.series:
        axes.legend(fontsize=6, ncols=3, loc="upper center", bbox_to_anchor=(0.5, -0.14))
