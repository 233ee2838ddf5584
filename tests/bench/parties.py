"""Both parties of a protocol in two processes over TLS, timed from a common start."""

from __future__ import annotations

import multiprocessing
import resource
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from mpc_engine.crypto.rng import system_randomness
from mpc_engine.protocols.session import JobContext, OfflineLine
from mpc_engine.roles import Role
from mpc_engine.testing.tls import LOOPBACK, write_identity
from mpc_engine.transport.channel import Channel
from mpc_engine.transport.tls import TLSListener, connect_lines
from tests.bench.link import Link

Side = Callable[[JobContext], Any]
_OPENING_S = 30.0
_TIMEOUT_S = 900.0
_N_LINES = 2
_START = 0x7F01


@dataclass(frozen=True)
class Run:
    """One timed run: both results, seconds until both sides ended, bytes by sender.

    ``setup_seconds`` of them went by before a side told its first progress: base OTs and nonces.
    """

    modeler: Any
    regulator: Any
    seconds: float
    setup_seconds: float
    modeler_bytes: int
    regulator_bytes: int


@dataclass(frozen=True)
class Runs:
    """All runs after the warm ones, and each process's peak memory over all of them."""

    runs: list[Run]
    modeler_peak_bytes: int
    regulator_peak_bytes: int


def peak_bytes() -> int:
    """Return this process's peak resident memory."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


@dataclass(frozen=True)
class _Timed:
    """What one process reports of one run."""

    seconds: float
    setup_seconds: float
    result: Any
    bytes_sent: int
    peak_bytes: int


def _timed(role: Role, lines: Sequence[Channel], side: Side) -> _Timed:
    """Wait for the other process, then run this side."""
    lines[0].send(_START, b"")
    lines[0].recv(_START, size=0)
    sent_before = lines[0].meter.bytes_sent
    told: list[float] = []
    context = JobContext(
        role=role,
        channel=lines[0],
        job_digest=bytes(32),
        rng=system_randomness(),
        progress=lambda stage, done, total: told.append(time.perf_counter()),
        offline=OfflineLine(lines[1], system_randomness()),
    )
    started = time.perf_counter()
    result = side(context)
    seconds = time.perf_counter() - started
    setup = told[0] - started if told else 0.0
    sent = sum(line.meter.bytes_sent for line in lines) - sent_before
    return _Timed(seconds, setup, result, sent, peak_bytes())


def _close(lines: Sequence[Channel]) -> None:
    for line in lines:
        line.close()


def run_parties(
    modeler: Side, regulator: Side, *, repeats: int, warm: int = 1, link: Link | None = None
) -> Runs:
    """Run both sides ``warm + repeats`` times in two fresh processes, each time on two new lines.

    The clock starts when both are connected and stops when the later one has its result; the TLS
    handshake and the first runs, in which kernels are compiled, are left out. With ``link`` the
    parties talk through it.
    """
    total = warm + repeats
    with tempfile.TemporaryDirectory() as name:
        directory = Path(name)
        server, server_pem = write_identity(directory, "regulator")
        client, client_pem = write_identity(directory, "modeler")
        spawn = multiprocessing.get_context("fork")
        pipes = [spawn.Pipe(duplex=False) for _ in range(2)]
        with (
            TLSListener(LOOPBACK, server, client_pem) as listener,
            link.relayed(listener.address) if link else nullcontext(listener.address) as address,
        ):

            def play_regulator(out: Connection) -> None:
                for _ in range(total):
                    lines = listener.accept_lines(
                        _N_LINES, timeout_s=_OPENING_S, recv_timeout_s=_TIMEOUT_S
                    )
                    out.send(_timed(Role.REGULATOR, lines, regulator))
                    _close(lines)

            def play_modeler(out: Connection) -> None:
                for _ in range(total):
                    lines = connect_lines(
                        *(address, client, server_pem, _N_LINES),
                        timeout_s=_OPENING_S,
                        recv_timeout_s=_TIMEOUT_S,
                    )
                    out.send(_timed(Role.MODELER, lines, modeler))
                    _close(lines)

            processes = [
                spawn.Process(target=play, args=(pipe[1],))
                for play, pipe in zip((play_regulator, play_modeler), pipes, strict=True)
            ]
            for process in processes:
                process.start()
            for _, writer in pipes:
                writer.close()
            seen = [(pipes[0][0].recv(), pipes[1][0].recv()) for _ in range(total)]
            for process in processes:
                process.join(_OPENING_S)
    runs = [
        Run(
            modeler=m.result,
            regulator=r.result,
            seconds=max(r.seconds, m.seconds),
            setup_seconds=max(r.setup_seconds, m.setup_seconds),
            modeler_bytes=m.bytes_sent,
            regulator_bytes=r.bytes_sent,
        )
        for r, m in seen[warm:]
    ]
    return Runs(runs, seen[-1][1].peak_bytes, seen[-1][0].peak_bytes)
