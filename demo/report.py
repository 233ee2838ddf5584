"""What the demo prints: headed paragraphs while it runs, one table at the end."""

from __future__ import annotations

import textwrap
import time
from collections.abc import Sequence
from dataclasses import dataclass, field

from mpc_engine.client.jobs import JobReport
from mpc_engine.roles import Role

N_COSTS = 4
WIDTH = 100


@dataclass(frozen=True)
class Line:
    """One outcome: what was expected, what the parties signed, and what it cost.

    A line that belongs to the one above has no cost of its own.
    """

    what: str
    expected: str
    signed: str
    costs: tuple[str, ...] = ()

    @property
    def as_expected(self) -> bool:
        """Whether the parties' word is the expected one."""
        return self.expected == self.signed


@dataclass
class DemoReport:
    """The outcomes so far; prints each step with the seconds since the last one."""

    lines: list[Line] = field(default_factory=list)
    last: float = field(default_factory=time.monotonic)

    def head(self, title: str, about: str) -> None:
        """Begin a part: its title, and what it is about."""
        print(f"\n{title}")
        self.paragraph(about)

    def paragraph(self, text: str) -> None:
        """Print text in lines that a terminal shows whole."""
        print(textwrap.fill(text, WIDTH, initial_indent="  ", subsequent_indent="  "), flush=True)

    def say(self, sentence: str) -> None:
        """Print a step that has just been done, and how long it took."""
        now = time.monotonic()
        lines = textwrap.fill(
            f"{sentence} ({now - self.last:.1f} s)",
            WIDTH,
            initial_indent="  - ",
            subsequent_indent="    ",
        )
        print(lines, flush=True)
        self.last = now

    def add(
        self,
        what: str,
        expected: str,
        signed: str,
        job: JobReport,
        details: Sequence[Line] = (),
    ) -> None:
        """Note an outcome of a job; costs are those that the regulator's party measured."""
        sent = job.metric(Role.REGULATOR, "bytes_sent")
        received = job.metric(Role.REGULATOR, "bytes_received")
        and_gates = job.metric(Role.REGULATOR, "and_gates")
        costs = (
            f"{job.metric(Role.REGULATOR, 'elapsed_ms') / 1000:.3f}",
            f"{(sent + received) / 1e6:.2f}",
            str(job.metric(Role.REGULATOR, "rounds")),
            f"{and_gates:,}" if and_gates else "-",
        )
        line = Line(what, expected, signed, costs)
        self.lines += [line, *details]
        self.say(f"{what}: {signed} ({_mark(line)})")
        for detail in details:
            print(f"    {detail.what}: {detail.signed} ({_mark(detail)})", flush=True)

    @property
    def as_expected(self) -> bool:
        """Whether there are outcomes and every one is as expected."""
        return bool(self.lines) and all(line.as_expected for line in self.lines)

    def print_table(self) -> None:
        """Print every outcome with its costs."""
        rows = [["", "signed outcome", "as expected", "seconds", "MB", "rounds", "AND gates"]]
        rows += [
            [
                line.what,
                line.signed,
                "yes" if line.as_expected else f"{line.expected} (!)",
                *(line.costs or ("",) * N_COSTS),
            ]
            for line in self.lines
        ]
        print_columns(rows, n_text=3)


def _mark(line: Line) -> str:
    return "as expected" if line.as_expected else f"EXPECTED {line.expected}"


def print_columns(rows: Sequence[Sequence[str]], n_text: int) -> None:
    """Print rows in columns; the first ``n_text`` to the left, numbers to the right."""
    widths = [max(len(cell) for cell in column) for column in zip(*rows, strict=True)]
    for row in rows:
        cells = [
            cell.ljust(width) if place < n_text else cell.rjust(width)
            for place, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        print("  " + "  ".join(cells).rstrip())
