"""Workers of a job in processes of their own, forked by the slot that has the job.

A worker inherits by the fork what the lead's session holds, and hands back its result through a
pipe: no secret of a job passes a broker or a disk. What a fork could break, and why it does not:

* Kernels are compiled and loaded; nothing is imported or compiled anew, and no thread runs.
* Random streams: the worker gets the system's source, which holds no state, in place of the lead's;
  the protocol begins OT, hash key and streams anew (`GarblerSession.for_worker`).
* Lines: the child closes its copies of the lead's lines and of other workers', and sends nothing on
  them (`Channel.leave`). The lead does so with its copy of the worker's. So a line ends when its
  one owner ends.
* The store: the lead's connection is closed before the fork; the child opens its own to read.
* Signals: handlers, Celery's among them, are the lead's; the child takes the defaults.
* Ends: the child leaves by ``os._exit``, so that no finally block, exit handler or buffer of the
  lead is run or flushed twice. It is killed when the lead ends, however that ends, and the lead
  kills and reaps it however the job ends.
"""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing import Pipe
from multiprocessing.connection import Connection, wait
from typing import TypeVar, cast

from mpc_engine.control.post.upkeep import end_with_parent
from mpc_engine.crypto.rng import Randomness, system_randomness
from mpc_engine.errors import EngineError, ResourceError, TransportError
from mpc_engine.party.line.deadline_channel import LOOK_INTERVAL_S
from mpc_engine.party.zone.faults import as_engine_error
from mpc_engine.transport.channel import Channel
from mpc_engine.transport.meter import ChannelMeter

T = TypeVar("T")
_LAST_WORD_S = 0.5
"""How long a lead whose line broke waits for a worker that may know why."""
_LOST = "A process of the party ended during the job. Nothing is lost; try again."


@dataclass(frozen=True, repr=False)
class _Done:
    """What a worker that ended well says: its result and what it counted on its line."""

    result: object
    meter: ChannelMeter


@dataclass(repr=False)
class _Process:
    """A worker as the lead sees it; only the process itself can write to its pipe."""

    number: int
    pipe: Connection
    line: Channel
    answer: _Done | EngineError | None = None

    def receive(self) -> None:
        """Take the answer that has come; a pipe that ends without one is a lost process's."""
        try:
            self.answer = self.pipe.recv()
        except (EOFError, OSError):
            self.answer = ResourceError(_LOST, code="WORKER_LOST")

    def end(self) -> None:
        """Kill the process, if it runs still, and reap it; until then its number is its own."""
        os.kill(self.number, signal.SIGKILL)
        os.waitpid(self.number, 0)
        self.pipe.close()


class WorkerProcesses:
    """Runs workers in forked processes; a `protocols.workers.Workers`."""

    def __init__(
        self,
        most: int,
        main: Channel,
        open_lines: Callable[[int], Sequence[Channel]],
        *,
        check: Callable[[], None],
        before_fork: Callable[[], None],
    ) -> None:
        """Keep what a run needs: ``main``, the lead's line; how to open others.

        ``check`` raises what ends the job, asked while the lead waits; ``before_fork`` closes what
        no child may inherit.
        """
        self._most = most
        self._main = main
        self._open_lines = open_lines
        self._check = check
        self._before_fork = before_fork

    @property
    def most(self) -> int:
        """Return how many workers take part at most, the lead among them."""
        return self._most

    def run(
        self, n: int, work: Callable[[int, Channel, Randomness], T], lead: Iterable[object]
    ) -> list[T]:
        """Run workers 1 to ``n - 1`` beside ``lead``; see `protocols.workers.Workers.run`.

        ResourceError ``WORKER_LOST`` if a worker's process ended without an answer; errors of the
        opening of lines. No process is left when it returns or raises.
        """
        lines = self._open_lines(n - 1)
        processes: list[_Process] = []
        try:
            self._before_fork()
            for number, line in enumerate(lines, 1):
                others = [self._main, *lines[number:]]
                processes.append(_fork(number, work, line, others))
                line.leave()
            for _ in lead:
                _look(processes, 0)
            while any(process.answer is None for process in processes):
                self._check()
                _look(processes, LOOK_INTERVAL_S)
        except TransportError:
            _hear_out(processes)
            raise
        finally:
            for process in processes:
                process.end()
            for line in lines:
                line.leave()
        return [cast(T, _taken(process)) for process in processes]


def _look(processes: Sequence[_Process], wait_s: float) -> None:
    """Take answers that come within ``wait_s``; raise a worker's error, broken lines' last."""
    pending = [process for process in processes if process.answer is None]
    if pending:
        ready = wait([process.pipe for process in pending], wait_s)
        for process in pending:
            if process.pipe in ready:
                process.receive()
    errors = [process.answer for process in processes if isinstance(process.answer, EngineError)]
    if errors:
        raise min(errors, key=lambda error: isinstance(error, TransportError))


def _hear_out(processes: Sequence[_Process]) -> None:
    """Wait for workers that may know why a line broke; raise what one knows, if one does."""
    deadline = time.monotonic() + _LAST_WORD_S
    while any(process.answer is None for process in processes):
        left_s = deadline - time.monotonic()
        if left_s <= 0:
            break
        with suppress(TransportError):  # only the echo of a cause that another one may know
            _look(processes, left_s)
    _look(processes, 0)


def _taken(process: _Process) -> object:
    """Return the result of a worker that ended well, and count what it counted."""
    if not isinstance(process.answer, _Done):
        raise ResourceError(_LOST, code="WORKER_LOST")
    process.line.meter.add(process.answer.meter)
    return process.answer.result


def _fork(
    number: int,
    work: Callable[[int, Channel, Randomness], object],
    line: Channel,
    others: Sequence[Channel],
) -> _Process:
    """Start a worker's process; it owns ``line`` and leaves ``others``."""
    receiving, sending = Pipe(duplex=False)
    lead = os.getpid()
    process = os.fork()
    if process:
        sending.close()
        return _Process(process, receiving, line)
    try:
        _become_worker(lead, receiving, others)
        sending.send(_answer(number, work, line))
    finally:
        os._exit(0)


def _become_worker(lead: int, receiving: Connection, others: Sequence[Channel]) -> None:
    """Give up what is the lead's, and end when it ends."""
    for number in signal.valid_signals():
        if callable(signal.getsignal(number)):
            signal.signal(number, signal.SIG_DFL)
    signal.set_wakeup_fd(-1)
    end_with_parent()
    if os.getppid() != lead:
        os._exit(0)
    receiving.close()
    for other in others:
        other.leave()


def _answer(
    number: int, work: Callable[[int, Channel, Randomness], object], line: Channel
) -> _Done | EngineError:
    """Run a worker; return its result or its error, which names no value (`faults`)."""
    try:
        result = work(number, line, system_randomness())
        line.close()
        return _Done(result, line.meter)
    except Exception as error:
        line.close()
        return as_engine_error(error)
