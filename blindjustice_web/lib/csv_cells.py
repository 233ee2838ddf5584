"""Write CSV that a spreadsheet shows and never runs."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence

FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r", "\n", "\0", "＝", "＋", "－", "＠")
"""What makes a spreadsheet read a cell as a formula (OWASP, "CSV Injection"), after blanks too."""
BLANKS = " \u00a0\u3000"


def csv_text(header: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Return a table as CSV (RFC 4180); a cell that could be a formula gets an apostrophe."""
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(header)
    for row in rows:
        writer.writerow([neutral(str(cell)) for cell in row])
    return text.getvalue()


def neutral(cell: str) -> str:
    """Return a cell that no spreadsheet takes for a formula."""
    return f"'{cell}" if cell.lstrip(BLANKS).startswith(FORMULA_STARTS) else cell
