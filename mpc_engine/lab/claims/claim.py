"""A claim with its verdict, and what its judges share."""

from __future__ import annotations

from typing import Any

from mpc_engine.control.files.lab_report import Claim
from mpc_engine.lab.experiment import paper_point
from mpc_engine.lab.points import Method, Numbers, Point
from mpc_engine.lab.scope import Scope
from mpc_engine.lab.sigmoids import Sigmoid
from mpc_engine.vocabulary.claims import ClaimVerdict

Row = dict[str, Any]
Difference = tuple[float, str, float]
"""Points of a percentage, data, c."""


def paper_run(scope: Scope, data: str, c: float, sigmoid: Sigmoid, numbers: Numbers) -> Point:
    """Return a Lagrangian run with the paper's settings."""
    return paper_point(scope, data, Method.LAGRANGE, c, sigmoid, numbers)


def verdict_of(paper: bool, ours: bool) -> ClaimVerdict:
    """Return the verdict of a claim that may hold with either settings."""
    if paper:
        return ClaimVerdict.HOLDS
    return ClaimVerdict.OURS_ONLY if ours else ClaimVerdict.DOES_NOT


def unjudged(name: str, text: str, figure: str) -> Claim:
    """Return a claim whose points are missing."""
    return Claim(name, text, figure, ClaimVerdict.NOT_JUDGED, "Its points were not computed.")


def shown(value: float | None) -> str:
    """Return p% as text."""
    return "none" if value is None else f"{value:.1f}"


def lowest(differences: list[Difference]) -> str:
    """Return the smallest difference as text."""
    value, data, c = min(differences)
    return f"{value:+.2f} points ({data}, c = {c:g})"


def highest(differences: list[Difference]) -> str:
    """Return the largest difference as text."""
    value, data, c = max(differences)
    return f"{value:+.2f} points ({data}, c = {c:g})"
