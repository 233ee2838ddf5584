"""Workers in threads of one test, on lines in memory: what processes do, seen from inside."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

from mpc_engine.crypto.rng import Randomness
from mpc_engine.errors import ChannelClosedError
from mpc_engine.roles import Role
from mpc_engine.testing.channel import Tap, memory_channel_pair
from mpc_engine.testing.randomness import seeded_randomness
from mpc_engine.transport.channel import Channel

T = TypeVar("T")
_WORKERS = 1 << 41
"""Added to the seeds of workers."""


class WorkerThreads:
    """One party's workers; a thread's name is that of the lead's and the worker's number."""

    def __init__(self, lines: Sequence[Channel], seed: int) -> None:
        self.most = 1 + len(lines)
        self._lines = lines
        self._seed = seed

    def run(
        self, n: int, work: Callable[[int, Channel, Randomness], T], lead: Iterable[object]
    ) -> list[T]:
        """Run all at once; the first error that is no closed line is raised."""
        results: dict[int, T] = {}
        failures: list[BaseException] = []

        def play(number: int) -> None:
            try:
                rng = seeded_randomness(_WORKERS + 100 * self._seed + number)
                results[number] = work(number, self._lines[number - 1], rng)
            except BaseException as failure:
                failures.append(failure)
                self._lines[number - 1].close()

        own = threading.current_thread().name
        threads = [
            threading.Thread(target=play, args=(i,), name=f"{own}-worker-{i}", daemon=True)
            for i in range(1, n)
        ]
        for thread in threads:
            thread.start()
        try:
            for _ in lead:
                if failures:
                    break
        except BaseException as failure:
            failures.append(failure)
            for line in self._lines:
                line.close()
        for thread in threads:
            thread.join()
        if failures:
            raise min(failures, key=lambda failure: isinstance(failure, ChannelClosedError))
        return [results[number] for number in range(1, n)]


def untapped(_sender: Role, _line: str) -> Tap | None:
    """Let nothing see what a party sends on a line."""
    return None


def worker_threads(
    workers: int, seed: int, tap: Callable[[Role, str], Tap | None] = untapped
) -> dict[Role, WorkerThreads]:
    """Return both parties' workers, joined line by line; see `run_protocol` for ``tap``.

    Lines go by the names that ``tests/engine/traces/digests.json`` has, "share" and a number.
    """
    pairs = [
        memory_channel_pair(
            timeout_s=180.0,
            tap_a=tap(Role.MODELER, f"share {number}"),
            tap_b=tap(Role.REGULATOR, f"share {number}"),
        )
        for number in range(1, workers)
    ]
    return {
        role: WorkerThreads([pair[side] for pair in pairs], 2 * seed + side)
        for side, role in enumerate((Role.MODELER, Role.REGULATOR))
    }
