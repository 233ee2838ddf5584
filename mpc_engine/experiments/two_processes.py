"""Train with both parties as two processes on this machine, over mutual TLS on loopback.

Each process gets its own share and makes its own TLS key; this process hands each the other's
certificate. Neither outlives the call: both are ended and waited for, whatever happens.
"""

from __future__ import annotations

import atexit
import os
import queue
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

import mpc_engine
from mpc_engine.crypto.rng import Randomness
from mpc_engine.experiments.failures import PartyFailedError
from mpc_engine.experiments.process_messages import (
    Arrays,
    MessageFields,
    read_process_message,
    record_arrays,
    spec_fields,
    write_process_message,
)
from mpc_engine.protocols.training.spec import TrainingSpec
from mpc_engine.roles import Role
from mpc_engine.sharing.dealing import deal_records

Progress = Callable[[str, int, int], None]
_CHILD = "mpc_engine.experiments.party_process"
_SESSION_BYTES = 32
_LINE_FAILURES = frozenset({"CHANNEL_CLOSED", "PEER_TIMEOUT"})
_SETTLE_S = 2.0
"""How long the error that came first may take to arrive after the other party's complaint."""


@dataclass(frozen=True)
class TwoPartyRun:
    """A finished run: thetas int64 (points, d) with ``output_frac_bits``, and what all cost.

    ``seconds_offline`` and ``seconds_online`` of the modeler, from the open line to its result
    (`stage_clock`); ``seconds_total``: with the start and the end of both processes. ``n_bytes``:
    sent by both; ``rounds``: answers the modeler waited for, on both lines. ``peak_rss_bytes``: of
    the larger process.
    """

    thetas: NDArray[np.int64]
    seconds_offline: float
    seconds_online: float
    seconds_total: float
    n_bytes: int
    rounds: int
    peak_rss_bytes: int


@dataclass(frozen=True)
class _Told:
    """What a party's process told: fields and arrays, or nothing any more (``fields`` None)."""

    role: Role
    fields: MessageFields | None
    arrays: Arrays


class _PartyHandle:
    """One started process and the thread that reads what it tells."""

    def __init__(self, role: Role, told: queue.Queue[_Told]) -> None:
        self.role = role
        self._told = told
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-m", _CHILD, role.value],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=_environment(),
            process_group=0,
        )
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    @property
    def pid(self) -> int:
        """Return the process's number."""
        return self._process.pid

    def order(self, fields: MessageFields, arrays: Arrays) -> None:
        """Hand over the order; a process that is gone is noticed by its reader."""
        try:
            write_process_message(_pipe(self._process.stdin), fields, arrays)
        except BrokenPipeError:
            return

    def how_it_ended(self) -> str:
        """Say how the process ended."""
        code = self._process.wait()
        reason = f"was ended by signal {-code}" if code < 0 else f"ended with status {code}"
        return f"It {reason} before it had a result."

    def end(self) -> None:
        """Kill the process if it still runs, and close its pipes."""
        self._process.kill()
        self._process.wait()
        self._reader.join()
        for pipe in (self._process.stdin, self._process.stdout):
            try:
                _pipe(pipe).close()
            except BrokenPipeError:
                continue

    def _read(self) -> None:
        source = _pipe(self._process.stdout)
        try:
            while True:
                fields, arrays = read_process_message(source)
                self._told.put(_Told(self.role, fields, arrays))
        except (EOFError, OSError, ValueError):
            self._told.put(_Told(self.role, None, {}))


class _Conversation:
    """What both processes tell, in the order it is needed."""

    def __init__(self, deadline: float | None, progress: Progress | None) -> None:
        self.told: queue.Queue[_Told] = queue.Queue()
        self.handles: dict[Role, _PartyHandle] = {}
        self._seen: dict[tuple[Role, str], tuple[Any, Arrays]] = {}
        self._deadline = deadline
        self._progress = progress

    def wait_for(self, role: Role, name: str) -> tuple[Any, Arrays]:
        """Return what ``role`` told under ``name``; PartyFailedError as soon as one fails."""
        while (role, name) not in self._seen:
            told = self._next(role)
            if told.fields is None or "failed" in told.fields:
                raise self._failure(told)
            for key, value in told.fields.items():
                if key != "progress":
                    self._seen[told.role, key] = value, told.arrays
                elif told.role is Role.MODELER and self._progress is not None:
                    self._progress(*value)
        return self._seen[role, name]

    def _next(self, role: Role) -> _Told:
        while True:
            left = None if self._deadline is None else max(0.0, self._deadline - time.monotonic())
            try:
                told = self.told.get(timeout=left)
            except queue.Empty:
                sentence = "It took longer than the time limit."
                raise PartyFailedError(role, sentence, code="TIME_LIMIT") from None
            if told.fields is None and (told.role, "done") in self._seen:
                continue
            return told

    def _failure(self, told: _Told) -> PartyFailedError:
        """Return the error that came first: a complaint about the line yields to its cause."""
        errors = [self._error(told)]
        until = time.monotonic() + _SETTLE_S
        while errors[-1].code in _LINE_FAILURES:
            try:
                later = self.told.get(timeout=max(0.0, until - time.monotonic()))
            except queue.Empty:
                break
            if later.role is told.role or (later.fields and "failed" not in later.fields):
                continue
            errors.append(self._error(later))
            break
        causes = [error for error in errors if error.code not in _LINE_FAILURES]
        return (causes or errors)[0]

    def _error(self, told: _Told) -> PartyFailedError:
        if told.fields is None:
            return PartyFailedError(told.role, self.handles[told.role].how_it_ended())
        failed = told.fields["failed"]
        return PartyFailedError(told.role, failed["sentence"], code=failed["code"])


def train_in_two_processes(
    points: Sequence[TrainingSpec],
    rows: NDArray[np.int64],
    targets: NDArray[np.uint8],
    entries: NDArray[np.uint8],
    rng: Randomness,
    *,
    line_timeout_s: float = 120.0,
    time_limit_s: float | None = None,
    progress: Progress | None = None,
    started: Callable[[dict[Role, int]], None] | None = None,
) -> TwoPartyRun:
    """Deal the answers ``entries`` uint8 (n, e), one-hot, and run both sides over all points.

    ``rows`` int64 (n, d) encoded, intercept first; ``targets`` uint8 (n,), 0 or 1. ``progress``
    hears of the modeler's stages, ``started`` the numbers of both processes. PartyFailedError if a
    party fails, is killed, waits ``line_timeout_s`` for the other one, or at ``time_limit_s``.
    """
    modeler, regulator = deal_records(entries, None, rng)
    begun = time.monotonic()
    deadline = None if time_limit_s is None else begun + time_limit_s
    conversation = _Conversation(deadline, progress)
    with _processes(conversation) as handles:
        if started is not None:
            started({role: handle.pid for role, handle in handles.items()})
        certificates = {
            role.peer: conversation.wait_for(role, "certificate")[0] for role in handles
        }
        shared: MessageFields = {
            "points": [spec_fields(spec) for spec in points],
            "session": rng.bytes(_SESSION_BYTES).hex(),
            "timeout_s": line_timeout_s,
        }
        own = {"peer_certificate": certificates[Role.REGULATOR]}
        handles[Role.REGULATOR].order({**shared, **own}, record_arrays(regulator))
        own = {
            "peer_certificate": certificates[Role.MODELER],
            "port": conversation.wait_for(Role.REGULATOR, "port")[0],
        }
        data: Arrays = {"rows": rows, "targets": targets}
        handles[Role.MODELER].order({**shared, **own}, {**record_arrays(modeler), **data})
        costs, results = conversation.wait_for(Role.MODELER, "done")
        other, _ = conversation.wait_for(Role.REGULATOR, "done")
    return TwoPartyRun(
        thetas=results["thetas"],
        seconds_offline=costs["seconds_offline"],
        seconds_online=costs["seconds_online"],
        seconds_total=time.monotonic() - begun,
        n_bytes=costs["bytes_sent"] + other["bytes_sent"],
        rounds=costs["rounds"],
        peak_rss_bytes=max(costs["peak_rss_bytes"], other["peak_rss_bytes"]),
    )


@contextmanager
def _processes(conversation: _Conversation) -> Iterator[dict[Role, _PartyHandle]]:
    try:
        for role in Role:
            conversation.handles[role] = _PartyHandle(role, conversation.told)
        yield conversation.handles
    finally:
        for handle in conversation.handles.values():
            handle.end()


def _environment() -> dict[str, str]:
    """Return the environment of a party's process: this package, and where machine code is kept."""
    root = str(Path(mpc_engine.__file__).resolve().parent.parent)
    path = os.pathsep.join(filter(None, [root, os.environ.get("PYTHONPATH", "")]))
    cache = os.environ.get("NUMBA_CACHE_DIR") or _machine_code_folder()
    return {**os.environ, "PYTHONPATH": path, "NUMBA_CACHE_DIR": cache}


@lru_cache(maxsize=1)
def _machine_code_folder() -> str:
    """Make a folder for machine code that only this user can read, removed when this one ends."""
    folder = tempfile.mkdtemp(prefix="blindjustice-machine-code-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def _pipe(pipe: IO[bytes] | None) -> Any:
    if pipe is None:
        raise RuntimeError("A party's process has no pipe.")
    return pipe
