"""Secure training equals its oracle bit for bit, and the oracle integers of any size."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np
import pytest

from mpc_engine.errors import UsageError
from mpc_engine.protocols.training import protocol
from mpc_engine.protocols.training.cost import SentBytes, block_bytes, step_bytes
from mpc_engine.protocols.training.plaintext import train_plaintext
from mpc_engine.protocols.training.protocol import train_as_modeler, train_as_regulator
from mpc_engine.protocols.training.spec import Multiplier, Phase, TrainingSpec
from mpc_engine.roles import Role
from mpc_engine.testing.channel import memory_job_pair
from mpc_engine.testing.people import deal_records
from mpc_engine.testing.randomness import seeded_randomness
from mpc_engine.testing.two_parties import run_two_parties
from mpc_engine.transport.channel import Channel
from tests.engine.protocols.running import job_context
from tests.engine.protocols.training_cases import (
    ExactTraining,
    Problem,
    exact_training,
    random_problem,
    real_problem,
    sizes_sent,
    sweep,
    train,
)

_SIGNAL_BITS = 16


def assert_all_agree(spec: TrainingSpec, problem: Problem) -> ExactTraining:
    exact = exact_training(spec, problem)
    oracle = train_plaintext(spec, problem.rows, problem.labels, problem.answers)
    assert oracle.theta.tolist() == exact.theta
    assert oracle.multipliers.tolist() == exact.multipliers
    assert train(spec, problem).tolist() == exact.theta
    return exact


def _random_case(seed: int) -> tuple[TrainingSpec, Problem]:
    """Draw a problem and a run; across seeds every choice below occurs."""
    rng = np.random.default_rng(seed)
    entry_counts = [(3,), (4,), (6,), (3, 4), (6, 3), (4, 3, 3)][seed % 6]
    n = int(rng.integers(3, 40))
    batch = int(rng.choice([1, 2, 4, 8, 16, 32, 64]))
    x_frac_bits = int(rng.integers(4, 13))
    problem = random_problem(rng, n, int(rng.integers(1, 6)), entry_counts, x_frac_bits)
    averaged = int(rng.choice([1, 1, 2, 4]))
    shift = x_frac_bits + _SIGNAL_BITS - 24 + batch.bit_length() + int(rng.integers(0, 5))
    rate_shift = int(rng.choice([-12, -3, 0, 2, 9]))
    spec = problem.spec(
        Phase(int(rng.integers(4, 14)), 1, int(rng.choice([0, 1, 48])), max(1, shift)),
        Phase(int(rng.integers(12, 20)), int(rng.choice([1, 3])), 64, max(2, shift + 1)),
        batch=batch,
        x_frac_bits=x_frac_bits,
        c=int(rng.choice([0, 65, 655, 6554])),
        n_averaged=averaged,
        output_frac_bits=int(rng.choice([1, 12, 16, 24])),
        theta_int_bits=int(rng.choice([1, 3, 5])),
        multiplier=Multiplier(
            bound=int(rng.choice([1, 1000, 4 << 16])),
            rate_shift=rate_shift,
            penalty=int(rng.choice([0, 1, 20])),
            may_fall=bool(rng.integers(2)),
            only_violated=bool(rng.integers(2)),
        ),
    )
    return spec, problem


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(36))
def test_random_runs_equal_the_oracle_and_exact_integers(seed: int) -> None:
    assert_all_agree(*_random_case(seed))


def test_the_random_runs_hold_every_kind() -> None:
    """The runs above would say little if they all took the same way."""
    cases = [_random_case(seed) for seed in range(36)]
    specs = [spec for spec, _ in cases]
    rules = [spec.multiplier for spec in specs]
    assert any(spec.n_rows < spec.batch_size for spec in specs)
    assert any(spec.n_rows > spec.batch_size and spec.n_rows % spec.batch_size for spec in specs)
    assert {spec.n_averaged for spec in specs} == {1, 2, 4}
    assert {rule.only_violated for rule in rules} == {rule.may_fall for rule in rules}
    assert len({(rule.only_violated, rule.may_fall) for rule in rules}) == 4
    assert {np.sign(rule.rate_shift) for rule in rules} == {-1, 0, 1}
    assert any(0 in spec.bounds for spec in specs)
    ends = [exact_training(*case) for case in cases]
    assert any(end.theta_saturated for end in ends)
    assert any(end.multiplier_saturated for end in ends)
    assert any(not end.theta_saturated and any(end.multipliers) for end in ends)
    answers = [problem for _, problem in cases]
    assert any((p.choices == np.array(p.entry_counts) - 1).any() for p in answers)


@pytest.mark.slow
@pytest.mark.parametrize("seed", [3, 10, 11])
def test_every_point_of_a_sweep_equals_its_own_oracle(seed: int) -> None:
    """Also where bounds need different widths; the order of points does not matter."""
    spec, problem = _random_case(seed)
    points = [replace(spec, bounds=(c,) * len(spec.bounds)) for c in (0, 65, 6554, 1 << 20, 65)]
    exact = [exact_training(point, problem).theta for point in points]
    assert len({tuple(theta) for theta in exact}) > 1
    assert [theta.tolist() for theta in sweep(points, problem)] == exact
    assert [theta.tolist() for theta in sweep(points[::-1], problem)] == exact[::-1]


def test_a_sweep_shares_a_once_and_costs_its_points_else() -> None:
    n_rows, d = 300, 2
    problem = random_problem(np.random.default_rng(1), n_rows, d, (3,))
    spec = problem.spec(Phase(4, 1, 48, 6), batch=4)
    points = [replace(spec, bounds=(bound,)) for bound in (655, 40, 20)]
    one, two, three = (_sent(problem, points[:n]).total for n in (1, 2, 3))
    assert two - one == three - two
    assert one - (two - one) > 2 * n_rows * 2 * (d + 1) * spec.sum_width // 8


def test_a_point_is_taken_when_the_one_before_is_open() -> None:
    """So a caller can charge each point, and stop, before anything of it is sent."""
    problem = random_problem(np.random.default_rng(1), 12, 2, (3,))
    spec = problem.spec(Phase(20, 1, 48, 6), batch=4)
    modeler, regulator = deal_records(problem.answers, None, seeded_randomness(1))
    sent: list[bytes] = []
    seen: list[int] = []

    def points() -> Iterator[TrainingSpec]:
        for bounds in ((655,), (0,)):
            seen.append(len(sent))
            yield replace(spec, bounds=bounds)

    def modelers_side(channel: Channel) -> None:
        ctx = job_context(Role.MODELER, channel)
        run = train_as_modeler(ctx, points(), modeler, problem.rows, problem.labels)
        assert not seen
        for n_open, _ in enumerate(run, start=1):
            assert len(seen) == 2 * n_open - 1
            seen.append(len(sent))

    run_two_parties(
        modelers_side,
        lambda ch: list(
            train_as_regulator(
                job_context(Role.REGULATOR, ch), [spec, replace(spec, bounds=(0,))], regulator
            )
        ),
        channels=memory_job_pair(taps=(sent.append, None), beside_taps=(sent.append, None)),
    )
    first, at_end_of_first, second, end = seen
    assert first == 0 < at_end_of_first == second < end


def test_points_of_a_sweep_differ_in_their_bounds_alone() -> None:
    problem = random_problem(np.random.default_rng(1), 12, 2, (3,))
    spec = problem.spec(Phase(20, 1, 48, 6), batch=4)
    with pytest.raises(UsageError):
        sweep([spec, replace(spec, order_seed=bytes(16))], problem)
    assert sweep([], problem) == []


def _corner(largest: int) -> Problem:
    """Three people with y = 0 push theta to its end; then one person's score is the largest."""
    rows = np.array([[largest], [largest], [largest], [-largest]])
    return Problem(rows, np.zeros(4, np.uint8), np.array([[0], [1], [0], [1]]), (3,))


@pytest.mark.parametrize("largest", [4095, 4096, 8191, 8192, 1, 3, 1 << 20])
def test_scores_at_both_ends_of_their_ring_do_not_wrap(largest: int) -> None:
    """With features at the bound and theta at its end, rounding and 1/2 are added on top."""
    problem = _corner(largest)
    for loss, shift in ((1 << 12, 1), (1, 1)):
        spec = problem.spec(
            Phase(5, loss, 1, shift), batch=4, x_frac_bits=12, theta_int_bits=2, c=0
        )
        exact = assert_all_agree(spec, problem)
        assert exact.theta_saturated or largest < 4095 or loss == 1


def test_theta_saturates_at_both_ends() -> None:
    for label in (0, 1):
        problem = _corner(256)
        problem = Problem(
            np.abs(problem.rows), np.full(4, label, np.uint8), problem.choices, problem.entry_counts
        )
        spec = problem.spec(Phase(4, 1 << 16, 0, 2), batch=4, output_frac_bits=24, theta_int_bits=1)
        exact = assert_all_agree(spec, problem)
        assert exact.theta == ([-(1 << 25)] if label == 0 else [(1 << 25) - 1])


@pytest.mark.parametrize("rate_shift", [-40, -20, 40])
@pytest.mark.parametrize("may_fall", [False, True])
def test_lambda_saturates_at_its_bound_whatever_its_rate(rate_shift: int, may_fall: bool) -> None:
    rng = np.random.default_rng(5)
    problem = random_problem(rng, 24, 3, (3,))
    rule = Multiplier(3 << 16, rate_shift, 7, may_fall, only_violated=False)
    spec = problem.spec(Phase(30, 1, 1, 6), c=20, multiplier=rule)
    exact = assert_all_agree(spec, problem)
    assert (exact.multiplier_saturated > 0) == (rate_shift < 0)


def test_a_huge_penalty_and_a_huge_bound_are_exact() -> None:
    problem = random_problem(np.random.default_rng(6), 24, 3, (3,))
    rule = Multiplier(3 << 16, 0, 1 << 50, may_fall=True, only_violated=True)
    assert_all_agree(problem.spec(Phase(20, 1, 1, 6), c=20, multiplier=rule), problem)
    rule = Multiplier(3 << 16, -40, 1, may_fall=True, only_violated=True)
    assert_all_agree(problem.spec(Phase(8, 1, 1, 6), c=1 << 40, multiplier=rule), problem)


def test_a_cohort_without_answers_has_no_constraint_to_feel() -> None:
    problem = random_problem(np.random.default_rng(7), 9, 2, (4,))
    silent = Problem(problem.rows, problem.labels, np.full((9, 1), 3), (4,))
    exact = assert_all_agree(silent.spec(Phase(8, 1, 64, 6), c=0), silent)
    assert exact.multipliers == [0, 0, 0]


def test_large_features_keep_the_constraint_matrix_in_its_bound() -> None:
    """1 / n^2 is public to 20 bits only: with 40-bit features its error is worth many units."""
    largest = (1 << 40) - 1
    for n in (2, 6, 14):
        half = n // 2
        problem = Problem(
            np.array([[largest]] * half + [[-largest]] * half),
            np.zeros(n, np.uint8),
            np.array([[0]] * half + [[1]] * half),
            (3,),
        )
        spec = problem.spec(
            Phase(6, 1, 1, 30),
            batch=2,
            multiplier=Multiplier(15, 0, 1, may_fall=True, only_violated=False),
            theta_frac_bits=8,
            theta_int_bits=2,
            signal_frac_bits=4,
            output_frac_bits=8,
        )
        assert_all_agree(spec, problem)


@pytest.mark.slow
@pytest.mark.parametrize("c", [1e-3, 1e-2, 1e-1, 1.0])
@pytest.mark.parametrize(
    ("name", "n_steps"), [("german", 200), ("compas", 200), ("adult", 48), ("bank", 48)]
)
def test_real_data_equal_the_oracle(name: str, n_steps: int, c: float) -> None:
    problem = real_problem(name)
    spec = problem.spec(
        Phase(n_steps // 2, 1, 64, 8),
        Phase(n_steps - n_steps // 2, 1, 64, 9),
        batch=64,
        c=round(c * (1 << _SIGNAL_BITS)),
        n_averaged=4,
    )
    oracle = train_plaintext(spec, problem.rows, problem.labels, problem.answers)
    assert np.abs(oracle.theta).max() > 0
    assert train(spec, problem).tolist() == oracle.theta.tolist()


def _sent(problem: Problem, points: Sequence[TrainingSpec]) -> SentBytes:
    """Run and count every byte that leaves either party."""
    sizes = sizes_sent(points, problem)
    return SentBytes(sum(sizes[Role.MODELER]), sum(sizes[Role.REGULATOR]))


@pytest.mark.parametrize(("entry_counts", "d", "batch"), [((3,), 2, 4), ((4, 3), 5, 16)])
def test_bytes_are_those_of_the_formula(
    monkeypatch: pytest.MonkeyPatch, entry_counts: tuple[int, ...], d: int, batch: int
) -> None:
    """Between runs of 1, 16 and 40 steps the difference is blocks and steps, nothing else."""
    monkeypatch.setattr(protocol, "_BLOCK_STEPS", 16)
    problem = random_problem(np.random.default_rng(1), 12, d, entry_counts)

    def measured_and_stated(n_steps: int) -> tuple[SentBytes, SentBytes]:
        phase = Phase(n_steps, 1, 48, 6)
        spec = problem.spec(phase, batch=batch)
        stated = SentBytes(0, 0)
        for first in range(0, n_steps, 16):
            stated += block_bytes(spec, min(16, n_steps - first))
        for step in range(n_steps):
            stated += step_bytes(spec, phase, step in spec.averaged_steps)
        return _sent(problem, [spec]), stated

    once, stated_once = measured_and_stated(1)
    for n_steps in (16, 40):
        sent, stated = measured_and_stated(n_steps)
        assert sent.modeler - once.modeler == stated.modeler - stated_once.modeler
        assert sent.regulator - once.regulator == stated.regulator - stated_once.regulator
    assert stated.total > stated_once.total
