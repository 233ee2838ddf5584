"""Who hears of what, and sending it once, after the change it tells of is committed.

A notice is written with its entry, in the same transaction. A thread of the site's worker sends it
(`notices.postman`). It is marked as sent before it is, and unmarked if that fails: a worker that
dies in between loses one mail, and nobody ever gets one twice.
"""

from __future__ import annotations

import logging
from datetime import timedelta
from typing import Any

from allauth.account.models import EmailAddress
from django.core.mail import EmailMessage
from django.db import transaction
from django.db.models import F
from django.dispatch import receiver
from django.utils import timezone

from blindjustice_web.accounts.models import User
from blindjustice_web.accounts.selectors import role_of
from blindjustice_web.audit.models import AuditEntry, EntryKind
from blindjustice_web.audit.services import recorded
from blindjustice_web.challenges.models import Challenge
from blindjustice_web.notices.models import Notice
from blindjustice_web.notices.wording import mail_about

logger = logging.getLogger(__name__)

TO_BOTH = {
    EntryKind.PROPOSED,
    EntryKind.CERTIFICATE_ISSUED,
    EntryKind.CERTIFICATE_REVOKED,
    EntryKind.JOB_ENDED,
}
ENDED_CASE = {
    EntryKind.CHALLENGE_ANSWERED,
    EntryKind.CHALLENGE_EXPIRED,
    EntryKind.CHALLENGE_REFUSED,
}
TO_REGULATOR = {EntryKind.CHALLENGE_OPENED, *ENDED_CASE}
MOST_FAILURES = 5
WAIT_AFTER_FAILURE = timedelta(minutes=2)
AT_ONCE = 50


@receiver(recorded)
def note(sender: Any, entry: AuditEntry, **kwargs: Any) -> None:
    """Write down who is to hear of an entry."""
    users = _hearers(entry)
    Notice.objects.bulk_create(
        [Notice(entry=entry, user_id=user) for user in sorted(users)], ignore_conflicts=True
    )


@transaction.atomic
def choose_mail(user: User, wants_mail: bool) -> None:
    """Let a user have notices by e-mail, or none any more: not those that wait either."""
    user.wants_mail = wants_mail
    user.save(update_fields=["wants_mail"])
    if not wants_mail:
        Notice.objects.filter(user=user, taken_at=None).delete()


def send_due_notices() -> int:
    """Send what waits, oldest first; return how many went."""
    due = Notice.objects.filter(taken_at=None, due_at__lte=timezone.now())
    related = due.select_related("entry", "user").order_by("pk")[:AT_ONCE]
    return sum(_send(notice) for notice in related)


def _send(notice: Notice) -> bool:
    """Send a notice unless another process took it; one that fails comes again, five times."""
    this = Notice.objects.filter(pk=notice.pk)
    if not this.filter(taken_at=None).update(taken_at=timezone.now()):
        return False
    try:
        mail = mail_about(notice.entry, role_of(notice.user))
        EmailMessage(mail.subject, mail.text, to=[notice.user.email]).send()
    except Exception as error:
        logger.warning("A notice could not be sent (%s)", type(error).__name__)
        again = notice.times_failed + 1 < MOST_FAILURES
        this.update(
            times_failed=F("times_failed") + 1,
            due_at=timezone.now() + WAIT_AFTER_FAILURE * 2**notice.times_failed,
            **({"taken_at": None} if again else {}),
        )
        return False
    return True


def _hearers(entry: AuditEntry) -> set[int]:
    """Return the numbers of the users who are to hear of an entry and want to."""
    if entry.kind == EntryKind.JOB_ENDED and _goes_on_or_is_a_case(entry.detail):
        return set()
    organisations: list[str | None] = []
    if entry.kind in TO_BOTH:
        organisations = [entry.modeler_id, entry.regulator_id]
    elif entry.kind in TO_REGULATOR:
        organisations = [entry.regulator_id]
    else:
        return set()
    wanting = User.objects.filter(wants_mail=True, is_active=True)
    found = set(
        wanting.filter(memberships__organisation__in=organisations).values_list("pk", flat=True)
    )
    if entry.kind in ENDED_CASE:
        found |= _owner_of(entry.subject)
    return found


def _goes_on_or_is_a_case(detail: str) -> bool:
    """Tell whether an attempt's end is not the end of its run, or people hear of it otherwise."""
    return "QUEUED" in detail or detail.startswith("verification")


def _owner_of(challenge_id: str) -> set[int]:
    """Return the person whose case it is, if her address is known to be hers."""
    owners = Challenge.objects.filter(pk=challenge_id, owner__wants_mail=True)
    user = owners.values_list("owner", flat=True).first()
    verified = EmailAddress.objects.filter(user=user, verified=True)
    return {user} if user is not None and verified.exists() else set()
