"""Claims on the three methods: which fail, and where they collapse."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from mpc_engine.control.files.lab_report import Claim
from mpc_engine.lab.claims.claim import shown, unjudged
from mpc_engine.lab.experiment import baseline, our_point, paper_point, shown_group, unconstrained
from mpc_engine.lab.points import Method, Numbers, Point
from mpc_engine.lab.results import Results, p_rule
from mpc_engine.lab.scope import Scope
from mpc_engine.lab.sigmoids import Sigmoid
from mpc_engine.vocabulary.claims import ClaimVerdict

Row = dict[str, Any]

_SMALL_C = 1e-3
"""Bounds that count as small."""
_SHRUNK = 0.5
"""A theta shorter than this part of the unbounded one counts as shrunk."""
_ALIKE, _COLLAPSED = 2.0, 2.0
"""Points of p% that make no decisions fairer, and of accuracy above one decision for everybody."""


def projected_fails(results: Results, scope: Scope) -> Claim:
    """Judge the claim of this name."""
    text = (
        "The projected gradient keeps small c by shrinking theta and does not balance decisions, "
        "or fails."
    )
    found = []
    for data, c, row, numbers in _projected_rows(results, scope):
        loose = results.row(
            paper_point(
                scope, data, Method.PROJECTED, scope.constraints[-1], Sigmoid.CLAMP, numbers
            )
        )
        if row is None:
            found.append((True, f"{data}, c = {c:g}, {numbers.value}: failed"))
        elif loose:
            p, before = (p_rule(shown_group(data))(each) for each in (row, loose))
            part = row["length"] / loose["length"]
            fairer = p is not None and (before is None or p > before + _ALIKE)
            found.append(
                (
                    part < _SHRUNK and not fairer,
                    f"{data}, c = {c:g}, {numbers.value}: theta {part:.2f} of its length, "
                    f"p% {shown(before)} to {shown(p)}",
                )
            )
    if not found:
        return unjudged("projected-fails", text, "other-methods")
    held = sum(bad for bad, _ in found)
    verdict = ClaimVerdict.HOLDS if 2 * held > len(found) else ClaimVerdict.DOES_NOT
    evidence = (
        f"It did so in {held} of {len(found)} runs with c up to {_SMALL_C:g}. "
        + "; ".join(text for _, text in found[:4])
        + "."
    )
    return Claim("projected-fails", text, "other-methods", verdict, evidence)


def _projected_rows(
    results: Results, scope: Scope
) -> Iterator[tuple[str, float, Row | None, Numbers]]:
    for data in scope.data:
        for c in scope.constraints:
            for numbers in (Numbers.FLOAT, Numbers.FIXED):
                point = paper_point(scope, data, Method.PROJECTED, c, Sigmoid.CLAMP, numbers)
                if c <= _SMALL_C and results.asked(point):
                    yield data, c, results.row(point), numbers


def barrier_fails(results: Results, scope: Scope) -> Claim:
    """Judge the claim of this name."""
    text = "The log barrier fails for small c, on every set."
    failed: dict[str, list[float]] = {}
    asked = False
    for data in scope.data:
        for c in scope.constraints:
            point = paper_point(scope, data, Method.BARRIER, c, Sigmoid.CLAMP)
            asked |= results.asked(point)
            if results.asked(point) and results.row(point) is None:
                failed.setdefault(data, []).append(c)
    if not asked:
        return unjudged("barrier-fails", text, "accuracy")
    everywhere = all(
        data in failed and min(failed[data]) == scope.constraints[0] for data in scope.data
    )
    evidence = "; ".join(
        f"{data}: fails up to c = {max(failed[data]):g}" if data in failed else f"{data}: never"
        for data in scope.data
    )
    verdict = ClaimVerdict.HOLDS if everywhere else ClaimVerdict.DOES_NOT
    return Claim("barrier-fails", text, "accuracy", verdict, f"In float64, {evidence}.")


def fewest_failures(results: Results, scope: Scope) -> Claim:
    """Judge the claim of this name."""
    text = "Lagrange is the most robust: it has the fewest failed runs."
    counts = {}
    for method in (Method.LAGRANGE, Method.PROJECTED, Method.BARRIER):
        fixed = Numbers.ORACLE if method is Method.LAGRANGE else Numbers.FIXED
        points = [
            paper_point(scope, data, method, c, sigmoid, numbers)
            for data in scope.data
            for c in scope.constraints
            for sigmoid in (Sigmoid.EXACT, Sigmoid.CLAMP)
            for numbers in (Numbers.FLOAT, fixed)
        ]
        asked = [point for point in points if results.asked(point)]
        counts[method.value] = (sum(results.row(p) is None for p in asked), len(asked))
    if not all(n for _, n in counts.values()):
        return unjudged("fewest-failures", text, "other-methods")
    least = min(failed for failed, _ in counts.values())
    held = counts["lagrange"][0] == least
    evidence = ", ".join(f"{name} {failed} of {n}" for name, (failed, n) in counts.items())
    verdict = ClaimVerdict.HOLDS if held else ClaimVerdict.DOES_NOT
    return Claim("fewest-failures", text, "other-methods", verdict, f"Failed runs: {evidence}.")


def compas_collapses(results: Results, scope: Scope) -> Claim:
    """Judge the claim of this name."""
    text = "On COMPAS the three methods collapse at a larger c than SLSQP does."
    name, data = "compas-collapses", "COMPAS"
    lines: dict[str, list[Point]] = {
        "SLSQP": [baseline(data, c) for c in scope.constraints],
        "ours": [our_point(scope, data, c) for c in scope.constraints],
        **{
            method.value: [
                paper_point(scope, data, method, c, Sigmoid.CLAMP) for c in scope.constraints
            ]
            for method in (Method.LAGRANGE, Method.PROJECTED, Method.BARRIER)
        },
    }
    floor = results.value(unconstrained(data), lambda row: float(row["majority"]))
    if data not in scope.data or floor is None or not _all_asked(results, lines.values()):
        return unjudged(name, text, "accuracy")
    at = {key: _collapse(results, points, floor) for key, points in lines.items()}
    held = all(
        at[method.value] > at["SLSQP"]
        for method in (Method.LAGRANGE, Method.PROJECTED, Method.BARRIER)
    )
    verdict = ClaimVerdict.HOLDS if held else ClaimVerdict.DOES_NOT
    evidence = (
        f"Largest c at which accuracy is within {_COLLAPSED:g} points of one decision for all "
        f"({100 * floor:.1f} %), 0 for none: "
        + ", ".join(f"{key} {c:g}" for key, c in at.items())
        + "."
    )
    return Claim(name, text, "accuracy", verdict, evidence)


def _all_asked(results: Results, lines: Iterable[list[Point]]) -> bool:
    return all(results.asked(point) for points in lines for point in points)


def _collapse(results: Results, points: list[Point], floor: float) -> float:
    """Return the largest c at which a method's model is hardly better than one decision for all."""
    found = [
        point.c
        for point in points
        if point.c is not None
        and (row := results.row(point)) is not None
        and 100 * (row["accuracy"] - floor) < _COLLAPSED
    ]
    return max(found, default=0.0)
