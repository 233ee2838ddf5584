"""Two party processes: the oracle's integers, one typed error, nothing left behind or shown."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, BinaryIO, cast

import numpy as np
import pytest

from mpc_engine.crypto.rng import system_randomness
from mpc_engine.experiments import two_processes
from mpc_engine.experiments.failures import PartyFailedError
from mpc_engine.experiments.process_messages import (
    read_process_message,
    record_arrays,
    spec_fields,
    write_process_message,
)
from mpc_engine.experiments.two_processes import TwoPartyRun, train_in_two_processes
from mpc_engine.protocols.training.plaintext import train_plaintext
from mpc_engine.roles import Role
from mpc_engine.sharing.dealing import deal_records
from tests.engine.experiments.small_problem import Problem, make_problem

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[3]
PARENT = """
import sys
from mpc_engine.crypto.rng import system_randomness
from mpc_engine.experiments.two_processes import train_in_two_processes
from tests.engine.experiments.small_problem import make_problem
def tell(numbers):
    print(*numbers.values(), flush=True)
spec, *data = make_problem(20000)
train_in_two_processes([spec], *data, system_randomness(), started=tell)
"""


def train(problem: Problem, **options: Any) -> TwoPartyRun:
    spec, rows, targets, entries = problem
    return train_in_two_processes([spec], rows, targets, entries, system_randomness(), **options)


def runs(number: int) -> bool:
    """Whether a process of that number runs; a dead one that nobody waited for does not."""
    try:
        stat = Path(f"/proc/{number}/stat").read_text()
    except FileNotFoundError:
        return False
    return stat.rpartition(")")[2].split()[0] != "Z"


def wait_until(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 20
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def test_two_processes_give_the_oracles_integers() -> None:
    problem = make_problem(20)
    started: dict[Role, int] = {}
    stages: list[tuple[str, int, int]] = []
    run = train(problem, started=started.update, progress=lambda *call: stages.append(call))
    oracle = train_plaintext(*problem)
    assert run.thetas.tolist() == [oracle.theta.tolist()]
    assert np.abs(run.thetas).max() > 0
    assert len({os.getpid(), *started.values()}) == 3
    assert stages[-1] == ("training", 20, 20)
    assert run.n_bytes > 0
    assert run.rounds > 40
    assert 0 < run.seconds_offline + run.seconds_online < run.seconds_total
    assert not any(runs(number) for number in started.values())


@pytest.mark.parametrize("role", list(Role))
@pytest.mark.parametrize("stage", ["start", "training"])
def test_a_killed_party_is_named_and_no_process_stays(role: Role, stage: str) -> None:
    started: dict[Role, int] = {}

    def kill() -> None:
        os.kill(started[role], signal.SIGKILL)

    def at_start(numbers: dict[Role, int]) -> None:
        started.update(numbers)
        if stage == "start":
            kill()

    def in_training(now: str, done: int, total: int) -> None:
        if now == stage and runs(started[role]):
            kill()

    with pytest.raises(PartyFailedError) as caught:
        train(make_problem(20000), started=at_start, progress=in_training)
    assert caught.value.role is role
    assert "signal 9" in caught.value.sentence
    assert not any(runs(number) for number in started.values())


def test_a_partys_own_error_is_told_by_code() -> None:
    problem = make_problem()
    wide = problem._replace(rows=problem.rows * 2)
    with pytest.raises(PartyFailedError) as caught:
        train(wide)
    assert (caught.value.role, caught.value.code) == (Role.MODELER, "ROW_OUT_OF_RANGE")
    assert caught.value.__cause__ is None


def test_a_complaint_about_the_line_yields_to_its_cause() -> None:
    conversation = two_processes._Conversation(None, None)
    for role, code in ((Role.MODELER, "CHANNEL_CLOSED"), (Role.REGULATOR, "OT_INCONSISTENT")):
        fields = {"failed": {"code": code, "sentence": "What happened."}}
        conversation.told.put(two_processes._Told(role, fields, {}))
    with pytest.raises(PartyFailedError) as caught:
        conversation.wait_for(Role.MODELER, "done")
    assert (caught.value.role, caught.value.code) == (Role.REGULATOR, "OT_INCONSISTENT")


def test_time_limit_ends_both_processes() -> None:
    started: dict[Role, int] = {}
    with pytest.raises(PartyFailedError) as caught:
        train(make_problem(20000), started=started.update, time_limit_s=0.2)
    assert caught.value.code == "TIME_LIMIT"
    assert not any(runs(number) for number in started.values())


def test_an_interrupt_ends_both_processes() -> None:
    started: dict[Role, int] = {}

    def interrupt(stage: str, done: int, total: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        train(make_problem(20000), started=started.update, progress=interrupt)
    assert not any(runs(number) for number in started.values())


def test_parties_end_when_the_starting_process_is_killed() -> None:
    parent = subprocess.Popen(
        [sys.executable, "-c", PARENT],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        env={**os.environ, "NUMBA_CACHE_DIR": two_processes._environment()["NUMBA_CACHE_DIR"]},
    )
    assert parent.stdout is not None
    with parent.stdout:
        numbers = [int(number) for number in parent.stdout.readline().split()]
        assert len(numbers) == 2
        time.sleep(1)
        assert all(runs(number) for number in numbers)
        parent.kill()
        parent.wait()
    wait_until(lambda: not any(runs(number) for number in numbers))


def test_a_party_that_waits_for_the_other_ends_with_its_starter() -> None:
    problem = make_problem()
    share, _ = deal_records(problem.entries, None, system_randomness())
    party = subprocess.Popen(
        [sys.executable, "-P", "-m", "mpc_engine.experiments.party_process", "regulator"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env=two_processes._environment(),
    )
    stdin, stdout = cast(BinaryIO, party.stdin), cast(BinaryIO, party.stdout)
    with stdout:
        certificate = read_process_message(stdout)[0]["certificate"]
        order = {
            "points": [spec_fields(problem.spec)],
            "session": bytes(32).hex(),
            "timeout_s": 60,
            "peer_certificate": certificate,
        }
        write_process_message(stdin, order, record_arrays(share))
        assert "port" in read_process_message(stdout)[0]
        stdin.close()
        assert party.wait(timeout=10) == 3


def test_command_lines_and_environments_hold_nothing_of_the_run() -> None:
    seen: dict[Role, tuple[list[str], set[str]]] = {}

    def written(number: int, name: str) -> list[str]:
        """Return what a process was given; it is there a moment after the new program's start."""
        file = Path(f"/proc/{number}/{name}")
        wait_until(lambda: bool(file.read_bytes()))
        return file.read_bytes().decode().split("\0")

    def look(numbers: dict[Role, int]) -> None:
        for role, number in numbers.items():
            arguments = written(number, "cmdline")[1:-1]
            lines = written(number, "environ")
            seen[role] = arguments, {line.partition("=")[0] for line in lines if line}

    train(make_problem(), started=look)
    for role in Role:
        arguments, variables = seen[role]
        assert arguments == ["-P", "-m", "mpc_engine.experiments.party_process", role.value]
        assert variables <= {*os.environ, "PYTHONPATH", "NUMBA_CACHE_DIR"}


def test_each_process_gets_its_own_share_only(monkeypatch: pytest.MonkeyPatch) -> None:
    problem = make_problem()
    orders: dict[Role, tuple[dict[str, Any], dict[str, Any]]] = {}
    hand_over = two_processes._PartyHandle.order

    def watch(handle: Any, fields: dict[str, Any], arrays: dict[str, Any]) -> None:
        orders[handle.role] = fields, arrays
        hand_over(handle, fields, arrays)

    monkeypatch.setattr(two_processes._PartyHandle, "order", watch)
    train(problem)
    shares = {"low_bits", "sender_keys", "chosen_keys", "record_ids"}
    assert set(orders[Role.REGULATOR][1]) == shares
    assert set(orders[Role.MODELER][1]) == {*shares, "rows", "targets"}
    bits = {role: arrays["low_bits"] for role, (_, arrays) in orders.items()}
    assert (bits[Role.MODELER] ^ bits[Role.REGULATOR]).tolist() == problem.entries.tolist()
    for share in bits.values():
        assert (share != problem.entries).any()
    allowed = {"points", "session", "timeout_s", "peer_certificate", "port"}
    for fields, _ in orders.values():
        assert set(fields) <= allowed
        assert "PRIVATE" not in fields["peer_certificate"]
