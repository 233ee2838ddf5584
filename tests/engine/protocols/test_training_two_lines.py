"""Material of the next block is made on the second line while steps run; either line ends both."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mpc_engine.errors import (
    ChannelClosedError,
    EngineError,
    OTConsistencyError,
    PeerTimeoutError,
    ResourceError,
    UsageError,
)
from mpc_engine.party.line.deadline_channel import DeadlineChannel
from mpc_engine.protocols.ahead import THREAD_NAME
from mpc_engine.protocols.session import JobContext, OfflineLine
from mpc_engine.protocols.training import protocol
from mpc_engine.protocols.training.protocol import train_as_modeler, train_as_regulator
from mpc_engine.protocols.training.steps import ModelerSteps, RegulatorSteps
from mpc_engine.roles import Role
from mpc_engine.testing.channel import memory_channel_pair
from mpc_engine.testing.people import deal_records
from mpc_engine.testing.randomness import seeded_randomness
from mpc_engine.testing.tls import tls_channel_pair
from mpc_engine.transport.channel import Channel
from tests.engine.protocols.running import job_context
from tests.engine.protocols.training_cases import Phase, random_problem, train

_WAIT_S = 60.0
_PROBLEM = random_problem(np.random.default_rng(2), 6, 3, (3,))
_SPEC = _PROBLEM.spec(Phase(8, 1, 48, 6), batch=4)
_RECORDS = dict(zip(Role, deal_records(_PROBLEM.answers, None, seeded_randomness(9)), strict=True))
_BLOCK_STEPS, _N_BLOCKS = 2, 4
Lines = dict[Role, tuple[Channel, Channel]]
Change = Callable[[Role, Channel, Channel], tuple[Channel, Channel]]


@pytest.fixture(autouse=True)
def _four_blocks(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(protocol, "_BLOCK_STEPS", _BLOCK_STEPS)
    yield
    assert not [thread for thread in threading.enumerate() if THREAD_NAME in thread.name]


def _in_memory() -> Lines:
    pairs = [memory_channel_pair(timeout_s=_WAIT_S) for _ in range(2)]
    return {role: (pairs[0][i], pairs[1][i]) for i, role in enumerate(Role)}


def _over_tls(folder: Path) -> Lines:
    pairs = [tls_channel_pair(folder, timeout_s=_WAIT_S) for _ in range(2)]
    return {role: (pairs[0][i], pairs[1][i]) for i, role in enumerate(Role)}


def _train(ctx: JobContext) -> Any:
    records = _RECORDS[ctx.role]
    if ctx.role is Role.MODELER:
        (theta,) = train_as_modeler(ctx, [_SPEC], records, _PROBLEM.rows, _PROBLEM.labels)
        return theta
    return list(train_as_regulator(ctx, [_SPEC], records))


def _run(lines: Lines, change: Change = lambda role, *own: own, seed: int = 1) -> dict[Role, Any]:
    """Run both sides over their lines; return how each ended, with all lines closed."""
    ends: dict[Role, Any] = {}

    def side(role: Role) -> None:
        first, second = change(role, *lines[role])
        line = OfflineLine(second, seeded_randomness(100 * seed + len(role.value)))
        try:
            ends[role] = _train(replace(job_context(role, first, seed), offline=line))
        except Exception as error:
            ends[role] = error
        finally:
            for channel in lines[role]:
                channel.close()

    threads = [threading.Thread(target=side, args=(role,), daemon=True) for role in Role]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(2 * _WAIT_S)
        assert not thread.is_alive()
    return ends


def _assert_ended(ends: dict[Role, Any], culprit: Role, kind: type[EngineError]) -> None:
    assert isinstance(ends[culprit], kind), ends
    assert isinstance(ends[culprit.peer], ChannelClosedError), ends


@pytest.mark.parametrize("tls", [False, True], ids=["in memory", "over TLS"])
def test_theta_is_the_oracles_on_two_lines(tls: bool, tmp_path: Path) -> None:
    lines = _over_tls(tmp_path) if tls else _in_memory()
    ends = _run(lines)
    assert ends[Role.MODELER].tolist() == train(_SPEC, _PROBLEM).tolist()
    for own in lines.values():
        assert min(line.meter.bytes_sent for line in own) > 0


@pytest.mark.parametrize("role", Role)
def test_without_a_second_line_nothing_is_sent(role: Role) -> None:
    channel = _in_memory()[role][0]
    with pytest.raises(UsageError, match="second line"):
        _train(replace(job_context(role, channel), offline=None))
    assert channel.meter.bytes_sent == 0


@pytest.mark.parametrize("role", Role)
def test_the_next_block_is_made_while_steps_run_and_no_further_one(
    role: Role, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A step goes on only when the next block is there: made one after the other, it never is."""
    expected = train(_SPEC, _PROBLEM).tolist()
    changed, made, seen = threading.Condition(), [0], list[tuple[int, int]]()
    name = f"make_block_as_{role.value}"
    honest_make: Any = getattr(protocol, name)
    steps: Any = {Role.MODELER: ModelerSteps, Role.REGULATOR: RegulatorSteps}[role]
    honest_run = steps.run

    def make(*given: Any) -> Any:
        block = honest_make(*given)
        with changed:
            made[0] += 1
            changed.notify_all()
        return block

    def run(*given: Any) -> Any:
        block = len(seen) // _BLOCK_STEPS
        with changed:
            assert changed.wait_for(lambda: made[0] >= min(block + 2, _N_BLOCKS), _WAIT_S)
            seen.append((block, made[0]))
        return honest_run(*given)

    monkeypatch.setattr(protocol, name, make)
    monkeypatch.setattr(steps, "run", run)
    ends = _run(_in_memory())
    assert ends[Role.MODELER].tolist() == expected
    assert seen == [
        (block, min(block + 2, _N_BLOCKS)) for block in range(_N_BLOCKS) for _ in range(2)
    ]


class _Failing:
    """A channel that raises an error at its n-th message."""

    def __init__(self, channel: Channel, at: int, error: Exception) -> None:
        self._channel = channel
        self._left = at
        self._error = error
        self.meter = channel.meter

    def __getattr__(self, name: str) -> Any:
        if name in ("send", "recv", "send_array", "recv_array"):
            self._left -= 1
            if self._left < 0:
                raise self._error
        return getattr(self._channel, name)


def _failing(role: Role, line: int, at: int, error: Exception) -> Change:
    def change(of: Role, *own: Channel) -> Any:
        if of is not role:
            return own
        return tuple(
            _Failing(channel, at, error) if number == line else channel
            for number, channel in enumerate(own)
        )

    return change


@pytest.mark.parametrize("role", Role)
@pytest.mark.parametrize(
    ("line", "at"), [(0, 0), (0, 30), (0, 60), (1, 0), (1, 1), (1, 25), (1, 60), (1, 95)]
)
def test_a_failure_on_either_line_ends_both_sides_typed(role: Role, line: int, at: int) -> None:
    error = ResourceError("The job was cancelled.", code="CANCELLED")
    _assert_ended(_run(_in_memory(), _failing(role, line, at, error)), role, ResourceError)


@pytest.mark.parametrize("role", Role)
@pytest.mark.parametrize(("line", "at"), [(0, 30), (0, 60), (1, 25), (1, 60)])
def test_a_failure_on_either_line_ends_both_sides_over_tls(
    role: Role, line: int, at: int, tmp_path: Path
) -> None:
    error = ResourceError("The job was cancelled.", code="CANCELLED")
    ends = _run(_over_tls(tmp_path), _failing(role, line, at, error))
    _assert_ended(ends, role, ResourceError)


@pytest.mark.parametrize("role", Role)
@pytest.mark.parametrize("line", [0, 1])
def test_the_jobs_time_limit_on_either_line_ends_both(role: Role, line: int) -> None:
    """The other line has time left, and the peer too: they end because this one does."""

    def change(of: Role, *own: Channel) -> Any:
        if of is not role:
            return own
        limited = DeadlineChannel(own[line], 0.0, _WAIT_S, lambda: None)
        return tuple(limited if number == line else channel for number, channel in enumerate(own))

    ends = _run(_in_memory(), change)
    _assert_ended(ends, role, PeerTimeoutError)
    assert ends[role].code == "JOB_TIME_LIMIT"


def test_the_second_lines_of_two_jobs_cannot_be_crossed() -> None:
    """Whoever joins them in spite of the hello: transfers hang on the first line's session."""
    one, other = _in_memory(), _in_memory()
    modeler, regulator = Role.MODELER, Role.REGULATOR
    crossed = [
        {modeler: one[modeler], regulator: (one[regulator][0], other[regulator][1])},
        {modeler: other[modeler], regulator: (other[regulator][0], one[regulator][1])},
    ]
    found: list[dict[Role, Any]] = []
    threads = [
        threading.Thread(
            target=lambda lines=lines, seed=seed: found.append(_run(lines, seed=seed)), daemon=True
        )
        for seed, lines in enumerate(crossed)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(3 * _WAIT_S)
    assert len(found) == 2
    errors = [end for ends in found for end in ends.values()]
    assert all(isinstance(error, EngineError) for error in errors), errors
    assert any(isinstance(error, OTConsistencyError) for error in errors), errors
