"""The same three pieces of work for us and for SPU, each with fresh inputs and checked outputs."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain, repeat
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from mpc_engine.lab.data_sets import WORKLOADS, synthetic
from mpc_engine.protocols.session import JobContext
from mpc_engine.protocols.training.hyperparameters import BATCH_SIZE, Preset
from mpc_engine.protocols.training.order import batches
from mpc_engine.protocols.training.plaintext import constraint_matrix
from mpc_engine.protocols.training.spec import TrainingSpec
from mpc_engine.vocabulary.criteria import CriterionName
from mpc_engine.vocabulary.runs import Stage
from tools.bench.certification import TWO_GROUPS, certify_once, make_spec
from tools.bench.frames import Arrays
from tools.bench.parties import Pair, Run, Side, lines_of
from tools.bench.spu_client import SpuPair
from tools.bench.training import Problem

_FEATURES, _REACH, _THETA_REACH = 51, 256, 1 << 18
_X_BITS, _SCORE_BITS = 8, 24
_LIMIT_PARTS = 10
_TOLERANCE = 0.02
_STEP_TOLERANCE = 2.0**-11
"""Of the constraint in a step: lambda adds them up, and Cheetah's roundings lean to one side."""
Reals = NDArray[np.float64]


@dataclass(frozen=True)
class Figure:
    """Seconds until both sides ended, bytes that both sent, and seconds of compiling, apart.

    ``run``: ours, of which this is a part.
    """

    seconds: float
    n_bytes: int
    compile_seconds: float = 0.0
    run: Run | None = None


@dataclass(frozen=True)
class Work:
    """A kind of work; every call of ``fresh`` gives a task with new inputs.

    ``signed``: ours holds against a malicious modeler and signs the model.
    """

    name: str
    signed: bool
    fresh: Callable[[], Task]


class Task(Protocol):
    """One piece of work with its inputs."""

    def ours(self, pair: Pair) -> Figure:
        """Let our parties do it; SystemExit if the result is wrong."""
        ...

    def theirs(self, spu: SpuPair) -> Figure:
        """Let SPU do it; SystemExit if the result is wrong."""
        ...


def works(steps: int) -> list[Work]:
    """Return what is compared; ``steps``: of a training run, whose mean step counts."""
    return [
        Work("SGD step, batch 64, d = 51, n = 16,384", False, partial(_Steps, steps)),
        Work(
            "covariance, n = 30,162, d = 51",
            True,
            partial(_Certification, CriterionName.COVARIANCE, 30_162),
        ),
        Work(
            "p%-rule, n = 16,384, d = 51",
            True,
            partial(_Certification, CriterionName.P_RULE, 1 << 14),
        ),
    ]


class _Steps(Task):
    """Steps of the preset ``recommended`` on synthetic people of Adult's size, one constraint."""

    def __init__(self, n_steps: int) -> None:
        adult = next(workload for workload in WORKLOADS if workload.name == "Adult")
        epochs = n_steps * BATCH_SIZE / adult.n
        self._problem = Problem(adult, synthetic(adult, None), Preset.RECOMMENDED, epochs)
        self._n_steps = self._problem.spec.n_steps

    def ours(self, pair: Pair) -> Figure:
        """Count from A on: making and waiting for the material of steps, and the steps."""
        stepped = _SteppedPair(pair)
        run = self._problem.run(stepped)
        seconds, n_bytes = stepped.seconds, stepped.n_bytes
        return Figure(seconds / self._n_steps, n_bytes // self._n_steps, run=run)

    def theirs(self, spu: SpuPair) -> Figure:
        """Run as many steps, theta and lambda staying shared from one to the next."""
        given = step_inputs(self._problem)
        done = spu.run("step", given, runs=self._n_steps)
        theta, multiplier = descend(given, self._n_steps)
        _check_close("theta", done.outputs["theta"], theta, _TOLERANCE)
        tolerance = _STEP_TOLERANCE * self._n_steps
        _check_close("lambda", done.outputs["multiplier"], multiplier, tolerance)
        return Figure(
            done.seconds / self._n_steps, done.n_bytes // self._n_steps, done.compile_seconds
        )


def step_inputs(problem: Problem) -> Arrays:
    """Return SPU's inputs of all steps: ``rows.i``, ``targets.i`` and ``rate.i`` of the i-th."""
    spec = problem.spec
    scale = 2.0**spec.x_frac_bits
    matrix = constraint_matrix(spec, problem.rows, problem.targets, problem.entries)
    given: Arrays = {
        "theta": np.zeros(spec.n_columns),
        "multiplier": np.zeros(1),
        "bound": np.array(spec.bounds) / 2.0**spec.signal_frac_bits,
    }
    for i, (rate, batch) in enumerate(zip(_rates(spec), batches(spec), strict=True)):
        given[f"rows.{i}"] = np.vstack([problem.rows[batch], matrix]) / scale
        given[f"targets.{i}"] = problem.targets[batch].astype(np.float64)
        given[f"rate.{i}"] = np.array(rate)
    return given


def _rates(spec: TrainingSpec) -> list[float]:
    """Return every step's learning rate, over the mean of the batch."""
    unit = spec.x_frac_bits + spec.signal_frac_bits - spec.theta_frac_bits
    return list(
        chain.from_iterable(
            repeat(phase.loss * spec.batch_size / 2.0 ** (phase.shift - unit), phase.n_steps)
            for phase in spec.phases
        )
    )


def descend(given: Arrays, n_steps: int) -> tuple[Reals, Reals]:
    """Return theta and lambda after the steps, in float64."""
    theta, multiplier = given["theta"], given["multiplier"]
    for i in range(n_steps):
        rows, matrix = given[f"rows.{i}"][:-1], given[f"rows.{i}"][-1:]
        errors = np.clip(rows @ theta + 0.5, 0, 1) - given[f"targets.{i}"]
        value = matrix @ theta
        violation = np.abs(value) - given["bound"]
        force = np.sign(value) * np.minimum(multiplier + 20 * np.maximum(violation, 0), 4)
        multiplier = np.clip(multiplier + violation, 0, 4)
        theta = theta - given[f"rate.{i}"] * (errors @ rows / len(rows) + force @ matrix)
    return theta, multiplier


def _check_close(name: str, found: NDArray[Any], expected: Reals, tolerance: float) -> None:
    if not np.allclose(found, expected, rtol=0, atol=tolerance):
        raise SystemExit(f"SPU's {name} differs from NumPy's by more than {tolerance}.")


class _SteppedPair(Pair):
    """A pair that looks only at what comes after the first word of material for steps."""

    def __init__(self, pair: Pair) -> None:
        self._pair = pair
        self.seconds, self.n_bytes = 0.0, 0

    def run(self, modeler: Side, regulator: Side) -> Run:
        """Run both sides; keep the later one's seconds and the bytes of both."""
        run = self._pair.run(partial(_stepped, side=modeler), partial(_stepped, side=regulator))
        results, seconds, sent = zip(run.modeler, run.regulator, strict=True)
        self.seconds, self.n_bytes = max(seconds), sum(sent)
        return replace(run, modeler=results[0], regulator=results[1])


def _stepped(ctx: JobContext, side: Side) -> tuple[Any, float, int]:
    """Run one side; return its result, and seconds and bytes since the first material."""
    lines = lines_of(ctx)
    begun: list[tuple[float, int]] = []

    def sent() -> int:
        return sum(line.meter.bytes_sent for line in lines)

    def note(stage: str, done: int, total: int) -> None:
        ctx.progress(stage, done, total)
        if stage == Stage.MATERIAL and not begun:
            begun.append((time.perf_counter(), sent()))

    result = side(replace(ctx, progress=note))
    started, before = begun[0]
    return result, time.perf_counter() - started, sent() - before


class _Certification(Task):
    """One criterion on two groups; ours signs the model too, SPU does not."""

    def __init__(self, criterion: CriterionName, n: int) -> None:
        self._criterion, self._n = criterion, n
        self._dice = np.random.default_rng()

    def ours(self, pair: Pair) -> Figure:
        """Count from the end of the base OTs."""
        spec = make_spec(_FEATURES, (self._criterion,), TWO_GROUPS)
        run = certify_once(pair, self._n, spec, self._dice)
        return Figure(run.after_setup, run.n_bytes, run=run)

    def theirs(self, spu: SpuPair) -> Figure:
        """Compare what is opened with integers in the clear."""
        given, expected = _CLEAR[self._criterion](self._n, self._dice)
        done = spu.run(self._criterion.value, given)
        if not np.array_equal(done.outputs["within"].astype(bool), expected):
            raise SystemExit(f"SPU's verdict on {self._criterion.value} differs from NumPy's.")
        return Figure(done.seconds, done.n_bytes, done.compile_seconds)


def _people(n: int, dice: np.random.Generator) -> tuple[NDArray[np.int64], ...]:
    """Return group int64 (n,), features (n, d), theta (d,) and intercept (1,) at score scale."""
    features = dice.integers(-_REACH, _REACH + 1, (n, _FEATURES))
    coefficients = dice.integers(-_THETA_REACH, _THETA_REACH, _FEATURES + 1)
    return dice.integers(0, 2, n), features, coefficients[1:], coefficients[:1] << _X_BITS


def covariance_case(n: int, dice: np.random.Generator) -> tuple[Arrays, NDArray[np.bool_]]:
    """Return inputs of the covariance bound 1/10 and whether it holds."""
    group, features, theta, _ = _people(n, dice)
    centred = n * features - features.sum(axis=0)
    limit = np.array((n * n << _SCORE_BITS) // _LIMIT_PARTS)
    within = abs(int(group @ centred @ theta)) <= int(limit)
    given = {"group": group, "centred": centred, "theta": theta, "limit": limit}
    return given, np.array(within)


def p_rule_case(n: int, dice: np.random.Generator) -> tuple[Arrays, NDArray[np.bool_]]:
    """Return inputs of the p%-rule at 80 % and whether each group reaches it."""
    group, features, theta, intercept = _people(n, dice)
    selected = features @ theta + intercept >= 0
    ones = int(group.sum())
    hits = int(selected[group == 1].sum())
    first, second = hits * (n - ones), (int(selected.sum()) - hits) * ones
    given = {"group": group, "features": features, "theta": theta, "intercept": intercept}
    return given, np.array([100 * first >= 80 * second, 100 * second >= 80 * first])


_CLEAR = {CriterionName.COVARIANCE: covariance_case, CriterionName.P_RULE: p_rule_case}
