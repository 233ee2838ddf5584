"""Made-up results of a small scope, so that figures and claims can be tried without training."""

from __future__ import annotations

from itertools import product
from typing import Any

from mpc_engine.lab.catalogue import EXPERIMENTS
from mpc_engine.lab.points import Method, Numbers, Point
from mpc_engine.lab.scope import Scope
from mpc_engine.lab.tasks import Kind, Study, Task
from mpc_engine.vocabulary.constraints import Constraint, ConstraintScope

Row = dict[str, Any]
SCOPE = Scope(("Synthetic", "COMPAS", "German"), ("SQF",), (1e-4, 1e-2, 1.0), 1_000, quick=True)
_N_GROUPS = {"COMPAS": 7}


def model_row(point: Point, accuracy: float = 0.7, inside: float = 0.4, **more: object) -> Row:
    """Return what a point might find: 0.5 of the others are accepted."""
    group = {
        "n": 100,
        "positive": [inside, 0.5],
        "true_positive": [0.6, 0.7],
        "true_negative": [0.8, 0.7],
        "accuracy": [accuracy, accuracy],
        "p_percent": 100 * min(inside, 0.5) / max(inside, 0.5),
    }
    row = {
        **point.fields(),
        "failure": None,
        "why": "",
        "seconds": 1.0,
        "accuracy": accuracy,
        "training_accuracy": accuracy,
        "positive": 0.45,
        "majority": 0.6,
        "abs_a_theta": 0.001,
        "length": 1.0,
        "loss": 0.5,
        "groups": [group] * _N_GROUPS.get(point.data, 1),
        "training_p_percent": [80.0],
        "theta": [0.1, 0.2],
        "bytes_a_step": 1000 + 10 * point.theta_frac_bits,
        "bytes_of_covariances": 100_000,
    }
    return row | more


def failed_row(point: Point, kind: str = "outside") -> Row:
    """Return the row of a point that gave no model."""
    return {**point.fields(), "failure": kind, "why": "It left.", "seconds": 0.1}


def study_row(study: Study) -> Row:
    """Return what a study might find."""
    rows: list[Row]
    if study.kind is Kind.BLOCKED:
        rows = [
            {"way": f"blocked, m = {m}", "block": b, "error": error, "n": 4}
            for m in (16, 12, 8)
            for b, error in ((1, 1e-5), (4, None if m == 8 else 2e-5))
        ]
        rows.append({"way": "ours", "block": None, "error": 1e-4, "n": 4})
    elif study.kind is Kind.TRAINING_TIMES:
        rows = [
            {
                "workload": "COMPAS",
                "constraint": constraint.value,
                "scope": scope.value,
                "p": 7,
                "seconds_median": 1.4 * times,
                "steps": 640,
                "ms_a_step": 2.3 * times,
                "bytes": 1000 * times,
                "paper_seconds": 420,
                "data": "real",
            }
            for times, (constraint, scope) in enumerate(product(Constraint, ConstraintScope), 1)
        ]
    else:
        rows = [{"workload": "COMPAS", "criteria": "covariance", "ms": 90.0}]
    return {
        "study": study.kind.value,
        "data": study.data,
        "failure": None,
        "why": "",
        "rows": rows,
        "seconds": 1.0,
    }


def all_tasks(scope: Scope = SCOPE) -> dict[str, Task]:
    """Return every task of every experiment, by key."""
    return {task.key: task for each in EXPERIMENTS.values() for task in each.tasks(scope)}


def all_rows(scope: Scope = SCOPE) -> dict[str, Row]:
    """Return a row for every task: the barrier fails where c is smallest."""
    return {key: _row(task, scope) for key, task in all_tasks(scope).items()}


def _row(task: Task, scope: Scope) -> Row:
    if isinstance(task, Study):
        return study_row(task)
    if task.method is Method.BARRIER and task.c == scope.constraints[0]:
        return failed_row(task)
    wide = task.numbers is Numbers.FLOAT
    return model_row(task, theta=[0.1, 0.2 if wide else 0.2001])
