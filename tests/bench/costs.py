"""Where the time goes: what each protocol sends, encrypts and waits for, and what remains.

Two processes over TLS, base OTs included; median of at least five runs after a warm one, training
once. Of each party the milliseconds in compiled kernels, in the TLS line, and of processor time in
all else (Python, NumPy, system), threads added up; rounds are the answers that the modeler waited
for. AES blocks are derived (tests/bench/aes_costs.py), not counted. The limit is the time that
bytes and AES blocks of both parties would take, one after the other, at the rates measured in the
same run; limit over time taken is the efficiency. Every result is compared with the oracle's.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from mpc_engine.protocols.certification.criteria import CriterionName
from mpc_engine.protocols.session import JobContext
from mpc_engine.protocols.training.settings import BATCH_SIZE, Preset
from tests.bench.aes_costs import (
    certification_blocks,
    training_blocks,
    training_gates,
    verification_blocks,
    verification_gates,
)
from tests.bench.certification import TWO_GROUPS, certify_once, make_spec
from tests.bench.link import add_link_argument, link_remark
from tests.bench.parties import Pair, Run, Side, parties
from tests.bench.rates import aes_blocks_a_second, bytes_a_second
from tests.bench.report import Report, Row
from tests.bench.training import WARM, Problem
from tests.bench.training_data import WORKLOADS, synthetic
from tests.bench.verification import make_spec as make_verification_spec
from tests.bench.verification import verify_once
from tests.bench.work_clock import Work, WorkClock

_FEATURES, _ADULT, _MANY = 51, 30_162, 1 << 14
_CASES = (1, 100)
_STEPS = 256


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Take the number of runs and the line."""
    parser.add_argument("--repeats", type=int, default=5)
    add_link_argument(parser)


@dataclass(frozen=True)
class _Observed:
    """What one side returned, what its process did for it, and the answers it waited for."""

    result: Any
    work: Work
    rounds: int


def _observed(ctx: JobContext, side: Side) -> _Observed:
    """Run one side, its process observed."""
    lines = [ctx.channel, *([ctx.offline.channel] if ctx.offline else [])]
    before = sum(line.meter.rounds for line in lines)
    with WorkClock() as clock:
        result = side(ctx)
    return _Observed(result, clock.work, sum(line.meter.rounds for line in lines) - before)


class _ObservedPair(Pair):
    """A pair that keeps what it saw of its last run."""

    def __init__(self, pair: Pair) -> None:
        self._pair = pair
        self.modeler = self.regulator = _Observed(None, Work(0.0, 0.0, 0.0, 0.0), 0)

    def run(self, modeler: Side, regulator: Side) -> Run:
        """Run both sides observed; return the run as if they were not."""
        run = self._pair.run(partial(_observed, side=modeler), partial(_observed, side=regulator))
        self.modeler, self.regulator = run.modeler, run.regulator
        return replace(run, modeler=run.modeler.result, regulator=run.regulator.result)


@dataclass(frozen=True)
class _Work:
    """One kind of run: how to do it, and its AND gates and AES blocks, known after it."""

    name: str
    once: Callable[[Pair], Run]
    counts: Callable[[Run], tuple[int, int]]
    repeats: int


def _kinds(repeats: int) -> Iterator[_Work]:
    dice = np.random.default_rng()
    for criterion, n in ((CriterionName.COVARIANCE, _ADULT), (CriterionName.P_RULE, _MANY)):
        spec = make_spec(_FEATURES, (criterion,), TWO_GROUPS)
        yield _Work(
            f"certification, {criterion.value}, {n} people",
            partial(certify_once, n=n, spec=spec, dice=dice),
            lambda run, spec=spec, n=n: (
                run.modeler.and_gates,
                certification_blocks(spec, n, run.modeler),
            ),
            repeats,
        )
    shape = make_verification_spec(_FEATURES)
    for n_cases in _CASES:
        counts = verification_gates(shape, n_cases), verification_blocks(shape, n_cases)
        yield _Work(
            f"verification, {n_cases} together",
            partial(verify_once, n_cases=n_cases, spec=shape, dice=dice),
            lambda run, counts=counts: counts,
            repeats,
        )
    adult = next(workload for workload in WORKLOADS if workload.name == "Adult")
    epochs = _STEPS * BATCH_SIZE / adult.n
    problem = Problem(adult, synthetic(adult), Preset.RECOMMENDED, epochs)
    spent = training_gates(problem.spec), training_blocks(problem.spec)
    yield _Work(f"training, {_STEPS} steps of {adult.name}", problem.run, lambda run: spent, 1)


def _measure(pair: Pair, kind: _Work, line_rate: float, aes_rate: float) -> Row:
    observed = _ObservedPair(pair)
    seen = []
    for _ in range(kind.repeats):
        run = kind.once(observed)
        seen.append((run.seconds, observed.modeler, observed.regulator))
    seconds, modeler, regulator = sorted(seen, key=lambda item: item[0])[len(seen) // 2]
    and_gates, blocks = kind.counts(run)
    n_bytes = run.modeler_bytes + run.regulator_bytes
    limit = n_bytes / line_rate + blocks / aes_rate
    return {
        "work": kind.name,
        "ms": _ms(seconds),
        "MB": round(n_bytes / 1e6, 1),
        "rounds": modeler.rounds,
        "million ANDs": round(and_gates / 1e6, 2),
        "million AES blocks": round(blocks / 1e6, 1),
        "limit, ms": _ms(limit),
        "efficiency": round(limit / seconds, 2),
        "M kernels": _ms(modeler.work.kernels),
        "M line": _ms(modeler.work.line),
        "M rest": _ms(modeler.work.rest),
        "R kernels": _ms(regulator.work.kernels),
        "R line": _ms(regulator.work.line),
        "R rest": _ms(regulator.work.rest),
    }


def _ms(seconds: float) -> float:
    return round(1000 * seconds, 1)


def run(arguments: argparse.Namespace) -> Report:
    """Measure the rates of this machine, then every kind of run."""
    with parties(arguments.link) as pair:
        line_rate, aes_rate = bytes_a_second(pair, arguments.link), aes_blocks_a_second()
        Problem(WARM, synthetic(WARM), Preset.RECOMMENDED, 16).run(pair)
        rows = []
        for kind in _kinds(arguments.repeats):
            if kind.repeats > 1:
                kind.once(pair)
            rows.append(_measure(pair, kind, line_rate, aes_rate))
            print(f"{kind.name}: {rows[-1]['ms']} ms", flush=True)
    rates = (
        f"TLS: {line_rate / 1e6:.0f} MB/s one way; AES: {aes_rate / 1e6:.0f} million blocks a "
        "second on one core. M: modeler, R: regulator, each in ms."
    )
    return Report(
        "Where the time goes, two processes over TLS", rows, [rates, link_remark(arguments.link)]
    )
