"""The worker of the site: its task, its queues, and how tasks reach a party's queue."""

from __future__ import annotations

import asyncio
import socket
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from celery import Celery

from blindjustice_web.accounts.models import Role
from blindjustice_web.engine import engine_client
from blindjustice_web.lib import push
from mpc_engine.control.post import queues
from mpc_engine.control.post.queues import make_celery


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


class Layer:
    """A channel layer whose every call takes a while, or for ever while it hangs."""

    def __init__(self) -> None:
        self.told: list[tuple[str, str, int]] = []
        self.hangs = False

    async def group_send(self, group: str, event: dict[str, Any]) -> None:
        while self.hangs:
            await asyncio.sleep(0.01)
        told = event["message"]["what"]
        self.told.append((group, told, threading.get_ident()))


@pytest.fixture
def layer(monkeypatch: pytest.MonkeyPatch) -> Layer:
    """Return the layer that pages are told through."""
    made = Layer()
    monkeypatch.setattr(push, "get_channel_layer", lambda: made)
    return made


def _until(look: Callable[[], object]) -> None:
    limit = time.monotonic() + 60
    while not look() and time.monotonic() < limit:
        time.sleep(0.01)
    assert look()


def test_pages_are_told_in_order_by_one_thread_that_is_not_the_maker_s(layer: Layer) -> None:
    courier = push.Courier()
    for number in range(3):
        courier.take("study.x", {"type": "changed", "what": str(number)})
    _until(lambda: len(layer.told) == 3)
    assert [what for _group, what, _thread in layer.told] == ["0", "1", "2"]
    (thread,) = {thread for _group, _what, thread in layer.told}
    assert thread != threading.get_ident()


def test_nobody_waits_for_a_layer_that_hangs(
    layer: Layer, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(push, "TELLING_LIMIT_S", 0.05)
    monkeypatch.setattr(push, "MOST_WAITING", 5)
    layer.hangs = True
    courier = push.Courier()
    for number in range(20):
        courier.take("study.x", {"type": "changed", "what": str(number)})
    _until(lambda: "TimeoutError" in caplog.text)
    assert "too many wait" in caplog.text
    layer.hangs = False
    courier.take("study.x", {"type": "changed", "what": "after"})
    _until(lambda: "after" in [what for _group, what, _thread in layer.told])


def test_a_forked_process_has_a_courier_of_its_own() -> None:
    before = push._courier
    push._begin_anew()
    assert push._courier is not before


def test_a_layer_that_is_away_does_not_stop_the_work(
    layer: Layer, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    async def away(group: str, event: dict[str, Any]) -> None:
        raise ConnectionError("no layer")

    monkeypatch.setattr(layer, "group_send", away)
    asyncio.run(push.tell("study.x", {"type": "changed", "what": "x"}))
    assert "ConnectionError" in caplog.text


def test_an_order_waits_seconds_for_a_broker_that_hangs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(queues, "ANSWER_LIMIT_S", 0.2)
    with socket.create_server(("127.0.0.1", 0)) as mute:
        app = make_celery("web", f"redis://127.0.0.1:{mute.getsockname()[1]}/0")
        monkeypatch.setattr(engine_client, "celery_app", lambda: app)
        started = time.monotonic()
        for ask in (
            lambda: engine_client.hand_to_broker(Role.MODELER, "report_status", {}),
            lambda: engine_client.n_orders_waiting(Role.MODELER),
        ):
            with pytest.raises(Exception, match=r"(?i)time"):
                ask()
        assert time.monotonic() - started < 60
        app.close()
