"""Whose clock is off: the site's and both parties', each compared with the two others.

A party's signed account of a meeting says when it was asked, by the site's clock, and when it
answered, by its own; the site notes when the account came. A clock that agrees with the site's
shows the second between the first and the third, however long the message waited.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from enum import StrEnum

from blindjustice_web.accounts.models import Role
from blindjustice_web.engine import engine_line
from blindjustice_web.engine.engine_line import Found, Point
from blindjustice_web.post.models import LineReport

LIMIT = timedelta(seconds=10)
"""By how much clocks may differ."""


class OffClock(StrEnum):
    """The clock that two others speak against; ``SEVERAL`` where no two agree."""

    NONE = "none"
    SITE = "site"
    MODELER = "modeler"
    REGULATOR = "regulator"
    SEVERAL = "several"
    UNKNOWN = "unknown"


def differs_from_site(stored: LineReport) -> bool:
    """Return whether a party's account shows that its clock is not the site's."""
    asked_at, answered_at = engine_line.stored_times(stored.body)
    return answered_at < asked_at - LIMIT or answered_at > stored.at + LIMIT


def off_clock(reports: Mapping[Role, LineReport]) -> OffClock:
    """Return which clock is off, as far as the parties' last accounts tell."""
    alone = [role for role, report in reports.items() if differs_from_site(report)]
    apart = _parties_found(reports)
    if not alone:
        return OffClock.UNKNOWN if apart is Found.FAILED else OffClock.NONE
    if apart is Found.OK:
        return OffClock.SITE
    if apart is Found.UNKNOWN or len(reports) < len(Role):
        return OffClock.UNKNOWN
    return OffClock.SEVERAL if len(alone) > 1 else OffClock(alone[0].value)


def site_clock_is_off() -> bool:
    """Return whether both parties' clocks speak against the site's."""
    return off_clock(last_reports()) is OffClock.SITE


def last_reports() -> dict[Role, LineReport]:
    """Return each party's last account; one that this version can't read counts as none."""
    found = LineReport.objects.all()
    return {Role(report.role): report for report in found if engine_line.is_readable(report.body)}


def _parties_found(reports: Mapping[Role, LineReport]) -> Found:
    """Return what the newest meeting that compared both parties' clocks found."""
    for stored in sorted(reports.values(), key=lambda report: report.at, reverse=True):
        found = engine_line.stored_report(stored.body).found[Point.CLOCK]
        if found is not Found.UNKNOWN:
            return found
    return Found.UNKNOWN
