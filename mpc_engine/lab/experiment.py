"""An experiment: what it needs computed, and the figure it draws from the results."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from mpc_engine.control.files.lab_report import LabFigure
from mpc_engine.lab.points import Method, Numbers, Point
from mpc_engine.lab.problems import Whitening
from mpc_engine.lab.results import Results
from mpc_engine.lab.scope import Scope
from mpc_engine.lab.sigmoids import Sigmoid
from mpc_engine.lab.tasks import Task
from mpc_engine.protocols.training.hyperparameters import Preset


@dataclass(frozen=True)
class Experiment:
    """``tasks`` of a scope, and the figure that ``draw`` makes of their results."""

    name: str
    tasks: Callable[[Scope], Sequence[Task]]
    draw: Callable[[Results, Scope], LabFigure]


def paper_point(
    scope: Scope,
    data: str,
    method: Method,
    c: float,
    sigmoid: Sigmoid = Sigmoid.EXACT,
    numbers: Numbers = Numbers.FLOAT,
) -> Point:
    """Return a run with the paper's settings: its rates, its weights, plain whitening."""
    return Point(data, method, c, sigmoid, numbers, n_steps=scope.n_steps)


def our_point(scope: Scope, data: str, c: float, only: int | None = None) -> Point:
    """Return a run with the product's settings, in the integers of the secure run."""
    return Point(
        data,
        Method.LAGRANGE,
        c,
        Sigmoid.CLAMP,
        Numbers.ORACLE,
        Preset.RECOMMENDED,
        Whitening.OURS,
        scope.our_steps(data),
        only=only,
    )


def baseline(data: str, c: float) -> Point:
    """Return the run of SLSQP."""
    return Point(data, Method.SLSQP, c)


def unconstrained(data: str) -> Point:
    """Return logistic regression without a constraint."""
    return Point(data, Method.UNCONSTRAINED)


def shown_group(data: str) -> int:
    """Return the constraint that figures show: COMPAS has seven, and its largest race is shown."""
    return 1 if data == "COMPAS" else 0
