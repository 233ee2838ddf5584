"""The engine's words about the line between the parties, beside `engine_client`."""

from __future__ import annotations

from datetime import datetime

from blindjustice_web.engine.engine_post import stored_message
from mpc_engine.control.post.exchanges.about_parties import LineChecked
from mpc_engine.control.post.line_report import (
    Found,
    LineReport,
    Point,
    Versions,
)
from mpc_engine.errors import EngineError

__all__ = [
    "Found",
    "LineReport",
    "Point",
    "Versions",
    "is_readable",
    "stored_report",
    "stored_times",
]


def stored_report(body: str) -> LineReport:
    """Return the account inside a stored, once verified, message."""
    return stored_message(body, LineChecked).content.report


def stored_times(body: str) -> tuple[datetime, datetime]:
    """Return when a stored account was asked for (site's clock) and signed (the party's)."""
    message = stored_message(body, LineChecked)
    return message.content.asked_at, message.sent_at


def is_readable(body: str) -> bool:
    """Return whether this version reads a stored account; one of another version may say less."""
    try:
        stored_report(body)
    except EngineError:
        return False
    return True
