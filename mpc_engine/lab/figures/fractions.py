"""Who is accepted, by group, as c is tightened (figures 4, 6 below, and 7 of the paper)."""

from __future__ import annotations

from mpc_engine.control.files.lab_report import Colour, LabFigure, LabPanel, LabSeries
from mpc_engine.lab.experiment import Experiment, baseline, paper_point, shown_group
from mpc_engine.lab.points import Method, Numbers, Point
from mpc_engine.lab.results import Results, accepted
from mpc_engine.lab.scope import Scope
from mpc_engine.lab.sigmoids import Sigmoid

_KINDS = (
    (Sigmoid.EXACT, True, Colour.RED),
    (Sigmoid.EXACT, False, Colour.PURPLE),
    (Sigmoid.CLAMP, True, Colour.OCHRE),
    (Sigmoid.CLAMP, False, Colour.TURQUOISE),
)
"""Sigmoid, whether in floating point, colour; as in the paper."""


def _fixed(method: Method) -> Numbers:
    return Numbers.ORACLE if method is Method.LAGRANGE else Numbers.FIXED


def _points(scope: Scope, methods: tuple[Method, ...]) -> list[Point]:
    found = [baseline(data, c) for data in scope.data for c in scope.constraints]
    for method in methods:
        found += [
            paper_point(
                scope, data, method, c, sigmoid, Numbers.FLOAT if floating else _fixed(method)
            )
            for data in scope.data
            for c in scope.constraints
            for sigmoid, floating, _ in _KINDS
        ]
    return found


def _panel(results: Results, scope: Scope, data: str, method: Method, title: str) -> LabPanel:
    group = shown_group(data)
    lines: list[LabSeries] = []
    for inside, dash in ((False, "solid"), (True, "dash")):
        z = f"z = {int(inside)}"
        for sigmoid, floating, colour in _KINDS:
            numbers = Numbers.FLOAT if floating else _fixed(method)
            name = f"{z}, {sigmoid.value}, {'float' if floating else 'fixed'}"
            points = [
                paper_point(scope, data, method, c, sigmoid, numbers) for c in scope.constraints
            ]
            lines.append(results.line(name, points, accepted(group, inside), colour, dash))
        points = [baseline(data, c) for c in scope.constraints]
        lines.append(
            results.line(f"{z}, SLSQP", points, accepted(group, inside), Colour.GREY, dash)
        )
    return LabPanel(title, "c", "accepted of test rows, %", tuple(lines))


def _draw(results: Results, scope: Scope) -> LabFigure:
    return LabFigure(
        "fractions",
        "Who is accepted as c is tightened, Lagrange",
        "The percentage accepted of the people in a group (z = 1, dashed) and of the others "
        "(z = 0): closer lines are fairer decisions. Fixed-point runs are the secure run's own "
        "integers.",
        "Figure 4 and the second row of figure 6 of the paper.",
        tuple(_panel(results, scope, data, Method.LAGRANGE, data) for data in scope.data),
        remarks=("COMPAS shows African-American people; the paper picked one of seven at random.",),
    )


def _draw_others(results: Results, scope: Scope) -> LabFigure:
    methods = ((Method.BARRIER, "log barrier"), (Method.PROJECTED, "projected gradient"))
    return LabFigure(
        "other-methods",
        "Who is accepted under the two other methods",
        "The same for the log barrier and the projected gradient, which the protocol does not "
        "have: fixed point is 16 integer and 16 fractional bits, and a gap is a run that failed.",
        "Figure 7 of the paper.",
        tuple(
            _panel(results, scope, data, method, f"{data}, {name}")
            for method, name in methods
            for data in scope.data
        ),
    )


EXPERIMENTS = (
    Experiment("fractions", lambda scope: _points(scope, (Method.LAGRANGE,)), _draw),
    Experiment(
        "other-methods",
        lambda scope: _points(scope, (Method.BARRIER, Method.PROJECTED)),
        _draw_others,
    ),
)
