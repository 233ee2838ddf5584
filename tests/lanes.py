"""Run every test lane and close with one count: ``python -m tests.lanes``.

========== =====================================================================================
engine      in an environment of its own, without Django: what a party's machine has
web         the site on SQLite, with layers, documents and the browser code's vectors
postgresql  what a database answers, again on the server of BLINDJUSTICE_TEST_DATABASE_URL
services    real processes: Redis, site, both parties
browser     Chromium against the same
========== =====================================================================================

The first three need one core each and mind no company: ``engine`` runs beside the two lanes of the
site. The other two watch the clocks of real processes and have the machine to themselves.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
STRICT = os.environ.get("CI") == "true" or os.environ.get("BLINDJUSTICE_STRICT") == "1"
NO_TESTS_COLLECTED = 5


@dataclass(frozen=True)
class Lane:
    """One call of pytest: which environment, which folders, which options."""

    name: str
    environment: str
    arguments: tuple[str, ...]
    needs: str = ""


@dataclass
class Count:
    """What a lane did."""

    passed: int = 0
    failed: int = 0
    skipped: Counter[str] = field(default_factory=Counter)

    def add(self, other: Count) -> None:
        """Add another lane's count to this one."""
        self.passed += other.passed
        self.failed += other.failed
        self.skipped.update(other.skipped)


Queue = tuple[Lane, ...]


def rounds() -> tuple[tuple[Queue, ...], ...]:
    """Return the rounds in the order they run; the queues of a round run side by side."""
    engine = Lane("engine", ".venv-engine", ("tests/engine", "tests/demo"))
    web = Lane("web", ".venv", ("tests/architecture", "tests/web", "tests/js"))
    postgresql = Lane(
        "postgresql",
        ".venv",
        ("--postgres", "-m", "database", "tests/web"),
        "BLINDJUSTICE_TEST_DATABASE_URL",
    )
    services = Lane("services", ".venv", ("tests/services",))
    browser = Lane("browser", ".venv", ("tests/browser",))
    return (((engine,), (web, postgresql)), ((services, browser),))


def run_lane(lane: Lane) -> Count:
    """Run one lane and return its count; a lane that could not start counts as one failure."""
    if lane.needs and not os.environ.get(lane.needs):
        reason = f"the whole lane {lane.name}: {lane.needs} is not set"
        return Count(failed=1) if STRICT else Count(skipped=Counter({reason: 1}))
    with tempfile.TemporaryDirectory(prefix="blindjustice-lane-") as folder:
        summary, log = Path(folder) / "summary.json", Path(folder) / "log"
        python = ROOT / lane.environment / "bin" / "python"
        with log.open("wb") as output:
            code = subprocess.run(
                [python, "-m", "pytest", "-q", f"--summary={summary}", *lane.arguments],
                cwd=ROOT,
                check=False,
                stdout=output,
                stderr=subprocess.STDOUT,
            ).returncode
        printed = log.read_text(encoding="utf-8", errors="replace")
        print(f"\n=== lane {lane.name}\n{printed}", flush=True)
        if not summary.exists():
            return Count(failed=1)
        raw = json.loads(summary.read_text(encoding="utf-8"))
    count = Count(raw["passed"], raw["failed"], Counter(raw["skipped"]))
    if code not in (0, NO_TESTS_COLLECTED) and not count.failed:
        count.failed = 1
    return count


def run_queue(queue: Queue) -> list[tuple[str, Count]]:
    """Run lanes one after the other; return each one's line for the close, and its count."""
    done = []
    for lane in queue:
        print(f"=== lane {lane.name} begins; its output follows when it ends", flush=True)
        started = time.monotonic()
        count = run_lane(lane)
        line = (
            f"{lane.name:<11} {count.passed:>5} passed {count.failed:>3} failed "
            f"{count.skipped.total():>3} skipped {time.monotonic() - started:>6.0f} s"
        )
        done.append((line, count))
    return done


def main() -> int:
    """Run the lanes, name and count what was skipped, and close with the total."""
    total = Count()
    lines = []
    for queues in rounds():
        with ThreadPoolExecutor(len(queues)) as pool:
            for done in pool.map(run_queue, queues):
                for line, count in done:
                    lines.append(line)
                    total.add(count)
    print("\n=== lanes", *lines, sep="\n")
    for reason, number in sorted(total.skipped.items()):
        print(f"skipped {number}: {reason}")
    print(f"{total.passed} passed, {total.failed} failed, {total.skipped.total()} skipped")
    return 1 if total.failed or not total.passed else 0


if __name__ == "__main__":
    sys.exit(main())
