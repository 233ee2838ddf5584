"""The paper's future work: constraints on true positive and negative rates, and on accuracy."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import product
from typing import Any

from mpc_engine.control.files.lab_report import Cell, Colour, LabFigure, LabPanel, LabTable
from mpc_engine.lab.experiment import Experiment, our_point, shown_group
from mpc_engine.lab.points import Method, Point
from mpc_engine.lab.results import Results, percent
from mpc_engine.lab.scope import Scope
from mpc_engine.lab.tasks import Kind, Study
from mpc_engine.lab.timing import constrained_workloads
from mpc_engine.vocabulary.constraints import Constraint, ConstraintScope

COLOURS = {
    Constraint.ACCEPTANCE_RATE: Colour.BLACK,
    Constraint.TRUE_POSITIVE_RATE: Colour.BLUE,
    Constraint.TRUE_NEGATIVE_RATE: Colour.ORANGE,
    Constraint.EQUALISED_ODDS: Colour.GREEN,
    Constraint.ACCURACY: Colour.PURPLE,
}


def every_other(scope: Scope) -> tuple[float, ...]:
    """Return every other c, the loosest one included."""
    return scope.constraints[::-1][:: 1 if scope.quick else 2][::-1]


def _lines(scope: Scope, data: str, constraint: Constraint) -> dict[str, list[Point]]:
    """Return the runs of SLSQP, and those in the secure run's integers, by the dash of a line."""
    bounds = every_other(scope)
    return {
        "dot": [Point(data, Method.SLSQP, c, constraint=constraint) for c in bounds],
        "solid": [replace(our_point(scope, data, c), constraint=constraint) for c in bounds],
    }


def _points(scope: Scope) -> list[Point]:
    return [
        point
        for data in scope.data
        for constraint in COLOURS
        for points in _lines(scope, data, constraint).values()
        for point in points
    ]


def gap(rate: str, group: int) -> Callable[[dict[str, Any]], float | None]:
    """Return what reads the difference of a rate between a group and the others, in points."""

    def read(row: dict[str, Any]) -> float | None:
        inside, outside = row["groups"][group][rate]
        return None if inside is None or outside is None else 100 * abs(inside - outside)

    return read


def words(word: Constraint | ConstraintScope) -> str:
    """Return a word of the vocabulary as figures have it."""
    return word.value.replace("_", " ")


def _draw(results: Results, scope: Scope) -> LabFigure:
    panels = []
    for data in scope.data:
        group = shown_group(data)
        for title, read in (
            ("gap of true positive rates, points", gap("true_positive", group)),
            ("gap of true negative rates, points", gap("true_negative", group)),
            ("right on test rows, %", percent("accuracy")),
        ):
            lines = tuple(
                results.line(
                    f"{words(constraint)}, {'ours' if dash == 'solid' else 'SLSQP'}",
                    points,
                    read,
                    colour,
                    dash,
                )
                for constraint, colour in COLOURS.items()
                for dash, points in _lines(scope, data, constraint).items()
            )
            panels.append(LabPanel(f"{data}, {title}", "c", title, lines))
    return LabFigure(
        "rates",
        "Constraints on true positive and true negative rates",
        "What a bound on the covariance of score and group among people of one outcome does to the "
        "gap of rates, beside the bound among all people: SLSQP in float64, and ours in the secure "
        "run's own integers.",
        "The future work that section 2 of the paper names; it has no figure of it.",
        tuple(panels),
        remarks=(
            "Each is linear in theta, as the p%-rule's proxy is: the sum goes over people with "
            "y = 1, or y = 0, and for accuracy each score counts with the sign of its outcome.",
            "The sum is divided by the number of training rows that it goes over (n' of the "
            "protocol), not by all n, so that c means the same whatever share has the outcome.",
        ),
    )


def _times(scope: Scope) -> list[Study]:
    return [Study(Kind.TRAINING_TIMES, scope.quick)]


def _draw_prices(results: Results, scope: Scope) -> LabFigure:
    (study,) = _times(scope)
    names = ("workload", "constraint", "scope")
    found = {tuple(row[name] for name in names): row for row in results.study(study)}
    rows: list[tuple[Cell, ...]] = []
    ordinary = (Constraint.ACCEPTANCE_RATE.value, ConstraintScope.WHOLE_SET.value)
    for workload in constrained_workloads():
        own = found.get((workload.name, *ordinary))
        for constraint, scope_of in product(COLOURS, ConstraintScope):
            row = found.get((workload.name, constraint.value, scope_of.value))
            if own and row:
                rows.append(
                    (
                        *(workload.name, words(constraint), words(scope_of)),
                        *(row["p"], row["steps"]),
                        *(digits(row["seconds_median"]), digits(row["ms_a_step"])),
                        digits(row["seconds_median"] / own["seconds_median"]),
                        digits(row["bytes"] / own["bytes"]),
                    )
                )
    columns = (
        *("data", "what is kept alike", "over", "covariances", "steps", "training, s", "ms a step"),
        *("time, over that of acceptance rates", "bytes, over those of acceptance rates"),
    )
    return LabFigure(
        "prices",
        "What a constraint on rates costs under encryption",
        "How long a training of the real protocol takes, and what it sends, when it keeps other "
        "rates alike than acceptance, or bounds the covariances of each step's own rows; all of a "
        "data set in one run, each model the oracle's, bit for bit.",
        "Beyond the paper, whose future work it is.",
        table=LabTable(columns, tuple(rows)),
        remarks=(*(["A quick run takes 64 steps."] if scope.quick else []), *_why(results, study)),
    )


def _why(results: Results, study: Study) -> list[str]:
    return [] if results.study(study) else [results.why(study)]


def digits(value: float) -> float:
    """Return a number to three digits."""
    return float(f"{value:.3g}")


EXPERIMENTS = (
    Experiment("rates", _points, _draw),
    Experiment("prices", _times, _draw_prices),
)
