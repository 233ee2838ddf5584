"""The engine's words about the line between the parties, beside `engine_client`."""

from __future__ import annotations

from typing import Any

from blindjustice_web.jobs.engine_client import stored_body
from mpc_engine.control.line_report import (
    Found,
    LineReport,
    Point,
    Versions,
    parse_line_report,
)

__all__ = ["Found", "LineReport", "Point", "Versions", "read_report", "stored_report"]


def read_report(value: dict[str, Any]) -> LineReport:
    """Return the account inside a message that was verified."""
    return parse_line_report(value)


def stored_report(body: str) -> LineReport:
    """Return the account inside a stored, once verified, message."""
    return parse_line_report(stored_body(body)["report"])
