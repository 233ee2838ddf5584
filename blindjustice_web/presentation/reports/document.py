"""A report as plain text and tables: what its page, its CSV file and its PDF file all show."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from fractions import Fraction
from math import ceil

from django.utils.translation import gettext as _

NOT_TOLD = "\N{EM DASH}"


@dataclass(frozen=True)
class Table:
    """A table; the first cell of a row heads it. ``notes`` stand below."""

    title: str
    headings: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    notes: tuple[str, ...] = ()

    @property
    def texts(self) -> tuple[str, ...]:
        """Return every text of the table, row by row."""
        return (
            self.title,
            *self.headings,
            *(cell for row in self.rows for cell in row),
            *self.notes,
        )


@dataclass(frozen=True)
class Fact:
    """A line of what a report is about."""

    label: str
    value: str


@dataclass(frozen=True)
class Report:
    """A report ready to publish; ``name`` is that of its address and of its files."""

    name: str
    title: str
    day: date
    facts: tuple[Fact, ...]
    tables: tuple[Table, ...]
    limits: tuple[str, ...]
    """What it cannot say, or leaves to whoever publishes it."""
    sources: tuple[str, ...]

    @property
    def texts(self) -> tuple[str, ...]:
        """Return every text of the report, in the order in which it is read."""
        return (
            self.title,
            *(text for fact in self.facts for text in (fact.label, fact.value)),
            *(text for table in self.tables for text in table.texts),
            *self.limits,
            *self.sources,
        )


def rate_text(rate: Fraction) -> str:
    """Return a rate in percent, rounded to one decimal, a half upwards."""
    tenths = int(rate * 1000 + Fraction(1, 2))
    return f"{tenths // 10}.{tenths % 10}\u00a0%"


def ratio_text(ratio: Fraction) -> str:
    """Return an impact ratio cut after three decimals: none under a limit looks like the limit."""
    thousandths = int(ratio * 1000)
    return f"{thousandths // 1000}.{thousandths % 1000:03d}"


def probability_text(value: Fraction) -> str:
    """Return a p-value with four decimals, cut upwards."""
    if value <= Fraction(1, 10_000):
        return _("0.0001 or less")
    ten_thousandths = ceil(value * 10_000)
    return f"{ten_thousandths // 10_000}.{ten_thousandths % 10_000:04d}"
