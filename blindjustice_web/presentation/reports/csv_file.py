"""A report as CSV for spreadsheets: its facts, its tables one below the other, its sentences."""

from __future__ import annotations

from collections.abc import Iterator

from blindjustice_web.lib.csv_cells import csv_text, neutral
from blindjustice_web.presentation.reports.document import Report


def csv_file(report: Report) -> bytes:
    """Return the report's rows in UTF-8 with the mark that spreadsheets know it by."""
    rows = ([cell.replace("\N{NO-BREAK SPACE}", " ") for cell in row] for row in _rows(report))
    return csv_text([neutral(report.title)], rows).encode("utf-8-sig")


def _rows(report: Report) -> Iterator[tuple[str, ...]]:
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
