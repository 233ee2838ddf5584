"""Both parties meet on the real line, and each says in its own words what is wrong with it."""

from __future__ import annotations

import socket
import threading
from dataclasses import replace
from datetime import timedelta
from functools import partial
from typing import Any

import pytest

from mpc_engine.control.post.line_report import (
    Found,
    LineReport,
    Point,
    Versions,
    parse_line_report,
)
from mpc_engine.errors import ChannelClosedError
from mpc_engine.params import PROTOCOL_VERSION
from mpc_engine.party.worker import line_check
from mpc_engine.party.worker.line_check import CLOCK_LIMIT_MS, meet, own_versions
from mpc_engine.party.zone.party import Party
from mpc_engine.roles import Role
from mpc_engine.transport.channel import Channel
from tests.engine.party.world import World

CHECK = bytes(range(16))
ASKED_AT = "2026-01-31T11:59:58Z"


@pytest.fixture(autouse=True)
def _no_long_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    """Give a party that is down less time; two that meet need a fraction of it."""
    monkeypatch.setattr(line_check, "WAIT_S", 3)


def _meet_alone(party: Party) -> LineReport:
    """Let one party come to a meeting; return the account it told."""
    reports: list[LineReport] = []
    meet(party, CHECK, own_versions(), reports.append)
    (report,) = reports
    return report


def _meet(
    world: World,
    versions: dict[Role, Versions] | None = None,
    reports: dict[Role, LineReport] | None = None,
) -> dict[Role, LineReport]:
    """Let both meet, each in its own thread; return both accounts, in ``reports`` if given."""
    reports = {} if reports is None else reports

    def run(role: Role) -> None:
        own = (versions or {}).get(role, own_versions())
        meet(world.parties[role], CHECK, own, partial(reports.__setitem__, role))

    threads = [threading.Thread(target=run, args=(role,), daemon=True) for role in Role]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert set(reports) == set(Role)
    return reports


def _failed(report: LineReport) -> list[Point]:
    return [point for point in Point if report.found[point] is Found.FAILED]


def test_two_parties_in_order_find_everything_well(world: World) -> None:
    (world.parties[Role.MODELER].config.data_dir / "ready").touch()
    reports = _meet(world)
    for report in reports.values():
        assert set(report.found.values()) == {Found.OK}
        assert report.reason == ""
        assert report.peer == report.own == own_versions()
        assert abs(report.clock_ms) <= CLOCK_LIMIT_MS
    assert reports[Role.MODELER].self_test_at is not None
    assert reports[Role.REGULATOR].self_test_at is None


@pytest.mark.slow
@pytest.mark.parametrize("role", list(Role))
def test_a_party_whose_peer_is_down_says_that_it_cannot_reach_it(world: World, role: Role) -> None:
    message = world.order(role, "check_line", {"check_id": CHECK.hex(), "asked_at": ASKED_AT})
    assert (message.kind, message.text("check_id")) == ("line_checked", CHECK.hex())
    assert message.text("asked_at") == ASKED_AT
    report = parse_line_report(message.object("report"))
    assert _failed(report) == [Point.REACHABLE]
    assert report.reason == "PEER_TIMEOUT"
    assert report.found[Point.PIN] is Found.UNKNOWN
    assert report.peer is None


@pytest.mark.slow
def test_a_party_with_another_certificate_is_not_the_peer(world: World) -> None:
    modeler, regulator = (world.parties[role] for role in Role)
    stranger = replace(regulator.descriptor(), tls_certificate=modeler.keys.tls_certificate)
    modeler.config.peer_public.write_text(stranger.to_text() + "\n", "utf-8")
    reports = _meet(world)
    assert _failed(reports[Role.MODELER]) == [Point.PIN]
    assert reports[Role.MODELER].reason == "PEER_NOT_AUTHENTICATED"
    assert reports[Role.MODELER].found[Point.REACHABLE] is Found.OK
    assert Found.OK not in {
        reports[Role.REGULATOR].found[point] for point in (Point.PIN, Point.CODE)
    }


def test_a_party_that_was_never_introduced_is_named(world: World) -> None:
    party = world.parties[Role.MODELER]
    party.config.peer_public.unlink()
    report = _meet_alone(party)
    assert (_failed(report), report.reason) == ([Point.PIN], "PEER_UNKNOWN")


@pytest.mark.parametrize("seconds", [3600, -3600])
def test_a_clock_that_is_wrong_is_seen_from_both_sides(world: World, seconds: int) -> None:
    world.parties[Role.REGULATOR].now = lambda: world.now + timedelta(seconds=seconds)
    reports = _meet(world)
    for role, ahead in ((Role.MODELER, seconds), (Role.REGULATOR, -seconds)):
        assert _failed(reports[role]) == [Point.CLOCK]
        assert reports[role].reason == "CLOCKS_DIFFER"
        assert reports[role].clock_ms == 1000 * ahead
        again = parse_line_report(reports[role].to_json())
        assert again.clock_ms == 1000 * ahead


@pytest.mark.parametrize(
    ("other", "points", "reason"),
    [
        (Versions(PROTOCOL_VERSION, "00" * 32), [Point.CODE], "OTHER_CODE"),
        (Versions("bj0", "00" * 32), [Point.PROTOCOL, Point.CODE], "OTHER_VERSION"),
    ],
)
def test_another_version_is_seen_from_both_sides(
    world: World, other: Versions, points: list[Point], reason: str
) -> None:
    reports = _meet(world, {Role.MODELER: other})
    for report in reports.values():
        assert _failed(report) == points
        assert report.reason == reason
    assert reports[Role.REGULATOR].peer == other


@pytest.mark.slow
def test_a_busy_line_says_nothing_about_the_peer(world: World) -> None:
    party = world.parties[Role.REGULATOR]
    with socket.create_server((party.config.host, party.config.port)):
        report = _meet_alone(party)
    here = {Point.FILES, Point.SIGNING_KEY}
    assert {found for point, found in report.found.items() if point not in here} == {Found.UNKNOWN}
    assert report.reason == "ADDRESS_IN_USE"


def test_the_account_is_told_before_stock_is_made(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    reports: dict[Role, LineReport] = {}
    told_before = threading.Barrier(2)

    def fill(party: Party, channel: Channel) -> int:
        assert party.role in reports
        told_before.wait(60)
        raise ChannelClosedError("Broken off, as asked.")

    monkeypatch.setattr(line_check, "fill_stock", fill)
    assert _failed(_meet(world, reports=reports)[Role.MODELER]) == []
    assert not told_before.broken


@pytest.mark.parametrize(
    "payload",
    [
        {},
        {"check_id": CHECK.hex()},
        {"check_id": "00", "asked_at": ASKED_AT},
        {"check_id": CHECK.hex(), "asked_at": ASKED_AT, "more": 1},
    ],
)
def test_an_order_that_is_no_order_is_refused(world: World, payload: Any) -> None:
    message = world.order(Role.MODELER, "check_line", payload)
    assert (message.kind, message.text("code")) == ("order_refused", "ORDER_INVALID")
