"""Orders and messages about the parties themselves: how they are, their line, what they hold."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from mpc_engine.control.post.declarations import Content, Order, Subject
from mpc_engine.control.post.line_report import LineReport, read_line_report
from mpc_engine.control.post.shapes import Anything, Id, Moment, Natural, object_by


@dataclass(frozen=True, kw_only=True)
class LineChecked(Content, kind="line_checked"):
    """A party's account of a meeting on the line; ``asked_at`` is repeated from the order."""

    check_id: Id
    asked_at: Moment
    report: Annotated[LineReport, object_by(read_line_report)]


@dataclass(frozen=True)
class CheckLine(
    Order, kind="check_line", subject=Subject("check_line"), answered_by=(LineChecked,)
):
    """Meet the other party on the line, under this number, and tell how that went.

    ``asked_at``: when that was, by the site's clock; the answer repeats it.
    """

    check_id: Id
    asked_at: Moment


@dataclass(frozen=True, kw_only=True)
class Resynchronised(Content, kind="resynchronised"):
    """So many studies and certificates were told again."""

    studies: Natural
    certificates: Natural


@dataclass(frozen=True)
class Resynchronise(
    Order,
    kind="resynchronise",
    subject=Subject("resynchronise"),
    answered_by=(Resynchronised,),
):
    """Tell again what the web keeps of studies and certificates: an older copy was restored."""


@dataclass(frozen=True, kw_only=True)
class Status(Content, kind="status"):
    """How a party is doing, in public terms; it tells that when it starts as well."""

    status: Anything


@dataclass(frozen=True)
class ReportStatus(Order, kind="report_status"):
    """Tell how the party is doing."""
