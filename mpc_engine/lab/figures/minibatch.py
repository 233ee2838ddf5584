"""Constraints over the rows of a step: the speed-up that the paper names, and what it costs."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from typing import Any

from mpc_engine.control.files.lab_report import Cell, LabFigure, LabPanel, LabTable
from mpc_engine.lab.experiment import Experiment, our_point, shown_group
from mpc_engine.lab.figures.rates import COLOURS, digits, every_other, gap, words
from mpc_engine.lab.points import Point
from mpc_engine.lab.results import Results, percent
from mpc_engine.lab.scope import Scope
from mpc_engine.vocabulary.constraints import Constraint, ConstraintScope

_SCOPED = (Constraint.ACCEPTANCE_RATE, Constraint.TRUE_POSITIVE_RATE)
_DASHES = {ConstraintScope.WHOLE_SET: "solid", ConstraintScope.MINIBATCH: "dash"}


def _over(scope: Scope, data: str, constraint: Constraint, rows: ConstraintScope) -> list[Point]:
    """Return the runs in the secure run's integers that take a constraint over some rows."""
    changes: dict[str, Any] = {"constraint": constraint, "constraint_scope": rows}
    return [replace(our_point(scope, data, c), **changes) for c in every_other(scope)]


def _points(scope: Scope) -> list[Point]:
    every = product(scope.data, _SCOPED, ConstraintScope)
    return [point for each in every for point in _over(scope, *each)]


def _draw(results: Results, scope: Scope) -> LabFigure:
    panels = []
    table: list[tuple[Cell, ...]] = []
    for data in scope.data:
        for title, read, kept in (
            ("abs(A theta) over all training rows", _covariance, _SCOPED[:1]),
            (
                "gap of true positive rates, points",
                gap("true_positive", shown_group(data)),
                _SCOPED,
            ),
            ("right on test rows, %", percent("accuracy"), _SCOPED),
        ):
            lines = tuple(
                results.line(
                    f"{words(constraint)}, {words(rows)}",
                    _over(scope, data, constraint, rows),
                    read,
                    COLOURS[constraint],
                    _DASHES[rows],
                )
                for constraint, rows in product(kept, ConstraintScope)
            )
            panels.append(LabPanel(f"{data}, {title}", "c", title, lines))
        for constraint, rows in product(_SCOPED, ConstraintScope):
            row = results.row(_over(scope, data, constraint, rows)[0])
            if row:
                sent = row["bytes_of_covariances"] / 1e6
                steps = row["bytes_a_step"] * row["n_steps"] / 1e6
                table.append(
                    (
                        data,
                        words(constraint),
                        words(rows),
                        row["n_steps"],
                        digits(sent),
                        digits(steps),
                    )
                )
    return LabFigure(
        "minibatch",
        "Constraints over the whole set, and over each step's own rows",
        "What happens when a step bounds the covariances of its own 64 rows, not those of all "
        "training rows, in the secure run's own integers; below, what sharing the covariances "
        "sends, Z^T X anew for every step on the minibatch, beside all steps.",
        "The speed-up that the paper names, at the risk of violating the constraint; it has no "
        "figure of it.",
        tuple(panels),
        LabTable(
            ("data", "what is kept alike", "over", "steps", "covariances, MB", "all steps, MB"),
            tuple(table),
        ),
        remarks=(
            "Where the covariances of all rows are fixed, taking them once is cheaper than anew in "
            "every step: the minibatch saves nothing here.",
            "The covariance of 64 rows scatters, so its absolute value is hardly ever below a "
            "small c: the multiplier rises, and every direction in which groups differ at random "
            "is pushed back, not only the one in which they differ.",
        ),
    )


def _covariance(row: dict[str, Any]) -> float | None:
    return float(row["abs_a_theta"])


EXPERIMENTS = (Experiment("minibatch", _points, _draw),)
"""The figure of the report: which points it needs, and what it shows of them."""
