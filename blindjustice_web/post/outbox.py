"""Tasks for the parties: written with the change that causes them, sent until they are answered.

A task stays in the table until the party's signed answer to it arrives. So neither a broker that is
away nor a party that dies with a task loses one. A task may reach a party twice; parties take each
order once and answer it each time.
"""

from __future__ import annotations

import logging
from datetime import datetime, timedelta
from functools import partial

from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils import timezone

from blindjustice_web.accounts.models import Role
from blindjustice_web.engine import engine_client
from blindjustice_web.engine.engine_post import (
    Content,
    Message,
    Order,
    about_jobs,
    about_parties,
    orders_ended_by,
    subject_of,
    subject_under_way,
)
from blindjustice_web.lib.outage import REDIS
from blindjustice_web.post.models import OutgoingTask

logger = logging.getLogger(__name__)

RESEND_AFTER = timedelta(seconds=15)
RESEND_AT_LAST = timedelta(minutes=15)
"""The wait for an answer doubles with each time a task is sent, up to this."""
RESEND_AT_ONCE = 200
RESEND_UNDER_WAY = timedelta(seconds=60)
"""The longest wait for the result of a run, counted anew from each word of progress."""


def send_to_party(role: Role, order: Order) -> None:
    """Queue a task for a party; it leaves when the surrounding transaction commits."""
    task = OutgoingTask.objects.create(
        role=role,
        kind=order.kind,
        payload=order.write(),
        subject=order.subject_text,
        due_at=_due(order.kind, 0),
    )
    transaction.on_commit(lambda: _hand_over_unless_away(task))


def send_to_both(order: Order) -> None:
    """Queue the same task for both parties."""
    for role in Role:
        send_to_party(role, order)


@transaction.atomic
def ask_to_resynchronise(*, anew: bool = False) -> None:
    """Ask each party that isn't being asked to tell again what it holds of studies.

    ``anew``: ask once more where the answers to an earlier order are on their way.
    """
    order, most_waiting = about_parties.Resynchronise(), 1 if anew else 0
    for role in Role:
        waiting = OutgoingTask.objects.filter(role=role, kind=order.kind).count()
        if waiting <= most_waiting:
            send_to_party(role, order)


def note_answer(message: Message[Content]) -> None:
    """Forget the task that a message answers: the oldest of its kind about the same thing.

    Refused, one that nobody could make again is kept (`send_kept_orders`). One that is being worked
    on is not sent again while its party tells of progress.
    """
    subject = subject_of(message.content)
    if not subject:
        _put_off(message)
        return
    waiting = OutgoingTask.objects.filter(
        role=message.role.value, subject=subject, is_refused=False
    )
    oldest = waiting.order_by("pk").values_list("pk", flat=True).first()
    if oldest is None:
        return
    answered = OutgoingTask.objects.filter(pk=oldest)
    if _is_kept(message.content):
        answered.update(is_refused=True)
    else:
        answered.delete()


def _is_kept(content: Content) -> bool:
    refuses = [
        order for order in orders_ended_by(type(content)) if type(content) is order.refused_by
    ]
    return any(order.is_kept_when_refused for order in refuses)


def kept_orders(
    order: type[Order], study_id: str, role: Role | None = None
) -> QuerySet[OutgoingTask]:
    """Return the orders of a kind about a study that a party refused and the site keeps."""
    of_role = {} if role is None else {"role": role}
    return OutgoingTask.objects.filter(
        kind=order.kind, payload__study_id=study_id, is_refused=True, **of_role
    )


def send_kept_orders(order: type[Order], study_id: str) -> int:
    """Send once more what parties refused of a kind about a study; return how many orders."""
    kept = list(kept_orders(order, study_id).select_for_update().order_by("pk"))
    for task in kept:
        task.is_refused, task.times_sent = False, 0
        task.save(update_fields=["is_refused", "times_sent"])
        transaction.on_commit(partial(_hand_over_unless_away, task))
    return len(kept)


def forget_orders(order: type[Order], study_id: str) -> None:
    """Forget orders of a kind about a study that are not answered: they hold no more."""
    OutgoingTask.objects.filter(kind=order.kind, payload__study_id=study_id).delete()


def _put_off(message: Message[Content]) -> None:
    subject = subject_under_way(message.content)
    if subject:
        under_way = OutgoingTask.objects.filter(role=message.role.value, subject=subject)
        under_way.update(due_at=timezone.now() + RESEND_UNDER_WAY)


def forget_attempt(job_id: str, attempt: int) -> None:
    """Forget the orders to run an attempt that has ended, answered or not."""
    subject = about_jobs.RUN.text(bytes.fromhex(job_id), attempt)
    OutgoingTask.objects.filter(subject=subject).delete()


def resend_waiting_tasks() -> int:
    """Send again what waits for the broker or for its answer, oldest first; return how many.

    While a party has not taken everything from its queue, nothing that was handed over is sent
    again: it is still on its way.
    """
    sent = 0
    for role in Role:
        now = timezone.now()
        set_back = Q(due_at__gt=now + RESEND_AT_LAST)  # the site's clock was, meanwhile
        due = OutgoingTask.objects.filter(Q(due_at__lt=now) | set_back, role=role, is_refused=False)
        if _is_behind(role):
            due = due.filter(times_sent=0)
        for task in due.order_by("pk")[:RESEND_AT_ONCE]:
            if not _hand_over(task):
                return sent
            sent += 1
    return sent


def _is_behind(role: Role) -> bool:
    try:
        return engine_client.n_orders_waiting(role) > 0
    except Exception as error:
        logger.warning("The broker does not tell its queues (%s)", engine_client.named(error))
        return True


def _hand_over_unless_away(task: OutgoingTask) -> None:
    """Hand a fresh task over; where that fails, or failed a moment ago, it is due at once."""
    if REDIS.lasts or not _hand_over(task):
        OutgoingTask.objects.filter(pk=task.pk).update(due_at=timezone.now())


def _hand_over(task: OutgoingTask) -> bool:
    try:
        engine_client.hand_to_broker(Role(task.role), task.kind, task.payload)
    except Exception as error:
        REDIS.begin()
        logger.warning("The broker did not take a task (%s); it waits", engine_client.named(error))
        return False
    REDIS.end()
    this = OutgoingTask.objects.filter(pk=task.pk)
    if task.subject:
        task.times_sent += 1
        this.update(times_sent=task.times_sent, due_at=_due(task.kind, task.times_sent - 1))
    else:
        this.delete()
    return True


def _due(kind: str, times_sent: int) -> datetime:
    longest = RESEND_UNDER_WAY if kind == about_jobs.RunJob.kind else RESEND_AT_LAST
    return timezone.now() + min(RESEND_AFTER * 2 ** min(times_sent, 20), longest)
