"""What a model does: right decisions, and decisions by group, on training and test rows."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from mpc_engine.lab.problems import Problem

Reals = NDArray[np.float64]
Row = dict[str, Any]


def measured(problem: Problem, theta: Reals) -> Row:
    """Return everything that figures and claims need of a model theta float (d,).

    ``groups``: for each constraint what the people in the group and the others get, on test rows;
    p% is None where nobody is accepted. Shares are of 1.
    """
    scores = problem.scaled @ theta
    decided = scores >= 0
    right = decided == problem.split.targets.astype(bool)
    n = problem.n
    values = np.abs(problem.matrix @ theta)
    return {
        "accuracy": _share(right[n:]),
        "training_accuracy": _share(right[:n]),
        "positive": _share(decided[n:]),
        "majority": _majority(problem.split.targets[n:]),
        "abs_a_theta": float(values.max()),
        "length": float(np.linalg.norm(theta)),
        "loss": _loss(problem, scores),
        "groups": [
            _by_group(decided[n:], problem.split.targets[n:], member)
            for member in problem.groups[n:].T.astype(bool)
        ],
        "training_p_percent": [
            p_percent(_share(decided[:n][member]), _share(decided[:n][~member]))
            for member in problem.groups[:n].T.astype(bool)
        ],
    }


def p_percent(inside: float | None, outside: float | None) -> float | None:
    """Return the smaller of both shares over the larger one, in percent; None for 0 / 0."""
    if inside is None or outside is None or not max(inside, outside):
        return None
    return 100.0 * min(inside, outside) / max(inside, outside)


def _by_group(
    decided: NDArray[np.bool_], targets: NDArray[np.uint8], member: NDArray[np.bool_]
) -> Row:
    positive = targets.astype(bool)
    rates = {
        "positive": [_share(decided[each]) for each in (member, ~member)],
        "true_positive": [_share(decided[each & positive]) for each in (member, ~member)],
        "true_negative": [_share(~decided[each & ~positive]) for each in (member, ~member)],
        "accuracy": [_share((decided == positive)[each]) for each in (member, ~member)],
    }
    return {"n": int(member.sum()), **rates, "p_percent": p_percent(*rates["positive"])}


def _share(values: NDArray[np.bool_]) -> float | None:
    return float(values.mean()) if len(values) else None


def _majority(targets: NDArray[np.uint8]) -> float:
    """Return the accuracy of the better of two decisions for everybody."""
    positive = float(targets.mean())
    return max(positive, 1.0 - positive)


def _loss(problem: Problem, scores: Reals) -> float:
    """Return the mean logistic loss on the training rows."""
    margins = (problem.targets * 2.0 - 1.0) * scores[: problem.n]
    return float(np.logaddexp(0.0, -margins).mean())
