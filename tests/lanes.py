"""Run the test lanes and close with one count: ``python -m tests.lanes [--quick] [--all]``.

========== =====================================================================================
protocols   the engine's protocols and the demo's plan, in an environment without Django
engine      the rest of the engine, in the same environment: what a party's machine has
services    real processes: Redis, site, both parties
web         the site on SQLite, and the browser code's vectors
browser     Chromium against real processes
postgresql  what a database answers differently, on that of BLINDJUSTICE_TEST_DATABASE_URL
========== =====================================================================================

Two lanes run at a time, in the order of this list, but never two that start installations: those
wait for each other and leave the other core to a lane that only computes.

Each lane keeps the machine code of its processes in a folder of its own, which begins as a copy of
that of the first lane that ended. No two lanes write to one folder: numba lists a kernel's code
before it writes it and locks neither, so two that compile it for other types at once could mix them
up.

The order of the tests in a lane is drawn from the commit, so that a run can be had again; by
``--randomly-seed`` pytest takes any other.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import threading
import time
import traceback
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

from tests.run_folders import make_run_folder

ROOT = Path(__file__).resolve().parent.parent
STRICT = os.environ.get("CI") == "true" or os.environ.get("BLINDJUSTICE_STRICT") == "1"
NO_TESTS_COLLECTED = 5
N_AT_A_TIME = 2
N_SLOWEST = 30
SEED_DIGITS = 8
MACHINE_CODE = "machine-code"


@dataclass(frozen=True)
class Lane:
    """One call of pytest: which environment, which folders, which options.

    ``starts_installations``: it runs with no other lane of that kind. ``needs``: the environment
    variable without which it can't run.
    """

    name: str
    environment: str
    arguments: tuple[str, ...]
    starts_installations: bool = False
    needs: str = ""


@dataclass
class Count:
    """What a lane did."""

    passed: int = 0
    failed: int = 0
    skipped: Counter[str] = field(default_factory=Counter)
    left_out: int = 0

    def add(self, other: Count) -> None:
        """Add another lane's count to this one."""
        self.passed += other.passed
        self.failed += other.failed
        self.skipped.update(other.skipped)
        self.left_out += other.left_out


OF_PROTOCOLS = ("tests/engine/protocols", "tests/engine/leakage", "tests/demo")
PROTOCOLS = Lane("protocols", ".venv-engine", OF_PROTOCOLS)
ENGINE = Lane(
    "engine", ".venv-engine", ("tests/engine", *(f"--ignore={folder}" for folder in OF_PROTOCOLS))
)
SERVICES = Lane("services", ".venv", ("tests/services",), starts_installations=True)
WEB = Lane("web", ".venv", ("tests/web", "tests/js"))
BROWSER = Lane("browser", ".venv", ("tests/browser",), starts_installations=True)
POSTGRESQL = Lane(
    "postgresql",
    ".venv",
    ("--postgres", "-m", "database", "tests/web"),
    needs="BLINDJUSTICE_TEST_DATABASE_URL",
)
LANES = (SERVICES, PROTOCOLS, ENGINE, BROWSER, WEB, POSTGRESQL)
QUICK_LANES = (PROTOCOLS, ENGINE, WEB)


class Runner:
    """Runs lanes, `N_AT_A_TIME` together, each with the same further arguments for pytest."""

    def __init__(self, lanes: tuple[Lane, ...], arguments: tuple[str, ...], folder: Path) -> None:
        self._waiting = list(lanes)
        self._arguments = arguments
        self._folder = folder
        self._compiled: Path | None = None
        self._running: list[Lane] = []
        self._changed = threading.Condition()
        self._finished: dict[str, tuple[str, Count]] = {}
        self._order = [lane.name for lane in lanes]

    def run(self) -> list[tuple[str, Count]]:
        """Run every lane; return each one's line for the close and its count, in their order."""
        with ThreadPoolExecutor(N_AT_A_TIME) as pool:
            for worker in [pool.submit(self._work) for _ in range(N_AT_A_TIME)]:
                worker.result()
        return [self._finished[name] for name in self._order]

    def _work(self) -> None:
        while lane := self._next():
            print(f"=== lane {lane.name} begins; its output follows when it ends", flush=True)
            started = time.monotonic()
            folder = self._folder_of(lane)
            count = _counted(lane, self._arguments, folder)
            line = (
                f"{lane.name:<11} {count.passed:>5} passed {count.failed:>3} failed "
                f"{count.skipped.total():>3} skipped {time.monotonic() - started:>6.0f} s"
            )
            with self._changed:
                self._finished[lane.name] = line, count
                self._running.remove(lane)
                if self._compiled is None and any((folder / MACHINE_CODE).iterdir()):
                    self._compiled = folder / MACHINE_CODE
                self._changed.notify_all()

    def _folder_of(self, lane: Lane) -> Path:
        """Return a lane's own folder, in it the machine code of the first lane that ended."""
        folder = self._folder / lane.name
        folder.mkdir()
        if self._compiled is None:
            (folder / MACHINE_CODE).mkdir(mode=0o700)
        else:
            shutil.copytree(self._compiled, folder / MACHINE_CODE)
        return folder

    def _next(self) -> Lane | None:
        """Return the next lane that may run now, waiting for one; None if none is left."""
        with self._changed:
            while self._waiting:
                is_taken = any(lane.starts_installations for lane in self._running)
                for lane in self._waiting:
                    if not (lane.starts_installations and is_taken):
                        self._waiting.remove(lane)
                        self._running.append(lane)
                        return lane
                self._changed.wait()
            return None


def _counted(lane: Lane, arguments: tuple[str, ...], folder: Path) -> Count:
    """Run one lane; one that can't even be started, or read, is one failure and ends no other."""
    try:
        return run_lane(lane, arguments, folder)
    except Exception:
        traceback.print_exc()
        return Count(failed=1)


def run_lane(lane: Lane, arguments: tuple[str, ...], folder: Path) -> Count:
    """Run one lane and return its count; a lane that could not start counts as one failure."""
    if lane.needs and not os.environ.get(lane.needs):
        reason = f"the whole lane {lane.name}: {lane.needs} is not set"
        return Count(failed=1) if STRICT else Count(skipped=Counter({reason: 1}))
    summary, log = folder / "summary.json", folder / "log"
    python = ROOT / lane.environment / "bin" / "python"
    with log.open("wb") as output:
        code = subprocess.run(
            [python, "-m", "pytest", "-q", f"--summary={summary}", *arguments, *lane.arguments],
            cwd=ROOT,
            env={**os.environ, "NUMBA_CACHE_DIR": str(folder / MACHINE_CODE)},
            check=False,
            stdout=output,
            stderr=subprocess.STDOUT,
        ).returncode
    printed = log.read_text(encoding="utf-8", errors="replace")
    print(f"\n=== lane {lane.name}\n{printed}", flush=True)
    if not summary.exists():
        return Count(failed=1)
    raw = json.loads(summary.read_text(encoding="utf-8"))
    count = Count(raw["passed"], raw["failed"], Counter(raw["skipped"]), raw["left_out"])
    if code not in (0, NO_TESTS_COLLECTED) and not count.failed:
        count.failed = 1
    return count


def order_seed() -> int:
    """Return the seed of the tests' order: the commit's first digits, 0 where there is none."""
    head = subprocess.run(
        ["git", "rev-parse", "HEAD"], cwd=ROOT, capture_output=True, text=True, check=False
    ).stdout
    return int(head[:SEED_DIGITS] or "0", 16)


def main(arguments: list[str]) -> int:
    """Run the lanes, name and count what was skipped, and close with the total."""
    parser = argparse.ArgumentParser(prog="run test", description=__doc__.split("\n\n")[0])
    parser.add_argument(
        "--quick", action="store_true", help="no installations, and nothing that is marked slow"
    )
    parser.add_argument(
        "--all", action="store_true", help="also what the ordinary run leaves out as thorough"
    )
    parser.add_argument(
        "--durations", action="store_true", help=f"print each lane's {N_SLOWEST} slowest tests"
    )
    chosen = parser.parse_args(arguments)
    options = [f"--randomly-seed={order_seed()}"]
    options += ["--quick"] if chosen.quick else []
    options += ["--all"] if chosen.all else []
    options += [f"--durations={N_SLOWEST}"] if chosen.durations else []
    print(f"The order of the tests is drawn from {options[0]}", flush=True)
    total = Count()
    lanes = QUICK_LANES if chosen.quick else LANES
    done = Runner(lanes, tuple(options), make_run_folder("blindjustice-lanes-")).run()
    for _, count in done:
        total.add(count)
    print("\n=== lanes", *(line for line, _ in done), sep="\n")
    for reason, number in sorted(total.skipped.items()):
        print(f"skipped {number}: {reason}")
    if total.left_out:
        print(f"left out {total.left_out}: ./run test --all has them")
    print(f"{total.passed} passed, {total.failed} failed, {total.skipped.total()} skipped")
    return 1 if total.failed or not total.passed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
