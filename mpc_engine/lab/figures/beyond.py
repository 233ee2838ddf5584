"""Findings beyond the paper: settings, the proxy beside the rule, several attributes, sizes."""

from __future__ import annotations

from collections.abc import Sequence

from mpc_engine.control.files.lab_report import Colour, LabFigure, LabPanel, LabSeries, LabTable
from mpc_engine.lab.experiment import (
    Experiment,
    baseline,
    our_point,
    paper_point,
    shown_group,
    unconstrained,
)
from mpc_engine.lab.points import Method, Numbers, Point
from mpc_engine.lab.results import Results, p_rule, percent
from mpc_engine.lab.scope import Scope
from mpc_engine.lab.sigmoids import Sigmoid

FOUR_FIFTHS = 80.0
GROUP_NAMES = {
    "Synthetic": ("z = 1",),
    "Adult": ("men",),
    "Bank": ("under 25 or over 60",),
    "COMPAS": (
        *("Caucasian", "African-American", "Asian", "Hispanic", "Native American", "other race"),
        "women",
    ),
    "German": ("over 25",),
    "SQF": ("z = 1",),
}
"""The people in the group of each constraint."""
_ALONE = ((0, Colour.BLUE), (1, Colour.ORANGE), (6, Colour.PURPLE))
_HALVINGS = 10
_KINDS = (
    ("ours", Colour.GREEN, "solid"),
    ("paper's settings", Colour.ORANGE, "dash"),
    ("SLSQP", Colour.GREY, "dot"),
)


def _three(scope: Scope, data: str) -> tuple[list[Point], ...]:
    """Return our points, those with the paper's settings in our integers, and SLSQP's."""
    return (
        [our_point(scope, data, c) for c in scope.constraints],
        [
            paper_point(scope, data, Method.LAGRANGE, c, Sigmoid.CLAMP, Numbers.ORACLE)
            for c in scope.constraints
        ],
        [baseline(data, c) for c in scope.constraints],
    )


def _settings(scope: Scope) -> list[Point]:
    return [point for data in scope.data for points in _three(scope, data) for point in points]


def _draw_settings(results: Results, scope: Scope) -> LabFigure:
    panels, table = [], []
    read = percent("accuracy")
    for data in scope.data:
        all_points = _three(scope, data)
        lines = [
            results.line(name, points, read, colour, dash)
            for (name, colour, dash), points in zip(_KINDS, all_points, strict=True)
        ]
        panels.append(LabPanel(data, "c", "right on test rows, %", tuple(lines)))
        for (name, _, _), points in zip(_KINDS[:2], all_points[:2], strict=True):
            table.append((data, name, *_extremes(results, points, all_points[2])))
    return LabFigure(
        "settings",
        "Our settings beside the paper's",
        "Accuracy of the secure run's integers with the product's settings and with the paper's, "
        "beside SLSQP.",
        "Beyond the paper.",
        tuple(panels),
        LabTable(
            (
                "data",
                "settings",
                "worst against SLSQP, points",
                "best, points",
                "broke c by more than 0.0005",
            ),
            tuple(table),
        ),
    )


def _extremes(
    results: Results, points: Sequence[Point], others: Sequence[Point]
) -> tuple[float | None, float | None, int]:
    pairs = [(results.row(a), results.row(b)) for a, b in zip(points, others, strict=True)]
    found = [100 * (a["accuracy"] - b["accuracy"]) for a, b in pairs if a and b]
    broken = sum(
        1
        for point, (row, _) in zip(points, pairs, strict=True)
        if row and point.c is not None and row["abs_a_theta"] > point.c + 5e-4
    )
    if not found:
        return None, None, broken
    return round(min(found), 2), round(max(found), 2), broken


def _proxy(scope: Scope) -> list[Point]:
    found = [unconstrained(data) for data in scope.proxy_data]
    for data in scope.proxy_data:
        found += [baseline(data, c) for c in scope.constraints]
    return found + _settings(scope)


def _draw_proxy(results: Results, scope: Scope) -> LabFigure:
    panels, remarks, table = [], [], []
    for data in scope.proxy_data:
        group = p_rule(shown_group(data))
        lines = []
        for (name, colour, dash), points in zip(_KINDS, _three(scope, data), strict=True):
            rows = [row for row in map(results.row, points) if row]
            if rows:
                x = tuple(row["abs_a_theta"] for row in rows)
                lines.append(LabSeries(name, x, tuple(map(group, rows)), colour, dash))
        free = results.row(unconstrained(data))
        if free:
            halved = tuple(free["abs_a_theta"] * 2.0**-i for i in range(_HALVINGS + 1))
            same = (group(free),) * len(halved)
            lines.append(LabSeries("unconstrained, divided", halved, same, Colour.RED, "dashdot"))
            table.append((data, *_shrunk(free["abs_a_theta"], group(free))))
        ends = (min(scope.constraints), 1.0)
        lines.append(LabSeries("80 %", ends, (FOUR_FIFTHS,) * 2, Colour.BLACK, "dot", marks=False))
        panels.append(LabPanel(data, "abs(A theta), training rows", "p%, test rows", tuple(lines)))
        remarks += _missing(results, scope, data)
    return LabFigure(
        "proxy",
        "The exact p%-rule beside its proxy",
        "The p% that decisions have against the covariance that the proxy bounds: a small "
        "covariance promises no p%, and a model divided by a number makes the same decisions with "
        "a covariance as small as one likes.",
        "Beyond the paper, whose experiments measure the proxy's c.",
        tuple(panels),
        LabTable(
            ("data", "abs(A theta), unconstrained", "of the model divided by 100", "p% of both"),
            tuple(table),
        ),
        tuple(remarks),
    )


def _shrunk(value: float, p: float | None) -> tuple[float, float, float | None]:
    return round(value, 5), round(value / 100, 7), None if p is None else round(p, 1)


def _missing(results: Results, scope: Scope, data: str) -> list[str]:
    """Return a sentence on the tightest c of the baseline, if its models miss four fifths."""
    read = p_rule(shown_group(data))
    held = [(c, results.value(baseline(data, c), read)) for c in scope.constraints]
    missed = [(c, p) for c, p in held if p is not None and p < FOUR_FIFTHS]
    if not missed:
        return []
    c, p = missed[0]
    return [f"{data}: SLSQP keeps abs(A theta) below c = {c:g} and has p% {p:.1f} on test rows."]


def _attributes(scope: Scope) -> list[Point]:
    if "COMPAS" not in scope.data:
        return []
    found = [baseline("COMPAS", c) for c in scope.constraints]
    for c in scope.constraints:
        found.append(our_point(scope, "COMPAS", c))
        found += [our_point(scope, "COMPAS", c, only=group) for group, _ in _ALONE]
    return found


def _draw_attributes(results: Results, scope: Scope) -> LabFigure:
    read, names = percent("accuracy"), GROUP_NAMES["COMPAS"]
    kinds = [
        (
            "all seven, ours",
            [our_point(scope, "COMPAS", c) for c in scope.constraints],
            Colour.GREEN,
        ),
        ("all seven, SLSQP", [baseline("COMPAS", c) for c in scope.constraints], Colour.GREY),
        *(
            (
                f"{names[group]} alone, ours",
                [our_point(scope, "COMPAS", c, only=group) for c in scope.constraints],
                colour,
            )
            for group, colour in _ALONE
        ),
    ]
    panels: tuple[LabPanel, ...] = ()
    if "COMPAS" in scope.data:
        right = tuple(results.line(name, points, read, colour) for name, points, colour in kinds)
        accepting = tuple(
            results.line(name, points, percent("positive"), colour)
            for name, points, colour in kinds
        )
        panels = (
            LabPanel("COMPAS, accuracy", "c", "right on test rows, %", right),
            LabPanel("COMPAS, accepted at all", "c", "positive of test rows, %", accepting),
        )
    return LabFigure(
        "attributes",
        "Seven constraints at once on COMPAS",
        "With all seven constraints the model turns to nearly one decision for everybody at a c at "
        "which one constraint alone costs little.",
        "Beyond the paper, which has all seven at once only.",
        panels,
        remarks=() if panels else ("COMPAS was not at hand.",),
    )


def _sizes(scope: Scope) -> list[Point]:
    return [unconstrained(data) for data in scope.data]


def _draw_sizes(results: Results, scope: Scope) -> LabFigure:
    rows = []
    for data in scope.data:
        found = results.row(unconstrained(data))
        if not found:
            continue
        for name, group in zip(GROUP_NAMES[data], found["groups"], strict=True):
            inside, outside = group["positive"]
            if inside is None or outside is None:
                continue
            error = 100 * (inside * (1 - inside) / max(group["n"], 1)) ** 0.5
            p = group["p_percent"]
            rows.append(
                (
                    *(data, name, group["n"], round(100 * inside, 1), round(100 * outside, 1)),
                    *(round(error, 1), None if p is None else round(p, 1)),
                )
            )
    columns = (
        "data",
        "group",
        "people",
        "accepted, %",
        "others accepted, %",
        "standard error, points",
        "p%",
    )
    return LabFigure(
        "sizes",
        "Sizes of groups on test rows, unconstrained model",
        "How few people stand behind some of the figures: where the standard error of a group's "
        "rate is large, its p% is noise.",
        "Beyond the paper, which warns of COMPAS's smallest group.",
        table=LabTable(columns, tuple(rows)),
    )


EXPERIMENTS = (
    Experiment("settings", _settings, _draw_settings),
    Experiment("proxy", _proxy, _draw_proxy),
    Experiment("attributes", _attributes, _draw_attributes),
    Experiment("sizes", _sizes, _draw_sizes),
)
