"""The worker of the site: its task, its queues, and how tasks reach a party's queue."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from asgiref.sync import async_to_sync
from celery import Celery
from channels.layers import get_channel_layer

from blindjustice_web.accounts.models import Role
from blindjustice_web.jobs import engine_client
from blindjustice_web.lib import push
from mpc_engine.control.queues import make_celery


@pytest.fixture
def app(monkeypatch: pytest.MonkeyPatch) -> Iterator[Celery]:
    """Return the site's application on a broker in memory."""
    made = make_celery("web", "memory://")
    monkeypatch.setattr(engine_client, "celery_app", lambda: made)
    yield made
    made.close()


def test_the_worker_knows_its_task() -> None:
    from blindjustice_web.config.celery import app as site

    assert engine_client.RECEIVE_TASK in site.tasks
    task = site.tasks[engine_client.RECEIVE_TASK]
    assert task.acks_late
    assert task.reject_on_worker_lost
    assert site.conf.result_backend is None
    assert site.conf.accept_content == ["json"]


def test_a_task_reaches_its_party_s_queue_only(app: Celery) -> None:
    engine_client.hand_to_broker(Role.MODELER, "report_status", {})
    with app.connection_for_read() as connection:
        modeler = connection.SimpleQueue("bj.modeler")
        message = modeler.get(timeout=1)
        _args, kwargs, _options = message.payload
        assert message.headers["task"] == "party.receive"
        assert kwargs == {"kind": "report_status", "payload": {}}
        message.ack()
        regulator = connection.SimpleQueue("bj.regulator")
        with pytest.raises(regulator.Empty):
            regulator.get(block=False)


def test_a_worker_pushes_over_one_loop(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(push, "_own_loop", None)
    push.keep_own_loop()
    loop = push._own_loop
    assert loop is not None
    try:
        layer: Any = get_channel_layer()
        channel = async_to_sync(layer.new_channel)()
        loop.run_until_complete(layer.group_add("study.x", channel))
        for number in range(2):
            push._send("study.x", {"type": "changed", "what": str(number)})
        heard = [loop.run_until_complete(layer.receive(channel)) for _ in range(2)]
        assert [message["message"]["what"] for message in heard] == ["0", "1"]
    finally:
        loop.close()


def test_a_layer_that_is_away_does_not_stop_the_work(monkeypatch: pytest.MonkeyPatch) -> None:
    class Away:
        async def group_send(self, group: str, message: dict[str, Any]) -> None:
            raise ConnectionError("no layer")

    monkeypatch.setattr(push, "get_channel_layer", Away)
    push._send("study.x", {"type": "changed", "what": "x"})
