"""Where the time goes: what each protocol sends, encrypts and waits for, and what remains.

Two processes over TLS, base OTs included; the run of the median time, after one of each kind that
does not count. Of each party the milliseconds in compiled kernels, in the TLS line, and of
processor time in all else (Python, NumPy, system), threads added up; rounds are the answers that
the modeler waited for. AES blocks are derived (tools/bench/aes_costs.py), not counted. The limit is
the time that bytes and AES blocks of both parties would take, one after the other, at the rates
measured in the same run; limit over time taken is the efficiency. Every run has fresh inputs, and
its result is compared with the oracle's. Below the table stand base OTs, which are in the times
where no stock is used, and the opening of the lines, which is not.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from mpc_engine.lab.data_sets import WORKLOADS, synthetic
from mpc_engine.protocols.session import JobContext
from mpc_engine.protocols.training.hyperparameters import BATCH_SIZE, Preset
from mpc_engine.vocabulary.criteria import CriterionName
from tests.builders.held_shares import layout_by_file
from tools.bench.aes_costs import (
    certification_blocks,
    closing_blocks,
    closing_gates,
    stocked_blocks,
    training_blocks,
    training_gates,
    verification_blocks,
    verification_gates,
)
from tools.bench.certification import TWO_GROUPS, certify_once, make_spec
from tools.bench.closing import close_once
from tools.bench.link import add_link_argument, link_remark
from tools.bench.parties import Pair, Run, Side, at_median, lines_of, parties
from tools.bench.rates import Rates
from tools.bench.report import Report, Row, add_repeats, milliseconds
from tools.bench.start_up import BASE_OTS, start_up
from tools.bench.training import Problem
from tools.bench.verification import make_spec as make_verification_spec
from tools.bench.verification import verify_from_stock, verify_once
from tools.bench.work_clock import WorkClock, WorkSeconds

_FEATURES, _ADULT, _MANY = 51, 30_162, 1 << 14
_CASES = (1, 100)
_STEPS = 256
_GOAL = 0.5
"""Of efficiency."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Take the number of runs and the line."""
    add_repeats(parser)
    add_link_argument(parser)


@dataclass(frozen=True)
class _Observed:
    """What one side returned, what its process did for it, and the answers it waited for."""

    result: Any
    work: WorkSeconds
    rounds: int


def _observed(ctx: JobContext, side: Side) -> _Observed:
    """Run one side, its process observed."""
    lines = lines_of(ctx)
    before = sum(line.meter.rounds for line in lines)
    with WorkClock() as clock:
        result = side(ctx)
    return _Observed(result, clock.work, sum(line.meter.rounds for line in lines) - before)


class _ObservedPair(Pair):
    """A pair that keeps what it saw of its last run."""

    def __init__(self, pair: Pair) -> None:
        self._pair = pair
        self.modeler = self.regulator = _Observed(None, WorkSeconds(0.0, 0.0, 0.0, 0.0), 0)

    def run(self, modeler: Side, regulator: Side) -> Run:
        """Run both sides observed; return the run as if they were not."""
        run = self._pair.run(partial(_observed, side=modeler), partial(_observed, side=regulator))
        self.modeler, self.regulator = run.modeler, run.regulator
        return replace(run, modeler=run.modeler.result, regulator=run.regulator.result)


@dataclass(frozen=True)
class _Done:
    """A run, its AND gates and its AES blocks."""

    run: Run
    and_gates: int
    blocks: int


@dataclass(frozen=True)
class _Kind:
    """One kind of run, and how to do it once, with fresh inputs.

    ``tells_base_ots``: whether its first progress comes right after them.
    """

    name: str
    once: Callable[[Pair], _Done]
    tells_base_ots: bool = True


def _kinds() -> Iterator[_Kind]:
    dice = np.random.default_rng()
    for criterion, n in ((CriterionName.COVARIANCE, _ADULT), (CriterionName.P_RULE, _MANY)):
        yield _Kind(
            f"certification, {criterion.value}, {n:,} people",
            partial(_certify, criterion=criterion, n=n, dice=dice),
        )
    yield _Kind(f"closing, {_MANY:,} people", partial(_close, dice=dice), tells_base_ots=False)
    for n_cases in _CASES:
        for name, once in (("", _verify), (", with stock", _verify_with_stock)):
            yield _Kind(
                f"verification, {n_cases} together{name}", partial(once, n_cases=n_cases, dice=dice)
            )
    yield _Kind(f"training, {_STEPS} steps of Adult", _train)


def _certify(pair: Pair, criterion: CriterionName, n: int, dice: np.random.Generator) -> _Done:
    spec = make_spec(_FEATURES, (criterion,), TWO_GROUPS)
    run = certify_once(pair, n, spec, dice)
    return _Done(run, run.modeler.and_gates, certification_blocks(spec, n, run.modeler))


def _close(pair: Pair, dice: np.random.Generator) -> _Done:
    run = close_once(pair, _MANY, layout_by_file(*TWO_GROUPS), dice)
    return _Done(run, closing_gates(TWO_GROUPS, _MANY), closing_blocks(TWO_GROUPS, _MANY))


def _verify(pair: Pair, n_cases: int, dice: np.random.Generator) -> _Done:
    spec = make_verification_spec(_FEATURES)
    run = verify_once(pair, n_cases, spec, dice)
    return _Done(run, verification_gates(spec, n_cases), verification_blocks(spec, n_cases))


def _verify_with_stock(pair: Pair, n_cases: int, dice: np.random.Generator) -> _Done:
    """Verify from what a run before made, which does not count."""
    spec = make_verification_spec(_FEATURES)
    _, run = verify_from_stock(pair, n_cases, spec, dice)
    return _Done(run, verification_gates(spec, n_cases), stocked_blocks(spec, n_cases))


def _train(pair: Pair) -> _Done:
    adult = next(workload for workload in WORKLOADS if workload.name == "Adult")
    epochs = _STEPS * BATCH_SIZE / adult.n
    problem = Problem(adult, synthetic(adult, None), Preset.RECOMMENDED, epochs)
    run = problem.run(pair)
    return _Done(run, training_gates(problem.spec), training_blocks(problem.spec))


def _measure(pair: Pair, kind: _Kind, repeats: int, rates: Rates) -> tuple[Row, Row]:
    """Return the row of the run of the median time, and that of the start-up."""
    observed = _ObservedPair(pair)
    first = kind.once(pair).run
    seen = []
    for _ in range(repeats):
        done = kind.once(observed)
        seen.append((done, observed.modeler, observed.regulator))
    done, modeler, regulator = at_median(seen, lambda item: item[0].run)
    seconds, n_bytes = done.run.seconds, done.run.n_bytes
    limit = rates.least_seconds(n_bytes, done.blocks)
    row = {
        "work": kind.name,
        "runs": repeats,
        "ms": milliseconds(seconds),
        "MB": round(n_bytes / 1e6, 1),
        "rounds": modeler.rounds,
        "million ANDs": round(done.and_gates / 1e6, 2),
        "million AES blocks": round(done.blocks / 1e6, 1),
        "limit, ms": milliseconds(limit),
        "efficiency": round(limit / seconds, 2),
        f"goal {_GOAL}": "met" if limit / seconds >= _GOAL else "missed",
    }
    for letter, work in (("M", modeler.work), ("R", regulator.work)):
        row[f"{letter} kernels"] = milliseconds(work.kernels)
        row[f"{letter} line"] = milliseconds(work.line)
        row[f"{letter} rest"] = milliseconds(work.rest)
    before = start_up(kind.name, first, [item[0].run for item in seen])
    return row, before if kind.tells_base_ots else before | {BASE_OTS: None}


def run(arguments: argparse.Namespace) -> Report:
    """Measure the rates of this machine, then every kind of run."""
    found = []
    with parties(arguments.link) as pair:
        rates = Rates.measured(pair, arguments.link)
        for kind in _kinds():
            found.append(_measure(pair, kind, arguments.repeats, rates))
            print(f"{kind.name}: {found[-1][0]['ms']} ms", flush=True)
    rows, start_ups = (list(column) for column in zip(*found, strict=True))
    remarks = [str(rates), "M: modeler, R: regulator, each in ms.", link_remark(arguments.link)]
    return Report("Where the time goes, two processes over TLS", rows, remarks, start_ups)
