"""Equal steps of time for counts over time: the finest that a figure has room for."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db.models import DateTimeField
from django.db.models.functions import Trunc
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.translation import gettext_lazy

MOST_STEPS = 60
_LENGTHS = {
    "minute": timedelta(minutes=1),
    "hour": timedelta(hours=1),
    "day": timedelta(days=1),
    "week": timedelta(weeks=1),
    "month": timedelta(days=31),
}
_NAMES = {
    "minute": gettext_lazy("Minute (UTC)"),
    "hour": gettext_lazy("Hour (UTC)"),
    "day": gettext_lazy("Day (UTC)"),
    "week": gettext_lazy("Week from (UTC)"),
    "month": gettext_lazy("Month (UTC)"),
}


@dataclass(frozen=True)
class TimeSteps:
    """The steps from ``first`` to ``last``: minutes, hours, days, weeks or months (``unit``)."""

    unit: str
    starts: list[datetime]

    @classmethod
    def between(cls, first: datetime, last: datetime, *, finest: str = "minute") -> TimeSteps:
        """Return the finest steps of which at most `MOST_STEPS` cover the time; else months.

        None is shorter than ``finest``.
        """
        fits = (
            unit
            for unit, each in _LENGTHS.items()
            if each >= _LENGTHS[finest] and last - first < (MOST_STEPS - 1) * each
        )
        unit = next(fits, "month")
        starts = [_begin(unit, first)]
        while (following := _begin(unit, starts[-1] + _LENGTHS[unit])) <= last:
            starts.append(following)
        return cls(unit, starts)

    @property
    def heading(self) -> str:
        """Return what a step is called over a column."""
        return str(_NAMES[self.unit])

    @property
    def labels(self) -> list[str]:
        """Return the steps in words, each different from the others."""
        return [self.label(start) for start in self.starts]

    def label(self, start: datetime) -> str:
        """Return a step in words, as short as tells it apart from the others."""
        if self.unit in {"minute", "hour"}:
            return date_format(start, "j\u00a0M, H:i" if self._crosses("day") else "H:i")
        if self.unit == "month":
            return date_format(start, "M\u00a0Y")
        return date_format(start, "j\u00a0M\u00a0Y" if self._crosses("year") else "j\u00a0M")

    def trunc(self, field: str) -> Trunc:
        """Return the expression that gives the start of the step in which a time lies."""
        return Trunc(field, self.unit, output_field=DateTimeField())

    def _crosses(self, unit: str) -> bool:
        return getattr(self.starts[0], unit) != getattr(self.starts[-1], unit)


def _begin(unit: str, moment: datetime) -> datetime:
    """Return the start of the step in which a moment lies, as the database cuts it."""
    local = timezone.localtime(moment)
    if unit == "minute":
        return local.replace(second=0, microsecond=0)
    if unit == "hour":
        return local.replace(minute=0, second=0, microsecond=0)
    day = local.replace(hour=0, minute=0, second=0, microsecond=0)
    if unit == "week":
        return day - timedelta(days=day.weekday())
    return day.replace(day=1) if unit == "month" else day
