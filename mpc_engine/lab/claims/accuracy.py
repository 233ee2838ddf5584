"""Claims on accuracy: against SLSQP, and of the approximations."""

from __future__ import annotations

from collections.abc import Callable

from mpc_engine.control.files.lab_report import Claim
from mpc_engine.lab.claims.claim import Difference, highest, lowest, paper_run, unjudged, verdict_of
from mpc_engine.lab.experiment import baseline, our_point
from mpc_engine.lab.points import Numbers, Point
from mpc_engine.lab.results import Results
from mpc_engine.lab.scope import Scope
from mpc_engine.lab.sigmoids import Sigmoid
from mpc_engine.vocabulary.claims import ClaimVerdict

PAPER_MARGIN, OUR_MARGIN = 4.0, 0.7
"""Points of accuracy below SLSQP that the paper's claim allows, and ours."""
_NO_WORSE = 1.0


def as_accurate(results: Results, scope: Scope) -> Claim:
    """Judge the claim of this name."""
    text = (
        f"Lagrange loses less than {PAPER_MARGIN:g} points of accuracy against SLSQP, "
        "on every set and at every c."
    )
    paper = _against_slsqp(
        results, scope, lambda data, c: paper_run(scope, data, c, Sigmoid.CLAMP, Numbers.ORACLE)
    )
    ours = _against_slsqp(results, scope, lambda data, c: our_point(scope, data, c))
    if not paper or not ours:
        return unjudged("as-accurate", text, "settings")
    verdict = verdict_of(min(paper)[0] > -PAPER_MARGIN, min(ours)[0] > -PAPER_MARGIN)
    evidence = (
        f"Worst with the paper's settings {lowest(paper)}, with ours {lowest(ours)}. The same c "
        f"asks less of our shorter models than of SLSQP's, so they may also be more accurate, by "
        f"up to {highest(ours)}."
    )
    return Claim("as-accurate", text, "settings", verdict, evidence)


def ours_closer(results: Results, scope: Scope) -> Claim:
    """Judge the claim of this name."""
    text = (
        f"Our settings lose at most {OUR_MARGIN:g} points against SLSQP, "
        "on every set and at every c."
    )
    ours = _against_slsqp(results, scope, lambda data, c: our_point(scope, data, c))
    if not ours:
        return unjudged("ours-closer", text, "settings")
    held = min(ours)[0] >= -OUR_MARGIN
    verdict = ClaimVerdict.OURS_ONLY if held else ClaimVerdict.DOES_NOT
    return Claim("ours-closer", text, "settings", verdict, f"Worst {lowest(ours)}.")


def clamp_no_worse(results: Results, scope: Scope) -> Claim:
    """Judge the claim of this name."""
    text = "The clamp in place of the logistic function does not spoil accuracy."
    return _pairwise(results, scope, "clamp-no-worse", text, Sigmoid.EXACT, "accuracy")


def clamp_beats_pieces(results: Results, scope: Scope) -> Claim:
    """Judge the claim of this name."""
    text = "The clamp does as well as the more exact approximation by ten lines."
    return _pairwise(results, scope, "clamp-beats-pieces", text, Sigmoid.PIECES, "sigmoids")


def bank_rises(results: Results, scope: Scope) -> Claim:
    """Judge the claim of this name."""
    text = "On Bank accuracy rises when the constraint becomes active as c falls."
    rows = [
        (c, results.row(paper_run(scope, "Bank", c, Sigmoid.CLAMP, Numbers.FLOAT)))
        for c in scope.constraints
    ]
    found = [(100 * row["accuracy"], c) for c, row in rows if row]
    if "Bank" not in scope.data or not found:
        return unjudged("bank-rises", text, "accuracy")
    (best, at), loose = max(found), found[-1][0]
    verdict = ClaimVerdict.HOLDS if best > loose else ClaimVerdict.DOES_NOT
    evidence = f"{loose:.2f} % at c = {scope.constraints[-1]:g}, at most {best:.2f} % (c = {at:g})."
    return Claim("bank-rises", text, "accuracy", verdict, evidence)


def _pairwise(
    results: Results, scope: Scope, name: str, text: str, other: Sigmoid, figure: str
) -> Claim:
    found = []
    for data in scope.data:
        for c in scope.constraints:
            clamp, against = (
                results.row(paper_run(scope, data, c, sigmoid, Numbers.FLOAT))
                for sigmoid in (Sigmoid.CLAMP, other)
            )
            if clamp and against:
                found.append((100 * (clamp["accuracy"] - against["accuracy"]), data, c))
    if not found:
        return unjudged(name, text, figure)
    mean = sum(value for value, _, _ in found) / len(found)
    held = min(found)[0] >= -_NO_WORSE
    verdict = ClaimVerdict.HOLDS if held else ClaimVerdict.DOES_NOT
    evidence = f"Lagrange in float64: worst {lowest(found)}, on average {mean:+.2f} points."
    return Claim(name, text, figure, verdict, evidence)


def _against_slsqp(
    results: Results, scope: Scope, point_of: Callable[[str, float], Point]
) -> list[Difference]:
    """Return (points of accuracy above SLSQP, data, c) wherever both have a model."""
    found = []
    for data in scope.data:
        for c in scope.constraints:
            ours, theirs = results.row(point_of(data, c)), results.row(baseline(data, c))
            if ours and theirs:
                found.append((100 * (ours["accuracy"] - theirs["accuracy"]), data, c))
    return found
