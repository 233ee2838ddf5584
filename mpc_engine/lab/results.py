"""Look rows up by their task."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from mpc_engine.control.files.lab_report import Colour, LabSeries
from mpc_engine.lab.points import Point
from mpc_engine.lab.tasks import Study

Row = dict[str, Any]
Value = Callable[[Row], float | None]


class Results:
    """All rows of a run of the lab, by key."""

    def __init__(self, rows: dict[str, Row]) -> None:
        self._rows = rows

    def row(self, point: Point) -> Row | None:
        """Return what a point found; None where it failed or was not asked for."""
        found = self._rows.get(point.key)
        return found if found and found["failure"] is None else None

    def asked(self, point: Point) -> bool:
        """Return whether a point was computed, with a model or a failure."""
        return point.key in self._rows

    def failures(self) -> list[Row]:
        """Return all rows of tasks that failed."""
        return [row for row in self._rows.values() if row["failure"] is not None]

    def value(self, point: Point, value: Value) -> float | None:
        """Return a number of a point's row, None where there is no row."""
        row = self.row(point)
        return None if row is None else value(row)

    def study(self, study: Study) -> list[Row]:
        """Return the rows of a study; none where it failed."""
        found = self._rows.get(study.key)
        rows: list[Row] = found["rows"] if found else []
        return rows

    def why(self, study: Study) -> str:
        """Return why a study has no rows."""
        found = self._rows.get(study.key)
        return found["why"] if found else "It was not asked for."

    def line(
        self, name: str, points: Iterable[Point], value: Value, colour: Colour, dash: str = "solid"
    ) -> LabSeries:
        """Return a value of points against their c; a gap where one failed."""
        asked = [point for point in points if self.asked(point)]
        return LabSeries(
            name,
            tuple(point.c or 0.0 for point in asked),
            tuple(self.value(point, value) for point in asked),
            colour,
            dash,
        )


def percent(name: str) -> Value:
    """Return the reader of a share of 1 as percent."""
    return lambda row: None if row[name] is None else 100.0 * row[name]


def accepted(group: int, inside: bool) -> Value:
    """Return the reader of the percentage accepted in a group, or of the people outside of it."""

    def read(row: Row) -> float | None:
        share = row["groups"][group]["positive"][0 if inside else 1]
        return None if share is None else 100.0 * share

    return read


def p_rule(group: int) -> Value:
    """Return the reader of p% of a group on test rows; None where nobody is accepted."""

    def read(row: Row) -> float | None:
        found: float | None = row["groups"][group]["p_percent"]
        return found

    return read
