"""Run both sides of a protocol in two threads of one test."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import TypeVar

from mpc_engine.errors import ChannelClosedError
from mpc_engine.testing.channel import memory_channel_pair
from mpc_engine.transport.channel import Channel

A = TypeVar("A")
B = TypeVar("B")


def run_two_parties(
    party_a: Callable[[Channel], A],
    party_b: Callable[[Channel], B],
    *,
    channels: tuple[Channel, Channel] | None = None,
    timeout_s: float = 180.0,
) -> tuple[A, B]:
    """Run ``party_a(channel_a)`` and ``party_b(channel_b)`` at once and return both results.

    When one side raises, its channel is closed so that the other side ends too, and the error that
    came first is raised; an error that only says that the line closed gives way to its cause. Both
    channels are closed at the end. ``TimeoutError`` if a side still runs after ``timeout_s``.
    """
    pair = memory_channel_pair(timeout_s=timeout_s) if channels is None else channels
    results_a: list[A] = []
    results_b: list[B] = []
    failures: list[BaseException] = []

    def run_a() -> None:
        _run_side(party_a, pair[0], results_a, failures)

    def run_b() -> None:
        _run_side(party_b, pair[1], results_b, failures)

    threads = [
        threading.Thread(target=run_a, name="party-a", daemon=True),
        threading.Thread(target=run_b, name="party-b", daemon=True),
    ]
    deadline = time.monotonic() + timeout_s
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(max(0.0, deadline - time.monotonic()))
    late = [thread.name for thread in threads if thread.is_alive()]
    for channel in pair:
        channel.close()
    if failures:
        raise _cause_of(failures)
    if late:
        raise TimeoutError(f"Still running after {timeout_s} s: {', '.join(late)}.")
    return results_a[0], results_b[0]


def _run_side(
    party: Callable[[Channel], A], channel: Channel, results: list[A], failures: list[BaseException]
) -> None:
    try:
        results.append(party(channel))
    except BaseException as failure:
        failures.append(failure)
        channel.close()


def _cause_of(failures: list[BaseException]) -> BaseException:
    causes = [failure for failure in failures if not isinstance(failure, ChannelClosedError)]
    return (causes or failures)[0]
