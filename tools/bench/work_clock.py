"""What a party's process spends its time on, read at the borders of two kinds of code.

Calls from Python into compiled kernels and calls into the TLS stream are timed, the latter without
what they wait for the other party. What is left of the process's processor time is Python, NumPy
and the system's own. Read on a machine that does nothing else: time for which the system stops a
call counts for it.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from numba.core.registry import CPUDispatcher

from mpc_engine.transport.tls_stream import TLSStream

_Call = Callable[..., Any]


@dataclass(frozen=True)
class WorkSeconds:
    """Seconds of one process from the clock's start to its end, summed over its threads.

    ``rest`` is processor time outside kernels and line; ``seconds`` are those of the clock.
    """

    kernels: float
    line: float
    rest: float
    seconds: float


class WorkClock:
    """Times kernels and line within a ``with`` block; `work` is there after it.

    For benchmarks: it puts itself before the entry points, for the whole process, and takes about
    a microsecond a call.
    """

    def __init__(self) -> None:
        self._seconds = {"kernels": 0.0, "line": 0.0}
        self._lock = threading.Lock()
        self._thread = threading.local()
        self.work = WorkSeconds(0.0, 0.0, 0.0, 0.0)

    def __enter__(self) -> WorkClock:
        self._originals = {name: getattr(TLSStream, name) for name in ("write", "read_into")}
        for name, call in self._originals.items():
            setattr(TLSStream, name, self._timed("line", call))
        self._originals["_wait"] = TLSStream._wait
        setattr(TLSStream, "_wait", self._waiting(TLSStream._wait))  # noqa: B010
        timed = self._timed("kernels", CPUDispatcher.__call__)
        setattr(CPUDispatcher, "__call__", timed)  # noqa: B010
        self._started = time.perf_counter(), time.process_time()
        return self

    def __exit__(self, *_: object) -> None:
        wall, busy = time.perf_counter() - self._started[0], time.process_time() - self._started[1]
        del CPUDispatcher.__call__
        for name, call in self._originals.items():
            setattr(TLSStream, name, call)
        kernels, line = self._seconds["kernels"], self._seconds["line"]
        self.work = WorkSeconds(kernels, line, max(0.0, busy - kernels - line), wall)

    def _timed(self, kind: str, call: _Call) -> _Call:
        """Return ``call`` with its time added to ``kind``, unless a timed call made it."""

        def timed(*arguments: Any, **named: Any) -> Any:
            if getattr(self._thread, "inside", False):
                return call(*arguments, **named)
            self._thread.inside, self._thread.waited = True, 0.0
            started = time.perf_counter()
            try:
                return call(*arguments, **named)
            finally:
                seconds = time.perf_counter() - started - self._thread.waited
                self._thread.inside = False
                with self._lock:
                    self._seconds[kind] += seconds

        return timed

    def _waiting(self, call: _Call) -> _Call:
        """Return ``call`` with its time taken off the timed call that made it."""

        def waiting(*arguments: Any, **named: Any) -> Any:
            started = time.perf_counter()
            try:
                return call(*arguments, **named)
            finally:
                self._thread.waited = (
                    getattr(self._thread, "waited", 0.0) + time.perf_counter() - started
                )

        return waiting
