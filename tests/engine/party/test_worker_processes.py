"""Workers in processes of their own: they end with the job, however it ends, and leave nothing."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from mpc_engine.crypto.rng import Randomness
from mpc_engine.errors import (
    ChannelClosedError,
    EngineError,
    OTConsistencyError,
    PeerTimeoutError,
    ResourceError,
)
from mpc_engine.party.jobs import worker_processes
from mpc_engine.party.jobs.worker_processes import WorkerProcesses
from mpc_engine.testing.channel import memory_channel_pair
from mpc_engine.testing.tls import tls_channel_pair
from mpc_engine.transport.channel import Channel

pytestmark = pytest.mark.usefixtures("no_process_is_left")


_TAG = 0xF001


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


def test_a_cause_is_waited_for_behind_the_echo_of_another_worker(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The worker that knows speaks only when the lead has heard the echo, however busy all are."""
    heard, hearing = os.pipe()
    honest = worker_processes.wait

    def waiting(*given: Any) -> list[Any]:
        ready = honest(*given)
        if ready:
            os.write(hearing, b"1")
        return ready

    def work(number: int, *_: object) -> None:
        if number == 1:
            os.read(heard, 1)
            raise OTConsistencyError("It cheated.")
        raise ChannelClosedError("The line broke.")

    def lead() -> Iterator[None]:
        raise ChannelClosedError("The line broke.")
        yield

    monkeypatch.setattr(worker_processes, "wait", waiting)
    monkeypatch.setattr(worker_processes, "_LAST_WORD_S", 60.0)
    pairs = [tls_channel_pair(tmp_path) for _ in range(2)]
    with pytest.raises(OTConsistencyError):
        _workers([client for _, client in pairs]).run(3, work, lead())
    for server, _ in pairs:
        server.close()
    for end in (heard, hearing):
        os.close(end)


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
