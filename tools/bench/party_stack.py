"""Real party workers on a real Redis for a benchmark: staged orders, collected messages, memory."""

from __future__ import annotations

import base64
import json
import shutil
import socket
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import redis
from celery import Celery
from kombu.entity import Queue

from mpc_engine.control.post.orders import ORDER_TASK
from mpc_engine.control.post.queues import (
    DEFAULT_EXCHANGE,
    intake_queue,
    make_celery,
    message_queue,
    order_queue,
    queue_of_order,
    receipt_queue,
)
from mpc_engine.party.zone.private_files import write_private
from mpc_engine.roles import Role
from tests.engine.party.world import World
from tests.services.party_workers import Workers

_BATCH = 500


@contextmanager
def running_redis(folder: Path) -> Iterator[tuple[str, int]]:
    """Run a Redis of our own; yield its address and process id."""
    beside = Path(sys.executable).with_name("redis-server")
    binary = str(beside) if beside.exists() else shutil.which("redis-server")
    if binary is None:
        raise SystemExit("There is no Redis server on this machine.")
    with socket.create_server(("127.0.0.1", 0)) as chosen:
        port = chosen.getsockname()[1]
    server = subprocess.Popen(
        [binary, "--port", str(port), "--bind", "127.0.0.1", "--save", "", "--dir", str(folder)],
        stdout=subprocess.DEVNULL,
    )
    url = f"redis://127.0.0.1:{port}/0"
    try:
        while True:
            with suppress(redis.ConnectionError), redis.Redis.from_url(url) as client:
                client.ping()
                break
            time.sleep(0.05)
        yield url, server.pid
    finally:
        server.terminate()
        server.wait()


def make_world(folder: Path, url: str) -> World:
    """Make both parties' folders, keys and stores, with long limits; nothing runs yet."""
    world = World(folder)
    for role in Role:
        path = folder / role.value / "party.toml"
        text = path.read_text("utf-8").replace("connect_limit_s = 10", "connect_limit_s = 600")
        path.write_text(text.replace("receive_limit_s = 20", "receive_limit_s = 600"), "utf-8")
        write_private(folder / role.value / "broker-url", url.encode(), replace=True)
    return world


@contextmanager
def running_parties(world: World, url: str) -> Iterator[Workers]:
    """Run both parties as processes of their own, kernels compiled.

    From now on they send whatever lies in their outboxes; ``world.order`` is for before.
    """
    workers = Workers(world, url, world.folder)
    try:
        for role in Role:
            workers.start(role)
        yield workers
    finally:
        workers.stop()


def staging_queue(queue: str) -> Queue:
    """Return a queue nobody consumes, from which `release` takes orders for another."""
    name = f"staged.{queue}"
    return Queue(name, DEFAULT_EXCHANGE, routing_key=name)


def stage(app: Celery, role: Role, kind: str, payload: dict[str, Any]) -> None:
    """Put an order where no party sees it yet."""
    queue = staging_queue(queue_of_order(role, kind, payload))
    app.send_task(ORDER_TASK, kwargs={"kind": kind, "payload": payload}, queue=queue)


def release(url: str) -> None:
    """Hand all staged orders to the parties at once."""
    with redis.Redis.from_url(url) as client:
        for queue in (each(role) for each in (order_queue, intake_queue) for role in Role):
            if client.exists(staging_queue(queue).name):
                client.rename(staging_queue(queue).name, queue)


def web_app(url: str) -> Celery:
    """Return a sender like the web's."""
    return make_celery("web", url)


class Collector(threading.Thread):
    """Takes the parties' messages off their queues as they come, unchecked, counted by kind."""

    def __init__(self, url: str) -> None:
        super().__init__(daemon=True)
        self._client = redis.Redis.from_url(url)
        self._ended = threading.Event()
        self.counts: dict[Role, Counter[str]] = {role: Counter() for role in Role}
        self.messages: dict[Role, list[dict[str, str]]] = {role: [] for role in Role}

    def run(self) -> None:
        """Collect until told to end."""
        while not self._ended.is_set():
            if not sum(self._take(role) for role in Role):
                time.sleep(0.01)

    def first_refusal(self) -> str:
        """Return what a party refused or failed at, empty if nothing."""
        for role in Role:
            for kind in self.counts[role]:
                if kind.endswith(("_refused", "_failed")):
                    bodies = [json.loads(values["body"]) for values in self.messages[role]]
                    body = next(body for body in bodies if body["kind"] == kind)
                    return f"{role.value}: {kind} {body['code']} {body['sentence']}"
        return ""

    def end(self) -> None:
        """Stop collecting."""
        self._ended.set()
        self.join()
        self._client.close()

    def _take(self, role: Role) -> int:
        found: list[Any] = []
        for queue in (message_queue(role), receipt_queue(role)):
            found += self._client.rpop(queue, _BATCH) or ()
        for raw in found:
            values = json.loads(base64.b64decode(json.loads(raw)["body"]))[1]
            kind = json.loads(values["body"])["kind"]
            self.messages[role].append(values)
            self.counts[role][kind] += 1
        return len(found)


def processor_seconds(processes: Iterable[int]) -> tuple[float, float]:
    """Return how long some processes' threads have run so far, and waited for a core to run on."""
    ran = waited = 0
    for process in processes:
        for thread in Path(f"/proc/{process}/task").glob("*/schedstat"):
            own_ran, own_waited, _ = map(int, thread.read_text("ascii").split())
            ran, waited = ran + own_ran, waited + own_waited
    return ran / 1e9, waited / 1e9


def peak_megabytes(process: int) -> int:
    """Return the peak resident memory of a process and of none of its children, in MB."""
    for line in Path(f"/proc/{process}/status").read_text("utf-8").splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) >> 10
    raise ValueError("This system does not tell a process's peak memory.")
