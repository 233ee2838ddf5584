"""Two party workers as real processes on a real Redis: a study, garbage, and sudden deaths."""

from __future__ import annotations

import base64
import os
import signal
from collections.abc import Iterator

import pytest
import redis

from mpc_engine.control.post.queues import (
    intake_queue,
)
from mpc_engine.control.studies.configuration import Configuration
from mpc_engine.party.zone.private_files import write_private
from mpc_engine.roles import Role
from tests.engine.party.heard import Heard
from tests.engine.party.stories import (
    HALF,
    JOB_ID,
    MODEL_ID,
    N_HALF,
    certification_spec_text,
    closing_spec,
)
from tests.engine.party.world import M, R, World, model_body, submission
from tests.services.party_workers import (
    Workers,
    from_both,
    run_job,
    wait_for,
)

N_ANSWERS = 600


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


def test_a_study_survives_garbage_and_sudden_deaths(workers: Workers) -> None:
    world = workers.world
    study = world.open_study(n_invited=N_HALF, policy=HALF)

    for junk in (b"\xff\x00 no json", b"[1,2]", b"{}", b'{"body":5,"properties":{}}'):
        workers.push(M, junk)
    workers.order(M, "no such kind", {})
    wait_for("the refusal of nonsense", lambda: workers.messages("order_refused", M))

    for number in range(N_HALF):
        answers, features = (number % 2, number % 3), (256, 512 * (number // 3 % 2 == 0))
        sent = world.answer(study, number, answers=answers, features=features)
        for role in Role:
            workers.order(role, "submission", submission(study, sent, role))
    wait_for("all receipts", lambda: len(_receipts(workers, study)) == 2 * N_HALF)

    spec = closing_spec(world, study)
    run_job(workers, spec, "closing", 0, (R,))
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

    run_job(workers, spec, "closing", 1, (R,))
    wait_for("the regulator waits again", waits_for_its_peer)
    os.killpg(workers.processes[R].pid, signal.SIGKILL)
    workers.processes[R].wait()
    workers.start(R)
    wait_for("the second loss is reported", lambda: len(workers.messages("job_failed", R)) == 2)

    run_job(workers, spec, "closing", 2, (M, R))
    results = wait_for("both closed", lambda: from_both(workers.messages("job_result")))
    assert results[0].object("outcome") == results[1].object("outcome")
    run_job(workers, spec, "closing", 2, (M, R))
    again = wait_for(
        "results are told again", lambda: from_both(workers.messages("job_result")[2:])
    )
    assert {message.message_id for message in again} == {message.message_id for message in results}

    wait_for("new keys", lambda: from_both(workers.messages("study_key")))
    world.sent[M].extend(
        (message.body, message.signature.hex()) for message in workers.messages("study_key", M)
    )
    order = world.model_order(study, MODEL_ID, model_body(study, "0", "0.001", intercept="-1"))
    workers.order(M, "model", order)
    wait_for("the model is accepted", lambda: workers.messages("model_accepted", M))
    record_set = bytes.fromhex(str(results[0].object("outcome")["record_set"]))
    spec = certification_spec_text(world, study, record_set, created_at=world.now)
    run_job(workers, spec, "certification", 0, (M, R))
    verdicts = wait_for("a verdict", lambda: from_both(workers.messages("job_result")[4:]))
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


def _receipts(workers: Workers, study: Configuration) -> list[Heard]:
    """Return the receipts of one study's people."""
    receipts = workers.messages("receipt")
    return [each for each in receipts if each.text("study_id") == study.study_id.hex()]


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
