"""Slots of real workers divide a certification; a worker's death is an attempt's, and no more."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from mpc_engine.party.zone.private_files import write_private
from mpc_engine.roles import Role
from tests.engine.party.stories import (
    HALF,
    MODEL_ID,
    N_HALF,
    certification_spec_text,
    closed_study,
)
from tests.engine.party.world import M, R, World, model_body
from tests.services.party_workers import Workers, from_both, run_job, wait_for


@pytest.fixture
def workers(broker: str, tmp_path: Path) -> Iterator[Workers]:
    """Return both workers, which divide by three; the regulator's workers wait for a file to go."""
    world = World(tmp_path)
    for role in Role:
        write_private(tmp_path / role.value / "broker-url", broker.encode(), replace=True)
        with (tmp_path / role.value / "party.toml").open("a", encoding="utf-8") as file:
            file.write("certification_workers = 3\n")
    (tmp_path / R.value / "hold").touch()
    started = Workers(world, broker, tmp_path, ("tests.services.small_blocks",))
    try:
        yield started
    finally:
        started.stop()


def _workers(workers: Workers, role: Role) -> list[int]:
    """Return the processes that a party's slots have forked."""
    found: list[int] = []
    for slot in workers.children(role):
        for path in Path(f"/proc/{slot}/task").glob("*/children"):
            found += [int(process) for process in path.read_text("ascii").split()]
    return found


def test_a_killed_worker_fails_the_attempt_and_the_next_one_certifies(workers: Workers) -> None:
    world = workers.world
    study, record_set = closed_study(world, N_HALF, policy=HALF)
    order = world.model_order(study, MODEL_ID, model_body(study, "0", "0.001", intercept="-1"))
    world.order(M, "model", order)
    workers.start(*Role)
    spec = certification_spec_text(world, study, record_set, time_limit_s=60)
    run_job(workers, spec, "certification", 0, (M, R))
    wait_for("workers", lambda: len(_workers(workers, M)) == len(_workers(workers, R)) == 2)
    slots = workers.children(R)
    os.kill(_workers(workers, R)[1], signal.SIGKILL)
    failed = wait_for("both failed", lambda: from_both(workers.messages("job_failed")))
    codes = {message.role: message.text("code") for message in failed}
    assert codes[R] == "WORKER_LOST"
    assert codes[M] == "CHANNEL_CLOSED"
    wait_for("no worker is left", lambda: not _workers(workers, M) + _workers(workers, R))
    assert workers.children(R) == slots

    (workers.folder / R.value / "hold").unlink()
    run_job(workers, spec, "certification", 1, (M, R))
    verdicts = wait_for("a verdict", lambda: from_both(workers.messages("job_result")))
    assert {message.object("outcome")["verdict"] for message in verdicts} == {"PASS"}
    for role in Role:
        assert not _workers(workers, role)
        assert "Traceback" not in (workers.folder / f"{role.value}.log").read_text("utf-8")
