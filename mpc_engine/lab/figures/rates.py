"""The paper's future work in the clear: constraints on true positive and negative rates."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from mpc_engine.lab.charts import BLACK, BLUE, GREEN, ORANGE, PURPLE, Figure, Panel
from mpc_engine.lab.experiment import Experiment, shown_group
from mpc_engine.lab.points import Method, Point
from mpc_engine.lab.problems import Constraint
from mpc_engine.lab.results import Results, percent
from mpc_engine.lab.scope import Scope

_COLOURS = {
    Constraint.ACCEPTANCE: BLACK,
    Constraint.TRUE_POSITIVES: BLUE,
    Constraint.TRUE_NEGATIVES: ORANGE,
    Constraint.BOTH: GREEN,
    Constraint.ACCURACY: PURPLE,
}


def _constraints(scope: Scope) -> tuple[float, ...]:
    """Return every other c, the loosest one included."""
    return scope.constraints[::-1][:: 1 if scope.quick else 2][::-1]


def _line(scope: Scope, data: str, constraint: Constraint) -> list[Point]:
    return [Point(data, Method.SLSQP, c, constraint=constraint) for c in _constraints(scope)]


def _points(scope: Scope) -> list[Point]:
    return [
        point
        for data in scope.data
        for constraint in _COLOURS
        for point in _line(scope, data, constraint)
    ]


def _gap(rate: str, group: int) -> Callable[[dict[str, Any]], float | None]:
    def read(row: dict[str, Any]) -> float | None:
        inside, outside = row["groups"][group][rate]
        return None if inside is None or outside is None else 100 * abs(inside - outside)

    return read


def _draw(results: Results, scope: Scope) -> Figure:
    panels = []
    for data in scope.data:
        group = shown_group(data)
        for title, read in (
            ("gap of true positive rates, points", _gap("true_positive", group)),
            ("gap of true negative rates, points", _gap("true_negative", group)),
            ("right on test rows, %", percent("accuracy")),
        ):
            lines = tuple(
                results.line(constraint.value, _line(scope, data, constraint), read, colour)
                for constraint, colour in _COLOURS.items()
            )
            panels.append(Panel(data, "c", title, lines))
    return Figure(
        "rates",
        "Constraints on true positive and true negative rates, in the clear",
        "What a bound on the covariance of score and group among people of one outcome does to the "
        "gap of rates, beside the bound among all people (SLSQP, float64).",
        "The future work that section 2 of the paper names; it has no figure of it.",
        tuple(panels),
        remarks=(
            "Each is linear in theta, as the p%-rule's proxy is: the sum goes over people with "
            "y = 1, or y = 0, and for accuracy each score counts with the sign of its outcome.",
            "Under encryption this is a constraint of the training protocol; its runs come into "
            "`secure` of the JSON.",
        ),
    )


EXPERIMENTS = (Experiment("rates", _points, _draw),)
