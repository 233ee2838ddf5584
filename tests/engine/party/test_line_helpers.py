from __future__ import annotations

import time

import numpy as np
import pytest

from mpc_engine.errors import ChannelClosedError, EngineError, PeerTimeoutError, ResourceError
from mpc_engine.party.jobs.progress import ThrottledProgress
from mpc_engine.party.line import deadline_channel
from mpc_engine.party.line.deadline_channel import DeadlineChannel
from mpc_engine.testing.channel import memory_channel_pair

TAG = 0xF001


def _goes_on() -> None:
    return None


def test_a_channel_passes_everything_on_before_its_deadline() -> None:
    own, peer = memory_channel_pair()
    channel = DeadlineChannel(own, time.monotonic() + 30, 1, _goes_on)
    channel.send(TAG, b"x")
    channel.send_array(TAG, np.arange(3, dtype=np.uint64))
    assert peer.recv(TAG) == b"x"
    assert peer.recv_array(TAG, np.uint64, (3,)).tolist() == [0, 1, 2]
    peer.send(TAG, b"y")
    peer.send_array(TAG, np.arange(2, dtype=np.uint8))
    assert channel.recv(TAG, size=1) == b"y"
    assert channel.recv_array(TAG, np.uint8, (2,)).tolist() == [0, 1]
    assert channel.meter.messages_sent == 2


def test_the_end_of_the_jobs_time_has_its_own_code() -> None:
    own, _ = memory_channel_pair()
    channel = DeadlineChannel(own, time.monotonic() + 0.05, 30, _goes_on)
    with pytest.raises(PeerTimeoutError) as caught:
        channel.recv(TAG)
    assert caught.value.code == "JOB_TIME_LIMIT"
    with pytest.raises(PeerTimeoutError):
        channel.send(TAG, b"")
    with pytest.raises(PeerTimeoutError):
        channel.recv_array(TAG, np.uint8, (1,))


def test_a_silent_peer_is_given_up_before_the_jobs_time_ends() -> None:
    own, _ = memory_channel_pair()
    channel = DeadlineChannel(own, time.monotonic() + 30, 0.05, _goes_on)
    with pytest.raises(PeerTimeoutError) as caught:
        channel.recv(TAG)
    assert caught.value.code == "PEER_TIMEOUT"


def test_a_job_that_was_stopped_ends_within_a_moment(monkeypatch: pytest.MonkeyPatch) -> None:
    own, peer = memory_channel_pair()
    stopped: list[EngineError] = []
    asked: list[None] = []

    def look() -> EngineError | None:
        asked.append(None)
        return stopped[0] if stopped else None

    channel = DeadlineChannel(own, time.monotonic() + 30, 1, look)
    for _ in range(100):
        channel.send(TAG, b"x")
    assert len(asked) < 100
    monkeypatch.setattr(deadline_channel, "LOOK_INTERVAL_S", 0.0)
    channel.send(TAG, b"x")
    stopped.append(ResourceError("stopped", code="CANCELLED"))
    with pytest.raises(ResourceError) as caught:
        channel.send(TAG, b"y")
    assert caught.value.code == "CANCELLED"
    for _ in range(101):
        assert peer.recv(TAG) == b"x"
    with pytest.raises(ChannelClosedError):
        peer.recv(TAG)


def test_progress_is_told_at_stages_and_ends_and_seldom_between() -> None:
    told: list[tuple[str, int, int]] = []
    clock = iter([0.0, 0.1, 0.2, 0.7, 0.8, 0.9])
    progress = ThrottledProgress(lambda *report: told.append(report), lambda: next(clock))
    for done in range(4):
        progress("a", done, 9)
    progress("a", 9, 9)
    progress("b", 0, 9)
    assert told == [("a", 0, 9), ("a", 3, 9), ("a", 9, 9), ("b", 0, 9)]
