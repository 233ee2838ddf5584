"""Constraints on rates that depend on outcomes: the secure run is its oracle's, bit for bit."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from mpc_engine.errors import UsageError
from mpc_engine.protocols.training.circuits import matrix_circuit
from mpc_engine.protocols.training.plaintext import constraint_matrix, train_plaintext
from mpc_engine.protocols.training.protocol import train_as_modeler
from mpc_engine.protocols.training.row_sets import RowSet, row_sets_of
from mpc_engine.protocols.training.spec import Phase, TrainingSpec
from mpc_engine.roles import Role
from mpc_engine.testing.channel import memory_job_pair
from mpc_engine.testing.people import deal_records, one_hot
from mpc_engine.testing.randomness import seeded_randomness
from mpc_engine.vocabulary.constraints import Constraint
from tests.engine.protocols.running import job_context
from tests.engine.protocols.training_cases import (
    Problem,
    exact_training,
    random_problem,
    real_problem,
    sizes_sent,
    sweep,
    train,
)

OUTCOME_CONSTRAINTS = [c for c in Constraint if c is not Constraint.ACCEPTANCE_RATE]
_SIGNAL_BITS = 16


def _case(seed: int, constraint: Constraint) -> tuple[TrainingSpec, Problem]:
    rng = np.random.default_rng(seed)
    entry_counts = [(3,), (4,), (3, 4), (6, 3)][seed % 4]
    n, x_frac_bits = int(rng.integers(8, 40)), int(rng.integers(4, 13))
    problem = random_problem(rng, n, int(rng.integers(1, 5)), entry_counts, x_frac_bits)
    fewest = min(int(problem.labels.sum()), int((1 - problem.labels).sum()))
    spec = problem.spec(
        Phase(9, 1, 48, max(1, x_frac_bits - 6)),
        Phase(4, 3, 1, max(2, x_frac_bits - 5)),
        batch=int(rng.choice([4, 16])),
        x_frac_bits=x_frac_bits,
        c=int(rng.choice([0, 65, 6554])),
        row_sets=row_sets_of(constraint),
        minimum_answers=int(rng.integers(1, fewest + 1)),
    )
    return spec, problem


@pytest.mark.slow
@pytest.mark.parametrize("constraint", OUTCOME_CONSTRAINTS)
@pytest.mark.parametrize("seed", range(8))
def test_random_runs_equal_the_oracle_and_exact_integers(seed: int, constraint: Constraint) -> None:
    spec, problem = _case(seed, constraint)
    exact = exact_training(spec, problem)
    oracle = train_plaintext(spec, problem.rows, problem.labels, problem.answers)
    assert oracle.theta.tolist() == exact.theta
    assert oracle.multipliers.tolist() == exact.multipliers
    assert train(spec, problem).tolist() == exact.theta


def test_the_random_runs_hold_every_kind() -> None:
    cases = [_case(seed, c) for seed in range(8) for c in OUTCOME_CONSTRAINTS]
    matrices = [constraint_matrix(s, p.rows, p.labels, p.answers) for s, p in cases]
    conditional = [m for (s, _), m in zip(cases, matrices, strict=True) if s.has_conditional_sets]
    assert any((m == 0).all(axis=1).any() for m in conditional), "no set had too few answers"
    assert any(m.any() for m in conditional)
    assert any(spec.minimum_answers == 1 for spec, _ in cases)
    ordinary = [train(replace(s, **_ordinary(s)), p).tolist() for s, p in cases[:4]]
    assert all(train(s, p).tolist() != o for (s, p), o in zip(cases[:4], ordinary, strict=True))


def _ordinary(spec: TrainingSpec) -> dict[str, Any]:
    return {
        "row_sets": (RowSet.ALL,),
        "bounds": spec.bounds[: len(spec.constrained_entries)],
    }


@pytest.mark.slow
@pytest.mark.parametrize("constraint", OUTCOME_CONSTRAINTS)
@pytest.mark.parametrize("name", ["german", "compas"])
def test_real_data_equal_the_oracle(name: str, constraint: Constraint) -> None:
    problem = real_problem(name)
    c = 65
    spec = problem.spec(
        Phase(100, 1, 64, 8),
        Phase(100, 1, 64, 9),
        batch=64,
        c=c,
        n_averaged=4,
        row_sets=row_sets_of(constraint),
        minimum_answers=100,
    )
    oracle = train_plaintext(spec, problem.rows, problem.labels, problem.answers)
    pulls = oracle.pull.reshape(len(spec.row_sets), -1)
    assert pulls.any(axis=1).all(), "every set has to pull at some step"
    assert train(spec, problem).tolist() == oracle.theta.tolist()


def test_every_point_of_a_sweep_equals_its_own_oracle() -> None:
    spec, problem = _case(2, Constraint.EQUALISED_ODDS)
    points = [replace(spec, bounds=(c,) * len(spec.bounds)) for c in (0, 6554, 65)]
    exact = [exact_training(point, problem).theta for point in points]
    assert [theta.tolist() for theta in sweep(points, problem)] == exact


@pytest.mark.parametrize("row_set", RowSet)
def test_a_is_the_covariance_of_answer_and_score_over_its_rows(row_set: RowSet) -> None:
    """By numpy's own covariance, over people who all answered."""
    rng = np.random.default_rng(3)
    problem = random_problem(rng, 200, 4, (3,), 12)
    said = (problem.rows[:, 1] + rng.normal(size=200) * 4096 > 0).astype(np.int64)
    problem = replace(problem, choices=said[:, None])
    spec = problem.spec(Phase(4, 1, 1, 6), x_frac_bits=12, row_sets=(row_set,))
    matrix = constraint_matrix(spec, problem.rows, problem.labels, problem.answers)
    theta = rng.normal(size=4)
    outcomes = problem.labels.astype(bool)
    chosen = {RowSet.POSITIVE: outcomes, RowSet.NEGATIVE: ~outcomes}.get(row_set, outcomes | True)
    scores = problem.rows / 2.0**12 @ theta
    if row_set is RowSet.SIGNED:
        scores = np.where(outcomes, scores, -scores)
    expected = np.cov(problem.answers[chosen, 0], scores[chosen], bias=True)[0, 1]
    assert abs(matrix[0] @ theta / 2.0**12 - expected) < 0.1 * abs(expected)


def _sent(spec: TrainingSpec, problem: Problem) -> dict[Role, list[int]]:
    return {role: sorted(sizes) for role, sizes in sizes_sent([spec], problem).items()}


@pytest.mark.parametrize("constraint", [Constraint.TRUE_POSITIVE_RATE, Constraint.EQUALISED_ODDS])
def test_what_is_sent_does_not_depend_on_how_many_have_an_outcome(constraint: Constraint) -> None:
    problem = random_problem(np.random.default_rng(1), 20, 3, (3,))
    spec = problem.spec(Phase(4, 1, 48, 6), row_sets=row_sets_of(constraint), minimum_answers=2)
    few, many = ((np.arange(20) < n).astype(np.uint8) for n in (2, 18))
    assert _sent(spec, replace(problem, labels=few)) == _sent(spec, replace(problem, labels=many))


@pytest.mark.parametrize("constraint", OUTCOME_CONSTRAINTS)
@pytest.mark.parametrize("outcome", [0, 1])
def test_an_outcome_of_too_few_people_is_refused_before_anything_is_sent(
    constraint: Constraint, outcome: int
) -> None:
    """Also one that is not constrained: beside an ordinary model it would tell of the few."""
    problem = random_problem(np.random.default_rng(4), 12, 3, (3,))
    spec = problem.spec(Phase(4, 1, 1, 6), row_sets=row_sets_of(constraint), minimum_answers=3)
    labels = np.array([outcome] * 2 + [1 - outcome] * 10, np.uint8)
    modeler, _ = deal_records(problem.answers, None, seeded_randomness(1))
    sent: list[bytes] = []
    channel, _ = memory_job_pair(
        taps=(sent.append, None), beside_taps=(sent.append, None), timeout_s=1.0
    )
    run = train_as_modeler(
        job_context(Role.MODELER, channel), [spec], modeler, problem.rows, labels
    )
    with pytest.raises(UsageError) as caught:
        next(run)
    assert caught.value.code == "TRAINING_TOO_FEW_OUTCOMES"
    assert not sent
    with pytest.raises(UsageError):
        train_plaintext(spec, problem.rows, labels, problem.answers)


@pytest.mark.parametrize(("minimum", "constrains"), [(1, True), (4, True), (5, False)])
def test_an_attribute_that_too_few_of_a_set_answered_is_left_alone(
    minimum: int, constrains: bool
) -> None:
    """Six have the outcome, four of them answer; those without it who answer do not count."""
    problem = random_problem(np.random.default_rng(4), 12, 3, (3,))
    problem = replace(
        problem,
        labels=np.array([1] * 6 + [0] * 6, np.uint8),
        choices=np.array([[0], [1], [0], [1], [2], [2], *[[0], [1]] * 3]),
    )
    spec = problem.spec(
        Phase(12, 1, 64, 6), c=0, row_sets=(RowSet.POSITIVE,), minimum_answers=minimum
    )
    matrix = constraint_matrix(spec, problem.rows, problem.labels, problem.answers)
    assert matrix.any() == constrains
    exact = exact_training(spec, problem)
    assert train(spec, problem).tolist() == exact.theta
    assert any(exact.multipliers) == constrains


def test_one_person_moves_a_constraint_by_no_more_than_the_fewest_allow() -> None:
    """An entry of A changes by at most 2 x_bound / n' with one answer, n' of the set."""
    rng = np.random.default_rng(6)
    for n_members in (2, 3, 8, 30):
        problem = random_problem(rng, 30, 4, (3,), 12)
        labels = (np.arange(30) < n_members).astype(np.uint8)
        spec = problem.spec(
            Phase(4, 1, 1, 6),
            x_frac_bits=12,
            row_sets=(RowSet.POSITIVE,),
            minimum_answers=n_members,
        )
        choices = rng.integers(0, 2, (30, 1))
        one, other = choices.copy(), choices.copy()
        one[0], other[0] = 0, 1
        first, second = (
            constraint_matrix(spec, problem.rows, labels, one_hot(each, (3,)))
            for each in (one, other)
        )
        assert np.abs(first - second).max() <= 2 * spec.x_bound / n_members + 1
        assert (first != second).any()


def test_the_circuit_of_the_acceptance_rate_has_no_secret_factor() -> None:
    problem = random_problem(np.random.default_rng(1), 20, 3, (3,))
    spec = problem.spec(Phase(4, 1, 48, 6), row_sets=row_sets_of(Constraint.EQUALISED_ODDS))
    ordinary = matrix_circuit(replace(spec, **_ordinary(spec)), 0, RowSet.ALL)
    conditional = matrix_circuit(spec, 0, RowSet.NEGATIVE)
    assert conditional.n_inputs - ordinary.n_inputs == spec.factor_bits
    assert conditional.n_ands > ordinary.n_ands


@pytest.mark.parametrize(
    "changes",
    [
        {"row_sets": ()},
        {"row_sets": (RowSet.ALL, RowSet.ALL)},
        {"minimum_answers": 0},
        {"minimum_answers": 9},
    ],
)
def test_a_run_about_no_rows_is_refused(changes: dict[str, Any]) -> None:
    problem = random_problem(np.random.default_rng(4), 8, 2, (3,))
    with pytest.raises(UsageError):
        problem.spec(Phase(4, 1, 1, 6), **changes)
