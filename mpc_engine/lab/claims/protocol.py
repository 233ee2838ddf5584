"""Claims on fixed point, fairness, and times."""

from __future__ import annotations

from mpc_engine.control.files.lab_report import Claim
from mpc_engine.lab.claims.claim import paper_run, shown, unjudged, verdict_of
from mpc_engine.lab.experiment import our_point, shown_group
from mpc_engine.lab.points import Numbers
from mpc_engine.lab.results import Results, p_rule
from mpc_engine.lab.scope import Scope
from mpc_engine.lab.sigmoids import Sigmoid
from mpc_engine.lab.tasks import Kind, Study
from mpc_engine.vocabulary.claims import ClaimVerdict
from mpc_engine.vocabulary.constraints import Constraint, ConstraintScope

_FOUR_FIFTHS, _ALIKE = 80.0, 2.0
"""The p% that decisions should have, and points of a rate that count as the same."""


def fixed_alike(results: Results, scope: Scope) -> Claim:
    """Judge the claim of this name."""
    text = "Fixed point and the clamp balance decisions at the same rates as floating point does."
    found = []
    for data in scope.data:
        for c in scope.constraints:
            fixed, floating = (
                results.row(paper_run(scope, data, c, Sigmoid.CLAMP, numbers))
                for numbers in (Numbers.ORACLE, Numbers.FLOAT)
            )
            if fixed and floating:
                group = shown_group(data)
                pairs = zip(
                    fixed["groups"][group]["positive"],
                    floating["groups"][group]["positive"],
                    strict=True,
                )
                found.append((100 * max(abs(a - b) for a, b in pairs), data, c))
    if not found:
        return unjudged("fixed-alike", text, "fractions")
    value, data, c = max(found)
    verdict = ClaimVerdict.HOLDS if value <= _ALIKE else ClaimVerdict.DOES_NOT
    evidence = f"Rates of a group differ by at most {value:.2f} points ({data}, c = {c:g})."
    return Claim("fixed-alike", text, "fractions", verdict, evidence)


def fairer(results: Results, scope: Scope) -> Claim:
    """Judge the claim of this name."""
    text = (
        f"Lagrange mitigates disparate impact: where p% is below {_FOUR_FIFTHS:g} at the largest "
        "c, it is higher at the smallest."
    )
    parts: list[str] = []
    held: dict[str, list[bool]] = {"paper's": [], "ours": []}
    for data in scope.data:
        read = p_rule(shown_group(data))
        for who in held:
            loose, tight = (
                results.row(
                    our_point(scope, data, c)
                    if who == "ours"
                    else paper_run(scope, data, c, Sigmoid.CLAMP, Numbers.ORACLE)
                )
                for c in (scope.constraints[-1], scope.constraints[0])
            )
            if loose and tight and (before := read(loose)) is not None and before < _FOUR_FIFTHS:
                after = read(tight)
                held[who].append(after is not None and after > before)
                parts.append(f"{data}, {who}: {shown(before)} to {shown(after)}")
    if not all(held.values()):
        return unjudged("fairer", text, "fractions")
    verdict = verdict_of(*map(all, held.values()))
    return Claim("fairer", text, "fractions", verdict, "p% of " + "; ".join(parts) + ".")


def blocks(results: Results, scope: Scope) -> Claim:
    """Judge the claim of this name."""
    text = "The blocked product avoids over- and underflow for b below 2^m."
    rows = [
        row
        for data in scope.data
        for row in results.study(Study(Kind.BLOCKED, scope.quick, data))
        if row["way"] == "blocked, m = 16" and row["block"] < 1 << 16
    ]
    ours = [
        row["error"]
        for data in scope.data
        for row in results.study(Study(Kind.BLOCKED, scope.quick, data))
        if row["way"] == "ours"
    ]
    if not rows or not ours:
        return unjudged("blocks", text, "blocked")
    overflowed = sum(row["error"] is None for row in rows)
    worst = max((row["error"] for row in rows if row["error"] is not None), default=0.0)
    verdict = ClaimVerdict.DOES_NOT if overflowed else ClaimVerdict.HOLDS
    evidence = (
        f"{overflowed} of {len(rows)} blocked products overflow at m = 16; largest error "
        f"{worst:.2g}, of exact sums {max(ours):.2g} (12 fractional bits)."
    )
    return Claim("blocks", text, "blocked", verdict, evidence)


def fast(results: Results, scope: Scope) -> Claim:
    """Judge the claim of this name."""
    text = "Training and certification are feasible: certification takes less than a second."
    training, certification = (
        results.study(Study(kind, scope.quick))
        for kind in (Kind.TRAINING_TIMES, Kind.CERTIFICATION_TIMES)
    )
    if not training or not certification:
        return unjudged("fast", text, "times")
    slowest = max(certification, key=lambda row: float(row["ms"]))
    kept = (Constraint.ACCEPTANCE_RATE.value, ConstraintScope.WHOLE_SET.value)
    ordinary = [r for r in training if (r["constraint"], r["scope"]) == kept]
    longest = max(ordinary, key=lambda row: float(row["seconds_median"]))
    verdict = ClaimVerdict.HOLDS if slowest["ms"] < 1000 else ClaimVerdict.DOES_NOT
    evidence = (
        f"Slowest certification {slowest['ms']:g} ms ({slowest['workload']}, "
        f"{slowest['criteria']}, from people's shares); longest training "
        f"{longest['seconds_median']:.3g} s for {longest['steps']} steps ({longest['workload']}), "
        f"the paper's {longest['paper_seconds']} s for ten epochs."
    )
    return Claim("fast", text, "times", verdict, evidence)
