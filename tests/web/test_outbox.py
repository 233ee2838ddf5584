"""Tasks leave on commit, wait for a broker that is away, and are never lost."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.db import transaction
from django.utils import timezone

from blindjustice_web.accounts.models import Role
from blindjustice_web.jobs.models import OutgoingTask
from blindjustice_web.jobs.outbox import send_to_party
from blindjustice_web.jobs.watchdog import look_once
from tests.web.broker import RecordingBroker

pytestmark = pytest.mark.django_db(transaction=True)


def test_a_task_leaves_after_the_commit(broker: RecordingBroker) -> None:
    with transaction.atomic():
        send_to_party(Role.MODELER, "report_status", {})
        assert not broker.tasks
    assert [task.kind for task in broker.tasks] == ["report_status"]
    assert not OutgoingTask.objects.exists()


def test_what_is_rolled_back_is_never_sent(broker: RecordingBroker) -> None:
    with transaction.atomic():
        send_to_party(Role.MODELER, "report_status", {})
        transaction.set_rollback(True)
    look_once()
    assert not broker.tasks


def test_a_task_waits_for_the_broker(broker: RecordingBroker) -> None:
    broker.is_away = True
    send_to_party(Role.REGULATOR, "report_status", {})
    assert OutgoingTask.objects.count() == 1
    OutgoingTask.objects.update(created_at=timezone.now() - timedelta(minutes=1))
    look_once()
    assert OutgoingTask.objects.count() == 1
    broker.is_away = False
    look_once()
    assert [task.role for task in broker.tasks] == [Role.REGULATOR]
    assert not OutgoingTask.objects.exists()


def test_a_task_on_its_way_is_not_sent_twice(broker: RecordingBroker) -> None:
    broker.is_away = True
    send_to_party(Role.REGULATOR, "report_status", {})
    broker.is_away = False
    look_once()
    assert not broker.tasks
