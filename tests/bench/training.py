"""The paper's training runs, 10 epochs with batches of 64: two processes over TLS, one machine.

The clock starts when both parties are connected and includes base OTs, the offline phase and all
steps. One pair of processes serves all runs; kernels are compiled before, in a small run. Every
timed result is compared with the oracle's, bit for bit. Efficiency is the time that the bytes and
the AES blocks of both parties alone would take, one after the other, at the rates measured in the
same run, over the time taken; both parties work at once, so it may exceed 1.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from mpc_engine.crypto.rng import system_randomness
from mpc_engine.experiments.stage_clock import StageClock
from mpc_engine.kernels.aes import encrypt_blocks, expand_key
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
from tests.bench.link import Link, add_link_argument, link_remark
from tests.bench.parties import Pair, Run, parties
from tests.bench.report import Report, Row
from tests.bench.training_costs import aes_blocks
from tests.bench.training_data import WORKLOADS, People, Workload, people_of, synthetic

_EPOCHS, _QUICK_STEPS = 10, 64
_CONSTRAINT = 0.01
_SHARED_DATA = Path(__file__).resolve().parents[3] / "shared" / "data"
_PIECE_BYTES, _PIECES, _PIECES_LINKED, _PIECE = 1 << 22, 64, 4, 0x7F02
_AES_BLOCKS, _AES_REPEATS = 1 << 14, 64
_WARM = Workload("warm", 1 << 7, 9, 1, (3,), 0)
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


class _Problem:
    """A run with its data, dealt, and the side of each party."""

    def __init__(self, workload: Workload, people: People, preset: Preset, epochs: float) -> None:
        standardisation = Standardisation.of(people.features)
        self.rows: NDArray[np.int64] = standardisation.encode(people.features, X_FRAC_BITS)
        self.targets = people.outcomes
        self.entries = one_hot(people.choices, workload.entry_counts)
        self.spec = _spec(workload, self.rows, preset, epochs)
        self.modeler, self.regulator = deal_records(self.entries, None, system_randomness())

    def run(self, pair: Pair) -> Run:
        """Train; the modeler's result is that of `_train_as_modeler`."""
        return pair.run(
            partial(
                _train_as_modeler,
                spec=self.spec,
                records=self.modeler,
                rows=self.rows,
                targets=self.targets,
            ),
            partial(_train_as_regulator, spec=self.spec, records=self.regulator),
        )

    def oracle(self) -> NDArray[np.int64]:
        """Return the oracle's theta."""
        return train_plaintext(self.spec, self.rows, self.targets, self.entries).theta


def _train_as_modeler(
    ctx: JobContext,
    spec: TrainingSpec,
    records: HeldRecords,
    rows: NDArray[np.int64],
    targets: NDArray[np.int64],
) -> tuple[NDArray[np.int64], float, float, int]:
    """Return theta, seconds offline and online, and rounds."""
    clock, before = StageClock(), _rounds(ctx)
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
    problem = _Problem(workload, people, preset, epochs)
    _Problem(_WARM, synthetic(_WARM), preset, 16).run(pair)
    run = problem.run(pair)
    theta, offline, online, rounds = run.modeler
    if not np.array_equal(theta, problem.oracle()):
        raise SystemExit(f"{workload.name}: theta differs from the oracle's.")
    n_bytes, steps = run.modeler_bytes + run.regulator_bytes, problem.spec.n_steps
    least = n_bytes / line_rate + aes_blocks(problem.spec) / aes_rate
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


def _send_pieces(ctx: JobContext, n_pieces: int) -> None:
    piece = np.zeros(_PIECE_BYTES, dtype=np.uint8)
    for _ in range(n_pieces):
        ctx.channel.send_array(_PIECE, piece)
    ctx.channel.recv(_PIECE, size=0)


def _receive_pieces(ctx: JobContext, n_pieces: int) -> None:
    for _ in range(n_pieces):
        ctx.channel.recv_array(_PIECE, np.uint8, (_PIECE_BYTES,))
    ctx.channel.send(_PIECE, b"")


def _line_rate(pair: Pair, link: Link | None) -> float:
    """Return the bytes a second that one party gets to the other over TLS."""
    n_pieces = _PIECES if link is None else _PIECES_LINKED
    send = partial(_send_pieces, n_pieces=n_pieces)
    receive = partial(_receive_pieces, n_pieces=n_pieces)
    pair.run(send, receive)
    return n_pieces * _PIECE_BYTES / pair.run(send, receive).seconds


def _aes_rate() -> float:
    """Return the AES blocks a second of one core on blocks in its cache: the best of many.

    Kernels make and use their blocks in cache too, so blocks that come from memory would make the
    least time too long and the efficiency too good.
    """
    rng = system_randomness()
    round_keys, blocks = expand_key(rng.bytes(16)), rng.words(_AES_BLOCKS, 2)
    least = min(_seconds(lambda: encrypt_blocks(blocks, round_keys)) for _ in range(_AES_REPEATS))
    return _AES_BLOCKS / least


def _seconds(work: Callable[[], object]) -> float:
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


def run(arguments: argparse.Namespace) -> Report:
    """Measure the rates of this machine, then every workload."""
    rows = []
    with parties(arguments.link) as pair:
        line_rate, aes_rate = _line_rate(pair, arguments.link), _aes_rate()
        for workload in WORKLOADS:
            if workload.name.lower() in arguments.workloads:
                rows.append(_measure(pair, workload, arguments, line_rate, aes_rate))
                print(f"{workload.name}: {rows[-1]['seconds_total']:.1f} s", flush=True)
    rates = (
        f"TLS: {line_rate / 1e6:.0f} MB/s one way; AES: {aes_rate / 1e6:.0f} "
        "million blocks a second on one core. AES blocks of a run are derived from its circuits "
        "and shapes (tests/bench/training_costs.py), not counted."
    )
    exact = f"Every theta is the oracle's, bit for bit. Preset {arguments.preset}."
    length = f"{_QUICK_STEPS} steps" if arguments.quick else f"{_EPOCHS} epochs"
    title = f"Fair training, {length} with batches of {BATCH_SIZE}, two processes over TLS"
    return Report(title, rows, [exact, link_remark(arguments.link), rates, *_REMARKS])
