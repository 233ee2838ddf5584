"""A training that could overflow, or data outside what was agreed, is refused before it begins."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from mpc_engine.errors import UsageError
from mpc_engine.protocols.training.plaintext import train_plaintext
from mpc_engine.protocols.training.protocol import train_as_modeler, train_as_regulator
from mpc_engine.protocols.training.spec import Multiplier, Phase
from mpc_engine.roles import Role
from mpc_engine.testing.channel import memory_job_pair
from mpc_engine.testing.people import deal_records
from mpc_engine.testing.randomness import seeded_randomness
from tests.engine.protocols.running import job_context
from tests.engine.protocols.training_cases import (
    DEFAULT_RULE,
    Problem,
    random_problem,
)


@pytest.mark.parametrize(
    "changes",
    [
        {"row_bound": 1 << 34},
        {"phases": (Phase(4, 1 << 40, 1, 20),)},
        {"phases": (Phase(4, 1, 1 << 40, 20),)},
        {"phases": (Phase(4, 1, 1, 61),)},
        {"multiplier": Multiplier(1 << 55, 0, 1, may_fall=True, only_violated=True)},
        {"x_bound": 1 << 45},
        {"n_rows": 1 << 53, "x_bound": 1 << 12},
        {"theta_frac_bits": 52},
        {"theta_int_bits": 40},
        {"bounds": (1 << 62,)},
        {
            "multiplier": Multiplier(1 << 62, 0, 1, may_fall=True, only_violated=True),
            "phases": (Phase(4, 1, 0, 20),),
        },
        {
            "theta_frac_bits": 40,
            "n_averaged": 1 << 20,
            "phases": (Phase(1 << 22, 1, 1, 20),),
        },
    ],
    ids=lambda changes: "+".join(changes),
)
def test_a_run_that_could_overflow_is_refused_by_name(changes: dict[str, Any]) -> None:
    problem = random_problem(np.random.default_rng(3), 8, 2, (3,))
    problem.spec(Phase(4, 1, 1, 6))
    with pytest.raises(UsageError) as caught:
        problem.spec(**({"phases": (Phase(4, 1, 1, 6),)} | changes))
    assert caught.value.code == "TRAINING_RANGE"


def _wrong(problem: Problem, kind: str) -> tuple[Any, Any]:
    rows, labels = problem.rows.copy(), problem.labels.copy()
    if kind == "feature":
        rows[1, 1] = np.abs(problem.rows).max() + 1
    elif kind == "smallest integer":
        rows[1, 1] = np.iinfo(np.int64).min
    elif kind == "row":
        rows[1] = np.abs(problem.rows).max()
    elif kind == "label":
        labels[1] = 2
    else:
        rows = rows[:-1]
    return rows, labels


@pytest.mark.parametrize(
    ("kind", "code"),
    [
        ("feature", "ROW_OUT_OF_RANGE"),
        ("smallest integer", "ROW_OUT_OF_RANGE"),
        ("row", "ROW_OUT_OF_RANGE"),
        ("label", "LABEL_UNKNOWN"),
        ("rows missing", "UNUSABLE_INPUT"),
    ],
)
def test_data_outside_the_agreed_bounds_is_refused_before_anything_is_sent(
    kind: str, code: str
) -> None:
    problem = random_problem(np.random.default_rng(4), 8, 3, (3,))
    spec = problem.spec(Phase(4, 1, 1, 6))
    rows, labels = _wrong(problem, kind)
    modeler, _ = deal_records(problem.answers, None, seeded_randomness(1))
    sent: list[bytes] = []
    channel, _ = memory_job_pair(
        taps=(sent.append, None), beside_taps=(sent.append, None), timeout_s=1.0
    )
    with pytest.raises(UsageError) as caught:
        next(train_as_modeler(job_context(Role.MODELER, channel), [spec], modeler, rows, labels))
    assert caught.value.code == code
    assert not sent
    with pytest.raises(UsageError):
        train_plaintext(spec, rows, labels, problem.answers)


def test_another_cohort_is_refused_before_anything_is_sent() -> None:
    problem = random_problem(np.random.default_rng(4), 8, 3, (3,))
    spec = problem.spec(Phase(4, 1, 1, 6))
    modeler, regulator = deal_records(problem.answers[:-1], None, seeded_randomness(1))
    sent: list[bytes] = []
    for role in Role:
        channel, _ = memory_job_pair(
            taps=(sent.append, None), beside_taps=(sent.append, None), timeout_s=1.0
        )
        ctx = job_context(role, channel)
        with pytest.raises(UsageError):
            if role is Role.MODELER:
                next(train_as_modeler(ctx, [spec], modeler, problem.rows, problem.labels))
            else:
                next(train_as_regulator(ctx, [spec], regulator))
    assert not sent


def test_constraints_and_bounds_must_match() -> None:
    problem = random_problem(np.random.default_rng(4), 8, 2, (4, 3))
    with pytest.raises(UsageError) as caught:
        problem.spec(Phase(4, 1, 1, 6), bounds=(1, 1, 1))
    assert caught.value.code == "CONSTRAINT_COUNT"
    assert problem.spec(Phase(4, 1, 1, 6)).multiplier is DEFAULT_RULE
