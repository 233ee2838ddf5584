"""Workers in processes of their own: they end with the job, however it ends, and leave nothing."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from multiprocessing import Pipe
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from mpc_engine.control.post.messages import Message
from mpc_engine.control.studies.configuration import Configuration
from mpc_engine.crypto.rng import Randomness
from mpc_engine.errors import (
    ChannelClosedError,
    EngineError,
    OTConsistencyError,
    PeerTimeoutError,
    ResourceError,
)
from mpc_engine.ot.extension import RandomOTReceiver
from mpc_engine.party.jobs import worker_processes
from mpc_engine.party.jobs.protocol_table import PRODUCTION
from mpc_engine.party.jobs.worker_processes import WorkerProcesses
from mpc_engine.party.worker.receive import receive
from mpc_engine.party.worker.rehearsal import rehearse
from mpc_engine.party.zone.party import Party
from mpc_engine.protocols import instances
from mpc_engine.protocols.certification import people
from mpc_engine.protocols.certification.tally import ModelerTally, RegulatorTally
from mpc_engine.roles import Role
from mpc_engine.testing.channel import memory_channel_pair
from mpc_engine.testing.tls import tls_channel_pair
from mpc_engine.transport.channel import Channel
from mpc_engine.transport.frame import HEADER_BYTES
from tests.engine.party.cancelling import cancel
from tests.engine.party.stories import (
    MODEL_ID,
    certification_spec_text,
    closed_study,
    hand_in,
)
from tests.engine.party.world import M, R, World

_TALLIES = {M: ModelerTally, R: RegulatorTally}
_TAG = 0xF001
_JOB_ID = b"c" * 16
_FORKED: list[int] = []
"""Workers that this process has forked."""
_IN_WORKER: list[int] = []
"""Holds its number in the process of a worker."""


@dataclass(frozen=True)
class _Report:
    """What a party's process says last, how many processes it left and how many it forked."""

    message: Message
    n_left: int
    n_forked: int


def _children() -> set[int]:
    found: set[int] = set()
    for path in Path("/proc/self/task").glob("*/children"):
        found.update(int(process) for process in path.read_text("ascii").split())
    return found


@pytest.fixture(autouse=True)
def _nothing_is_left() -> Iterator[None]:
    before = _children()
    yield
    assert _children() <= before


def _workers(lines: Sequence[Channel], check: Callable[[], None] = lambda: None) -> WorkerProcesses:
    main, _ = memory_channel_pair()
    return WorkerProcesses(
        1 + len(lines), main, lambda n: lines[:n], check=check, before_fork=lambda: None
    )


def _run(
    folder: Path,
    work: Callable[[int, Channel, Randomness], object],
    lead: Iterable[object] = (),
    check: Callable[[], None] = lambda: None,
) -> None:
    """Run one worker, whose other end says nothing."""
    server, client = tls_channel_pair(folder)
    try:
        _workers([client], check).run(2, work, lead)
    finally:
        server.close()


def test_results_come_in_order_with_what_the_lines_counted(tmp_path: Path) -> None:
    pairs = []
    for number in range(3):
        (tmp_path / str(number)).mkdir()
        pairs.append(tls_channel_pair(tmp_path / str(number)))
    lines = [client for _, client in pairs]

    def work(number: int, line: Channel, rng: Randomness) -> tuple[int, int]:
        time.sleep(0.1 * (3 - number))
        line.send(_TAG, bytes([number]))
        return number, os.getpid()

    results = _workers(lines).run(4, work, ())
    assert [number for number, _ in results] == [1, 2, 3]
    assert len({process for _, process in results} | {os.getpid()}) == 4
    assert [server.recv(_TAG, size=1) for server, _ in pairs] == [b"\1", b"\2", b"\3"]
    assert [line.meter.bytes_sent for line in lines] == [12, 12, 12]
    for server, _ in pairs:
        with pytest.raises(ChannelClosedError):
            server.recv(_TAG)
        server.close()


@pytest.mark.parametrize(
    "error", [OTConsistencyError("It cheated."), ResourceError("Full.", code="DISK_FULL")]
)
def test_an_error_of_a_worker_is_the_leads(tmp_path: Path, error: EngineError) -> None:
    def worker(*_: object) -> None:
        raise error

    with pytest.raises(type(error), match=error.sentence) as caught:
        _run(tmp_path, worker)
    assert caught.value.code == error.code


def test_an_unforeseen_error_says_nothing_of_its_text(tmp_path: Path) -> None:
    def worker(*_: object) -> None:
        raise ValueError("theta = 5")

    with pytest.raises(ResourceError) as caught:
        _run(tmp_path, worker)
    assert caught.value.code == "PARTY_INTERNAL_ERROR"
    assert "theta" not in caught.value.sentence


def test_a_check_that_failed_in_a_worker_is_told_before_the_line_that_broke(tmp_path: Path) -> None:
    def worker(*_: object) -> None:
        time.sleep(0.1)
        raise OTConsistencyError("It cheated.")

    def lead() -> Iterator[None]:
        raise ChannelClosedError("The line broke.")
        yield

    with pytest.raises(OTConsistencyError):
        _run(tmp_path, worker, lead())


def test_a_cause_is_waited_for_behind_the_echo_of_another_worker(tmp_path: Path) -> None:
    def work(number: int, *_: object) -> None:
        if number == 1:
            time.sleep(0.1)
            raise OTConsistencyError("It cheated.")
        raise ChannelClosedError("The line broke.")

    def lead() -> Iterator[None]:
        time.sleep(0.05)
        raise ChannelClosedError("The line broke.")
        yield

    pairs = [tls_channel_pair(tmp_path) for _ in range(2)]
    with pytest.raises(OTConsistencyError):
        _workers([client for _, client in pairs]).run(3, work, lead())
    for server, _ in pairs:
        server.close()


def test_a_worker_that_is_killed_is_a_lost_worker(tmp_path: Path) -> None:
    def worker(*_: object) -> None:
        os.kill(os.getpid(), signal.SIGKILL)

    with pytest.raises(ResourceError) as caught:
        _run(tmp_path, worker)
    assert caught.value.code == "WORKER_LOST"


def test_a_lost_workers_line_ends_at_once_while_the_others_go_on(tmp_path: Path) -> None:
    pairs = []
    for number in range(3):
        (tmp_path / str(number)).mkdir()
        pairs.append(tls_channel_pair(tmp_path / str(number), timeout_s=10))
    first, lost, last = (server for server, _ in pairs)

    def work(number: int, line: Channel, rng: Randomness) -> None:
        line.recv(_TAG)
        os.kill(os.getpid(), signal.SIGKILL)

    def lead() -> Iterator[None]:
        lost.send(_TAG, b"")
        with pytest.raises(ChannelClosedError):
            lost.recv(_TAG)
        for server in (first, last):
            with pytest.raises(PeerTimeoutError):
                server.recv(_TAG, timeout_s=0.1)
        yield

    with pytest.raises(ResourceError) as caught:
        _workers([client for _, client in pairs]).run(4, work, lead())
    assert caught.value.code == "WORKER_LOST"
    lost.close()


def test_a_lead_that_fails_or_is_stopped_kills_its_workers(tmp_path: Path) -> None:
    """Left alone they sleep for a minute; a false alarm takes a machine that stands for 45 s."""

    def stopped() -> None:
        raise PeerTimeoutError("The job's time limit has passed.", code="JOB_TIME_LIMIT")

    begun = time.monotonic()
    with pytest.raises(PeerTimeoutError):
        _run(tmp_path, lambda *_: time.sleep(60), check=stopped)
    with pytest.raises(ZeroDivisionError):
        _run(tmp_path, lambda *_: time.sleep(60), (1 // number for number in (1, 0)))
    assert time.monotonic() - begun < 45


def test_a_worker_runs_nothing_that_is_the_leads(tmp_path: Path) -> None:
    marks = tmp_path / "marks"

    def worker(*_: object) -> Any:
        assert signal.getsignal(signal.SIGUSR1) is signal.SIG_DFL
        raise SystemExit

    before = signal.signal(signal.SIGUSR1, lambda *_: None)
    try:
        _run(tmp_path, worker)
    except ResourceError as error:
        assert error.code == "WORKER_LOST"
    finally:
        signal.signal(signal.SIGUSR1, before)
        with marks.open("a") as file:
            file.write("once ")
    assert marks.read_text() == "once "


def test_workers_die_with_a_lead_that_is_killed(tmp_path: Path) -> None:
    """Left alone they sleep for a minute; a false alarm takes a machine that stands for 45 s."""
    noted = tmp_path / "process"

    def worker(*_: object) -> None:
        (tmp_path / "noting").write_text(str(os.getpid()))
        (tmp_path / "noting").rename(noted)
        time.sleep(60)

    lead = os.fork()
    if not lead:
        try:
            _run(tmp_path, worker)
        finally:
            os._exit(0)
    while not noted.exists():
        time.sleep(0.01)
    os.kill(lead, signal.SIGKILL)
    os.waitpid(lead, 0)
    state = Path(f"/proc/{noted.read_text()}/stat")
    deadline = time.monotonic() + 45
    while _runs(state):
        assert time.monotonic() < deadline
        time.sleep(0.01)


def _runs(state: Path) -> bool:
    """Return whether a process is there and no zombie; its new parent reaps it sometime."""
    try:
        return state.read_text().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


_REHEARSED: list[Role] = []


def _compile_kernels(party: Party) -> None:
    """Rehearse once, as a worker does before it takes orders: what is forked is compiled."""
    if not _REHEARSED:
        rehearse(party)
        _REHEARSED.append(party.role)


@pytest.fixture
def study(world: World, monkeypatch: pytest.MonkeyPatch) -> tuple[Configuration, bytes]:
    """Return a closed study of six people, of whom two are a block, with a model that passes."""
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
    monkeypatch.setattr(people, "PART_RECORDS", 2)
    monkeypatch.setattr(instances, "BLOCK_ITEMS", 10)
    study, record_set = closed_study(world, 6, PRODUCTION)
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
                sending.send((world.sent[role][before:], len(_children()), len(_FORKED)))
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
