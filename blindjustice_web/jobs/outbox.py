"""Tasks for the parties: written with the change that causes them, handed over after commit.

A task stays in the table until the broker has it, so a broker that is away delays work and loses
none. A task may reach a party twice; parties take each order once.
"""

from __future__ import annotations

import logging
from datetime import timedelta
from typing import Any

from django.db import transaction
from django.utils import timezone

from blindjustice_web.accounts.models import Role
from blindjustice_web.jobs import engine_client
from blindjustice_web.jobs.models import OutgoingTask

logger = logging.getLogger(__name__)

RESEND_AFTER = timedelta(seconds=15)
RESEND_AT_ONCE = 200


def send_to_party(role: Role, kind: str, payload: dict[str, Any]) -> None:
    """Queue a task for a party; it leaves when the surrounding transaction commits."""
    task = OutgoingTask.objects.create(role=role, kind=kind, payload=payload)
    transaction.on_commit(lambda: _hand_over(task))


def send_to_both(kind: str, payload: dict[str, Any]) -> None:
    """Queue the same task for both parties."""
    for role in Role:
        send_to_party(role, kind, payload)


def resend_waiting_tasks() -> int:
    """Hand over what earlier attempts left behind, oldest first; return how many went out."""
    due = OutgoingTask.objects.filter(created_at__lt=timezone.now() - RESEND_AFTER)
    sent = 0
    for task in due.order_by("pk")[:RESEND_AT_ONCE]:
        if not _hand_over(task):
            break
        sent += 1
    return sent


def _hand_over(task: OutgoingTask) -> bool:
    try:
        engine_client.hand_to_broker(Role(task.role), task.kind, task.payload)
    except Exception as error:
        logger.warning("The broker did not take a task (%s); it waits", type(error).__name__)
        return False
    OutgoingTask.objects.filter(pk=task.pk).delete()
    return True
