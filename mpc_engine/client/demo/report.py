"""What the demo prints: lines while it runs, one table at the end."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field

from mpc_engine.client.jobs import JobReport
from mpc_engine.roles import Role


@dataclass(frozen=True)
class Line:
    """One outcome: what was expected, what the parties signed, and what it cost."""

    what: str
    expected: str
    signed: str
    seconds: float
    megabytes: float
    rounds: int
    and_gates: int

    @property
    def as_expected(self) -> bool:
        """Whether the parties' word is the expected one."""
        return self.expected == self.signed


@dataclass
class Report:
    """The outcomes so far; prints each step with the seconds since the last one."""

    lines: list[Line] = field(default_factory=list)
    last: float = field(default_factory=time.monotonic)

    def say(self, sentence: str) -> None:
        """Print a step that has just been done, and how long it took."""
        now = time.monotonic()
        print(f"  {now - self.last:7.1f} s  {sentence}", flush=True)
        self.last = now

    def add(self, what: str, expected: str, signed: str, job: JobReport) -> None:
        """Note an outcome of a job; costs are those that the regulator's party measured."""
        sent = job.metric(Role.REGULATOR, "bytes_sent")
        received = job.metric(Role.REGULATOR, "bytes_received")
        line = Line(
            what=what,
            expected=expected,
            signed=signed,
            seconds=job.metric(Role.REGULATOR, "elapsed_ms") / 1000,
            megabytes=(sent + received) / 1e6,
            rounds=job.metric(Role.REGULATOR, "rounds"),
            and_gates=job.metric(Role.REGULATOR, "and_gates"),
        )
        self.lines.append(line)
        mark = "as expected" if line.as_expected else f"EXPECTED {expected}"
        self.say(f"{what}: {signed} ({mark})")

    @property
    def as_expected(self) -> bool:
        """Whether there are outcomes and every one is as expected."""
        return bool(self.lines) and all(line.as_expected for line in self.lines)

    def print_table(self) -> None:
        """Print every outcome with its costs."""
        rows = [["", "signed outcome", "expected", "seconds", "MB", "rounds", "AND gates"]]
        rows += [
            [
                line.what,
                line.signed,
                line.expected if line.as_expected else f"{line.expected} (!)",
                f"{line.seconds:.3f}",
                f"{line.megabytes:.2f}",
                str(line.rounds),
                f"{line.and_gates:,}" if line.and_gates else "-",
            ]
            for line in self.lines
        ]
        print_columns(rows, n_text=3)


def print_columns(rows: Sequence[Sequence[str]], n_text: int) -> None:
    """Print rows in columns; the first ``n_text`` to the left, numbers to the right."""
    widths = [max(len(cell) for cell in column) for column in zip(*rows, strict=True)]
    for row in rows:
        cells = [
            cell.ljust(width) if place < n_text else cell.rjust(width)
            for place, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        print("  " + "  ".join(cells).rstrip())
