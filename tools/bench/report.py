"""What a benchmark found: tables for people, JSON for machines, and where it was measured."""

from __future__ import annotations

import argparse
import json
import os
import platform
import shlex
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

Row = dict[str, Any]
_ROOT = Path(__file__).resolve().parents[2]
_REPEATS = 5
_WHOLE_FROM = 999.5
"""Numbers that three digits cannot tell: they are shown whole."""


@dataclass
class Report:
    """A title, rows with equal columns, what the clock left out, and remarks below the tables.

    ``start_up``: rows with equal columns too, of what comes before the runs that count; may be
    empty. A cell that is None is shown as a dash.
    """

    title: str
    rows: list[Row]
    remarks: list[str] = field(default_factory=list)
    start_up: list[Row] = field(default_factory=list)

    def text(self) -> str:
        """Return the tables, columns as wide as they need to be."""
        lines = [self.title, "", *_table(self.rows)]
        if self.start_up:
            lines += ["", "Start-up, not in the times above", "", *_table(self.start_up)]
        return "\n".join([*lines, *(f"\n{remark}" for remark in self.remarks)])

    def json(self) -> str:
        """Return everything, with the machine."""
        content = {
            "title": self.title,
            "machine": machine(),
            "rows": self.rows,
            "start_up": self.start_up,
            "remarks": self.remarks,
        }
        return json.dumps(content, indent=2) + "\n"


def add_repeats(
    parser: argparse.ArgumentParser,
    default: int = _REPEATS,
    what: str = "runs that count, of each row",
) -> None:
    """Take ``--repeats``, 1 or more."""
    parser.add_argument(
        "--repeats", type=at_least_one, default=default, help=f"{what} (default {default})"
    )


def at_least_one(text: str) -> int:
    """Read an argument that is a number from 1 on; ArgumentTypeError for another."""
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text} is not a whole number from 1 on.")
    return int(text)


def milliseconds(seconds: float) -> float:
    """Return milliseconds, whole ones from a hundred on, else with one decimal."""
    found = 1000 * seconds
    return round(found) if found >= 100 else round(found, 1)


@cache
def machine() -> dict[str, str]:
    """Return what the figures depend on, as it was at the first call.

    Processor, cores, memory, load (means of 1, 5 and 15 minutes), versions, command line, and the
    commit, with a + if a file is changed or new.
    """
    pages, page_bytes = os.sysconf("SC_PHYS_PAGES"), os.sysconf("SC_PAGE_SIZE")
    return {
        "processor": _processor(),
        "cores": str(os.cpu_count()),
        "memory": f"{pages * page_bytes / 2**30:.0f} GB",
        "load": " ".join(f"{load:.2f}" for load in os.getloadavg()),
        "system": platform.platform(),
        "python": platform.python_version(),
        "numpy": version("numpy"),
        "numba": version("numba"),
        "commit": _git("rev-parse", "--short", "HEAD")
        + ("+" if _git("status", "--porcelain") else ""),
        "command": shlex.join(["./run", "bench", *sys.argv[1:]]),
    }


def _table(rows: Sequence[Row]) -> list[str]:
    columns = list(rows[0])
    cells = [columns, *([_shown(row[column]) for column in columns] for row in rows)]
    widths = [max(len(line[i]) for line in cells) for i in range(len(columns))]
    return [
        "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip()
        for line in cells
    ]


def _processor() -> str:
    lines = Path("/proc/cpuinfo").read_text("utf-8").splitlines()
    pairs = (line.partition(":") for line in lines)
    fields = {name.strip(): value.strip() for name, _, value in pairs}
    family = f"family {fields.get('cpu family', '?')} model {fields.get('model', '?')}"
    return f"{fields.get('model name', platform.machine())} ({family})"


def _git(*arguments: str) -> str:
    done = subprocess.run(
        ["git", *arguments], cwd=_ROOT, capture_output=True, text=True, check=False
    )
    return done.stdout.strip()


def _shown(value: Any) -> str:
    if value is None:
        return "-"
    if isinstance(value, bool) or not isinstance(value, int | float):
        return str(value)
    if isinstance(value, int) or abs(value) >= _WHOLE_FROM:
        return f"{value:,.0f}"
    return f"{value:.3g}"
