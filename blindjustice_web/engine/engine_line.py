"""The engine's words about the line between the parties, beside `engine_client`."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from blindjustice_web.engine.engine_client import stored_body
from mpc_engine.control.post.line_report import (
    Found,
    LineReport,
    Point,
    Versions,
    parse_line_report,
)
from mpc_engine.control.texts.fields import format_time, parse_time
from mpc_engine.errors import EngineError

__all__ = [
    "Found",
    "LineReport",
    "Point",
    "Versions",
    "is_readable",
    "moment",
    "read_report",
    "stored_report",
    "stored_times",
]


def read_report(value: dict[str, Any]) -> LineReport:
    """Return the account inside a message that was verified."""
    return parse_line_report(value)


def stored_report(body: str) -> LineReport:
    """Return the account inside a stored, once verified, message."""
    return parse_line_report(stored_body(body)["report"])


def stored_times(body: str) -> tuple[datetime, datetime]:
    """Return when a stored account was asked for (site's clock) and signed (the party's)."""
    values = stored_body(body)
    return parse_time(values.get("asked_at")), parse_time(values.get("sent_at"))


def is_readable(body: str) -> bool:
    """Return whether this version reads a stored account; one of another version may say less."""
    try:
        stored_report(body)
        stored_times(body)
    except (EngineError, KeyError):
        return False
    return True


def moment(at: datetime) -> str:
    """Return a moment as orders carry it, seconds truncated."""
    return format_time(at)
