"""Constraints over a step's own rows: the secure run is its oracle's, bit for bit."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from mpc_engine.errors import UsageError
from mpc_engine.ot.base_ot import OFFER_BYTES
from mpc_engine.protocols.training.cost import block_bytes, matrix_bytes, step_bytes
from mpc_engine.protocols.training.order import batches
from mpc_engine.protocols.training.plaintext import constraint_matrix, train_plaintext
from mpc_engine.protocols.training.row_sets import RowSet, row_sets_of
from mpc_engine.protocols.training.spec import Phase, TrainingSpec
from mpc_engine.roles import Role
from mpc_engine.vocabulary.constraints import Constraint, ConstraintScope
from tests.engine.protocols.training_cases import (
    Problem,
    exact_training,
    random_problem,
    real_problem,
    run_with_checkpoints,
    sizes_sent,
    sweep,
    train,
)

_MINIBATCH: dict[str, Any] = {"scope": ConstraintScope.MINIBATCH}


def _case(seed: int, constraint: Constraint) -> tuple[TrainingSpec, Problem]:
    """Batches smaller and larger than the cohort, with few or none of a set and of a group."""
    rng = np.random.default_rng(seed)
    entry_counts = [(3,), (4,), (3, 4), (6, 3)][seed % 4]
    n, x_frac_bits = int(rng.integers(8, 40)), int(rng.integers(4, 13))
    problem = random_problem(rng, n, int(rng.integers(1, 5)), entry_counts, x_frac_bits)
    fewest = min(int(problem.labels.sum()), int((1 - problem.labels).sum()))
    spec = problem.spec(
        Phase(14, 1, 48, max(1, x_frac_bits - 6)),
        Phase(5, 3, 1, max(2, x_frac_bits - 5)),
        batch=1 if seed == 7 else int(rng.choice([2, 4, 16, 64])),
        x_frac_bits=x_frac_bits,
        c=int(rng.choice([0, 65, 6554])),
        row_sets=row_sets_of(constraint),
        minimum_answers=int(rng.choice([1, (fewest + 1) // 2, fewest])),
        **_MINIBATCH,
    )
    return spec, problem


@pytest.mark.slow
@pytest.mark.parametrize("constraint", Constraint)
@pytest.mark.parametrize("seed", range(8))
def test_random_runs_equal_the_oracle_and_exact_integers(seed: int, constraint: Constraint) -> None:
    spec, problem = _case(seed, constraint)
    exact = exact_training(spec, problem)
    oracle = train_plaintext(spec, problem.rows, problem.labels, problem.answers)
    assert oracle.theta.tolist() == exact.theta
    assert oracle.multipliers.tolist() == exact.multipliers
    assert train(spec, problem).tolist() == exact.theta


def test_the_random_runs_hold_every_kind() -> None:
    cases = [_case(seed, constraint) for seed in range(8) for constraint in Constraint]
    conditional = [(spec, problem) for spec, problem in cases if spec.has_conditional_sets]
    floors = [_unfloored(spec, problem) for spec, problem in conditional]
    assert any(floors), "no set had too few answers"
    assert not all(floors)
    counts = [n for spec, problem in conditional for n in _positive(spec, problem)]
    assert 0 in counts, "no batch was without a set"
    assert {spec.batch_size > spec.n_rows for spec, _ in cases} == {True, False}
    wholes = [replace(spec, scope=ConstraintScope.WHOLE_SET) for spec, _ in cases[:8]]
    others = [train(spec, p).tolist() for spec, (_, p) in zip(wholes, cases, strict=False)]
    assert any(train(spec, p).tolist() != o for (spec, p), o in zip(cases, others, strict=False))


def _unfloored(spec: TrainingSpec, problem: Problem) -> bool:
    data = problem.rows, problem.labels, problem.answers
    without = constraint_matrix(replace(spec, minimum_answers=1), *data)
    return bool((constraint_matrix(spec, *data) != without).any())


def _positive(spec: TrainingSpec, problem: Problem) -> list[int]:
    return [int(problem.labels[batch].sum()) for batch in batches(spec)]


@pytest.mark.slow
@pytest.mark.parametrize("constraint", Constraint)
@pytest.mark.parametrize("name", ["german", "compas"])
def test_real_data_equal_the_oracle(name: str, constraint: Constraint) -> None:
    problem = real_problem(name)
    spec = problem.spec(
        Phase(50, 1, 64, 8),
        Phase(50, 1, 64, 9),
        batch=64,
        c=65,
        n_averaged=4,
        row_sets=row_sets_of(constraint),
        minimum_answers=100,
        **_MINIBATCH,
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
def test_a_batch_that_holds_every_row_once_has_the_a_of_the_whole_set(row_set: RowSet) -> None:
    problem = random_problem(np.random.default_rng(3), 32, 4, (4, 3), 12)
    given: dict[str, Any] = {"x_frac_bits": 12, "row_sets": (row_set,), "minimum_answers": 3}
    spec = problem.spec(Phase(4, 1, 1, 6), batch=32, **given, **_MINIBATCH)
    data = problem.rows, problem.labels, problem.answers
    whole = constraint_matrix(replace(spec, scope=ConstraintScope.WHOLE_SET), *data)
    assert whole.any()
    assert (constraint_matrix(spec, *data) == whole).all()
    assert spec.score_width == replace(spec, scope=ConstraintScope.WHOLE_SET).score_width


@pytest.mark.parametrize("row_set", [RowSet.POSITIVE, RowSet.NEGATIVE])
def test_a_batch_with_few_of_a_set_weighs_them_no_more_than_an_average_one(
    row_set: RowSet,
) -> None:
    """With one answer changed an entry moves by at most 2 x_bound over the set's average share."""
    rng = np.random.default_rng(6)
    fewer = 0
    for n_members in (5, 16, 41):
        problem = random_problem(rng, 64, 3, (3,), 12)
        labels = (np.arange(64) < n_members).astype(np.uint8)
        labels = labels if row_set is RowSet.POSITIVE else 1 - labels
        given: dict[str, Any] = {
            "x_frac_bits": 12,
            "row_sets": (row_set,),
            "minimum_answers": n_members,
        }
        one, other = problem.choices.clip(0, 1), problem.choices.clip(0, 1)
        place = int(np.flatnonzero(labels == (row_set is RowSet.POSITIVE))[0])
        one[place], other[place] = 0, 1
        problem.rows[:, 1] = -int(np.abs(problem.rows).max())
        problem.rows[place, 1] *= -1  # as far from all others as the bound allows
        spec = problem.spec(Phase(160, 1, 1, 6), batch=8, **given, **_MINIBATCH)
        first, second = (
            constraint_matrix(spec, problem.rows, labels, replace(problem, choices=each).answers)
            for each in (one, other)
        )
        share = -(-8 * n_members // 64)
        moved = np.abs(first - second).max(axis=(1, 2))
        assert moved.any()
        for batch, most in zip(batches(spec), moved, strict=True):
            times = int((batch == place).sum())
            assert most <= times * 2 * spec.x_bound / share + 1
            members = int((labels[batch] == (row_set is RowSet.POSITIVE)).sum())
            fewer += times > 0 and members < share
    assert fewer, "no batch with the changed row had few of the set"


@pytest.mark.parametrize("constraint", [Constraint.TRUE_POSITIVE_RATE, Constraint.EQUALISED_ODDS])
def test_what_is_sent_does_not_depend_on_how_many_have_an_outcome(constraint: Constraint) -> None:
    problem = random_problem(np.random.default_rng(1), 20, 3, (3,))
    given: dict[str, Any] = {"row_sets": row_sets_of(constraint), "minimum_answers": 2}
    spec = problem.spec(Phase(18, 1, 48, 6), **given, **_MINIBATCH)
    few, many = ((np.arange(20) < n).astype(np.uint8) for n in (2, 18))
    sent = [sizes_sent([spec], replace(problem, labels=labels)) for labels in (few, many)]
    for role in Role:
        assert sorted(sent[0][role]) == sorted(sent[1][role])


def test_no_two_numbers_of_a_run_are_shared_under_one_mask() -> None:
    """A party's shares of all steps differ: of 288 uniform ones two meet with under 2^-24."""
    problem = random_problem(np.random.default_rng(5), 12, 4, (3, 4))
    spec = problem.spec(Phase(18, 1, 48, 6), row_sets=(RowSet.POSITIVE,), **_MINIBATCH)
    assert spec.share_width >= 40
    _, kept = run_with_checkpoints(spec, problem)
    for state in next(iter(kept.values())).values():
        assert len(set(state.matrix.reshape(-1).tolist())) == state.matrix.size == 288


@pytest.mark.parametrize("constraint", Constraint)
def test_sharing_what_steps_bound_costs_what_the_formula_says(constraint: Constraint) -> None:
    """Beside all steps and their material; what is left is the same over the whole set."""
    problem = random_problem(np.random.default_rng(1), 20, 3, (3, 4))
    left = []
    for scope in ConstraintScope:
        given: dict[str, Any] = {"row_sets": row_sets_of(constraint), "minimum_answers": 2}
        spec = problem.spec(Phase(18, 1, 48, 6), scope=scope, **given)
        stated = matrix_bytes(spec) + block_bytes(spec, spec.n_steps)
        for step in range(spec.n_steps):
            stated += step_bytes(spec, spec.phases[0], step in spec.averaged_steps)
        sent = {role: sum(sizes) for role, sizes in sizes_sent([spec], problem).items()}
        left.append((sent[Role.MODELER] - stated.modeler, sent[Role.REGULATOR] - stated.regulator))
    assert left[0] == left[1]
    assert max(left[0]) < 128 * OFFER_BYTES + 11_000


@pytest.mark.parametrize(("minimum", "constrains"), [(1, True), (4, True), (5, False)])
def test_an_attribute_that_too_few_of_a_set_answered_is_left_alone(
    minimum: int, constrains: bool
) -> None:
    """Counted over everybody: six have the outcome, four of them answer; a batch has fewer."""
    problem = random_problem(np.random.default_rng(4), 12, 3, (3,))
    problem = replace(
        problem,
        labels=np.array([1] * 6 + [0] * 6, np.uint8),
        choices=np.array([[0], [1], [0], [1], [2], [2], *[[0], [1]] * 3]),
    )
    given: dict[str, Any] = {"row_sets": (RowSet.POSITIVE,), "minimum_answers": minimum}
    spec = problem.spec(Phase(18, 1, 64, 6), batch=4, c=0, **given, **_MINIBATCH)
    matrix = constraint_matrix(spec, problem.rows, problem.labels, problem.answers)
    assert matrix.any() == constrains
    exact = exact_training(spec, problem)
    assert train(spec, problem).tolist() == exact.theta
    assert any(exact.multipliers) == constrains


def test_a_run_whose_steps_have_more_covariances_than_are_kept_is_refused() -> None:
    problem = random_problem(np.random.default_rng(4), 8, 4, (3, 9))
    steps = (1 << 25) // (4 * 9)
    problem.spec(Phase(steps, 1, 1, 6), **_MINIBATCH)
    problem.spec(Phase(steps + 1, 1, 1, 6))
    with pytest.raises(UsageError) as caught:
        problem.spec(Phase(steps + 1, 1, 1, 6), **_MINIBATCH)
    assert caught.value.code == "TRAINING_RANGE"


def test_a_scope_that_is_not_the_vocabularys_word_is_refused() -> None:
    """A plain text would compare as equal and mean the whole set."""
    problem = random_problem(np.random.default_rng(5), 8, 4, (3,))
    given: dict[str, Any] = {"scope": ConstraintScope.MINIBATCH.value}
    with pytest.raises(UsageError, match="vocabulary"):
        problem.spec(Phase(4, 1, 1, 6), **given)
