"""Whether the two parties can work together, as each of them measured it on the real line.

The site asks both to meet: when one starts, every quarter of an hour, and when somebody asks. It
measures nothing itself. A party that does not answer is asked once: the order waits in its queue,
and the other one is asked to come to the same meeting again.
"""

from __future__ import annotations

from datetime import timedelta

from django.conf import settings
from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from blindjustice_web.accounts.models import Role
from blindjustice_web.audit.models import EntryKind
from blindjustice_web.audit.services import record
from blindjustice_web.engine.engine_post import Message, about_parties
from blindjustice_web.jobs.models import Job
from blindjustice_web.lib.ids import fresh_id
from blindjustice_web.lib.labels import JobState
from blindjustice_web.lib.problems import Refused
from blindjustice_web.post.health import orders_waiting
from blindjustice_web.post.hearing import hears
from blindjustice_web.post.models import LineReport, PartyStatus
from blindjustice_web.post.outbox import send_to_party


@transaction.atomic
def ask_for_check() -> None:
    """Let the parties meet because somebody asks; Refused while a run has the line."""
    if _line_is_taken():
        raise Refused(
            "LINE_IN_USE",
            _("The parties are at work together now: their line is open."),
            next_step=_("Ask again when the run has ended."),
        )
    record(EntryKind.LINE_CHECK_ASKED)
    begin_check()


@transaction.atomic
def begin_check() -> bool:
    """Order both parties to meet, unless a run has the line; return whether anybody was ordered."""
    if _line_is_taken():
        return False
    waiting = orders_waiting()
    check_id = next((task.payload["check_id"] for task in waiting.values()), fresh_id())
    asked = [role for role in Role if role not in waiting]
    for role in asked:
        order = about_parties.CheckLine(check_id=bytes.fromhex(check_id), asked_at=timezone.now())
        send_to_party(role, order)
    return bool(asked)


def check_if_due() -> None:
    """Let the parties meet again when the last word of either is old; not before the first.

    A word that is dated ahead came before the site's clock was set back: it is old too.
    """
    reports = LineReport.objects.order_by("-at").values_list("at", flat=True)
    newest = reports.first()
    now = timezone.now()
    if newest is None or now - timedelta(seconds=settings.LINE_CHECK_S) < newest <= now:
        return
    begin_check()


@hears(about_parties.Status)
def note_status(message: Message[about_parties.Status]) -> None:
    """Keep what a party says about itself; it does when it starts, so let both meet."""
    PartyStatus.objects.update_or_create(role=message.role.value, defaults={"body": message.body})
    begin_check()


@hears(about_parties.LineChecked)
@transaction.atomic
def note_line_checked(message: Message[about_parties.LineChecked]) -> None:
    """Keep a party's account of its last meeting."""
    now = timezone.now()
    values = {
        "check_id": message.content.check_id.hex(),
        "body": message.body,
        "signature": message.signature.hex(),
        "at": now,
    }
    if not message.content.report.reason:
        values["went_well_at"] = now
    LineReport.objects.update_or_create(role=message.role.value, defaults=values)


def _line_is_taken() -> bool:
    return Job.objects.filter(state=JobState.RUNNING).exists()
