"""The oracle of training: exact integers on runs as people set them, rows in turn, true widths."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from math import floor

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mpc_engine.errors import UsageError
from mpc_engine.protocols.training.hyperparameters import Preset, settings_of, training_spec
from mpc_engine.protocols.training.order import batches
from mpc_engine.protocols.training.plaintext import (
    clamp_scores,
    constraint_matrix,
    forces_and_multipliers,
    train_plaintext,
    update_theta,
)
from mpc_engine.protocols.training.row_sets import row_sets_of
from mpc_engine.protocols.training.spec import Multiplier, Phase, TrainingSpec
from mpc_engine.testing.people import one_hot
from mpc_engine.vocabulary.constraints import Constraint
from tests.engine.protocols.training_cases import exact_training, random_problem


def _preset_spec(preset: Preset, seed: int) -> None:
    rng = np.random.default_rng(seed)
    problem = random_problem(
        rng, int(rng.integers(9, 60)), int(rng.integers(2, 5)), ((3,), (4, 3))[seed % 2], 12
    )
    batch = int(rng.choice([2, 8, 16]))
    run = settings_of(preset, len(problem.rows), int(rng.integers(5, 300)), batch)
    spec = training_spec(
        run,
        n_rows=len(problem.rows),
        n_columns=problem.rows.shape[1],
        x_bound=int(np.abs(problem.rows).max()),
        row_bound=int(np.abs(problem.rows).sum(axis=1).max()),
        entry_counts=problem.entry_counts,
        constraints=float(rng.choice([0.0, 1e-3, 0.1])),
        order_seed=rng.bytes(16),
        batch_size=batch,
    )
    oracle = train_plaintext(spec, problem.rows, problem.labels, problem.answers)
    exact = exact_training(spec, problem)
    assert oracle.theta.tolist() == exact.theta
    assert oracle.multipliers.tolist() == exact.multipliers
    assert any(exact.theta)


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("preset", list(Preset))
def test_presets_give_the_integers_of_the_exact_reference(preset: Preset, seed: int) -> None:
    _preset_spec(preset, seed)


def _spec_of_order(n_rows: int, batch: int, n_steps: int, seed: bytes) -> TrainingSpec:
    return TrainingSpec(
        n_rows=n_rows,
        n_columns=1,
        batch_size=batch,
        x_frac_bits=4,
        x_bound=16,
        row_bound=16,
        entry_counts=(3,),
        bounds=(1,),
        phases=(Phase(n_steps, 1, 1, 6),),
        multiplier=Multiplier(1, 0, 1, may_fall=True, only_violated=False),
        order_seed=seed,
        theta_frac_bits=24,
        theta_int_bits=5,
        signal_frac_bits=16,
    )


@given(
    n_rows=st.integers(1, 70),
    halvings=st.integers(0, 6),
    n_steps=st.integers(1, 40),
    seed=st.binary(min_size=16, max_size=16),
)
def test_every_pass_uses_every_row_once(
    n_rows: int, halvings: int, n_steps: int, seed: bytes
) -> None:
    batch = 1 << halvings
    spec = _spec_of_order(n_rows, batch, n_steps, seed)
    found = list(batches(spec))
    assert [len(rows) for rows in found] == [batch] * n_steps
    order = np.concatenate(found)
    for start in range(0, len(order), n_rows):
        used = order[start : start + n_rows].tolist()
        assert len(set(used)) == len(used)
        assert set(used) <= set(range(n_rows))


def test_passes_and_seeds_give_different_orders() -> None:
    found = np.concatenate(list(batches(_spec_of_order(64, 16, 12, bytes(16)))))
    orders = {tuple(found[start : start + 64].tolist()) for start in (0, 64, 128)}
    assert len(orders) == 3
    other = np.concatenate(list(batches(_spec_of_order(64, 16, 12, bytes([1] * 16)))))
    assert found.tolist() != other.tolist()


def _bits(value: int) -> int:
    """Return the bits of the narrowest ring that holds a signed value."""
    return (value if value >= 0 else ~value).bit_length() + 1


@st.composite
def _extreme_specs(draw: st.DrawFn) -> TrainingSpec:
    """Draw runs whose data can reach the declared bounds: any row of +-x_bound is allowed."""
    d = draw(st.integers(1, 4))
    x_bound = draw(st.integers(1, 1 << draw(st.integers(1, 18))))
    entry_counts = draw(st.sampled_from([(3,), (4,), (3, 3), (6, 3)]))
    row_sets = row_sets_of(draw(st.sampled_from(Constraint)))
    p = len(row_sets) * sum(1 if count == 3 else count - 1 for count in entry_counts)
    return TrainingSpec(
        n_rows=draw(st.integers(2, 30)),
        n_columns=d,
        batch_size=1 << draw(st.integers(0, 5)),
        x_frac_bits=draw(st.integers(1, 14)),
        x_bound=x_bound,
        row_bound=d * x_bound,
        entry_counts=entry_counts,
        bounds=(draw(st.integers(0, 1 << 17)),) * p,
        phases=(
            Phase(4, draw(st.integers(1, 9)), draw(st.integers(0, 300)), draw(st.integers(1, 24))),
        ),
        multiplier=Multiplier(
            bound=draw(st.integers(1, 1 << 18)),
            rate_shift=draw(st.integers(-6, 6)),
            penalty=draw(st.integers(0, 40)),
            may_fall=draw(st.booleans()),
            only_violated=draw(st.booleans()),
        ),
        order_seed=bytes(16),
        theta_frac_bits=draw(st.integers(16, 24)),
        theta_int_bits=draw(st.integers(0, 5)),
        signal_frac_bits=16,
        row_sets=row_sets,
    )


@pytest.mark.slow
@settings(max_examples=300)
@given(spec=_extreme_specs(), data=st.data())
def test_widths_hold_every_value_at_the_ends_of_all_ranges(
    spec: TrainingSpec, data: st.DataObject
) -> None:
    """Features at their bound, theta and lambda saturated: a step in integers of any size."""
    limit = 1 << spec.theta_bits - 1
    ends = st.sampled_from([-spec.x_bound, spec.x_bound])
    row = st.lists(ends, min_size=spec.n_columns, max_size=spec.n_columns)
    rows = [data.draw(row) for _ in range(spec.n_rows)]
    theta = [data.draw(st.sampled_from([-limit, limit - 1])) for _ in range(spec.n_columns)]
    choices = [
        [data.draw(st.integers(0, count - 1)) for count in spec.entry_counts]
        for _ in range(spec.n_rows)
    ]
    entries = one_hot(np.array(choices), spec.entry_counts)
    for k in range(spec.n_columns):
        column = sum(abs(r[k]) for r in rows)
        assert _bits(column) <= spec.sum_width
        assert _bits(-column) <= spec.sum_width
    drawn = [data.draw(st.integers(0, 1)) for _ in rows[2:]]
    labels = np.array([0, 1, *drawn], dtype=np.uint8)
    matrix = constraint_matrix(spec, np.array(rows), labels, entries).tolist()
    phase, rule = spec.phases[0], spec.multiplier
    signal = 1 << spec.signal_frac_bits
    gradient = [0] * spec.n_columns
    for i in range(spec.batch_size):
        x = rows[i % spec.n_rows]
        score = sum(a * b for a, b in zip(x, theta, strict=True))
        assert _bits(score + (1 << spec.score_frac_bits - 1)) <= spec.score_width
        clamped = int(clamp_scores(spec, np.array([score]))[0])
        half = Fraction(score, 1 << spec.score_frac_bits) + Fraction(1, 2)
        assert clamped == floor(min(max(half, Fraction(0)), Fraction(1)) * signal)
        # The other label gives the larger error, whatever theta is.
        error = clamped - (signal if clamped < signal // 2 else 0)
        for k in range(spec.n_columns):
            gradient[k] += phase.loss * error * x[k]
    values = []
    for line in matrix:
        assert all(abs(value) <= spec.matrix_bound for value in line)
        assert all(_bits(value) <= spec.share_width for value in line)
        values.append(sum(a * b for a, b in zip(line, theta, strict=True)))
        assert _bits(values[-1]) <= spec.score_width
    forces, after = forces_and_multipliers(spec, np.array(values), np.full(len(matrix), rule.bound))
    assert (np.abs(forces) <= rule.bound).all()
    assert ((after >= 0) & (after <= rule.bound)).all()
    most = phase.loss * spec.batch_size * spec.x_bound * signal
    for k in range(spec.n_columns):
        assert abs(gradient[k]) <= most
        worst = phase.constraint * rule.bound * sum(abs(line[k]) for line in matrix)
        for total in (most + worst + (1 << phase.shift - 1), -most - worst):
            assert _bits(total) <= spec.gradient_width
            moved = update_theta(spec, phase, np.array([theta[k]]), np.array([total]))[0]
            assert -limit <= moved < limit


def test_score_and_gradient_widths_are_not_wider_than_their_bounds_need() -> None:
    """A ring one bit narrower would wrap: the largest values use the top bit."""
    spec = _spec_of_order(4, 4, 4, bytes(16))
    lowest = -spec.row_bound << spec.theta_bits - 1
    assert _bits(lowest - 1) == spec.score_width
    phase = spec.phases[0]
    largest = phase.loss * spec.batch_size * spec.x_bound << spec.signal_frac_bits
    assert spec.gradient_width - _bits(largest) <= 1


@pytest.mark.parametrize(
    ("first", "expected"), [(0, 0), (1, 0), (2, 1), (3, 1), (4, 1), (-1, 0), (-2, 0), (-3, -1)]
)
def test_an_entry_of_the_matrix_is_rounded_half_up(first: int, expected: int) -> None:
    """Of two people, one in each group, the second all 0, A is a quarter of the first's value."""
    spec = replace(_spec_of_order(2, 1, 1, bytes(16)), n_columns=2)
    rows = np.array([[first, 2], [0, 2]])
    entries = one_hot(np.array([[0], [1]]), (3,))
    matrix = constraint_matrix(spec, rows, np.zeros(2, np.uint8), entries)
    assert matrix.tolist() == [[expected, 0]]


def test_the_multiplier_that_never_falls_stays_and_the_other_falls() -> None:
    for may_fall, expected in ((False, 900), (True, 900 - 50)):
        spec = TrainingSpec(
            n_rows=4,
            n_columns=1,
            batch_size=1,
            x_frac_bits=4,
            x_bound=16,
            row_bound=16,
            entry_counts=(3,),
            bounds=(50,),
            phases=(Phase(4, 1, 1, 6),),
            multiplier=Multiplier(1000, 0, 2, may_fall, only_violated=True),
            order_seed=bytes(16),
            theta_frac_bits=24,
            theta_int_bits=5,
            signal_frac_bits=16,
        )
        force, after = forces_and_multipliers(spec, np.array([0]), np.array([900]))
        assert (force.tolist(), after.tolist()) == ([0], [expected])
        fine = spec.score_frac_bits - spec.signal_frac_bits
        force, after = forces_and_multipliers(spec, np.array([-60 << fine]), np.array([900]))
        assert (force.tolist(), after.tolist()) == ([-920], [910])
        force, after = forces_and_multipliers(spec, np.array([500 << fine]), np.array([900]))
        assert (force.tolist(), after.tolist()) == ([1000], [1000])


def test_range_count_row_and_label_are_refused_by_name() -> None:
    problem = random_problem(np.random.default_rng(1), 9, 2, (3,))
    spec = problem.spec(Phase(4, 1, 1, 6))
    for changes, code in (
        ({"row_bound": 1 << 40}, "TRAINING_RANGE"),
        ({"bounds": (1, 1)}, "CONSTRAINT_COUNT"),
    ):
        with pytest.raises(UsageError) as caught:
            problem.spec(Phase(4, 1, 1, 6), **changes)
        assert caught.value.code == code
    rows, labels = problem.rows.copy(), problem.labels.copy()
    rows[0, 1], labels[0] = spec.x_bound + 1, 2
    for given_rows, given_labels, code in (
        (rows, problem.labels, "ROW_OUT_OF_RANGE"),
        (problem.rows, labels, "LABEL_UNKNOWN"),
    ):
        with pytest.raises(UsageError) as caught:
            train_plaintext(spec, given_rows, given_labels, problem.answers)
        assert caught.value.code == code
