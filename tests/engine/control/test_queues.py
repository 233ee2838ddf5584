from __future__ import annotations

from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any

import pytest
from redis.exceptions import OutOfMemoryError

from mpc_engine.control.post.jobs import certification_text, closing_text
from mpc_engine.control.post.queues import (
    Zone,
    consumed_queues,
    make_celery,
    message_queue,
    order_queue,
    produced_queues,
    queue_of_message,
    queue_of_order,
)
from mpc_engine.control.post.redis_transport import QoS, Transport
from mpc_engine.control.post.table import MESSAGES
from mpc_engine.roles import Role


def test_orders_and_messages_have_a_queue_for_each_party() -> None:
    assert [order_queue(role) for role in Role] == ["bj.modeler", "bj.regulator"]
    assert [message_queue(role) for role in Role] == ["bj.web.modeler", "bj.web.regulator"]


def test_a_party_knows_its_own_two_queues_only() -> None:
    assert consumed_queues(Zone.MODELER) == ("bj.modeler", "bj.modeler.intake")
    assert produced_queues(Zone.MODELER) == ("bj.web.modeler", "bj.web.modeler.receipts")


def test_the_web_and_the_parties_share_each_queue() -> None:
    for taker, makers in ((Zone.WEB, Role), (Zone.MODELER, ()), (Zone.REGULATOR, ())):
        made = {queue for role in makers for queue in produced_queues(Zone(role.value))}
        own = {"bj.web"} if taker is Zone.WEB else set()
        expected = made | own or set(consumed_queues(taker)) & set(produced_queues(Zone.WEB))
        assert set(consumed_queues(taker)) == expected


JOB: dict[str, Any] = {
    "job_id": bytes(16),
    "study_id": bytes(16),
    "configuration": bytes(32),
    "created_at": datetime(2030, 1, 1, tzinfo=UTC),
    "time_limit_s": 60,
}


@pytest.mark.parametrize(
    ("kind", "payload", "queue"),
    [
        ("submission", {}, "bj.modeler.intake"),
        ("invitations", {}, "bj.modeler.intake"),
        ("data", {}, "bj.modeler.intake"),
        ("make_study_key", {}, "bj.modeler"),
        ("run_job", {}, "bj.modeler"),
        ("run_job", {"spec": "no job"}, "bj.modeler"),
        ("run_job", "nothing", "bj.modeler"),
        (7, None, "bj.modeler"),
    ],
)
def test_answers_have_a_queue_of_their_own(kind: object, payload: object, queue: str) -> None:
    assert queue_of_order(Role.MODELER, kind, payload) == queue


def test_a_table_stays_between_the_invitations_and_the_closing() -> None:
    orders: dict[str, Any] = {
        "invitations": {},
        "data": {},
        "run_job": {"spec": closing_text(**JOB)},
    }
    queues = {queue_of_order(Role.REGULATOR, kind, payload) for kind, payload in orders.items()}
    assert len(queues) == 1


def test_a_closing_stays_behind_the_answers_before_it() -> None:
    certification = certification_text(**JOB, model_id=bytes(16), record_set=bytes(32))
    queues = [
        queue_of_order(Role.REGULATOR, "run_job", {"spec": spec})
        for spec in (closing_text(**JOB), certification)
    ]
    assert queues == ["bj.regulator.intake", "bj.regulator"]


def test_receipts_have_a_queue_of_their_own() -> None:
    queues = [
        queue_of_message(Role.MODELER, MESSAGES[kind])
        for kind in ("receipt", "submission_refused", "study_key", "job_result")
    ]
    assert queues == ["bj.web.modeler.receipts"] * 2 + ["bj.web.modeler"] * 2


@pytest.mark.parametrize("zone", [zone.value for zone in Zone])
def test_an_application_takes_json_only_and_reports_nothing(zone: str) -> None:
    conf = make_celery(zone, "redis://127.0.0.1:1/0").conf
    assert conf.accept_content == ["json"]
    assert conf.result_backend is None
    assert not conf.worker_enable_remote_control
    assert not conf.task_send_sent_event
    assert not conf.task_acks_late
    assert not conf.task_reject_on_worker_lost
    assert not conf.task_create_missing_queues
    assert conf.broker_transport_options["unacked_key"] == f"bj.{zone}.unacked"


@pytest.mark.parametrize("url", ["redis://127.0.0.1:1/0", "redis+socket:///nowhere.sock"])
def test_every_redis_address_uses_the_transport_that_drops_garbage(url: str) -> None:
    with make_celery("modeler", url).connection_for_read() as connection:
        assert connection.transport_cls is Transport or connection.get_transport_cls() is Transport


@pytest.mark.parametrize("zone", [zone.value for zone in Zone])
def test_a_broker_that_refuses_or_hangs_ends_no_worker(zone: str) -> None:
    conf = make_celery(zone, "redis://127.0.0.1:1/0").conf
    assert conf.broker_channel_error_retry
    assert conf.broker_connection_max_retries is None
    assert 1 < conf.broker_transport_options["socket_timeout"] <= 5
    assert conf.broker_transport_options["max_retries"] == 0


class Full:
    """A pipeline of a server that is full: it takes nothing."""

    def __enter__(self) -> Full:
        return self

    def __exit__(self, *_: object) -> None:
        return

    def zadd(self, *_: object) -> Full:
        return self

    hset = zadd

    def execute(self) -> None:
        raise OutOfMemoryError("command not allowed when used memory > 'maxmemory'")


def test_a_message_taken_from_a_full_server_is_not_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(QoS, "pipe_or_acquire", lambda self: Full())
    channel = SimpleNamespace(unacked_key="u", unacked_index_key="i", do_restore=False)
    qos = QoS(channel)
    info = {"exchange": "", "routing_key": "bj.modeler"}
    message = SimpleNamespace(delivery_info=info, _raw={})
    qos.append(message, "tag")
    assert qos.get("tag") is message


def test_an_unknown_zone_has_no_application() -> None:
    with pytest.raises(ValueError, match="attacker"):
        make_celery("attacker", "redis://127.0.0.1:1/0")
