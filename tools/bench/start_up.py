"""What comes before the runs that count, of two processes: lines, base OTs, the first run."""

from __future__ import annotations

import statistics
from collections.abc import Sequence

from tools.bench.parties import Run
from tools.bench.report import Row, milliseconds

BASE_OTS = "ms, base OTs"
"""The column of what went by before a side told its first progress."""


def start_up(work: str, first: Run, runs: Sequence[Run]) -> Row:
    """Return the row of one kind of work; ``first`` came before the ``runs``, and does not count.

    Opening the lines and base OTs are medians of the runs that count. The first run is told whole,
    base OTs included: it compiles kernels, or loads them, where no earlier row has.
    """
    return {
        "work": work,
        "runs": len(runs),
        "ms, opening lines (TLS)": milliseconds(statistics.median(r.opening_seconds for r in runs)),
        BASE_OTS: milliseconds(statistics.median(run.setup_seconds for run in runs)),
        "ms, first run": milliseconds(first.seconds),
    }
