"""Training problems for tests, and training by exact integers of any size."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from math import ceil, floor
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mpc_engine.protocols.training.checkpoint import Checkpointing, TrainingState
from mpc_engine.protocols.training.order import batches
from mpc_engine.protocols.training.protocol import train_as_modeler, train_as_regulator
from mpc_engine.protocols.training.row_sets import RowSet
from mpc_engine.protocols.training.spec import Multiplier, Phase, TrainingSpec
from mpc_engine.roles import Role
from mpc_engine.testing.channel import memory_job_pair
from mpc_engine.testing.people import deal_records, one_hot
from mpc_engine.testing.randomness import seeded_randomness
from mpc_engine.testing.two_parties import run_two_parties
from mpc_engine.vocabulary.constraints import ConstraintScope
from tests.engine.protocols import datasets
from tests.engine.protocols.running import job_context, run_protocol

States = dict[Role, TrainingState]
Kept = dict[int, States]

ORDER_SEED = bytes(range(16))
_SEEDS = itertools.count(1000)
DEFAULT_RULE = Multiplier(
    bound=4 << 16, rate_shift=0, penalty=20, may_fall=True, only_violated=False
)


@dataclass(frozen=True, eq=False)
class Problem:
    """Encoded rows int64 (n, d), labels uint8 (n,), answers uint8 (n, e)."""

    rows: NDArray[np.int64]
    labels: NDArray[np.uint8]
    choices: NDArray[np.int64]
    entry_counts: tuple[int, ...]

    @property
    def answers(self) -> NDArray[np.uint8]:
        """Return the answers one-hot."""
        return one_hot(self.choices, self.entry_counts)

    def spec(
        self, *phases: Phase, batch: int = 8, x_frac_bits: int = 8, c: int = 655, **changes: Any
    ) -> TrainingSpec:
        """Return a run on this problem, with its tightest bounds and one c for all constraints."""
        p = sum(1 if count == 3 else count - 1 for count in self.entry_counts)
        p *= len(changes.get("row_sets", (RowSet.ALL,)))
        given: dict[str, Any] = {
            "n_rows": self.rows.shape[0],
            "n_columns": self.rows.shape[1],
            "batch_size": batch,
            "x_frac_bits": x_frac_bits,
            "x_bound": int(np.abs(self.rows).max()),
            "row_bound": int(np.abs(self.rows).sum(axis=1).max()),
            "entry_counts": self.entry_counts,
            "bounds": (c,) * p,
            "phases": phases,
            "multiplier": DEFAULT_RULE,
            "order_seed": ORDER_SEED,
            "theta_frac_bits": 24,
            "theta_int_bits": 5,
            "signal_frac_bits": 16,
        }
        return TrainingSpec(**(given | changes))


def random_problem(
    rng: np.random.Generator, n: int, d: int, entry_counts: tuple[int, ...], x_frac_bits: int = 8
) -> Problem:
    """Return rows with an intercept, labels that depend on them and on the first answer."""
    one = 1 << x_frac_bits
    rows = np.round(rng.normal(size=(n, d)) * one).astype(np.int64)
    rows[:, 0] = one
    choices = np.stack([rng.integers(0, count, size=n) for count in entry_counts], axis=1)
    signal = rows[:, 1:].sum(axis=1) + (choices[:, 0] == 0) * 2 * one
    labels = (signal + rng.normal(size=n) * one > 0).astype(np.uint8)
    return Problem(rows, labels, choices, entry_counts)


def real_problem(name: str) -> Problem:
    """Return the problem of one of the real data sets; skips where it is absent."""
    data: datasets.RealData = getattr(datasets, name)()
    intercept = np.full((len(data.labels), 1), 1 << datasets.X_FRAC_BITS)
    rows = np.hstack([intercept, data.features]).astype(np.int64)
    return Problem(rows, data.labels, data.choices, data.entry_counts)


def train(spec: TrainingSpec, problem: Problem, seed: int = 1) -> NDArray[np.int64]:
    """Run both parties; return the modeler's theta. The regulator must get nothing."""
    (theta,) = sweep([spec], problem, seed)
    return theta


def sweep(
    points: Sequence[TrainingSpec], problem: Problem, seed: int = 1, **options: Any
) -> list[NDArray[np.int64]]:
    """Run both parties over several points; return the modeler's thetas.

    Options are those of `running.run_protocol`, and ``dealt`` is the seed of people's shares.
    """
    dealt = options.pop("dealt", seed + 100)
    modeler, regulator = deal_records(problem.answers, None, seeded_randomness(dealt))
    thetas, nothing = run_protocol(
        lambda ctx: list(train_as_modeler(ctx, points, modeler, problem.rows, problem.labels)),
        lambda ctx: list(train_as_regulator(ctx, points, regulator)),
        seed,
        **options,
    )
    assert nothing == [None] * len(points)
    return thetas


def sizes_sent(points: Sequence[TrainingSpec], problem: Problem) -> dict[Role, list[int]]:
    """Return the bytes of every frame that each party sends, on both lines, in a run."""
    sizes: dict[Role, list[int]] = {role: [] for role in Role}
    sweep(points, problem, tap=lambda role, _: lambda frame: sizes[role].append(len(frame)))
    return sizes


def checkpointing(
    start: TrainingState | None, keep: Callable[[TrainingState], None]
) -> Checkpointing:
    """Return a run's checkpoints that start from one state and go to a function."""
    return Checkpointing(lambda spec: start, lambda spec, state: keep(state))


def run_with_checkpoints(
    spec: TrainingSpec,
    problem: Problem,
    start: States | None = None,
    frames: list[tuple[Role, bytes]] | None = None,
) -> tuple[NDArray[np.int64], Kept]:
    """Run to the end with fresh randomness; return theta and all checkpoints of the run.

    ``start``: the states to go on from; every frame goes to ``frames``, with its sender.
    """
    kept: dict[Role, dict[int, TrainingState]] = {role: {} for role in Role}
    sent = [] if frames is None else frames
    modeler, regulator = deal_records(problem.answers, None, seeded_randomness(5))
    seed = next(_SEEDS)

    def checkpoints(role: Role) -> Checkpointing:
        return checkpointing(
            None if start is None else start[role],
            lambda state: kept[role].update({state.step: state}),
        )

    def tap(role: Role) -> Callable[[bytes], None]:
        return lambda data: sent.append((role, bytes(data)))

    ends: Any = run_two_parties(
        lambda ch: list(
            train_as_modeler(
                job_context(Role.MODELER, ch, seed),
                [spec],
                modeler,
                problem.rows,
                problem.labels,
                checkpoints(Role.MODELER),
            )
        ),
        lambda ch: list(
            train_as_regulator(
                job_context(Role.REGULATOR, ch, seed),
                [spec],
                regulator,
                checkpoints(Role.REGULATOR),
            )
        ),
        channels=memory_job_pair(
            taps=(tap(Role.MODELER), tap(Role.REGULATOR)),
            beside_taps=(tap(Role.MODELER), tap(Role.REGULATOR)),
        ),
    )
    assert list(kept[Role.MODELER]) == list(kept[Role.REGULATOR])
    return ends[0][0], {
        step: {role: kept[role][step] for role in Role} for step in kept[Role.MODELER]
    }


@dataclass
class ExactTraining:
    """What training in integers of any size gives, and what it met on the way."""

    theta: list[int] = field(default_factory=list)
    multipliers: list[int] = field(default_factory=list)
    theta_saturated: int = 0
    multiplier_saturated: int = 0


def _clamped(low: int, value: int, high: int) -> int:
    return max(low, min(value, high))


def _in_ring(value: int, width: int) -> None:
    assert -(1 << width - 1) <= value < 1 << width - 1, "a value of the run wraps in its ring"


def _exact_covariances(
    spec: TrainingSpec,
    row_set: RowSet,
    rows: list[list[int]],
    labels: list[int],
    answers: list[list[int]],
    covered: list[int] | None = None,
) -> list[list[int]]:
    """Return A of a set over ``covered`` rows, or over all."""
    wanted = {RowSet.POSITIVE: {1}, RowSet.NEGATIVE: {0}}.get(row_set, {0, 1})
    everybody = [i for i in range(spec.n_rows) if labels[i] in wanted]
    turned = [-1 if row_set is RowSet.SIGNED and label == 0 else 1 for label in labels]
    bits = spec.factor[1]
    people, divisor = everybody, len(everybody)
    if covered is not None:
        people = [i for i in covered if labels[i] in wanted]
        divisor = max(len(people), ceil(Fraction(len(covered) * len(everybody), spec.n_rows)))
    factor = Fraction(floor(Fraction(1 << bits, divisor**2) + Fraction(1, 2)), 1 << bits)
    matrix: list[list[int]] = []
    start = 0
    for count in spec.entry_counts:
        real = list(range(start, start + count - 1))
        said = [i for i in people if any(answers[i][j] for j in real)]
        n_said = sum(1 for i in everybody if any(answers[i][j] for j in real))
        few = len(everybody) < spec.n_rows and n_said < spec.minimum_answers
        for j in real[: 1 if len(real) == 2 else None]:
            members = [i for i in said if answers[i][j]]
            columns = range(spec.n_columns)
            sums = [sum(turned[i] * rows[i][k] for i in members) for k in columns]
            totals = [sum(turned[i] * rows[i][k] for i in said) for k in columns]
            for total in totals:
                _in_ring(total, spec.sum_width)
            matrix.append(
                [
                    floor(
                        (len(said) * own - len(members) * total) * (0 if few else factor)
                        + Fraction(1, 2)
                    )
                    for own, total in zip(sums, totals, strict=True)
                ]
            )
        start += count
    return matrix


def _exact_matrix(
    spec: TrainingSpec,
    rows: list[list[int]],
    labels: list[int],
    answers: list[list[int]],
    covered: list[int] | None = None,
) -> list[list[int]]:
    matrix: list[list[int]] = []
    for row_set in spec.row_sets:
        matrix += _exact_covariances(spec, row_set, rows, labels, answers, covered)
    for line in matrix:
        for value in line:
            _in_ring(value, spec.share_width)
            assert abs(value) <= spec.matrix_bound
    return matrix


def exact_training(spec: TrainingSpec, problem: Problem) -> ExactTraining:
    """Train as ``docs/protocols/training.md`` says, by Python's integers and fractions.

    Nothing is shared with the oracle but the order of rows. Every value must fit in the ring that
    the specification gives it.
    """
    rows: list[list[int]] = problem.rows.tolist()
    answers: list[list[int]] = problem.answers.tolist()
    labels: list[int] = problem.labels.tolist()
    d, one = spec.n_columns, 1 << spec.signal_frac_bits
    fine = spec.score_frac_bits - spec.signal_frac_bits
    on_minibatch = spec.scope is ConstraintScope.MINIBATCH
    matrix = [] if on_minibatch else _exact_matrix(spec, rows, labels, answers)
    found = ExactTraining()
    theta, multipliers = [0] * d, [0] * len(spec.bounds)
    summed = [0] * d
    limit, rule = 1 << spec.theta_bits - 1, spec.multiplier
    order = batches(spec)
    schedule = [phase for phase in spec.phases for _ in range(phase.n_steps)]
    for step, now in enumerate(schedule):
        gradient = [0] * d
        batch = next(order).tolist()
        if on_minibatch:
            matrix = _exact_matrix(spec, rows, labels, answers, batch)
        for i in batch:
            score = sum(x * t for x, t in zip(rows[i], theta, strict=True))
            shifted = score + (1 << spec.score_frac_bits - 1)
            _in_ring(shifted, spec.score_width)
            error = _clamped(0, shifted >> fine, one) - labels[i] * one
            for k in range(d):
                gradient[k] += now.loss * error * rows[i][k]
        for j, line in enumerate(matrix):
            value = sum(a * t for a, t in zip(line, theta, strict=True))
            _in_ring(value, spec.score_width)
            size = abs(value >> fine)
            violation = size - spec.bounds[j]
            force = min(multipliers[j] + rule.penalty * max(violation, 0), rule.bound)
            if rule.only_violated and violation <= 0:
                force = 0
            sign = (value >> fine > 0) - (value >> fine < 0)
            for k in range(d):
                gradient[k] += now.constraint * sign * force * line[k]
            moved = violation if rule.may_fall else max(violation, 0)
            after = multipliers[j] + floor(Fraction(moved) / Fraction(2) ** rule.rate_shift)
            found.multiplier_saturated += after > rule.bound
            multipliers[j] = _clamped(0, after, rule.bound)
        for k in range(d):
            rounded = gradient[k] + (1 << now.shift - 1)
            _in_ring(rounded, spec.gradient_width)
            after = theta[k] - floor(Fraction(rounded, 1 << now.shift))
            found.theta_saturated += not -limit <= after < limit
            theta[k] = _clamped(-limit, after, limit - 1)
            summed[k] += theta[k] if step in spec.averaged_steps else 0
    scale = spec.n_averaged << spec.theta_frac_bits - spec.output_frac_bits
    found.theta = [floor(Fraction(value, scale) + Fraction(1, 2)) for value in summed]
    found.multipliers = multipliers
    return found
