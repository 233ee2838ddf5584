"""What things cost: the blocked product, the table of times, one more bit."""

from __future__ import annotations

import statistics
from dataclasses import replace
from itertools import pairwise

import numpy as np

from mpc_engine.control.files.lab_report import Colour, LabFigure, LabPanel, LabSeries, LabTable
from mpc_engine.lab.blocked import INT_BITS
from mpc_engine.lab.experiment import Experiment, our_point, paper_point
from mpc_engine.lab.points import Method, Numbers, Point
from mpc_engine.lab.results import Results
from mpc_engine.lab.scope import Scope
from mpc_engine.lab.sigmoids import Sigmoid
from mpc_engine.lab.tasks import Kind, Study
from mpc_engine.lab.timing import PAPER_CERTIFICATION_MS, timed_workloads
from mpc_engine.protocols.training.hyperparameters import THETA_FRAC_BITS, X_FRAC_BITS
from mpc_engine.vocabulary.constraints import Constraint, ConstraintScope
from mpc_engine.vocabulary.criteria import CriterionName

_COLOURS = dict(zip(INT_BITS, (Colour.BLUE, Colour.ORANGE, Colour.GREEN), strict=True))
_BITS_C = 0.01
_THETA_BITS, _X_BITS = range(8, 27, 2), range(4, 17, 2)


def _blocked(scope: Scope) -> list[Study]:
    return [Study(Kind.BLOCKED, scope.quick, data) for data in scope.data]


def _draw_blocked(results: Results, scope: Scope) -> LabFigure:
    panels, table = [], []
    for study in _blocked(scope):
        rows = results.study(study)
        lines = []
        for m in INT_BITS:
            own = [row for row in rows if row["way"] == f"blocked, m = {m}"]
            x = tuple(float(row["block"]) for row in own)
            y = tuple(row["error"] for row in own)
            lines.append(LabSeries(f"blocked, m = {m}", x, y, _COLOURS[m]))
            held = [row for row in own if row["error"] is not None]
            smallest = min((row["error"] for row in held), default=None)
            table.append((study.data, f"blocked, m = {m}", len(own) - len(held), smallest))
        ours = [row for row in rows if row["way"] == "ours"]
        if ours:
            ends = (1.0, float(ours[0]["n"]))
            both = (ours[0]["error"],) * 2
            lines.append(LabSeries("ours", ends, both, Colour.BLACK, "dash", marks=False))
            table.append((study.data, "ours", 0, ours[0]["error"]))
        panels.append(
            LabPanel(study.data, "block b", "largest error of A", tuple(lines), y_log=True)
        )
    return LabFigure(
        "blocked",
        "The blocked product beside exact sums",
        "The largest error of an entry of A = Z^T X / n when blocks of b rows are multiplied in "
        "fixed point with m integer and 16 fractional bits, and of the protocol, which adds "
        "exactly and rounds once; a gap is an overflow.",
        "The blocked multiplication of section 4.2, which the paper describes without a figure.",
        tuple(panels),
        LabTable(("data", "way", "blocks that overflow", "smallest error"), tuple(table)),
    )


def _times(scope: Scope) -> list[Study]:
    return [Study(kind, scope.quick) for kind in (Kind.TRAINING_TIMES, Kind.CERTIFICATION_TIMES)]


def _draw_times(results: Results, scope: Scope) -> LabFigure:
    training, certification = _times(scope)
    trained = {
        row["workload"]: row
        for row in results.study(training)
        if row["constraint"] == Constraint.ACCEPTANCE_RATE.value
        and row["scope"] == ConstraintScope.WHOLE_SET.value
    }
    certified = {(row["workload"], row["criteria"]): row for row in results.study(certification)}
    rows = []
    for workload in timed_workloads(scope.quick):
        ours = trained.get(workload.name, {})
        covariance = certified.get((workload.name, CriterionName.COVARIANCE.value), {})
        rule = certified.get((workload.name, CriterionName.P_RULE.value), {})
        rows.append(
            (
                *(workload.name, workload.n, workload.d, workload.p),
                *(workload.paper_seconds, _rounded(ours.get("seconds_median"))),
                *(ours.get("steps"), _rounded(ours.get("ms_a_step"))),
                *(PAPER_CERTIFICATION_MS[workload.name], covariance.get("ms"), rule.get("ms")),
                ours.get("data"),
            )
        )
    columns = (
        *("data", "n", "d", "p", "training, paper, s", "training, ours, s", "steps, ours"),
        *("ms a step, ours", "certification, paper, ms", "covariance bound, ours, ms"),
        *("p%-rule, ours, ms", "rows"),
    )
    remarks = [
        "The paper's times are its online phase, on other machines, with the offline phase taken "
        "from another work; ours have both phases, two processes over TLS on this machine.",
        "The paper's certification compares abs(A theta) with c for an A that is shared already. "
        "Ours starts from the people's shares, and the p%-rule counts their decisions.",
    ]
    remarks += [results.why(study) for study in _times(scope) if not results.study(study)]
    if scope.quick:
        remarks.append("A quick run times 64 steps, not ten epochs.")
    return LabFigure(
        "times",
        "Times of training and certification",
        "How long the real protocol takes for ten epochs in batches of 64, and for one "
        "certification, beside what the paper reports.",
        "Table 1 of the paper.",
        table=LabTable(columns, tuple(rows)),
        remarks=tuple(remarks),
    )


def _rounded(value: float | None) -> float | None:
    return None if value is None else float(f"{value:.3g}")


def _bit_points(scope: Scope) -> list[Point]:
    found: list[Point] = []
    for data in scope.data:
        found.append(replace(our_point(scope, data, _BITS_C), numbers=Numbers.FLOAT))
        found += [*_with_theta_bits(scope, data), *_with_x_bits(scope, data)]
        found += _printed(scope, data)
    return found


def _with_theta_bits(scope: Scope, data: str) -> list[Point]:
    """Return our run with other numbers of bits of theta; every other number in a quick run."""
    point = our_point(scope, data, _BITS_C)
    bits = _THETA_BITS[:: 2 if scope.quick else 1]
    return [replace(point, theta_frac_bits=number) for number in bits]


def _with_x_bits(scope: Scope, data: str) -> list[Point]:
    point = our_point(scope, data, _BITS_C)
    bits = _X_BITS[:: 2 if scope.quick else 1]
    return [replace(point, x_frac_bits=number) for number in bits]


def _printed(scope: Scope, data: str) -> tuple[Point, Point]:
    """Return the paper's settings in floats, and with 16 bits on both sides of the point."""
    own = paper_point(scope, data, Method.LAGRANGE, _BITS_C, Sigmoid.CLAMP)
    return own, replace(own, numbers=Numbers.FIXED)


def _draw_bits(results: Results, scope: Scope) -> LabFigure:
    panels, table = [], []
    for data in scope.data:
        point = our_point(scope, data, _BITS_C)
        floating = results.row(replace(point, numbers=Numbers.FLOAT))
        kinds = (
            ("theta", _with_theta_bits(scope, data), Colour.BLUE),
            ("features", _with_x_bits(scope, data), Colour.ORANGE),
        )
        lines = []
        for name, points, colour in kinds:
            rows = [(point, results.row(point)) for point in points]
            bits = [p.theta_frac_bits if name == "theta" else p.x_frac_bits for p, _ in rows]
            errors = [_distance(row, floating) for _, row in rows]
            lines.append(LabSeries(name, tuple(map(float, bits)), tuple(errors), colour))
            price = _price(bits, [row["bytes_a_step"] if row else None for _, row in rows])
            own = THETA_FRAC_BITS if name == "theta" else X_FRAC_BITS
            kept = [(b, e) for b, e in zip(bits, errors, strict=True) if e is not None]
            least = min((b for b, e in kept if e <= _CLOSE), default=None)
            table.append((data, name, own, price, least))
        panels.append(
            LabPanel(
                data,
                "fractional bits",
                "largest difference of a coefficient",
                tuple(lines),
                x_log=False,
                y_log=True,
            )
        )
    columns = ("data", "bits of", "default", "bytes a step, for one more bit", "fewest within 0.01")
    return LabFigure(
        "bits",
        "What one more bit costs, and what it buys",
        f"How far coefficients are from the same run in float64 (c = {_BITS_C}) with fewer or more "
        "fractional bits of theta or of the features, and what a bit adds to the bytes of a step.",
        "Beyond the paper, which found 16 bits to be the fewest that work.",
        tuple(panels),
        LabTable(columns, tuple(table)),
        tuple(_printed_remarks(results, scope)),
    )


_CLOSE = 0.01


def _printed_remarks(results: Results, scope: Scope) -> list[str]:
    """Return what the paper's rate does in 16 fractional bits, in a sentence for each set."""
    found = []
    for data in scope.data:
        floating, printed = (results.row(point) for point in _printed(scope, data))
        if floating and printed:
            found.append(
                f"{data}, the paper's settings with numbers of 16 + 16 bits as printed: theta has "
                f"length {printed['length']:.3f} instead of {floating['length']:.3f}, accuracy "
                f"{100 * printed['accuracy']:.2f} instead of {100 * floating['accuracy']:.2f}: "
                "with a rate of 1e-4 (7 units of 2^-16) a mean gradient below 0.07 moves nothing."
            )
    return found


def _distance(row: dict[str, object] | None, other: dict[str, object] | None) -> float | None:
    if row is None or other is None:
        return None
    difference = np.array(row["theta"]) - np.array(other["theta"])
    return float(f"{np.abs(difference).max():.3g}")


def _price(bits: list[int], sizes: list[int | None]) -> float | None:
    """Return the median of what one more bit adds."""
    known = [(b, size) for b, size in zip(bits, sizes, strict=True) if size is not None]
    steps = [(s2 - s1) / (b2 - b1) for (b1, s1), (b2, s2) in pairwise(known)]
    return round(statistics.median(steps), 1) if steps else None


EXPERIMENTS = (
    Experiment("blocked", _blocked, _draw_blocked),
    Experiment("times", _times, _draw_times),
    Experiment("bits", _bit_points, _draw_bits),
)
