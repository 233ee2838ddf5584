"""What a party tells of a meeting on the line: each point checked, and both sides' versions."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from mpc_engine.control.texts.canonical import JsonObject
from mpc_engine.control.texts.fields import Fields, format_time

CODE = "LINE_REPORT_INVALID"
MAX_CLOCK_MS = 10**15


class Point(StrEnum):
    """What a meeting checks, in the order in which one needs the one before.

    The last two a party finds in its own zone, whatever became of the line.
    """

    REACHABLE = "reachable"
    HANDSHAKE = "handshake"
    PIN = "pin"
    PROTOCOL = "protocol"
    CODE = "code"
    CLOCK = "clock"
    FILES = "files"
    SIGNING_KEY = "signing_key"


class Found(StrEnum):
    """What was found about a point; a point is unknown where one before it failed."""

    OK = "ok"
    FAILED = "failed"
    UNKNOWN = "unknown"


@dataclass(frozen=True)
class Versions:
    """What runs on one side: protocol version and digest of the code."""

    protocol: str
    code: str

    def to_json(self) -> JsonObject:
        """Return it as reports and meetings carry it."""
        return {"protocol": self.protocol, "code": self.code}


@dataclass(frozen=True)
class LineReport:
    """One side's account of a meeting; ``reason`` is the code of what failed, empty if nothing.

    ``clock_ms``: how far the other party's clock is ahead, in milliseconds, half the time of the
    exchange at most wrong; 0 while unknown. ``self_test_at``: when this party last passed its
    rehearsal, None if it has not since it was set up.
    """

    found: dict[Point, Found]
    reason: str
    own: Versions
    peer: Versions | None
    clock_ms: int
    self_test_at: datetime | None

    def to_json(self) -> JsonObject:
        """Return it as a message carries it."""
        report: JsonObject = {
            "found": {point.value: self.found[point].value for point in Point},
            "reason": self.reason,
            "own": self.own.to_json(),
            "peer_clock": "behind" if self.clock_ms < 0 else "ahead",
            "clock_ms": abs(self.clock_ms),
        }
        if self.peer is not None:
            report["peer"] = self.peer.to_json()
        if self.self_test_at is not None:
            report["self_test_at"] = format_time(self.self_test_at)
        return report


def read_line_report(fields: Fields) -> LineReport:
    """Return a report from its fields; UsageError names what is wrong."""
    inner = fields.inner("found")
    found = {point: Found(inner.choice(point.value, list(Found))) for point in Point}
    inner.end()
    reason = fields.raw_text("reason", maximum=60)
    own = read_versions(fields.inner("own"))
    peer = read_versions(fields.inner("peer")) if fields.has("peer") else None
    sign = -1 if fields.choice("peer_clock", ("ahead", "behind")) == "behind" else 1
    clock_ms = sign * fields.integer("clock_ms", 0, MAX_CLOCK_MS)
    tested = fields.time("self_test_at") if fields.has("self_test_at") else None
    fields.end()
    return LineReport(found, reason, own, peer, clock_ms, tested)


def parse_line_report(value: object) -> LineReport:
    """Return a report from the JSON of a message that was verified before."""
    return read_line_report(Fields(value, "report", code=CODE))


def read_versions(fields: Fields) -> Versions:
    """Return one side's versions from their fields."""
    versions = Versions(fields.text("protocol", maximum=60), fields.hex("code", 32).hex())
    fields.end()
    return versions
