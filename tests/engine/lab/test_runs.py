"""What a run does: its plan, what it keeps, and how it goes on after a kill."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from mpc_engine.lab.catalogue import EXPERIMENTS
from mpc_engine.lab.data_sets import SHARED_FOLDER
from mpc_engine.lab.points import Method, Point
from mpc_engine.lab.scope import PAPER_STEPS, Scope
from mpc_engine.lab.store import Store
from mpc_engine.lab.tasks import Study, Task, weight_of
from tests.engine.lab.specimens import all_tasks

ROOT = Path(__file__).resolve().parents[3]


def _tasks(scope: Scope) -> dict[str, Task]:
    return all_tasks(scope)


def test_the_quick_plan_is_a_small_part_of_the_whole(tmp_path: Path) -> None:
    quick, whole = (Scope.of(SHARED_FOLDER, quick=each) for each in (True, False))
    assert quick.constraints == (1e-4, 1e-3, 1e-2, 1e-1, 1.0)
    assert len(whole.constraints) == 13
    assert set(quick.data) <= {"Synthetic", "COMPAS", "German"}
    assert whole.n_steps == PAPER_STEPS
    steps = [
        sum(t.n_steps for t in _tasks(scope).values() if isinstance(t, Point))
        for scope in (quick, whole)
    ]
    assert steps[0] < 1_000_000
    assert 8 * steps[0] < steps[1]
    assert all(task.quick for task in _tasks(quick).values() if isinstance(task, Study))


def test_sets_without_a_file_are_absent_not_wrong(tmp_path: Path) -> None:
    scope = Scope.of(tmp_path, quick=False)
    assert "SQF" in scope.absent
    assert "Bank" in scope.absent
    assert not set(scope.absent) & set(scope.data)
    assert "Synthetic" in scope.data


def test_a_file_of_sqf_makes_its_figure(tmp_path: Path) -> None:
    (tmp_path / "stop_and_frisk_2012.npz").write_bytes(b"")
    scope = Scope.of(tmp_path, quick=False)
    assert "SQF" in scope.data
    assert Point("SQF", Method.SLSQP, 1.0).key in _tasks(scope)


def test_keys_tell_tasks_apart_and_long_ones_come_first() -> None:
    tasks = _tasks(Scope.of(SHARED_FOLDER, quick=True))
    assert len({str(task) for task in tasks.values()}) == len(tasks)
    slow, quick = Point("Bank", Method.PROJECTION, 1.0), Point("German", Method.LAGRANGE, 1.0)
    assert weight_of(slow) > weight_of(quick)


def test_a_store_keeps_rows_until_something_else_made_them(tmp_path: Path) -> None:
    Store(tmp_path, {"code": "a"}).add("one", {"value": 1})
    again = Store(tmp_path, {"code": "a"})
    assert again.rows == {"one": {"value": 1}}
    again.add("two", {"value": 2})
    assert set(Store(tmp_path, {"code": "a"}).rows) == {"one", "two"}
    assert Store(tmp_path, {"code": "b"}).rows == {}
    assert Store(tmp_path, {"code": "a"}).rows == {}


def test_a_line_that_was_not_written_whole_is_dropped(tmp_path: Path) -> None:
    store = Store(tmp_path, {})
    store.add("one", {"value": 1})
    path = tmp_path / "points.jsonl"
    path.write_text(path.read_text("utf-8") + '{"key": "two", "ro', "utf-8")
    again = Store(tmp_path, {})
    assert set(again.rows) == {"one"}
    again.add("three", {"value": 3})
    assert set(Store(tmp_path, {}).rows) == {"one", "three"}


def _start(out: Path, *options: str) -> subprocess.Popen[str]:
    command = [
        sys.executable,
        "-m",
        "mpc_engine.lab",
        "--quick",
        "--steps",
        "40",
        "--out",
        str(out),
    ]
    return subprocess.Popen(
        [*command, "--figure", "settings", "--workers", "2", *options],
        cwd=ROOT,
        stderr=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


def _done(out: Path) -> list[dict[str, object]]:
    path = out / "points.jsonl"
    lines = path.read_text("utf-8").split("\n")[1:-1] if path.exists() else []
    return [json.loads(line) for line in lines]


def _alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return "Z" not in Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]


@pytest.mark.slow
def test_a_killed_run_goes_on_where_it_was(tmp_path: Path) -> None:
    first = _start(tmp_path)
    while len(_done(tmp_path)) < 3 and first.poll() is None:
        time.sleep(0.05)
    children = Path(f"/proc/{first.pid}/task/{first.pid}/children").read_text().split()
    first.send_signal(signal.SIGKILL)
    first.communicate()
    kept = _done(tmp_path)
    assert len(kept) >= 3
    deadline = time.monotonic() + 30
    while any(map(_alive, map(int, children))) and time.monotonic() < deadline:
        time.sleep(0.1)
    assert not any(map(_alive, map(int, children)))

    second = _start(tmp_path)
    _, told = second.communicate(timeout=300)
    assert second.returncode == 0, told
    tasks = {
        t.key
        for t in EXPERIMENTS["settings"].tasks(Scope.of(SHARED_FOLDER, quick=True, n_steps=40))
    }
    assert f"{len(kept)} of {len(tasks)} were done before." in told
    rows = _done(tmp_path)
    assert rows[: len(kept)] == kept
    assert {row["key"] for row in rows} == tasks
    for name in ("report.html", "report.json", "settings.svg", "settings.png"):
        assert (tmp_path / name).exists()
