"""A report of the lab as its file has it, small and made up."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from mpc_engine.control.files.lab_report import (
    FORMAT,
    Colour,
    LabFigure,
    LabPanel,
    LabSeries,
    LabTable,
)

BOUNDS = (1e-4, 1e-2, 1.0)


def lab_report(**changed: Any) -> dict[str, Any]:
    """Return a report with two figures, a claim of each kind but one, and a failed run."""
    return {
        "format": FORMAT,
        "title": "The lab: the experiments of Blind Justice, reproduced",
        "intro": ["Every experiment again.", "38 results, 1 of them a failed run."],
        "made": {
            "format": FORMAT,
            "commit": "0123abcd",
            "versions": {"numpy": "2.4.6", "scipy": "1.17.1"},
            "split_seed": 42,
            "order_seeds": ["00" * 16, "11" * 16],
            "quick": True,
        },
        "absent": ["SQF was left out: there is no file of it."],
        "claims": [
            _claim("as-accurate", "holds with our settings only"),
            _claim("barrier-fails", "holds"),
            _claim("blocks", "does not hold", figure="sizes"),
        ],
        "failures": [
            {
                "kind": "outside",
                "explanation": "A step left the inside.",
                "runs": 1,
                "where": "German barrier float 1",
            }
        ],
        "figures": [figure.fields() for figure in (_accuracy(), _sizes())],
        "points": [{"data": "German", "theta": [0.5]}],
        **changed,
    }


def write_lab_report(folder: Path, **changed: Any) -> Path:
    """Write a report into a folder as the lab does, and return the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "report.json").write_text(json.dumps(lab_report(**changed)), encoding="utf-8")
    return folder


def _claim(name: str, verdict: str, figure: str = "accuracy") -> dict[str, str]:
    return {
        "name": name,
        "text": f"The claim {name}.",
        "figure": figure,
        "verdict": verdict,
        "evidence": "Worst -4.50 points (German, c = 0.01).",
    }


def _accuracy() -> LabFigure:
    lines = (
        LabSeries("Lagrange, clamp", BOUNDS, (62.5, 70.25, 75.0), Colour.GREEN),
        LabSeries("log barrier, clamp", BOUNDS, (None, 69.5, 74.5), Colour.BLUE, "dash"),
        LabSeries("unconstrained", (1e-4, 1.0), (75.5, 75.5), Colour.BLACK, "dot", marks=False),
    )
    by_p = (LabSeries("SLSQP", (0.0, 81.5), (0.0, 72.0), Colour.GREY, "dashdot"),)
    return LabFigure(
        "accuracy",
        "Accuracy of three methods against c",
        "How many test rows each method decides rightly under each bound c.",
        "Figure 3 of the paper.",
        (
            LabPanel("German", "c", "right on test rows, %", lines),
            LabPanel("German, by p%", "p%", "right on test rows, %", by_p, x_log=False),
        ),
        remarks=("A gap is a run that failed.",),
    )


def _sizes() -> LabFigure:
    table = LabTable(("data", "people", "rate"), (("German", 412, 0.79369), ("COMPAS", 18, None)))
    return LabFigure(
        "sizes", "Sizes of groups", "Who stands behind a rate.", "Beyond.", table=table
    )
