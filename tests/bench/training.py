"""The paper's training runs, 10 epochs with batches of 64: two processes over TLS, one machine.

The clock starts when both parties are connected and includes base OTs, the offline phase and all
steps. One pair of processes serves all runs; kernels are compiled before, in a small run. Every
timed result is compared with the oracle's, bit for bit. Efficiency is the time that the bytes and
the AES blocks of both parties alone would take, one after the other, at the rates measured in the
same run, over the time taken; both parties work at once, so it may exceed 1.
"""

from __future__ import annotations

import argparse
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from mpc_engine.crypto.rng import system_randomness
from mpc_engine.experiments.stage_clock import StageClock
from mpc_engine.protocols.session import JobContext
from mpc_engine.protocols.training.encoding import Standardisation, public_bounds
from mpc_engine.protocols.training.plaintext import train_plaintext
from mpc_engine.protocols.training.protocol import train_as_modeler, train_as_regulator
from mpc_engine.protocols.training.settings import (
    BATCH_SIZE,
    X_FRAC_BITS,
    Preset,
    settings_of,
    steps_of,
    training_spec,
)
from mpc_engine.protocols.training.spec import TrainingSpec
from mpc_engine.sharing.dealing import deal_records, one_hot
from mpc_engine.sharing.records import HeldRecords
from tests.bench.aes_costs import training_blocks
from tests.bench.link import add_link_argument, link_remark
from tests.bench.parties import Pair, Run, parties
from tests.bench.rates import aes_blocks_a_second, bytes_a_second
from tests.bench.report import Report, Row
from tests.bench.training_data import WORKLOADS, People, Workload, people_of, synthetic

_EPOCHS, _QUICK_STEPS = 10, 64
_CONSTRAINT = 0.01
_SHARED_DATA = Path(__file__).resolve().parents[3] / "shared" / "data"
WARM = Workload("warm", 1 << 7, 9, 1, (3,), 0)
"""A workload that compiles every kernel."""
_REMARKS = (
    "paper_seconds: Kilbertus et al. (2018), table of timings, online phase only, other machines.",
    "seconds_offline: of the modeler, base OTs and waiting for material, most of which is made "
    "while steps run; A and all steps are online. rounds: answers the modeler waited for, on both "
    "lines. bytes: both parties, without TLS and TCP.",
    "peak_rss_bytes: of the larger process during the run, its inputs included.",
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Take workloads, the folder of data, the preset and the short form."""
    names = [workload.name.lower() for workload in WORKLOADS]
    parser.add_argument("--workloads", nargs="+", choices=names, default=names, metavar="NAME")
    parser.add_argument(
        "--data", type=Path, default=_SHARED_DATA, help="folder of the files; else synthetic"
    )
    parser.add_argument("--preset", choices=[each.value for each in Preset], default="recommended")
    parser.add_argument(
        "--quick", action="store_true", help=f"{_QUICK_STEPS} steps instead of {_EPOCHS} epochs"
    )
    add_link_argument(parser)


class Problem:
    """A run with its data, dealt, and the side of each party."""

    def __init__(self, workload: Workload, people: People, preset: Preset, epochs: float) -> None:
        standardisation = Standardisation.of(people.features)
        self.rows: NDArray[np.int64] = standardisation.encode(people.features, X_FRAC_BITS)
        self.targets = people.outcomes
        self.entries = one_hot(people.choices, workload.entry_counts)
        self.spec = _spec(workload, self.rows, preset, epochs)
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
    beside = ctx.offline.channel.meter.rounds if ctx.offline is not None else 0
    return ctx.channel.meter.rounds + beside


def _spec(
    workload: Workload, rows: NDArray[np.int64], preset: Preset, epochs: float
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
    )


def _measure(
    pair: Pair,
    workload: Workload,
    arguments: argparse.Namespace,
    line_rate: float,
    aes_rate: float,
) -> Row:
    preset = Preset(arguments.preset)
    epochs = _QUICK_STEPS * BATCH_SIZE / workload.n if arguments.quick else _EPOCHS
    people = people_of(workload, arguments.data)
    problem = Problem(workload, people, preset, epochs)
    Problem(WARM, synthetic(WARM), preset, 16).run(pair)
    run = problem.run(pair)
    _, offline, online, rounds = run.modeler
    n_bytes, steps = run.modeler_bytes + run.regulator_bytes, problem.spec.n_steps
    least = n_bytes / line_rate + training_blocks(problem.spec) / aes_rate
    return {
        "workload": workload.name,
        "n": workload.n,
        "d": workload.d,
        "p": workload.p,
        "steps": steps,
        "seconds_total": run.seconds,
        "seconds_offline": offline,
        "seconds_online": online,
        "bytes": n_bytes,
        "rounds": rounds,
        "paper_seconds": workload.paper_seconds,
        "efficiency": least / run.seconds,
        "peak_rss_bytes": max(run.modeler_peak_bytes, run.regulator_peak_bytes),
        "ms_a_step": 1000 * run.seconds / steps,
        "ms_a_step_online": 1000 * online / steps,
        "data": "real" if people.real else "synthetic",
    }


def run(arguments: argparse.Namespace) -> Report:
    """Measure the rates of this machine, then every workload."""
    rows = []
    with parties(arguments.link) as pair:
        line_rate, aes_rate = bytes_a_second(pair, arguments.link), aes_blocks_a_second()
        for workload in WORKLOADS:
            if workload.name.lower() in arguments.workloads:
                rows.append(_measure(pair, workload, arguments, line_rate, aes_rate))
                print(f"{workload.name}: {rows[-1]['seconds_total']:.1f} s", flush=True)
    rates = (
        f"TLS: {line_rate / 1e6:.0f} MB/s one way; AES: {aes_rate / 1e6:.0f} "
        "million blocks a second on one core. AES blocks of a run are derived from its circuits "
        "and shapes (tests/bench/aes_costs.py), not counted."
    )
    exact = f"Every theta is the oracle's, bit for bit. Preset {arguments.preset}."
    length = f"{_QUICK_STEPS} steps" if arguments.quick else f"{_EPOCHS} epochs"
    title = f"Fair training, {length} with batches of {BATCH_SIZE}, two processes over TLS"
    return Report(title, rows, [exact, link_remark(arguments.link), rates, *_REMARKS])
