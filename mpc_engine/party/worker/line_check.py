"""Meet the other party on the line, as a job would, and tell the web how that went.

The line is the one of jobs: TLS 1.3, both certificates pinned. A job always comes before a meeting.
Over the line go versions and the time, both ways; where both run the same code they then make
stock for verifications to come (`party.stock`). What a party tells is its own account,
signed; the web shows both.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

from mpc_engine.control.post.exchanges.about_parties import CheckLine, LineChecked
from mpc_engine.control.post.line_report import (
    MAX_CLOCK_MS,
    Found,
    LineReport,
    Point,
    Versions,
    read_versions,
)
from mpc_engine.control.texts.canonical import JsonObject, canonical_bytes, parse_canonical
from mpc_engine.control.texts.fields import Fields
from mpc_engine.errors import (
    BusyError,
    ChannelClosedError,
    EngineError,
    PeerError,
    PeerIdentityError,
    PeerTimeoutError,
    ResourceError,
)
from mpc_engine.params import PROTOCOL_VERSION
from mpc_engine.party.line.code_digest import code_digest
from mpc_engine.party.line.deadline_channel import DeadlineChannel
from mpc_engine.party.line.lines import open_lines
from mpc_engine.party.line.tags import PartyTag
from mpc_engine.party.stock.filling import fill_stock, job_has_begun
from mpc_engine.party.worker.own_zone import found_here
from mpc_engine.party.zone.carrying import carries_out
from mpc_engine.party.zone.faults import as_engine_error
from mpc_engine.party.zone.party import Party
from mpc_engine.transport.channel import Channel

WAIT_S = 8
CLOCK_LIMIT_MS = 10_000
STOCK_LIMIT_S = 60
"""How long a meeting may go on making stock."""
READY_FILE = "ready"
"""Made by the worker once every slot passed its rehearsal."""
_AFTER_EVERY_JOB = b"\xff" * 33
"""Sessions of jobs are digests of 32 bytes, and the smaller session goes first."""
_MAX_BYTES = 1024
_log = logging.getLogger(__name__)
_CODE = "LINE_CHECK_INVALID"


@carries_out(CheckLine)
def check_line(party: Party, order: CheckLine) -> None:
    """Meet the other party under the order's number and send the signed account of it."""

    def tell(report: LineReport) -> None:
        checked = LineChecked(check_id=order.check_id, asked_at=order.asked_at, report=report)
        party.outbox.tell(checked)

    meet(party, order.check_id, own_versions(), tell)


def own_versions() -> Versions:
    """Return what runs here."""
    return Versions(PROTOCOL_VERSION, code_digest().hex())


def meet(party: Party, check_id: bytes, own: Versions, tell: Callable[[LineReport], None]) -> None:
    """Tell how a meeting went: opened within ``WAIT_S``, versions and clocks compared.

    Both learn the other's versions and time. Below 400 bytes each way, one round after the line's.
    It is told before any stock is made, which takes longer and says nothing of the line.
    """
    try:
        (channel,) = open_lines(
            party,
            party.peer(),
            _AFTER_EVERY_JOB + check_id,
            1,
            wait_s=min(WAIT_S, party.config.connect_limit_s),
            receive_limit_s=WAIT_S,
        )
    except Exception as error:
        fault = as_engine_error(error)
        tell(_report(party, own, _found_in(fault), fault.code))
        return
    try:
        report, alike = _talk(party, channel, own)
        tell(report)
        if alike:
            _fill_stock(party, channel)
    finally:
        channel.close()


def _talk(party: Party, channel: Channel, own: Versions) -> tuple[LineReport, bool]:
    """Exchange versions and times; return the account, and whether both run the same."""
    try:
        peer, clock_ms = _compare(party, channel, own)
    except Exception as error:
        fault = as_engine_error(error)
        return _report(party, own, _up_to(Point.PROTOCOL), fault.code), False
    return _compared(party, own, peer, clock_ms), peer == own


def _compare(party: Party, channel: Channel, own: Versions) -> tuple[Versions, int]:
    """Exchange versions and times; return the peer's, and how far its clock is ahead, in ms."""
    before = party.now()
    said: JsonObject = {"versions": own.to_json(), "time_ms": _milliseconds(before)}
    channel.send(PartyTag.LINE_CHECK, canonical_bytes(said))
    heard = channel.recv(PartyTag.LINE_CHECK, limit=_MAX_BYTES)
    middle = before + (party.now() - before) / 2
    fields = Fields(parse_canonical(heard, limit=_MAX_BYTES), "line check", code=_CODE)
    versions = read_versions(fields.inner("versions"))
    ahead = fields.integer("time_ms", 0, MAX_CLOCK_MS) - _milliseconds(middle)
    fields.end()
    return versions, ahead


def _fill_stock(party: Party, channel: Channel) -> None:
    """Use the rest of the meeting to make stock, until a job begins or the time is up."""

    def stopped() -> EngineError | None:
        begun = job_has_begun(party)
        return BusyError("A job has begun.") if begun else None

    deadline = time.monotonic() + STOCK_LIMIT_S
    try:
        fill_stock(party, DeadlineChannel(channel, deadline, WAIT_S, stopped))
    except Exception as error:
        _log.warning("no stock was made: %s", as_engine_error(error).code)


def _compared(party: Party, own: Versions, peer: Versions, clock_ms: int) -> LineReport:
    """Return the report of a meeting that took place."""
    failures = {
        Point.PROTOCOL: "OTHER_VERSION" if peer.protocol != own.protocol else "",
        Point.CODE: "OTHER_CODE" if peer.code != own.code else "",
        Point.CLOCK: "CLOCKS_DIFFER" if abs(clock_ms) > CLOCK_LIMIT_MS else "",
    }
    found = dict.fromkeys(Point, Found.OK)
    found |= {point: Found.FAILED for point, code in failures.items() if code}
    reason = next((code for code in failures.values() if code), "")
    return _report(party, own, found, reason, peer, clock_ms)


def _found_in(fault: EngineError) -> dict[Point, Found]:
    """Return what is known of each point where the line did not open."""
    if isinstance(fault, BusyError):
        return dict.fromkeys(Point, Found.UNKNOWN)
    if isinstance(fault, PeerTimeoutError):
        return _up_to(Point.REACHABLE)
    if isinstance(fault, ChannelClosedError):
        return _up_to(Point.HANDSHAKE)
    if isinstance(fault, PeerIdentityError):
        return _up_to(Point.PIN)
    if isinstance(fault, PeerError):
        return _up_to(Point.PROTOCOL)
    found = dict.fromkeys(Point, Found.UNKNOWN)
    if isinstance(fault, ResourceError):
        found[Point.PIN] = Found.FAILED
    return found


def _up_to(failed: Point) -> dict[Point, Found]:
    """Return points that are well before the one that failed, and unknown after it."""
    points = list(Point)
    place = points.index(failed)
    before = dict.fromkeys(points[:place], Found.OK)
    return {**before, failed: Found.FAILED, **dict.fromkeys(points[place + 1 :], Found.UNKNOWN)}


def _report(
    party: Party,
    own: Versions,
    found: dict[Point, Found],
    reason: str,
    peer: Versions | None = None,
    clock_ms: int = 0,
) -> LineReport:
    found = {**found, **found_here(party)}
    return LineReport(found, reason[:60], own, peer, clock_ms, _self_test_at(party))


def _self_test_at(party: Party) -> datetime | None:
    """Return when the worker passed its rehearsal, as the file system has it."""
    try:
        changed = (party.config.data_dir / READY_FILE).stat().st_mtime
    except OSError:
        return None
    return datetime.fromtimestamp(changed, UTC)


def _milliseconds(moment: datetime) -> int:
    return (moment - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(milliseconds=1)
