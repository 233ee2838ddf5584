"""Both parties of a protocol in two processes over TLS, timed from a common start."""

from __future__ import annotations

import multiprocessing
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, TypeVar

from mpc_engine.crypto.rng import system_randomness
from mpc_engine.party.jobs.worker_processes import WorkerProcesses
from mpc_engine.protocols.session import JobContext, OfflineLine
from mpc_engine.roles import Role
from mpc_engine.testing.ends import memory_terms
from mpc_engine.testing.tls import LOOPBACK, write_identity
from mpc_engine.transport.channel import Channel
from mpc_engine.transport.tls import TLSListener, connect_lines
from tools.bench.link import Link

Side = Callable[[JobContext], Any]
"""What a party does in a run, with its inputs; it must pickle, as a ``partial`` does."""
_Lines = Callable[[], Sequence[Channel]]
T = TypeVar("T")
_OPENING_S = 30.0
_TIMEOUT_S = 900.0
_N_LINES = 2
"""A job's own lines, before those of its shares."""
_CLOSING_S = 5.0
_START = 0x7F01
_FORGET_PEAK = "5"


@dataclass(frozen=True)
class Run:
    """One timed run: both results, seconds until both sides ended, bytes by sender, peak memory.

    ``setup_seconds`` of them went by before a side told its first progress: base OTs and nonces.
    ``opening_seconds``, which came before, are the connecting party's: until its lines stood, TLS
    handshakes included. The base is what a process held when the run began, with its inputs.
    """

    modeler: Any
    regulator: Any
    seconds: float
    setup_seconds: float
    opening_seconds: float
    modeler_bytes: int
    regulator_bytes: int
    modeler_peak_bytes: int
    regulator_peak_bytes: int
    modeler_base_bytes: int
    regulator_base_bytes: int

    @property
    def after_setup(self) -> float:
        """Return the seconds without those of base OTs and nonces."""
        return self.seconds - self.setup_seconds

    @property
    def n_bytes(self) -> int:
        """Return the bytes that both parties sent, without TLS."""
        return self.modeler_bytes + self.regulator_bytes


def at_median(items: Sequence[T], run_of: Callable[[T], Run]) -> T:
    """Return the item whose run took the median time; of two in the middle, the slower one's."""
    return sorted(items, key=lambda item: run_of(item).seconds)[len(items) // 2]


def lines_of(ctx: JobContext) -> list[Channel]:
    """Return the job's own lines: the first, and the second where it has one."""
    return [ctx.channel, *([ctx.offline.channel] if ctx.offline else [])]


@dataclass(frozen=True)
class _Timed:
    """What one process reports of one run."""

    seconds: float
    setup_seconds: float
    opening_seconds: float
    result: Any
    bytes_sent: int
    peak_bytes: int
    base_bytes: int


class Pair:
    """Two processes, a party each, which serve one run after another."""

    def __init__(self, modeler: Connection, regulator: Connection) -> None:
        self._modeler, self._regulator = modeler, regulator

    def run(self, modeler: Side, regulator: Side) -> Run:
        """Hand each process its side, time both on two new lines; SystemExit if one fails."""
        try:
            self._regulator.send(regulator)
            self._modeler.send(modeler)
            r, m = self._regulator.recv(), self._modeler.recv()
        except (EOFError, OSError):
            raise SystemExit("A party ended; its error stands above.") from None
        return Run(
            modeler=m.result,
            regulator=r.result,
            seconds=max(r.seconds, m.seconds),
            setup_seconds=max(r.setup_seconds, m.setup_seconds),
            opening_seconds=m.opening_seconds,
            modeler_bytes=m.bytes_sent,
            regulator_bytes=r.bytes_sent,
            modeler_peak_bytes=m.peak_bytes,
            regulator_peak_bytes=r.peak_bytes,
            modeler_base_bytes=m.base_bytes,
            regulator_base_bytes=r.base_bytes,
        )


@contextmanager
def parties(link: Link | None = None, workers: int = 1) -> Iterator[Pair]:
    """Yield both parties; with ``link`` they talk through it, with ``workers`` processes a party.

    The clock of a run starts when both hold their inputs and are connected, and stops when the
    later one has its result; the TLS handshake is told apart. A kernel is compiled in the first run
    that needs it, so a benchmark's first run of a kind is not to count.
    """
    n_lines = _N_LINES + workers - 1
    with tempfile.TemporaryDirectory() as name:
        directory = Path(name)
        server, server_pem = write_identity(directory, "regulator")
        client, client_pem = write_identity(directory, "modeler")
        with (
            TLSListener(LOOPBACK, server, client_pem) as listener,
            link.relayed(listener.address) if link else nullcontext(listener.address) as address,
        ):

            def accept() -> Sequence[Channel]:
                return listener.accept_lines(
                    n_lines, timeout_s=_OPENING_S, recv_timeout_s=_TIMEOUT_S
                )

            def connect() -> Sequence[Channel]:
                return connect_lines(
                    *(address, client, server_pem, n_lines),
                    timeout_s=_OPENING_S,
                    recv_timeout_s=_TIMEOUT_S,
                )

            with _processes({Role.MODELER: connect, Role.REGULATOR: accept}) as pipes:
                yield Pair(pipes[Role.MODELER], pipes[Role.REGULATOR])


@contextmanager
def _processes(opening: dict[Role, _Lines]) -> Iterator[dict[Role, Connection]]:
    """Fork a process for each role; yield the pipes to them, whose end ends them."""
    fork = multiprocessing.get_context("fork")
    pipes = {role: fork.Pipe() for role in opening}

    def play(role: Role) -> None:
        for other, (parents, childs) in pipes.items():
            parents.close()
            if other is not role:
                childs.close()
        _serve(role, pipes[role][1], opening[role])

    processes = [fork.Process(target=play, args=(role,), daemon=True) for role in opening]
    for process in processes:
        process.start()
    for _, childs in pipes.values():
        childs.close()
    try:
        yield {role: parents for role, (parents, _) in pipes.items()}
    finally:
        for parents, _ in pipes.values():
            parents.close()
        for process in processes:
            process.join(_CLOSING_S)
            process.kill()
            process.join()


def _serve(role: Role, tasks: Connection, open_lines: _Lines) -> None:
    """Run each side that comes, until none comes any more."""
    while True:
        try:
            side: Side = tasks.recv()
        except EOFError:
            return
        started = time.perf_counter()
        lines = open_lines()
        tasks.send(_timed(role, lines, side, time.perf_counter() - started))
        del side
        for line in lines:
            line.close()


def _timed(role: Role, lines: Sequence[Channel], side: Side, opening_seconds: float) -> _Timed:
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
        workers=WorkerProcesses(
            1 + len(lines) - _N_LINES,
            lines[0],
            lambda n_lines: lines[_N_LINES : _N_LINES + n_lines],
            check=lambda: None,
            before_fork=lambda: None,
        ),
        end=memory_terms(role),
    )
    Path("/proc/self/clear_refs").write_text(_FORGET_PEAK)
    base = _peak_bytes()
    started = time.perf_counter()
    result = side(context)
    seconds = time.perf_counter() - started
    setup = told[0] - started if told else 0.0
    sent = sum(line.meter.bytes_sent for line in lines) - sent_before
    return _Timed(seconds, setup, opening_seconds, result, sent, _peak_bytes(), base)


def _peak_bytes() -> int:
    """Return the process's peak resident memory since it was last forgotten."""
    lines = Path("/proc/self/status").read_text().splitlines()
    (peak,) = (line for line in lines if line.startswith("VmHWM:"))
    return int(peak.split()[1]) * 1024
