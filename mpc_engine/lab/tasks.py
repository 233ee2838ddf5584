"""What the lab computes: points, and studies of another kind."""

from __future__ import annotations

import time
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

from mpc_engine.lab.blocked import compare
from mpc_engine.lab.failures import RunFailed
from mpc_engine.lab.fitting import run_point
from mpc_engine.lab.points import Method, Numbers, Point
from mpc_engine.lab.splits import split_of
from mpc_engine.lab.timing import time_certification, time_training

Row = dict[str, Any]


class Kind(StrEnum):
    """Studies that are no single run."""

    BLOCKED = "blocked"
    TRAINING_TIMES = "training times"
    CERTIFICATION_TIMES = "certification times"


@dataclass(frozen=True)
class Study:
    """A study; ``data`` is empty where it takes all sets."""

    kind: Kind
    quick: bool
    data: str = ""

    @property
    def key(self) -> str:
        """Return a text that no other task has."""
        return f"study={self.kind.value}|quick={self.quick}|data={self.data}"

    @property
    def alone(self) -> bool:
        """Return whether nothing else may run, because it is timed."""
        return self.kind is not Kind.BLOCKED


Task = Point | Study
_SECONDS = {"Bank": 3.0, "SQF": 3.0, "Adult": 2.0, "COMPAS": 1.5, "German": 1.0, "Synthetic": 1.0}
_SLOW_METHODS = {Method.PROJECTION: 4.0, Method.BARRIER: 1.5, Method.PROJECTED: 1.5}


def weight_of(task: Task) -> float:
    """Return how long a task takes beside others, to begin with the longest."""
    if isinstance(task, Study):
        return 100.0
    slow = 2.0 if task.numbers is not Numbers.FLOAT else 1.0
    return _SECONDS.get(task.data, 1.0) * _SLOW_METHODS.get(task.method, 1.0) * slow


def carry_out(task: Task, folder: Path) -> Row:
    """Return what a task found; where it failed, why."""
    if isinstance(task, Point):
        return run_point(task, folder)
    began = time.perf_counter()
    row: Row = {"study": task.kind.value, "data": task.data, "failure": None, "why": "", "rows": []}
    try:
        row["rows"] = _rows(task, folder)
    except RunFailed as failed:
        row |= {"failure": failed.kind.value, "why": str(failed)}
    return row | {"seconds": round(time.perf_counter() - began, 3)}


def _rows(study: Study, folder: Path) -> list[Row]:
    if study.kind is Kind.TRAINING_TIMES:
        return time_training(study.quick, folder)
    if study.kind is Kind.CERTIFICATION_TIMES:
        return time_certification(study.quick)
    split = split_of(study.data, folder)
    return compare(split) if split else []
