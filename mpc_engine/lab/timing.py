"""Times of the real protocol, from the benchmarks' own command line.

Both parties run as two processes over TLS and every result is compared with the oracle's; see
``docs/benchmarks.md``. The benchmarks are no part of the product: they are started, not imported.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from mpc_engine.lab.data_sets import WORKLOADS, Workload
from mpc_engine.lab.failures import Failure, RunFailed
from mpc_engine.vocabulary.constraints import Constraint, ConstraintScope
from mpc_engine.vocabulary.criteria import CriterionName

Row = dict[str, Any]
PAPER_CERTIFICATION_MS = {"Adult": 802, "Bank": 827, "COMPAS": 288, "German": 250, "SQF": 765}
_ROOT = Path(__file__).resolve().parents[2]
_SMALL = ("COMPAS", "German")


def timed_workloads(quick: bool) -> tuple[Workload, ...]:
    """Return the columns of the paper's table that are timed."""
    return tuple(each for each in WORKLOADS if not quick or each.name in _SMALL)


def constrained_workloads() -> tuple[Workload, ...]:
    """Return those that are trained under every constraint."""
    return timed_workloads(quick=True)


def time_training(quick: bool, folder: Path) -> list[Row]:
    """Return the benchmark's rows of ten epochs each; of 64 steps in a quick run.

    The small sets have a row for every constraint and scope, one after the other in one run, the
    others that of acceptance rates over the whole set. RunFailed where the benchmarks cannot be
    started.
    """
    options = ["--data", str(folder), "--repeats", "1", *(["--quick"] if quick else [])]
    small = constrained_workloads()
    large = [each for each in timed_workloads(quick) if each not in small]
    every = ["--constraints", *(constraint.value for constraint in Constraint)]
    every += ["--scopes", *(scope.value for scope in ConstraintScope)]
    found = _benchmark("training", [*options, *every, "--workloads", *map(_named, small)])
    if large:
        found += _benchmark("training", [*options, "--workloads", *map(_named, large)])
    return found


def time_certification(quick: bool) -> list[Row]:
    """Return rows of certifying as many people by the covariance bound, and by the p%-rule.

    A quick run leaves the p%-rule out. RunFailed as `time_training`.
    """
    found = []
    for workload in timed_workloads(quick):
        options = ["--people", str(workload.n), "--features", str(workload.d - 1)]
        criteria = [CriterionName.COVARIANCE, *([] if quick else [CriterionName.P_RULE])]
        options += ["--repeats", "1", "--criteria", *(name.value for name in criteria)]
        rows = _benchmark("certification", options)
        alone = [row for row in rows if row["groups"] == 2 and "+" not in row["criteria"]]
        found += [{"workload": workload.name, **row} for row in alone]
    return found


def _named(workload: Workload) -> str:
    return workload.name.lower()


def _benchmark(name: str, options: list[str]) -> list[Row]:
    with tempfile.TemporaryDirectory() as folder:
        answer = Path(folder) / "answer.json"
        command = [sys.executable, "-m", "tools.bench", name, "--json", str(answer), *options]
        done = subprocess.run(command, cwd=_ROOT, capture_output=True, text=True, check=False)
        if done.returncode or not answer.exists():
            last = (done.stderr.strip().splitlines() or ["it said nothing"])[-1]
            raise RunFailed(Failure.NOT_AVAILABLE, f"The benchmark {name} did not run: {last}")
        rows: list[Row] = json.loads(answer.read_text("utf-8"))["rows"]
        return rows
