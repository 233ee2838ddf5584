"""What a figure shows, apart from how it is drawn."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any

Cell = str | int | float | None


@dataclass(frozen=True)
class Series:
    """A line; ``y`` is None where a run failed, which leaves a gap.

    ``dash``: "solid", "dash", "dot" or "dashdot". ``marks``: whether points are marked.
    """

    name: str
    x: tuple[float, ...]
    y: tuple[float | None, ...]
    colour: str
    dash: str = "solid"
    marks: bool = True


@dataclass(frozen=True)
class Panel:
    """One pair of axes; ``x_log``: the horizontal one is logarithmic."""

    title: str
    x_label: str
    y_label: str
    series: tuple[Series, ...]
    x_log: bool = True
    y_log: bool = False


@dataclass(frozen=True)
class Table:
    """Rows of texts and numbers under names of columns."""

    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]


@dataclass(frozen=True)
class Figure:
    """Panels, a table, or both.

    ``sentence``: what it shows. ``reproduces``: of the paper, or why it has no counterpart there.
    ``remarks``: what it says beyond, made from its own numbers.
    """

    name: str
    title: str
    sentence: str
    reproduces: str
    panels: tuple[Panel, ...] = ()
    table: Table | None = None
    remarks: tuple[str, ...] = field(default=())

    def fields(self) -> dict[str, Any]:
        """Return it as JSON has it."""
        return asdict(self)


BLUE, ORANGE, GREEN, GREY, BLACK = "#1f77b4", "#d9730d", "#2a8a2a", "#707070", "#111111"
RED, PURPLE, OCHRE, TURQUOISE, BROWN = "#c62828", "#7b3fa0", "#b8860b", "#0e8a8a", "#8c564b"
