"""The health of both parties: measured and signed by them, asked for and shown by the site."""

from __future__ import annotations

from datetime import timedelta
from html import unescape
from typing import Any

import pytest
from django.utils import timezone

from blindjustice_web.audit.models import AuditEntry, EntryKind
from blindjustice_web.conduct.inbox import receive_message
from blindjustice_web.jobs import diagnostics
from blindjustice_web.post.clocks import site_clock_is_off
from blindjustice_web.post.models import LineReport, OutgoingTask
from mpc_engine.control.post.line_report import Point
from tests.web.drafts import some_id
from tests.web.parties import Party, asked_now, line_report
from tests.web.stories import World


def _says(party: Party, report: dict[str, Any] | None = None) -> bool:
    return receive_message(*_account(party, report))


def _account(party: Party, report: dict[str, Any] | None = None) -> tuple[str, str]:
    return party.signs(
        "line_checked",
        check_id=some_id("check"),
        asked_at=asked_now(),
        report=report or line_report(),
    )


def _checks(world: World, role: str) -> dict[str, dict[str, str]]:
    parties = {party["role"]: party for party in world.get("rae", "/health").json()}
    return {check["name"]: check for check in parties[role]["checks"]}


def _page(world: World, who: str, role: str) -> str:
    answer = world.clients[who].get(f"/{role}/health/")
    assert answer.status_code == 200
    return str(answer.content.decode())


def _orders(world: World) -> list[tuple[str, str]]:
    return [(t.role.value, t.payload["check_id"]) for t in world.broker.of_kind("check_line")]


def test_before_the_first_word_nothing_is_known(world: World) -> None:
    for party in world.get("rae", "/health").json():
        assert not party["is_well"]
        assert {check["found"] for check in party["checks"]} == {"unknown"}
    assert "Not everything is known yet." in _page(world, "mo", "modeler")


def test_an_account_of_another_version_counts_as_none(world: World) -> None:
    for party in world.parties:
        assert _says(party)
    modeler = LineReport.objects.get(role="modeler")
    earlier = modeler.body.replace(f'"{Point.FILES.value}":', '"earlier_point":')
    assert earlier != modeler.body
    LineReport.objects.filter(role="modeler").update(body=earlier)
    assert {check["found"] for check in _checks(world, "modeler").values()} == {"unknown"}
    assert {check["found"] for check in _checks(world, "regulator").values()} == {"ok"}
    page = _page(world, "mo", "modeler")
    assert page.count("Everything is in order.") == 1
    assert not site_clock_is_off()


def test_both_accounts_are_shown_to_both_sides(world: World) -> None:
    for party in world.parties:
        assert _says(party)
    for who, role in (("mo", "modeler"), ("rae", "regulator")):
        assert _page(world, who, role).count("Everything is in order.") == 2
    shown = world.get("mo", "/health").json()
    assert [party["is_well"] for party in shown] == [True, True]
    assert {party["protocol"] for party in shown} == {"bj1"}


@pytest.mark.parametrize(
    ("point", "reason", "words"),
    [
        (Point.REACHABLE, "PEER_TIMEOUT", "the other party runs"),
        (Point.HANDSHAKE, "CHANNEL_CLOSED", "TLS must pass untouched"),
        (Point.PIN, "PEER_NOT_AUTHENTICATED", "compare the digests"),
        (Point.PIN, "PEER_UNKNOWN", "second channel"),
        (Point.PROTOCOL, "OTHER_VERSION", "same version"),
        (Point.CODE, "OTHER_CODE", "restart"),
        (Point.CLOCK, "CLOCKS_DIFFER", "NTP"),
        (Point.FILES, "", "chown"),
        (Point.SIGNING_KEY, "", "Put the earlier signing.key back"),
    ],
)
def test_what_fails_comes_with_what_to_do(
    world: World, point: Point, reason: str, words: str
) -> None:
    assert _says(world.parties.modeler, line_report(point, reason))
    check = _checks(world, "modeler")[point.value]
    assert check["found"] == "failed"
    assert words in check["fix"]
    assert "Not in order" in _page(world, "rae", "regulator")
    went_well = LineReport.objects.get(role="modeler").went_well_at is not None
    assert went_well == (point in {Point.FILES, Point.SIGNING_KEY})


def test_a_party_without_a_self_test_says_so(world: World) -> None:
    assert _says(world.parties.regulator, line_report(self_test_at=None))
    assert "self-test" in _checks(world, "regulator")["self_test"]["fix"]


@pytest.mark.database
def test_the_last_meeting_that_went_well_stays_known(world: World) -> None:
    _says(world.parties.modeler)
    well = LineReport.objects.get().went_well_at
    _says(world.parties.modeler, line_report(Point.REACHABLE, "PEER_TIMEOUT", peer=None))
    assert LineReport.objects.get().went_well_at == well


def test_a_party_that_starts_lets_both_meet_under_one_number(world: World) -> None:
    world.parties.modeler.says("status", status={"ready": "yes"})
    (first, number), (second, other) = _orders(world)
    assert ({first, second}, number) == ({"modeler", "regulator"}, other)
    world.parties.regulator.says("status", status={"ready": "yes"})
    assert len(_orders(world)) == 2


def test_who_is_silent_is_asked_once_and_the_other_again_under_the_same_number(
    world: World,
) -> None:
    diagnostics.begin_check()
    number = _orders(world)[0][1]
    _says(world.parties.regulator, line_report(Point.REACHABLE, "PEER_TIMEOUT"))
    assert diagnostics.begin_check()
    assert _orders(world)[2:] == [("regulator", number)]
    OutgoingTask.objects.filter(role="modeler").update(
        created_at=timezone.now() - timedelta(minutes=5)
    )
    assert "worker runs" in _checks(world, "modeler")["answers"]["fix"]


def test_the_line_is_checked_again_when_the_last_word_is_old(world: World, settings: Any) -> None:
    diagnostics.check_if_due()
    assert not _orders(world)
    _says(world.parties.modeler)
    diagnostics.check_if_due()
    assert not _orders(world)
    old = timezone.now() - timedelta(seconds=settings.LINE_CHECK_S + 1)
    LineReport.objects.update(at=old)
    for _ in range(2):
        diagnostics.check_if_due()
    assert len(_orders(world)) == 2


@pytest.mark.parametrize(("who", "role"), [("mo", "modeler"), ("rae", "regulator")])
def test_either_side_lets_them_meet(world: World, who: str, role: str) -> None:
    answer = world.clients[who].post(f"/{role}/health/check/")
    assert (answer.status_code, answer["Location"]) == (302, f"/{role}/health/")
    assert len(_orders(world)) == 2
    assert 'data-testid="check-asked"' in _page(world, who, role)
    assert AuditEntry.objects.get(kind=EntryKind.LINE_CHECK_ASKED).actor == role
    assert world.post(who, "/health/check", {}).status_code == 202
    assert len(_orders(world)) == 2


def test_a_run_comes_before_a_meeting(world: World) -> None:
    world.training_job(world.trainable())
    answer = world.post("rae", "/health/check", {})
    assert (answer.status_code, answer.json()["code"]) == (409, "LINE_IN_USE")
    assert world.clients["mo"].post("/modeler/health/check/").status_code == 409
    world.parties.modeler.says("status", status={})
    assert not _orders(world)


def test_only_the_party_s_own_signed_word_counts(world: World) -> None:
    body, _signature = _account(world.parties.modeler)
    _body, other = _account(world.parties.regulator)
    assert not receive_message(body, other)
    assert not LineReport.objects.exists()


HOUR = timedelta(hours=1)


@pytest.mark.parametrize(
    ("modeler", "regulator", "words"),
    [
        (HOUR, HOUR, "This site's clock is off"),
        (-HOUR, -HOUR, "This site's clock is off"),
        (HOUR, 0 * HOUR, "The modeler's clock is off"),
        (0 * HOUR, -HOUR, "The regulator's clock is off"),
        (HOUR, -HOUR, "No two of the three clocks agree"),
    ],
)
def test_the_clock_that_two_others_speak_against_is_named(
    world: World, modeler: timedelta, regulator: timedelta, words: str
) -> None:
    apart = round(1000 * (regulator - modeler).total_seconds())
    failed = (Point.CLOCK, "CLOCKS_DIFFER") if apart else ()
    for party, ahead in zip(world.parties, (modeler, regulator), strict=True):
        party.clock_ahead = ahead
        assert _says(party, line_report(*failed, clock_ms=apart))
    for party, ahead in (("modeler", modeler), ("regulator", regulator)):
        checks = _checks(world, party)
        assert checks["clock"]["found"] == ("failed" if apart else "ok")
        assert checks["site_clock"]["found"] == ("failed" if ahead else "ok")
        fixes = [checks[name]["fix"] for name in ("clock", "site_clock")]
        assert all(words in fix for fix in fixes if fix)
    assert words in unescape(_page(world, "rae", "regulator"))


def test_a_message_that_waited_says_nothing_against_a_clock(world: World) -> None:
    late = timezone.now() + timedelta(minutes=20)
    assert _says(world.parties.modeler)
    LineReport.objects.update(at=late)
    assert _checks(world, "modeler")["site_clock"]["found"] == "ok"


def test_the_line_is_checked_again_once_the_site_s_clock_was_set_back(world: World) -> None:
    _says(world.parties.modeler)
    LineReport.objects.update(at=timezone.now() + HOUR)
    diagnostics.check_if_due()
    assert len(_orders(world)) == 2
