"""Both parties divide a certification among workers, and end them with the job."""

from __future__ import annotations

import os
import signal
import time
from dataclasses import dataclass, replace
from multiprocessing import Pipe
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from mpc_engine.control.studies.configuration import Configuration
from mpc_engine.ot.extension import RandomOTReceiver
from mpc_engine.party.jobs import worker_processes
from mpc_engine.party.jobs.protocol_table import PRODUCTION
from mpc_engine.party.worker.receive import receive
from mpc_engine.party.worker.rehearsal import rehearse
from mpc_engine.party.zone.party import Party
from mpc_engine.protocols import instances
from mpc_engine.protocols.certification import people
from mpc_engine.protocols.certification.tally import ModelerTally, RegulatorTally
from mpc_engine.roles import Role
from mpc_engine.transport.frame import HEADER_BYTES
from tests.engine.party.cancelling import cancel
from tests.engine.party.heard import Heard
from tests.engine.party.processes import children
from tests.engine.party.stories import (
    HALF,
    MODEL_ID,
    N_HALF,
    certification_spec_text,
    closed_study,
    hand_in,
)
from tests.engine.party.world import M, R, World

pytestmark = pytest.mark.usefixtures("no_process_is_left")


_REHEARSED: list[Role] = []


def _compile_kernels(party: Party) -> None:
    """Rehearse once, as a worker does before it takes orders: what is forked is compiled."""
    if not _REHEARSED:
        rehearse(party)
        _REHEARSED.append(party.role)


@pytest.fixture
def study(world: World, monkeypatch: pytest.MonkeyPatch) -> tuple[Configuration, bytes]:
    """Return a closed study of `N_HALF` people, ten to a block, with a model that passes."""
    _compile_kernels(world.parties[M])
    fork, answer = worker_processes._fork, worker_processes._answer

    def forking(number: int, *given: Any) -> Any:
        _FORKED.append(number)
        return fork(number, *given)

    def answering(number: int, *given: Any) -> Any:
        _IN_WORKER.append(number)
        return answer(number, *given)

    monkeypatch.setattr(worker_processes, "_fork", forking)
    monkeypatch.setattr(worker_processes, "_answer", answering)
    monkeypatch.setattr(people, "PART_RECORDS", 10)
    monkeypatch.setattr(instances, "BLOCK_ITEMS", 50)
    study, record_set = closed_study(world, N_HALF, PRODUCTION, policy=HALF)
    hand_in(world, study, MODEL_ID, "0", "0.001", intercept="-1")
    return study, record_set


def _ask_for(world: World, workers: dict[Role, int]) -> None:
    for role, party in world.parties.items():
        party.config = replace(party.config, certification_workers=workers[role], receive_limit_s=8)


def _certify_apart(
    world: World, study: Configuration, record_set: bytes, attempt: int = 0
) -> dict[Role, _Report]:
    """Let each party run one attempt in a process of its own, as slots do."""
    spec = certification_spec_text(world, study, record_set)
    order = {"spec": spec, "attempt": attempt, "approvals": world.approvals("certification", spec)}
    pipes = {}
    for role, party in world.parties.items():
        receiving, sending = Pipe(duplex=False)
        party.database.close()
        if not os.fork():
            try:
                before = len(world.sent[role])
                receive(party, "run_job", {**order, "receipts": []}, PRODUCTION)
                sending.send((world.sent[role][before:], len(children()), len(_FORKED)))
            finally:
                os._exit(0)
        sending.close()
        pipes[role] = receiving
    reports = {}
    for role, pipe in pipes.items():
        assert pipe.poll(60), "a party hangs"
        sent, n_left, n_forked = pipe.recv()
        world.sent[role].extend(sent)
        reports[role] = _Report(world.messages(role)[-1], n_left, n_forked)
        pipe.close()
        os.wait()
    return reports


@pytest.mark.slow
@pytest.mark.parametrize(("modeler", "regulator", "n_workers"), [(3, 2, 1), (8, 8, 2), (1, 3, 0)])
def test_both_parties_divide_by_the_smaller_number_and_certify(
    modeler: int, regulator: int, n_workers: int, world: World, study: tuple[Configuration, bytes]
) -> None:
    _ask_for(world, {M: modeler, R: regulator})
    reports = _certify_apart(world, *study)
    for report in reports.values():
        assert report.message.object("outcome")["verdict"] == "PASS"
        assert (report.n_forked, report.n_left) == (n_workers, 0)
    metrics = {role: reports[role].message.object("metrics") for role in Role}
    assert metrics[M]["bytes_sent"] == metrics[R]["bytes_received"]
    # The regulator's last message follows its report.
    assert metrics[R]["bytes_sent"] == int(str(metrics[M]["bytes_received"])) - HEADER_BYTES


@pytest.mark.slow
@pytest.mark.parametrize("role", Role)
def test_an_attempt_whose_worker_was_killed_fails_and_the_next_one_succeeds(
    role: Role, world: World, study: tuple[Configuration, bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    _ask_for(world, {M: 2, R: 2})
    with monkeypatch.context() as patched:
        patched.setattr(
            _TALLIES[role], "for_worker", lambda *_: os.kill(os.getpid(), signal.SIGKILL)
        )
        reports = _certify_apart(world, *study)
    assert reports[role].message.text("code") == "WORKER_LOST"
    assert reports[role.peer].message.text("code") == "CHANNEL_CLOSED"
    again = _certify_apart(world, *study, attempt=1)
    for report in (*reports.values(), *again.values()):
        assert (report.n_forked, report.n_left) == (1, 0)
    assert {report.message.object("outcome")["verdict"] for report in again.values()} == {"PASS"}


@pytest.mark.slow
def test_a_cheat_in_a_worker_is_reported_as_what_it_is_and_nothing_is_certified(
    world: World, study: tuple[Configuration, bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    _ask_for(world, {M: 2, R: 2})
    honest = RandomOTReceiver._columns

    def cheating(self: RandomOTReceiver, packed: NDArray[np.uint64]) -> Any:
        columns, corrections = honest(self, packed)
        corrections[64:, 0] ^= np.uint64(bool(_IN_WORKER))
        return columns, corrections

    monkeypatch.setattr(RandomOTReceiver, "_columns", cheating)
    reports = _certify_apart(world, *study)
    assert reports[R].message.text("code") == "OT_INCONSISTENT"
    assert reports[M].message.kind == "job_failed"


@pytest.mark.slow
def test_a_cancelled_job_ends_its_workers(
    world: World, study: tuple[Configuration, bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    _ask_for(world, {M: 2, R: 2})

    def cancelled(*_: object) -> None:
        assert cancel(world, R, R, _JOB_ID).kind == "job_cancelled"
        time.sleep(60)

    monkeypatch.setattr(RegulatorTally, "for_worker", cancelled)
    # A worker left alone sleeps for a minute: a false alarm takes a machine that stands for 45 s.
    begun = time.monotonic()
    reports = _certify_apart(world, *study)
    assert reports[R].message.text("code") == "CANCELLED"
    assert reports[M].message.kind == "job_failed"
    assert {report.n_left for report in reports.values()} == {0}
    assert time.monotonic() - begun < 45


_TALLIES = {M: ModelerTally, R: RegulatorTally}
_JOB_ID = b"c" * 16
_FORKED: list[int] = []
"""Workers that this process has forked."""
_IN_WORKER: list[int] = []
"""Holds its number in the process of a worker."""


@dataclass(frozen=True)
class _Report:
    """What a party's process says last, how many processes it left and how many it forked."""

    message: Heard
    n_left: int
    n_forked: int
