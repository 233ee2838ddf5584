"""Test accuracy of three methods, against c and against p% (figure 3 of the paper, figure 6 above).

Numbers of figures are those of the ICML version: 3 accuracy, 4 acceptance by group, 5 sigmoids, 6
the other data sets, 7 the two other methods.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from mpc_engine.control.files.lab_report import Colour, LabFigure, LabPanel, LabSeries, LabTable
from mpc_engine.lab.experiment import (
    Experiment,
    baseline,
    paper_point,
    shown_group,
    unconstrained,
)
from mpc_engine.lab.points import Method, Point
from mpc_engine.lab.results import Results, Value, p_rule, percent
from mpc_engine.lab.scope import Scope
from mpc_engine.lab.sigmoids import SQUASHES, Sigmoid, Squash

_COLOURS = {
    Method.BARRIER: (Colour.BLUE, "log barrier"),
    Method.PROJECTED: (Colour.ORANGE, "projected gradient"),
    Method.LAGRANGE: (Colour.GREEN, "Lagrange"),
}
_PROJECTION = "projection of theta"
_APPROXIMATIONS = {
    Sigmoid.EXACT: (Colour.BLACK, "exact"),
    Sigmoid.CLAMP: (Colour.BLUE, "clamp"),
    Sigmoid.PIECES: (Colour.ORANGE, "ten pieces"),
}


def _points(scope: Scope) -> list[Point]:
    found = []
    for data in scope.data:
        found.append(unconstrained(data))
        for c in scope.constraints:
            found.append(baseline(data, c))
            found.append(paper_point(scope, data, Method.PROJECTION, c, Sigmoid.CLAMP))
            found += [
                paper_point(scope, data, method, c, sigmoid)
                for method in _COLOURS
                for sigmoid in (Sigmoid.EXACT, Sigmoid.CLAMP)
            ]
    return found


def _lines(results: Results, scope: Scope, data: str) -> list[LabSeries]:
    read = percent("accuracy")
    lines = []
    for method, (colour, name) in _COLOURS.items():
        for sigmoid, dash in ((Sigmoid.EXACT, "solid"), (Sigmoid.CLAMP, "dash")):
            points = [paper_point(scope, data, method, c, sigmoid) for c in scope.constraints]
            lines.append(results.line(f"{name}, {sigmoid.value}", points, read, colour, dash))
    points = [
        paper_point(scope, data, Method.PROJECTION, c, Sigmoid.CLAMP) for c in scope.constraints
    ]
    lines.append(results.line(f"{_PROJECTION}, clamp", points, read, Colour.PURPLE, "dashdot"))
    points = [baseline(data, c) for c in scope.constraints]
    lines.append(results.line("SLSQP", points, read, Colour.GREY, "dot"))
    free = results.value(unconstrained(data), read)
    ends = (scope.constraints[0], scope.constraints[-1])
    lines.append(LabSeries("unconstrained", ends, (free, free), Colour.BLACK, "dash", marks=False))
    return lines


def _draw(results: Results, scope: Scope) -> LabFigure:
    return LabFigure(
        "accuracy",
        "Accuracy of three methods against c",
        "How many test rows each method decides rightly under each bound c on the covariance of "
        "score and group; a gap is a run that failed.",
        "Figure 3 and the first row of figure 6 of the paper (its text says over c, its caption "
        "over p%; the next figure has p%).",
        tuple(
            LabPanel(data, "c", "right on test rows, %", tuple(_lines(results, scope, data)))
            for data in scope.data
        ),
    )


def _draw_against_p(results: Results, scope: Scope) -> LabFigure:
    panels = []
    for data in scope.data:
        read, group = percent("accuracy"), p_rule(shown_group(data))
        lines = []
        for method, (colour, name) in _COLOURS.items():
            for sigmoid, dash in ((Sigmoid.EXACT, "solid"), (Sigmoid.CLAMP, "dash")):
                points = [paper_point(scope, data, method, c, sigmoid) for c in scope.constraints]
                label = f"{name}, {sigmoid.value}"
                lines.append(_by_p(results, label, points, read, group, colour, dash))
        points = [baseline(data, c) for c in scope.constraints]
        lines.append(_by_p(results, "SLSQP", points, read, group, Colour.GREY, "dot"))
        free = [unconstrained(data)]
        lines.append(_by_p(results, "unconstrained", free, read, group, Colour.BLACK, "solid"))
        panels.append(LabPanel(data, "p%", "right on test rows, %", tuple(lines), x_log=False))
    return LabFigure(
        "accuracy-p",
        "Accuracy of three methods against p%",
        "What each method's models cost in accuracy for how equally they accept: p% is the smaller "
        "share accepted of two groups over the larger, on test rows.",
        "Figure 3 and the first row of figure 6 of the paper, as their captions have it.",
        tuple(panels),
    )


def _by_p(
    results: Results,
    name: str,
    points: Sequence[Point],
    read: Value,
    group: Value,
    colour: Colour,
    dash: str,
) -> LabSeries:
    pairs = [(results.value(point, group), results.value(point, read)) for point in points]
    found = [(p, value) for p, value in pairs if p is not None]
    return LabSeries(name, tuple(p for p, _ in found), tuple(y for _, y in found), colour, dash)


def _sigmoid_points(scope: Scope) -> list[Point]:
    return [
        paper_point(scope, data, Method.LAGRANGE, c, sigmoid)
        for data in scope.data
        for c in scope.constraints
        for sigmoid in _APPROXIMATIONS
    ]


def _draw_sigmoids(results: Results, scope: Scope) -> LabFigure:
    x = np.linspace(-6.0, 6.0, 241)
    curves = tuple(
        LabSeries(
            name,
            tuple(map(float, x)),
            tuple(map(float, SQUASHES[sigmoid](x))),
            colour,
            marks=False,
        )
        for sigmoid, (colour, name) in _APPROXIMATIONS.items()
    )
    trained = tuple(
        LabPanel(
            f"Lagrange on {data}",
            "c",
            "right on test rows, %",
            tuple(
                results.line(
                    name,
                    [
                        paper_point(scope, data, Method.LAGRANGE, c, sigmoid)
                        for c in scope.constraints
                    ],
                    percent("accuracy"),
                    colour,
                )
                for sigmoid, (colour, name) in _APPROXIMATIONS.items()
            ),
        )
        for data in scope.data
    )
    rows = tuple(
        (_APPROXIMATIONS[sigmoid][1], _farthest(SQUASHES[sigmoid]))
        for sigmoid in (Sigmoid.CLAMP, Sigmoid.PIECES)
    )
    return LabFigure(
        "sigmoids",
        "Two approximations of the logistic function",
        "The clamp of SecureML and the ten best lines beside the function, and the accuracy of "
        "Lagrangian models trained with each.",
        "Figure 5 of the paper; it names the lines below, but reports models of the clamp only.",
        (LabPanel("The functions", "score", "probability", curves, x_log=False), *trained),
        LabTable(("approximation", "farthest from the function"), rows),
    )


def _farthest(squash: Squash) -> float:
    x = np.linspace(-12.0, 12.0, 24_001)
    return round(float(np.abs(squash(x) - SQUASHES[Sigmoid.EXACT](x)).max()), 4)


EXPERIMENTS = (
    Experiment("accuracy", _points, _draw),
    Experiment("accuracy-p", _points, _draw_against_p),
    Experiment("sigmoids", _sigmoid_points, _draw_sigmoids),
)
