"""Milliseconds a page with long lists takes: every list of the site with 10,000 rows.

The site runs in this process on SQLite in a directory of its own, without a network: what is
measured is the answer as the server makes it, the smallest, the middle and the longest of some.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from pathlib import Path
from statistics import median
from typing import Any

from tools.bench.report import Report, Row, add_repeats, at_least_one
from tools.showroom.server import HOST, prepare

GOAL_MS = 300


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Take how many rows, and how often each page is fetched."""
    parser.add_argument("--rows", type=at_least_one, default=10_000, help="rows of each list")
    add_repeats(parser, default=7, what="how often each page is fetched, after a first time")


def run(arguments: argparse.Namespace) -> Report:
    """Fill the lists, fetch every page, and report."""
    with tempfile.TemporaryDirectory(prefix="blindjustice-bench-") as folder:
        prepare(Path(folder), f"http://{HOST}:8000")
        rows = _measured(Path(folder), arguments.rows, arguments.repeats)
    slow = [row["page"] for row in rows if row["median ms"] > GOAL_MS]
    remark = f"over the goal of {GOAL_MS} ms: {', '.join(slow)}" if slow else "all within the goal"
    title = f"Pages with {arguments.rows:,} rows in each list; goal {GOAL_MS} ms"
    return Report(title, rows, [remark])


def _measured(folder: Path, n_rows: int, repeats: int) -> list[Row]:
    from blindjustice_web.engine import engine_client
    from tests.web.broker import RecordingBroker
    from tests.web.cast import make_world
    from tests.web.many_rows import add_rows, base, pages_of
    from tests.web.parties import make_pair

    broker: Any = RecordingBroker()
    engine_client.hand_to_broker = broker
    world = make_world(broker, make_pair(folder))
    certificate = base(world)
    add_rows(world, certificate, "bench", n_rows)
    found = []
    for name, (who, path) in pages_of(certificate).items():
        answer = world.clients[who].get(path)
        times = sorted(_milliseconds(world.clients[who], path) for _ in range(repeats))
        found.append(
            {
                "page": name,
                "runs": repeats,
                "fastest ms": round(times[0], 1),
                "median ms": round(median(times), 1),
                "slowest ms": round(times[-1], 1),
                "kB": round(len(answer.content) / 1000, 1),
            }
        )
    return found


def _milliseconds(client: Any, path: str) -> float:
    begun = time.perf_counter()
    answer = client.get(path)
    taken = 1000 * (time.perf_counter() - begun)
    if answer.status_code != 200:
        raise RuntimeError(f"{path} answered {answer.status_code}")
    return taken
