"""What a benchmark found: a table for people, JSON for machines, and where it was measured."""

from __future__ import annotations

import json
import os
import platform
import subprocess
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import Any

Row = dict[str, Any]
_ROOT = Path(__file__).resolve().parents[2]


@dataclass
class Report:
    """A title, rows with equal columns, and remarks below the table."""

    title: str
    rows: list[Row]
    remarks: list[str] = field(default_factory=list)

    def text(self) -> str:
        """Return the table, columns as wide as they need to be."""
        columns = list(self.rows[0])
        cells = [columns, *([_shown(row[column]) for column in columns] for row in self.rows)]
        widths = [max(len(line[i]) for line in cells) for i in range(len(columns))]
        lines = [self.title, ""]
        for line in cells:
            shown = [cell.ljust(width) for cell, width in zip(line, widths, strict=True)]
            lines.append("  ".join(shown).rstrip())
        return "\n".join([*lines, *(f"\n{remark}" for remark in self.remarks)])

    def json(self) -> str:
        """Return everything, with the machine."""
        content = {
            "title": self.title,
            "machine": machine(),
            "rows": self.rows,
            "remarks": self.remarks,
        }
        return json.dumps(content, indent=2) + "\n"


def machine() -> dict[str, str]:
    """Return what the figures depend on: processor, cores, memory, versions, commit."""
    pages, page_bytes = os.sysconf("SC_PHYS_PAGES"), os.sysconf("SC_PAGE_SIZE")
    return {
        "processor": _processor(),
        "cores": str(os.cpu_count()),
        "memory": f"{pages * page_bytes / 2**30:.0f} GB",
        "system": platform.platform(),
        "python": platform.python_version(),
        "numpy": version("numpy"),
        "numba": version("numba"),
        "commit": _git("rev-parse", "--short", "HEAD") + ("+" if _git("diff", "HEAD") else ""),
    }


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
    return f"{value:,.3g}" if isinstance(value, float) else str(value)
