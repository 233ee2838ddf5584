"""Tasks leave on commit, wait for a broker that is away, and are never lost."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.db import transaction
from django.utils import timezone

from blindjustice_web.accounts.models import Role
from blindjustice_web.conduct.watchdog import look_once
from blindjustice_web.lib.outage import Outage
from blindjustice_web.post import outbox
from blindjustice_web.post.models import OutgoingTask
from blindjustice_web.post.outbox import send_to_both, send_to_party
from mpc_engine.control.post.exchanges.about_models import TakeModel
from mpc_engine.control.post.exchanges.about_parties import ReportStatus
from tests.web.broker import RecordingBroker
from tests.web.parties import Pair
from tests.web.stories import World

pytestmark = [pytest.mark.database, pytest.mark.django_db(transaction=True)]


ASKED = TakeModel(study_id=b"s" * 16, model_id=b"m" * 16, envelope=b"")


def _pass_time() -> None:
    OutgoingTask.objects.update(due_at=timezone.now() - timedelta(seconds=1))


def test_a_task_leaves_after_the_commit(broker: RecordingBroker) -> None:
    with transaction.atomic():
        send_to_party(Role.MODELER, ReportStatus())
        assert not broker.tasks
    assert [task.kind for task in broker.tasks] == ["report_status"]
    assert not OutgoingTask.objects.exists()


def test_what_is_rolled_back_is_never_sent(broker: RecordingBroker) -> None:
    with transaction.atomic():
        send_to_party(Role.MODELER, ReportStatus())
        transaction.set_rollback(True)
    look_once()
    assert not broker.tasks


def test_a_task_waits_for_the_broker(broker: RecordingBroker) -> None:
    broker.is_away = True
    send_to_party(Role.REGULATOR, ReportStatus())
    assert OutgoingTask.objects.count() == 1
    _pass_time()
    look_once()
    assert OutgoingTask.objects.count() == 1
    broker.is_away = False
    look_once()
    assert [task.role for task in broker.tasks] == [Role.REGULATOR]
    assert not OutgoingTask.objects.exists()


def test_a_task_on_its_way_is_not_sent_twice(
    broker: RecordingBroker, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(outbox, "_hand_over_unless_away", lambda task: None)
    send_to_party(Role.REGULATOR, ReportStatus())
    look_once()
    assert not broker.tasks


def test_what_the_broker_did_not_take_goes_with_the_next_round(broker: RecordingBroker) -> None:
    broker.is_away = True
    send_to_party(Role.REGULATOR, ReportStatus())
    broker.is_away = False
    look_once()
    assert [task.kind for task in broker.tasks] == ["report_status"]


def test_one_order_waits_for_a_broker_that_is_away_and_the_others_do_not(
    broker: RecordingBroker, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []

    def hang(role: Role, kind: str, payload: object) -> None:
        asked.append(kind)
        raise TimeoutError("no answer")

    monkeypatch.setattr(outbox.engine_client, "hand_to_broker", hang)
    monkeypatch.setattr(outbox, "REDIS", Outage(pause_s=3600))
    for _ in range(5):
        send_to_both(ReportStatus())
    assert len(asked) == 1
    assert OutgoingTask.objects.filter(due_at__lte=timezone.now()).count() == 10


@pytest.mark.parametrize("answer", ["model_accepted", "model_refused"])
def test_a_task_is_sent_until_its_answer_arrives(
    broker: RecordingBroker, parties: Pair, answer: str
) -> None:
    send_to_party(Role.MODELER, ASKED)
    for times in (1, 2, 3):
        look_once()
        assert len(broker.tasks) == times
        waits = OutgoingTask.objects.get().due_at - timezone.now()
        assert timedelta(seconds=15 * 2 ** (times - 1) - 5) < waits
        _pass_time()
    refusal = {"code": "MODEL_INVALID", "sentence": "."} if answer == "model_refused" else {}
    ids = {name: ASKED.write()[name] for name in ("model_id", "study_id")}
    parties.modeler.says(answer, **ids, **refusal)
    look_once()
    assert len(broker.tasks) == 3
    assert not OutgoingTask.objects.exists()


def test_another_answer_or_another_party_s_does_not_count(
    broker: RecordingBroker, parties: Pair
) -> None:
    send_to_party(Role.MODELER, ASKED)
    study_id, model_id = ASKED.study_id.hex(), ASKED.model_id.hex()
    other = {"study_id": study_id, "model_id": "ef" * 16}
    parties.modeler.says("model_accepted", **other)
    same = {"study_id": study_id, "model_id": model_id}
    parties.regulator.says("model_accepted", **same)
    assert OutgoingTask.objects.count() == 1


def test_a_party_that_is_behind_gets_nothing_twice(broker: RecordingBroker) -> None:
    """A queue that grows because orders are slow must not grow from orders sent again, too."""
    send_to_party(Role.MODELER, ASKED)
    _pass_time()
    broker.is_behind = True
    look_once()
    assert len(broker.tasks) == 1
    broker.is_behind = False
    look_once()
    assert len(broker.tasks) == 2


def test_the_orders_of_an_attempt_that_ended_are_forgotten(world: World) -> None:
    study, records = world.invited()
    world.answered(study, records[0])
    job = world.closing_job(study)
    runs = OutgoingTask.objects.filter(kind="run_job")
    assert runs.count() == 2
    world.parties.modeler.says(
        "job_progress", job_id=job.id, attempt=1, stage="closing", done=0, total=1
    )
    assert runs.count() == 2
    for party in world.parties:
        party.says("job_failed", job_id=job.id, attempt=1, code="OT_INCONSISTENT", sentence=".")
    assert not runs.exists()


def test_a_task_is_sent_again_though_the_clock_was_set_back(broker: RecordingBroker) -> None:
    send_to_party(Role.MODELER, ASKED)
    look_once()
    assert len(broker.tasks) == 1
    OutgoingTask.objects.update(due_at=timezone.now() + timedelta(hours=1))
    look_once()
    assert len(broker.tasks) == 2


def test_a_result_that_the_broker_lost_is_asked_for_again(world: World) -> None:
    study, records = world.invited()
    world.answered(study, records[0])
    job = world.closing_job(study)
    progress = {"job_id": job.id, "attempt": 1, "stage": "closing", "done": 0, "total": 1}
    for party in world.parties:
        party.says("job_progress", **progress)
    world.parties.modeler.says("job_failed", job_id=job.id, attempt=1, code="LOST", sentence=".")
    runs = OutgoingTask.objects.filter(kind="run_job")
    assert [task.role for task in runs.all()] == ["regulator"]
    assert runs.get().due_at > timezone.now() + timedelta(seconds=30)
    _pass_time()
    look_once()
    sent = [task.payload["attempt"] for task in world.broker.of_kind("run_job")]
    assert sent == [1, 1, 1]
    for _ in range(4):
        _pass_time()
        look_once()
    assert runs.get().times_sent == 6
    assert runs.get().due_at <= timezone.now() + timedelta(seconds=60)
