from __future__ import annotations

import pytest

from mpc_engine.control.queues import (
    Zone,
    consumed_queues,
    make_celery,
    message_queue,
    order_queue,
    produced_queues,
)
from mpc_engine.control.redis_transport import Transport
from mpc_engine.roles import Role


def test_orders_and_messages_have_a_queue_for_each_party() -> None:
    assert [order_queue(role) for role in Role] == ["bj.modeler", "bj.regulator"]
    assert [message_queue(role) for role in Role] == ["bj.web.modeler", "bj.web.regulator"]


def test_a_party_knows_its_own_two_queues_only() -> None:
    assert consumed_queues(Zone.MODELER) == ("bj.modeler",)
    assert produced_queues(Zone.MODELER) == ("bj.web.modeler",)


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


def test_an_unknown_zone_has_no_application() -> None:
    with pytest.raises(ValueError, match="attacker"):
        make_celery("attacker", "redis://127.0.0.1:1/0")
