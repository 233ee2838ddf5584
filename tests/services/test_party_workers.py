"""Two party workers as real processes on a real Redis: a study, garbage, and sudden deaths."""

from __future__ import annotations

import base64
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import redis

from mpc_engine.control.post.messages import Message, read_message
from mpc_engine.control.post.orders import TASK_NAME
from mpc_engine.control.post.queues import (
    intake_queue,
    make_celery,
    message_queue,
    order_queue,
    queue_of_order,
    receipt_queue,
)
from mpc_engine.control.studies.configuration import Configuration
from mpc_engine.party.zone.private_files import write_private
from mpc_engine.roles import Role
from tests.engine.party.stories import JOB_ID, MODEL_ID, certification_spec_text, closing_spec
from tests.engine.party.world import World, model_body, submission
from tests.machine_code import compiled_for

ROOT = Path(__file__).resolve().parents[2]
M, R = Role.MODELER, Role.REGULATOR
READY_LIMIT_S = 300
ANSWER_LIMIT_S = 90
N_ANSWERS = 600
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
    received: list[Message] = field(default_factory=list)

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
            TASK_NAME,
            kwargs={"kind": kind, "payload": payload},
            queue=queue_of_order(role, kind, payload),
        )

    def messages(self, kind: str, role: Role | None = None) -> list[Message]:
        """Return every message of a kind that has arrived, signatures checked."""
        with redis.Redis.from_url(self.url) as client:
            for queue in MESSAGE_QUEUES:
                while raw := client.rpop(queue):
                    body: Any = base64.b64decode(json.loads(raw)["body"])
                    arguments = json.loads(body)[1]
                    signature = bytes.fromhex(arguments["signature"])
                    self.received.append(
                        read_message(arguments["body"], signature, self.world.signing_keys)
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


@pytest.fixture(scope="module")
def broker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Return the address of a Redis server of our own."""
    beside = Path(sys.executable).with_name("redis-server")
    binary = str(beside) if beside.exists() else shutil.which("redis-server")
    if binary is None:
        pytest.skip("no Redis server on this machine")
    with socket.create_server(("127.0.0.1", 0)) as chosen:
        port = chosen.getsockname()[1]
    folder = tmp_path_factory.mktemp("redis")
    server = subprocess.Popen(
        [binary, "--port", str(port), "--bind", "127.0.0.1", "--save", "", "--dir", str(folder)],
        stdout=subprocess.DEVNULL,
    )
    url = f"redis://127.0.0.1:{port}/0"
    wait_for("Redis answers", lambda: _answers(url))
    yield url
    server.terminate()
    server.wait()


def _answers(url: str) -> bool:
    try:
        with redis.Redis.from_url(url) as client:
            return bool(client.ping())
    except redis.ConnectionError:
        return False


@pytest.fixture(scope="module")
def workers(broker: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workers]:
    """Return both workers, ready."""
    folder = tmp_path_factory.mktemp("workers")
    world = World(folder)
    for role in Role:
        write_private(folder / role.value / "broker-url", broker.encode(), replace=True)
    started = Workers(world, broker, folder)
    try:
        started.start(*Role)
        yield started
    finally:
        started.stop()


def _job(workers: Workers, spec: str, kind: str, attempt: int, roles: tuple[Role, ...]) -> None:
    for role in roles:
        payload = {
            "spec": spec,
            "attempt": attempt,
            "approvals": workers.world.approvals(kind, spec),
            "receipts": [],
        }
        workers.order(role, "run_job", payload)


def test_a_study_survives_garbage_and_sudden_deaths(workers: Workers) -> None:
    world = workers.world
    study = world.open_study()

    for junk in (b"\xff\x00 no json", b"[1,2]", b"{}", b'{"body":5,"properties":{}}'):
        workers.push(M, junk)
    workers.order(M, "no such kind", {})
    wait_for("the refusal of nonsense", lambda: workers.messages("order_refused", M))

    for number in range(3):
        sent = world.answer(study, number, answers=(number % 2, number % 3))
        for role in Role:
            workers.order(role, "submission", submission(study, sent, role))
    wait_for("six receipts", lambda: len(_receipts(workers, study)) == 6)

    spec = closing_spec(world, study)
    _job(workers, spec, "closing", 0, (R,))
    database = world.parties[R].database

    def waits_for_its_peer() -> bool:
        with database.reading() as connection:
            query = "SELECT COUNT(*) FROM attempts WHERE state = 'RUNNING'"
            return bool(connection.execute(query).fetchone()[0])

    wait_for("the regulator waits", waits_for_its_peer)
    for child in workers.children(R):
        os.kill(child, signal.SIGKILL)
    (failed,) = wait_for("the loss is reported", lambda: workers.messages("job_failed", R))
    assert (failed.text("code"), failed.text("job_id")) == ("WORKER_LOST", JOB_ID.hex())

    _job(workers, spec, "closing", 1, (R,))
    wait_for("the regulator waits again", waits_for_its_peer)
    os.killpg(workers.processes[R].pid, signal.SIGKILL)
    workers.processes[R].wait()
    workers.start(R)
    wait_for("the second loss is reported", lambda: len(workers.messages("job_failed", R)) == 2)

    _job(workers, spec, "closing", 2, (M, R))
    results = wait_for("both closed", lambda: _both(workers.messages("job_result")))
    assert results[0].object("outcome") == results[1].object("outcome")
    _job(workers, spec, "closing", 2, (M, R))
    again = wait_for("results are told again", lambda: _both(workers.messages("job_result")[2:]))
    assert {message.message_id for message in again} == {message.message_id for message in results}

    wait_for("new keys", lambda: _both(workers.messages("study_key")))
    world.sent[M].extend(
        (message.body, message.signature.hex()) for message in workers.messages("study_key", M)
    )
    order = world.model_order(study, MODEL_ID, model_body(study, "0", "0"))
    workers.order(M, "model", order)
    wait_for("the model is accepted", lambda: workers.messages("model_accepted", M))
    record_set = bytes.fromhex(str(results[0].object("outcome")["record_set"]))
    spec = certification_spec_text(world, study, record_set, created_at=world.now)
    _job(workers, spec, "certification", 0, (M, R))
    verdicts = wait_for("a verdict", lambda: _both(workers.messages("job_result")[4:]))
    assert {message.object("outcome")["verdict"] for message in verdicts} == {"PASS"}
    assert workers.messages("job_progress")
    assert all(process.poll() is None for process in workers.processes.values())


def test_what_many_people_answer_holds_up_no_other_order(workers: Workers) -> None:
    """Another study's key comes while their answers still wait.

    The worker sleeps until all are sent. A wrong alarm takes one that works off hundreds of orders
    before the one that is second in turn.
    """
    world = workers.world
    study = world.open_study(study_id=bytes([205] * 16))
    answer = submission(study, world.answer(study, 0, answers=(0, 0)), M)
    before = len(workers.messages("study_key", M))
    os.killpg(workers.processes[M].pid, signal.SIGSTOP)
    try:
        for _ in range(N_ANSWERS):
            workers.order(M, "submission", answer)
        workers.order(M, "make_study_key", {"study_id": "ab" * 16})
    finally:
        os.killpg(workers.processes[M].pid, signal.SIGCONT)
    wait_for("the key", lambda: len(workers.messages("study_key", M)) > before)
    with redis.Redis.from_url(workers.url) as client:
        assert client.llen(intake_queue(M)) > 0
        client.delete(intake_queue(M))


def _receipts(workers: Workers, study: Configuration) -> list[Message]:
    """Return the receipts of one study's people."""
    receipts = workers.messages("receipt")
    return [each for each in receipts if each.text("study_id") == study.study_id.hex()]


def _both(messages: list[Message]) -> list[Message]:
    """Return the messages once each party sent one."""
    return messages if {message.role for message in messages} == set(Role) else []


def test_logs_name_no_secret(workers: Workers) -> None:
    for role, party in workers.world.parties.items():
        keys = [party.keys.signing.private_bytes()]
        keys += [path.read_bytes() for path in party.keys.directory.glob("*.key")]
        keys += list(workers.world.codes.values())
        written = [
            form for key in keys for form in (key, key.hex().encode(), base64.b64encode(key))
        ]
        log = (workers.folder / f"{role.value}.log").read_bytes()
        assert b"party.receive" in log
        assert not [secret for secret in written if secret in log]
