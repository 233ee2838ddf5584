"""Two party workers as real processes on a real Redis."""

from __future__ import annotations

import base64
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import redis

from mpc_engine.control.post.messages import read_message
from mpc_engine.control.post.orders import ORDER_TASK
from mpc_engine.control.post.queues import (
    make_celery,
    message_queue,
    order_queue,
    queue_of_order,
    receipt_queue,
)
from mpc_engine.roles import Role
from tests.engine.party.heard import Heard
from tests.engine.party.world import World
from tests.machine_code import compiled_for

ROOT = Path(__file__).resolve().parents[2]
READY_LIMIT_S = 300
ANSWER_LIMIT_S = 90
MESSAGE_QUEUES = [each(role) for each in (message_queue, receipt_queue) for role in Role]


def wait_for(what: str, look: Callable[[], Any], limit_s: float = ANSWER_LIMIT_S) -> Any:
    """Return what ``look`` finds as soon as it finds something."""
    deadline = time.monotonic() + limit_s
    while time.monotonic() < deadline:
        found = look()
        if found:
            return found
        time.sleep(0.05)
    raise AssertionError(f"{what} did not happen within {limit_s} s")


@dataclass
class Workers:
    """Both workers, their broker, and a web that sends orders and reads messages."""

    world: World
    url: str
    folder: Path
    command: tuple[str, ...] = ("mpc_engine.party",)
    processes: dict[Role, subprocess.Popen[bytes]] = field(default_factory=dict)
    received: list[Heard] = field(default_factory=list)

    def start(self, *roles: Role) -> None:
        """Start workers and wait until their kernels are compiled."""
        for role in roles:
            self._ready(role).unlink(missing_ok=True)
            self.processes[role] = self._launch(role)
        for role in roles:
            found = wait_for(f"{role.value} is ready", partial(self._fate, role), READY_LIMIT_S)
            assert found == "ready", f"the {role.value}'s worker ended"

    def _ready(self, role: Role) -> Path:
        return self.world.folder / role.value / "data" / "ready"

    def _fate(self, role: Role) -> str:
        """Return what became of a worker that starts, nothing so long as it starts."""
        if self.processes[role].poll() is not None:
            return "ended"
        return "ready" if self._ready(role).exists() else ""

    def _launch(self, role: Role) -> subprocess.Popen[bytes]:
        config = self.world.folder / role.value / "party.toml"
        with (self.folder / f"{role.value}.log").open("ab") as log:
            return subprocess.Popen(
                [sys.executable, "-m", *self.command, "--config", config, "worker"],
                cwd=ROOT,
                env={
                    "PATH": os.environ["PATH"],
                    "PYTHONPATH": str(ROOT),
                    "NUMBA_CACHE_DIR": str(compiled_for(Path(sys.executable), ROOT)),
                },
                stdout=log,
                stderr=log,
                start_new_session=True,
            )

    def stop(self) -> None:
        """End both workers with all their children."""
        for process in self.processes.values():
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()

    def children(self, role: Role) -> list[int]:
        """Return the process ids of a worker's pool."""
        path = Path(f"/proc/{self.processes[role].pid}/task/{self.processes[role].pid}/children")
        return [int(pid) for pid in path.read_text().split()]

    def order(self, role: Role, kind: str, payload: dict[str, Any]) -> None:
        """Send an order as the web does."""
        make_celery("web", self.url).send_task(
            ORDER_TASK,
            kwargs={"kind": kind, "payload": payload},
            queue=queue_of_order(role, kind, payload),
        )

    def messages(self, kind: str, role: Role | None = None) -> list[Heard]:
        """Return every message of a kind that has arrived, signatures checked."""
        with redis.Redis.from_url(self.url) as client:
            for queue in MESSAGE_QUEUES:
                while raw := client.rpop(queue):
                    body: Any = base64.b64decode(json.loads(raw)["body"])
                    arguments = json.loads(body)[1]
                    signature = bytes.fromhex(arguments["signature"])
                    self.received.append(
                        Heard(read_message(arguments["body"], signature, self.world.signing_keys))
                    )
        return [
            message
            for message in self.received
            if message.kind == kind and role in (None, message.role)
        ]

    def push(self, role: Role, data: bytes) -> None:
        """Put raw bytes on a party's queue."""
        with redis.Redis.from_url(self.url) as client:
            client.lpush(order_queue(role), data)


def run_job(workers: Workers, spec: str, kind: str, attempt: int, roles: tuple[Role, ...]) -> None:
    """Give parties an attempt at a job."""
    for role in roles:
        payload = {
            "spec": spec,
            "attempt": attempt,
            "approvals": workers.world.approvals(kind, spec),
            "receipts": [],
        }
        workers.order(role, "run_job", payload)


def from_both(messages: list[Heard]) -> list[Heard]:
    """Return the messages once each party sent one."""
    return messages if {message.role for message in messages} == set(Role) else []
