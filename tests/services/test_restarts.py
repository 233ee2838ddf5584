"""What ends is started again after a pause that grows, and leaves nothing and nobody behind."""

from __future__ import annotations

import os
import signal
import socket
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from docker.local import broker, processes, zones
from docker.local.party import Party
from docker.local.placement import Code
from docker.local.processes import Process, Supervisor, pause_before

LIMIT_S = 60
LEAVES_TWO = """
import subprocess, sys, time
for _ in range(2):
    print(subprocess.Popen([sys.executable, "-c", "import time; time.sleep(3600)"]).pid, flush=True)
print("ready", flush=True)
time.sleep(3600)
"""

LEAVES_AN_ORPHAN = """
import subprocess, sys, time
sleeper = "import time; time.sleep(3600)"
starter = f"import subprocess, sys; p = subprocess.Popen([sys.executable, '-c', {sleeper!r}])"
starter += "; print(p.pid)"
subprocess.run([sys.executable, "-c", starter], check=True)
print("ready", flush=True)
time.sleep(3600)
"""


@pytest.fixture
def supervisor() -> Iterator[Supervisor]:
    """Return a supervisor that adopts orphans, as that of the stack does, for this test only."""
    made = Supervisor()
    processes.adopt_orphans()
    try:
        yield made
    finally:
        made.stop()
        processes._LIBC.prctl(processes.PR_SET_CHILD_SUBREAPER, 0)


def _process(folder: Path, name: str, *command: str | Path) -> Process:
    zone = zones.make_zones(folder, separate=False)["web"]
    return Process(name, zone, command, {"PATH": os.environ["PATH"]}, folder)


def _watch_until(supervisor: Supervisor, done: Callable[[], bool]) -> list[str]:
    said: list[str] = []
    limit = time.monotonic() + LIMIT_S
    while not done():
        supervisor.watch(said.append)
        assert time.monotonic() < limit, said
        time.sleep(0.01)
    return said


def test_a_given_redis_that_is_away_at_the_end_ends_the_stack_like_any_other() -> None:
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = probe.getsockname()[1]
    assert broker.remove_users(f"redis://127.0.0.1:{port}/0") is False


def test_pauses_double_up_to_half_a_minute() -> None:
    assert [pause_before(n) for n in range(1, 9)] == [1, 2, 4, 8, 16, 30, 30, 30]
    assert pause_before(10_000) == 30


def test_what_keeps_ending_takes_nothing_with_it(
    supervisor: Supervisor, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(processes, "FIRST_PAUSE_S", 0.01)
    monkeypatch.setattr(processes, "LONGEST_PAUSE_S", 0.02)
    steady = _process(tmp_path, "steady", sys.executable, "-c", "import time; time.sleep(3600)")
    supervisor.start(steady, timeout_s=LIMIT_S)
    ending = _process(tmp_path, "ending", sys.executable, "-c", "print('the reason')")
    ending.start()
    supervisor.processes.append(ending)
    said = _watch_until(supervisor, lambda: ending.restarts >= 6)
    assert not steady.has_ended()
    assert sum("is started again" in line for line in said) == 6
    assert "the reason" in said[-1]


def test_it_is_not_started_before_its_pause_is_over(
    supervisor: Supervisor, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(processes, "FIRST_PAUSE_S", 3600.0)
    monkeypatch.setattr(processes, "LONGEST_PAUSE_S", 3600.0)
    ending = _process(tmp_path, "ending", sys.executable, "-c", "")
    ending.start()
    supervisor.processes.append(ending)
    _watch_until(supervisor, lambda: ending.due_at is not None)
    first = ending.running
    for _ in range(5):
        supervisor.watch(lambda sentence: None)
    assert ending.running is first


def test_what_cannot_be_started_is_tried_again(
    supervisor: Supervisor, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(processes, "FIRST_PAUSE_S", 0.01)
    program = tmp_path / "program"
    program.symlink_to(sys.executable)
    ending = _process(tmp_path, "ending", program, "-c", "")
    ending.start()
    supervisor.processes.append(ending)
    program.unlink()
    said = _watch_until(supervisor, lambda: ending.restarts >= 2)
    assert "could not be started" in said[1]
    assert not supervisor.stopping


def _fails_in_the_child() -> None:
    raise RuntimeError


def test_a_start_that_fails_after_the_fork_is_tried_again(
    supervisor: Supervisor, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(processes, "FIRST_PAUSE_S", 0.01)
    ending = _process(tmp_path, "ending", sys.executable, "-c", "")
    ending.start()
    supervisor.processes.append(ending)
    monkeypatch.setattr(processes, "die_with_parent", _fails_in_the_child)
    said = _watch_until(supervisor, lambda: ending.restarts >= 2)
    assert "could not be started (Exception occurred in preexec_fn.)" in said[1]


def test_what_an_ended_process_left_is_cleared_before_it_is_started_again(
    supervisor: Supervisor, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A party's worker that was killed says by a file that it is ready."""
    monkeypatch.setattr(processes, "FIRST_PAUSE_S", 0.01)
    zone = zones.make_zones(tmp_path, separate=False)["modeler"]
    party = Party(Code(tmp_path, Path(sys.executable), tmp_path), zone, tmp_path, tmp_path)
    worker = party.worker()
    worker.command = [sys.executable, "-c", "import time; time.sleep(3600)"]
    left = zone.folder / "data" / "ready"
    left.parent.mkdir()
    worker.start()
    supervisor.processes.append(worker)
    left.touch()
    assert worker.running is not None
    os.kill(worker.running.pid, signal.SIGKILL)
    _watch_until(supervisor, lambda: worker.restarts == 1 and worker.due_at is None)
    assert not worker.ready()


def test_no_signal_goes_to_a_number_that_may_be_somebody_else_s(
    supervisor: Supervisor, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither after an end that was noticed nor while the others are still ending."""
    monkeypatch.setattr(processes, "FIRST_PAUSE_S", 3600.0)
    monkeypatch.setattr(processes, "LONGEST_PAUSE_S", 3600.0)
    is_ours: list[bool] = []
    kill = os.killpg

    def note(group: int, number: int) -> None:
        if number:
            is_ours.append(Path(f"/proc/{group}").exists())
        kill(group, number)

    monkeypatch.setattr(os, "killpg", note)
    steady = _process(tmp_path, "steady", sys.executable, "-c", "import time; time.sleep(3600)")
    ending = _process(tmp_path, "ending", sys.executable, "-c", "")
    for process in (steady, ending):
        process.start()
        supervisor.processes.append(process)
    _watch_until(supervisor, lambda: ending.due_at is not None)
    supervisor.stop()
    assert is_ours == [True, True]


def test_an_orphan_that_ends_is_not_left_as_a_zombie(
    supervisor: Supervisor, tmp_path: Path
) -> None:
    """A share process whose slot died, say, while the worker goes on."""
    worker = _process(tmp_path, "worker", sys.executable, "-c", LEAVES_AN_ORPHAN)
    worker.ready = lambda: worker.has_said("ready")
    supervisor.start(worker, timeout_s=LIMIT_S)
    (orphan,) = [int(word) for word in worker.log.read_text().split() if word.isdigit()]
    os.kill(orphan, signal.SIGKILL)
    _watch_until(supervisor, lambda: not Path(f"/proc/{orphan}").exists())
    assert not worker.has_ended()


@pytest.mark.parametrize("end", ["watch", "stop"])
def test_nothing_is_left_of_a_process_that_ended(
    supervisor: Supervisor, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, end: str
) -> None:
    """Neither running nor as a zombie, by the time the call returns."""
    monkeypatch.setattr(processes, "FIRST_PAUSE_S", 3600.0)
    monkeypatch.setattr(processes, "LONGEST_PAUSE_S", 3600.0)
    parent = _process(tmp_path, "parent", sys.executable, "-c", LEAVES_TWO)
    parent.ready = lambda: parent.has_said("ready")
    supervisor.start(parent, timeout_s=LIMIT_S)
    children = [int(word) for word in parent.log.read_text().split() if word.isdigit()]
    assert len(children) == 2
    assert parent.running is not None
    if end == "watch":
        os.kill(parent.running.pid, signal.SIGKILL)
        _watch_until(supervisor, lambda: parent.due_at is not None)
    else:
        supervisor.stop()
    assert not [pid for pid in children if Path(f"/proc/{pid}").exists()]
