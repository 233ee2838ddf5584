"""The clock of a party's work tells kernels, line and all else apart."""

from __future__ import annotations

import time

import pytest
from numba.core.registry import CPUDispatcher

from mpc_engine.crypto.rng import system_randomness
from mpc_engine.kernels.aes import encrypt_blocks, expand_key
from mpc_engine.protocols.session import JobContext
from mpc_engine.transport.tls_stream import TLSStream
from tools.bench.parties import parties
from tools.bench.work_clock import WorkClock, WorkSeconds

_TAG, _LATE_S = 0xF001, 1.0
_LONG = 1 << 22


def _encrypt() -> None:
    rng = system_randomness()
    encrypt_blocks(rng.words(_LONG, 2), expand_key(rng.bytes(16)))


def _wait(ctx: JobContext) -> WorkSeconds:
    with WorkClock() as clock:
        ctx.channel.send(_TAG, b"x")
        ctx.channel.recv(_TAG, size=1)
    return clock.work


def _come_late(ctx: JobContext) -> None:
    ctx.channel.recv(_TAG, size=1)
    time.sleep(_LATE_S)
    ctx.channel.send(_TAG, b"x")


def test_waiting_for_the_other_party_is_nobodys_work() -> None:
    """The other one is late from when the clock runs.

    A false alarm takes a machine that keeps the waiting party for half a second from running just
    while it writes or reads one byte, of which a run has two moments of some microseconds.
    """
    with parties() as pair:
        work: WorkSeconds = pair.run(_wait, _come_late).modeler
    assert work.seconds > _LATE_S
    assert work.kernels == 0.0
    assert 0.0 < work.line < work.seconds - 0.5 * _LATE_S


def test_a_kernel_counts_as_kernel_and_the_draw_of_its_input_does_not() -> None:
    _encrypt()
    with WorkClock() as clock:
        _encrypt()
    assert 0.0 < clock.work.kernels < clock.work.seconds
    assert clock.work.line == 0.0


def _entry_points() -> tuple[object, ...]:
    return TLSStream.write, TLSStream.read_into, TLSStream._wait, CPUDispatcher.__call__


def test_after_the_clock_everything_is_as_before() -> None:
    before = _entry_points()
    with pytest.raises(RuntimeError), WorkClock():
        assert all(now is not then for now, then in zip(_entry_points(), before, strict=True))
        raise RuntimeError("as asked")
    assert _entry_points() == before
