"""What pages and the API show of both parties and of the line between them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.utils import timezone
from django.utils.translation import gettext as _

from blindjustice_web.accounts.models import Role
from blindjustice_web.engine import engine_client, engine_line
from blindjustice_web.engine.engine_line import Found, Point
from blindjustice_web.engine.engine_post import about_parties
from blindjustice_web.lib.named import Named
from blindjustice_web.post.clocks import OffClock, differs_from_site, last_reports, off_clock
from blindjustice_web.post.models import LineReport, OutgoingTask

SILENT_AFTER = timedelta(seconds=60)
SITE_CLOCK = "site_clock"
"""The order to meet the other party on the line."""


@dataclass(frozen=True)
class CheckView:
    """One thing that was checked; ``fix`` and ``code`` say what to do where it is not in order."""

    name: str
    label: str
    found: Named
    fix: str
    code: str


@dataclass(frozen=True)
class PartyHealth:
    """How a party is doing, in its own signed words; ``sentence`` sums it up."""

    role: Named
    name: str
    sentence: str
    is_well: bool
    checks: list[CheckView]
    protocol: str
    code: str
    clock_s: str
    at: datetime | None
    went_well_at: datetime | None
    self_test_at: datetime | None
    asked_at: datetime | None


def parties_health() -> list[PartyHealth]:
    """Return both parties' health; one that is not set up, or never spoke, is there as well."""
    reports = last_reports()
    off = off_clock(reports)
    waiting = orders_waiting()
    names = {role: party.name for role, party in engine_client.find_parties().items()}
    return [
        _health(role, names.get(role, ""), reports.get(role), waiting.get(role), off)
        for role in Role
    ]


def orders_waiting() -> dict[Role, OutgoingTask]:
    """Return the orders to meet that a party has not answered, by role."""
    found = OutgoingTask.objects.filter(kind=about_parties.CheckLine.kind).order_by("-pk")
    return {Role(task.role): task for task in found}


def _health(
    role: Role,
    name: str,
    stored: LineReport | None,
    order: OutgoingTask | None,
    off: OffClock,
) -> PartyHealth:
    report = engine_line.stored_report(stored.body) if stored else None
    silent = order is not None and order.created_at < timezone.now() - SILENT_AFTER
    answers = Found.FAILED if silent else Found.OK if stored else Found.UNKNOWN
    tested = Found.UNKNOWN if report is None else _when(report.self_test_at is not None)
    checks = [
        _check("answers", _("Answers this site"), answers),
        _check("self_test", _("Self-test since it started"), tested),
    ]
    for point in Point:
        found = report.found[point] if report else Found.UNKNOWN
        checks.append(
            _check(point.value, _labels()[point], found, report.reason if report else "", off)
        )
    with_site = Found.UNKNOWN if stored is None else _when(not differs_from_site(stored))
    checks.append(_check(SITE_CLOCK, _("Clock agrees with this site's"), with_site, off=off))
    failed = [check for check in checks if check.found.value == Found.FAILED]
    return PartyHealth(
        role=Named.of(role),
        name=name,
        sentence=_sentence(failed, checks),
        is_well=all(check.found.value == Found.OK for check in checks),
        checks=checks,
        protocol=report.own.protocol if report else "",
        code=report.own.code if report else "",
        clock_s=f"{report.clock_ms / 1000:+.1f}" if report and report.peer else "",
        at=stored.at if stored else None,
        went_well_at=stored.went_well_at if stored else None,
        self_test_at=report.self_test_at if report else None,
        asked_at=order.created_at if order else None,
    )


def _when(passed: bool) -> Found:
    return Found.OK if passed else Found.FAILED


def _check(
    name: str, label: str, found: Found, reason: str = "", off: OffClock = OffClock.NONE
) -> CheckView:
    words = {Found.OK: _("in order"), Found.FAILED: _("not in order"), Found.UNKNOWN: _("unknown")}
    fix = ""
    if found is Found.FAILED:
        fix = _clock_fix(off) if name in {Point.CLOCK, SITE_CLOCK} else _fix(name, reason)
    code = reason if found is Found.FAILED else ""
    return CheckView(name, label, Named(found.value, words[found]), fix, code)


def _sentence(failed: list[CheckView], checks: list[CheckView]) -> str:
    if failed:
        return _("Not in order: %(what)s.") % {"what": ", ".join(check.label for check in failed)}
    if any(check.found.value == Found.UNKNOWN for check in checks):
        return _("Not everything is known yet.")
    return _("Everything is in order.")


def _labels() -> dict[Point, str]:
    return {
        Point.REACHABLE: _("Reaches the other party"),
        Point.HANDSHAKE: _("TLS handshake"),
        Point.PIN: _("Certificate of the other party"),
        Point.PROTOCOL: _("Protocol version"),
        Point.CODE: _("Software version"),
        Point.CLOCK: _("Clocks agree"),
        Point.FILES: _("Files that jobs need"),
        Point.SIGNING_KEY: _("Signing key of its studies"),
    }


def _fix(name: str, reason: str) -> str:
    """Return what the operator does about a check that is not in order."""
    if reason == "PEER_UNKNOWN":
        return _(
            "This party does not have the other one's public descriptor. Copy it to the file that "
            "peer_public names, and compare its digest over a second channel."
        )
    fixes = {
        "answers": _(
            "The party has not answered for more than a minute. See that its worker runs and "
            "reaches the broker; its log names what is wrong."
        ),
        "self_test": _(
            'Not every slot of the party has passed its rehearsal. Run "python -m '
            'mpc_engine.party --config party.toml self-test": it says what to do about each point.'
        ),
        Point.REACHABLE: _(
            "Nobody came to the meeting. See that the other party runs, that both name the same "
            "address, and that the regulator's port is open to the modeler's host."
        ),
        Point.HANDSHAKE: _(
            "The line opened and broke off. See whether a proxy or a firewall stands in between: "
            "TLS must pass untouched."
        ),
        Point.PIN: _(
            "Whoever answers is not the party this one knows. If the other party has a new "
            "certificate, hand its public descriptor over again and compare the digests; if it "
            "has not, something else listens on its address."
        ),
        Point.PROTOCOL: _("Install the same version of Blind Justice on both sides."),
        Point.CODE: _(
            "The two sides run different code. Install the same version on both and restart them."
        ),
        Point.FILES: _(
            "A file of the party is not open to its own user, most often because a command was "
            'run as another one. Its command "self-test" names the files; give them back (chown).'
        ),
        Point.SIGNING_KEY: _(
            "The party signs with another key than its studies name, so what it signs does "
            'not count in them. Put the earlier signing.key back; "self-test" names the studies.'
        ),
    }
    return fixes[name]


def _clock_fix(off: OffClock) -> str:
    """Return whose clock is to be set, as the third one tells."""
    fixes = {
        OffClock.SITE: _(
            "This site's clock is off: both parties agree with each other. Set it by a time server "
            "(NTP); until then valid certificates may count as expired or not valid yet."
        ),
        OffClock.MODELER: _(
            "The modeler's clock is off: the regulator's and this site's agree. Set it by a time "
            "server (NTP)."
        ),
        OffClock.REGULATOR: _(
            "The regulator's clock is off: the modeler's and this site's agree. Set it by a time "
            "server (NTP)."
        ),
        OffClock.SEVERAL: _(
            "No two of the three clocks agree: the modeler's, the regulator's and this site's. Set "
            "all three by a time server (NTP)."
        ),
    }
    return fixes.get(off) or _(
        "The clocks are more than 10 seconds apart. Set both by a time server (NTP)."
    )
