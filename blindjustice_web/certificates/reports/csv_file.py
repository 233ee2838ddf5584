"""A report as CSV for spreadsheets, in which no cell can be taken for a formula."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable

from blindjustice_web.certificates.reports.document import Report

FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r", "\n", "\0", "＝", "＋", "－", "＠")
"""What makes spreadsheets read a cell as a formula, full-width forms among it (OWASP)."""


def csv_file(report: Report) -> bytes:
    """Return the report's rows in UTF-8 with the mark that spreadsheets know it by (RFC 4180)."""
    text = io.StringIO()
    writer = csv.writer(text, quoting=csv.QUOTE_ALL)
    writer.writerows([neutral(cell) for cell in row] for row in _rows(report))
    return text.getvalue().encode("utf-8-sig")


def neutral(cell: str) -> str:
    """Return a cell's text, with an apostrophe before what would start a formula."""
    text = cell.replace("\N{NO-BREAK SPACE}", " ")
    starts = text.startswith(FORMULA_STARTS) or text.lstrip().startswith(FORMULA_STARTS)
    return f"'{text}" if starts else text


def _rows(report: Report) -> Iterable[tuple[str, ...]]:
    yield (report.title,)
    for fact in report.facts:
        yield (fact.label, fact.value)
    for table in report.tables:
        yield ()
        yield (table.title,)
        yield table.headings
        yield from table.rows
        for note in table.notes:
            yield (note,)
    yield ()
    for sentence in (*report.limits, *report.sources):
        yield (sentence,)
