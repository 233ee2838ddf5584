"""From results to files: the page, the figures, and everything as JSON."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from mpc_engine.control.files.lab_report import FORMAT, FailedRuns
from mpc_engine.lab.claims import judged
from mpc_engine.lab.experiment import Experiment
from mpc_engine.lab.failures import EXPLANATIONS, Failure
from mpc_engine.lab.page import page
from mpc_engine.lab.pictures import draw_pictures
from mpc_engine.lab.provenance import machine
from mpc_engine.lab.results import Results
from mpc_engine.lab.scope import Scope
from mpc_engine.lab.splits import absence

Row = dict[str, Any]
TITLE = "The lab: the experiments of Blind Justice, reproduced"


def write_report(
    rows: dict[str, Row],
    experiments: Sequence[Experiment],
    scope: Scope,
    made: Row,
    data: Path,
    out: Path,
) -> list[Path]:
    """Write ``report.html`` and ``report.json`` into ``out``; return both paths.

    ``rows``: of these experiments' tasks, by key. ``made``: under what they were made.
    """
    results = Results(rows)
    figures = [experiment.draw(results, scope) for experiment in experiments]
    claims = judged(results, scope)
    failures = failed_runs(results)
    absent = [absence(name, data) for name in scope.absent]
    here = {**made, **machine(), "quick": scope.quick, "steps": scope.n_steps}
    intro = [
        "Every experiment of sections 4 and 5 and of the appendix of Kilbertus et al. (2018), "
        "computed again, and findings beyond them.",
        *(
            ["A quick run: few sets, few bounds, few steps; its verdicts are a first look."]
            if scope.quick
            else []
        ),
        f"{len(rows)} results, {len(results.failures())} of them failed runs.",
        *absent,
    ]
    content = {
        "format": FORMAT,
        "title": TITLE,
        "intro": intro,
        "made": here,
        "absent": absent,
        "claims": [claim.fields() for claim in claims],
        "figures": [figure.fields() for figure in figures],
        "failures": [failed.fields() for failed in failures],
        "points": list(rows.values()),
    }
    written = [out / "report.html", out / "report.json"]
    written[0].write_text(page(TITLE, intro, claims, figures, failures, here), "utf-8")
    written[1].write_text(json.dumps(content, indent=1) + "\n", "utf-8")
    return written


def write_pictures(
    rows: dict[str, Row], experiments: Sequence[Experiment], scope: Scope, out: Path
) -> list[Path]:
    """Write the pictures of the figures into ``out``; return their paths."""
    results = Results(rows)
    figures = (experiment.draw(results, scope) for experiment in experiments)
    return [path for figure in figures for path in draw_pictures(figure, out)]


def failed_runs(results: Results) -> list[FailedRuns]:
    """Return, for each kind of failure, what it is, how many runs and which."""
    found = results.failures()
    return [
        FailedRuns(
            kind=kind.value,
            explanation=EXPLANATIONS[kind],
            runs=sum(row["failure"] == kind for row in found),
            where=", ".join(
                f"{name} {count}"
                for name, count in Counter(
                    _place(row) for row in found if row["failure"] == kind
                ).most_common()
            ),
        )
        for kind in Failure
        if any(row["failure"] == kind for row in found)
    ]


def _place(row: Row) -> str:
    if "study" in row:
        return str(row["study"])
    return f"{row['data']} {row['method']} {row['numbers']}"
