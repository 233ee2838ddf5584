"""The paper's training runs, 10 epochs with batches of 64: two processes over TLS, one machine.

The clock starts when both parties are connected and includes base OTs, the offline phase and all
steps. One pair of processes serves all runs; kernels are compiled before, in a small run. Every run
has a fresh order of rows, answers dealt afresh, and other people where they are synthetic; its
result is compared with the oracle's, bit for bit. A row tells of the run of the median time, and
the seconds of the worst. Efficiency is the time that the bytes and
the AES blocks of both parties alone would take, one after the other, at the rates measured in the
same run, over the time taken; both parties work at once, so it may exceed 1.
"""

from __future__ import annotations

import argparse
from dataclasses import replace
from functools import partial
from itertools import product
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from mpc_engine.crypto.rng import system_randomness
from mpc_engine.experiments.stage_clock import StageClock
from mpc_engine.lab.data_sets import (
    SHARED_FOLDER,
    WORKLOADS,
    People,
    Workload,
    people_of,
    synthetic,
)
from mpc_engine.protocols.session import JobContext
from mpc_engine.protocols.training.fixed_point import Standardisation, public_bounds
from mpc_engine.protocols.training.hyperparameters import (
    BATCH_SIZE,
    X_FRAC_BITS,
    Preset,
    settings_of,
    steps_of,
    training_spec,
)
from mpc_engine.protocols.training.plaintext import train_plaintext
from mpc_engine.protocols.training.protocol import train_as_modeler, train_as_regulator
from mpc_engine.protocols.training.spec import TrainingSpec
from mpc_engine.sharing.dealing import deal_records, one_hot
from mpc_engine.sharing.records import HeldRecords
from mpc_engine.vocabulary.constraints import Constraint, ConstraintScope
from tools.bench.aes_costs import training_blocks
from tools.bench.link import add_link_argument, link_remark
from tools.bench.parties import Pair, Run, at_median, lines_of, parties
from tools.bench.rates import Rates
from tools.bench.report import Report, Row, add_repeats
from tools.bench.start_up import start_up

_EPOCHS, _QUICK_STEPS, _WARM_EPOCHS = 10, 64, 16
_CONSTRAINT = 0.01
WARM = Workload("warm", 1 << 7, 9, 1, (3,), 0)
"""A workload that compiles every kernel."""
_REMARKS = (
    "paper_seconds: Kilbertus et al. (2018), table of timings, online phase only, other machines.",
    "seconds_offline: of the modeler, base OTs and waiting for material, most of which is made "
    "while steps run; A and all steps are online. rounds: answers the modeler waited for, on both "
    "lines. bytes: both parties, without TLS and TCP.",
    "peak_rss_bytes: of the larger process in any run, its inputs included.",
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Take workloads, the folder of data, the preset, the short form, and the number of runs."""
    names = [workload.name.lower() for workload in WORKLOADS]
    parser.add_argument("--workloads", nargs="+", choices=names, default=names, metavar="NAME")
    parser.add_argument(
        "--data", type=Path, default=SHARED_FOLDER, help="folder of the files; else synthetic"
    )
    parser.add_argument("--preset", choices=[each.value for each in Preset], default="recommended")
    parser.add_argument(
        "--constraints",
        nargs="+",
        choices=[each.value for each in Constraint],
        default=[Constraint.ACCEPTANCE_RATE.value],
        metavar="NAME",
        help="what to keep alike; each is trained in turn, on the same people",
    )
    parser.add_argument(
        "--scopes",
        nargs="+",
        choices=[each.value for each in ConstraintScope],
        default=[ConstraintScope.WHOLE_SET.value],
        metavar="NAME",
        help="the rows over which a step takes covariances; each is trained in turn",
    )
    parser.add_argument(
        "--quick", action="store_true", help=f"{_QUICK_STEPS} steps instead of {_EPOCHS} epochs"
    )
    add_repeats(parser)
    add_link_argument(parser)


class Problem:
    """A run with its data, dealt, and the side of each party."""

    def __init__(
        self,
        workload: Workload,
        people: People,
        preset: Preset,
        epochs: float,
        constraint: Constraint = Constraint.ACCEPTANCE_RATE,
        scope: ConstraintScope = ConstraintScope.WHOLE_SET,
    ) -> None:
        standardisation = Standardisation.of(people.features)
        self.rows: NDArray[np.int64] = standardisation.encode(people.features, X_FRAC_BITS)
        self.targets = people.outcomes
        self.entries = one_hot(people.choices, workload.entry_counts)
        self.spec = _spec(workload, self.rows, preset, epochs, constraint, scope)
        self.modeler, self.regulator = deal_records(self.entries, None, system_randomness())

    def run(self, pair: Pair) -> Run:
        """Train; the modeler's result is that of `_train_as_modeler`, its theta the oracle's."""
        run = pair.run(
            partial(
                _train_as_modeler,
                spec=self.spec,
                records=self.modeler,
                rows=self.rows,
                targets=self.targets,
            ),
            partial(_train_as_regulator, spec=self.spec, records=self.regulator),
        )
        oracle = train_plaintext(self.spec, self.rows, self.targets, self.entries).theta
        if not np.array_equal(run.modeler[0], oracle):
            raise SystemExit("theta differs from the oracle's.")
        return run


def _train_as_modeler(
    ctx: JobContext,
    spec: TrainingSpec,
    records: HeldRecords,
    rows: NDArray[np.int64],
    targets: NDArray[np.uint8],
) -> tuple[NDArray[np.int64], float, float, int]:
    """Return theta, seconds offline and online, and rounds."""
    clock, before = StageClock(ctx.progress), _rounds(ctx)
    (theta,) = train_as_modeler(replace(ctx, progress=clock), [spec], records, rows, targets)
    return theta, *clock.offline_and_online(), _rounds(ctx) - before


def _train_as_regulator(ctx: JobContext, spec: TrainingSpec, records: HeldRecords) -> None:
    list(train_as_regulator(ctx, [spec], records))


def _rounds(ctx: JobContext) -> int:
    return sum(line.meter.rounds for line in lines_of(ctx))


def _spec(
    workload: Workload,
    rows: NDArray[np.int64],
    preset: Preset,
    epochs: float,
    constraint: Constraint,
    scope: ConstraintScope,
) -> TrainingSpec:
    if rows.shape != (workload.n, workload.d):
        raise SystemExit(
            f"{workload.name} has {rows.shape}, not the rows and columns of the table."
        )
    settings = settings_of(preset, workload.n, steps_of(epochs, workload.n))
    x_bound, row_bound = public_bounds(rows)
    return training_spec(
        settings,
        n_rows=workload.n,
        n_columns=workload.d,
        x_bound=x_bound,
        row_bound=row_bound,
        entry_counts=workload.entry_counts,
        constraints=_CONSTRAINT,
        order_seed=system_randomness().bytes(16),
        kind=constraint,
        scope=scope,
    )


def _measure(
    pair: Pair,
    workload: Workload,
    kept_alike: tuple[Constraint, ConstraintScope],
    arguments: argparse.Namespace,
    rates: Rates,
    warm: Run,
) -> tuple[Row, Row]:
    """Train as often as asked; return the row, and that of the start-up with the ``warm`` run."""
    epochs = _QUICK_STEPS * BATCH_SIZE / workload.n if arguments.quick else _EPOCHS
    people = people_of(workload, arguments.data)
    done = []
    for number in range(arguments.repeats):
        if number and not people.real:
            people = people_of(workload, arguments.data)
        problem = Problem(workload, people, Preset(arguments.preset), epochs, *kept_alike)
        done.append((problem.run(pair), problem.spec))
    runs = [run for run, _ in done]
    run, spec = at_median(done, lambda item: item[0])
    _, offline, online, rounds = run.modeler
    row = {
        "workload": workload.name,
        "n": workload.n,
        "d": workload.d,
        "p": len(spec.bounds),
        "constraint": kept_alike[0].value,
        "scope": kept_alike[1].value,
        "steps": spec.n_steps,
        "runs": len(runs),
        "seconds_median": run.seconds,
        "seconds_worst": max(each.seconds for each in runs),
        "seconds_offline": offline,
        "seconds_online": online,
        "bytes": run.n_bytes,
        "rounds": rounds,
        "paper_seconds": workload.paper_seconds,
        "efficiency": rates.least_seconds(run.n_bytes, training_blocks(spec)) / run.seconds,
        "peak_rss_bytes": max(max(r.modeler_peak_bytes, r.regulator_peak_bytes) for r in runs),
        "ms_a_step": 1000 * run.seconds / spec.n_steps,
        "ms_a_step_online": 1000 * online / spec.n_steps,
        "data": "real" if people.real else "synthetic",
    }
    return row, start_up(f"{workload.name}; first run: small", warm, runs)


def warm_up(pair: Pair, preset: Preset) -> Run:
    """Train on few people, so that every kernel is compiled."""
    return Problem(WARM, synthetic(WARM), preset, _WARM_EPOCHS).run(pair)


def run(arguments: argparse.Namespace) -> Report:
    """Measure the rates of this machine, then every workload."""
    found = []
    with parties(arguments.link) as pair:
        rates = Rates.measured(pair, arguments.link)
        warm = warm_up(pair, Preset(arguments.preset))
        for workload in WORKLOADS:
            if workload.name.lower() not in arguments.workloads:
                continue
            for name, scope in product(arguments.constraints, arguments.scopes):
                kept_alike = Constraint(name), ConstraintScope(scope)
                found.append(_measure(pair, workload, kept_alike, arguments, rates, warm))
                seconds = found[-1][0]["seconds_median"]
                print(f"{workload.name}, {name}, {scope}: {seconds:.1f} s", flush=True)
    exact = f"Every theta is the oracle's, bit for bit. Preset {arguments.preset}."
    length = f"{_QUICK_STEPS} steps" if arguments.quick else f"{_EPOCHS} epochs"
    title = f"Fair training, {length} with batches of {BATCH_SIZE}, two processes over TLS"
    rows, start_ups = (list(column) for column in zip(*found, strict=True))
    remarks = [exact, link_remark(arguments.link), str(rates), *_REMARKS]
    return Report(title, rows, remarks, start_ups)
