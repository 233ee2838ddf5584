"""One suite over every implementation of the channel: in memory and over TLS."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from mpc_engine.errors import (
    ChannelClosedError,
    DecodeError,
    EngineError,
    PeerTimeoutError,
    ProtocolViolationError,
    UsageError,
)
from mpc_engine.testing.channel import memory_channel_pair
from mpc_engine.testing.tls import tls_channel_pair
from mpc_engine.testing.two_parties import run_two_parties
from mpc_engine.transport.channel import Channel, StreamChannel
from mpc_engine.transport.frame import HEADER_BYTES, encode_header

TAG, OTHER_TAG = 0xF001, 0xF002
Pair = tuple[StreamChannel, StreamChannel]


@pytest.fixture(params=["memory", "tls"])
def open_pair(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Callable[..., Pair]]:
    opened: list[StreamChannel] = []

    def open_one(timeout_s: float = 5.0) -> Pair:
        if request.param == "memory":
            pair = memory_channel_pair(timeout_s=timeout_s)
        else:
            pair = tls_channel_pair(tmp_path, timeout_s=timeout_s)
        opened.extend(pair)
        return pair

    yield open_one
    for channel in opened:
        channel.close()


@pytest.fixture
def pair(open_pair: Callable[..., Pair]) -> Pair:
    return open_pair()


def send_raw(channel: StreamChannel, data: bytes) -> None:
    channel._stream.write((memoryview(data),), time.monotonic() + 5)


def test_messages_arrive_in_order_and_unchanged(pair: Pair) -> None:
    near, far = pair
    payloads = [b"", b"a", bytes(range(256)), bytes(100_000)]
    for payload in payloads:
        near.send(TAG, payload)
    assert [far.recv(TAG) for _ in payloads] == payloads


def test_both_directions_are_independent(pair: Pair) -> None:
    near, far = pair
    near.send(TAG, b"there")
    far.send(OTHER_TAG, b"back")
    assert near.recv(OTHER_TAG) == b"back"
    assert far.recv(TAG) == b"there"


@pytest.mark.parametrize("dtype", [np.uint8, np.int64, np.uint64, np.int32, ">u4"])
def test_an_array_keeps_its_values_and_is_writable(pair: Pair, dtype: str) -> None:
    near, far = pair
    array = np.arange(30).astype(dtype).reshape(5, 3, 2)
    near.send_array(TAG, array[:, ::-1])
    received = far.recv_array(TAG, dtype, (5, 3, 2))
    np.testing.assert_array_equal(received, array[:, ::-1])
    received[0] = 7


def test_an_empty_array_is_a_message(pair: Pair) -> None:
    near, far = pair
    near.send_array(TAG, np.empty((0, 2), dtype=np.uint64))
    assert far.recv_array(TAG, np.uint64, (0, 2)).shape == (0, 2)


@pytest.mark.parametrize("dtype", [np.float64, object, np.bool_])
def test_only_integers_travel(pair: Pair, dtype: type) -> None:
    with pytest.raises(UsageError):
        pair[0].send_array(TAG, np.zeros(3, dtype=dtype))


def test_an_unexpected_tag_is_a_violation_and_closes_the_line(pair: Pair) -> None:
    near, far = pair
    near.send(OTHER_TAG, b"x")
    near.send(TAG, b"y")
    with pytest.raises(ProtocolViolationError, match="0xf001"):
        far.recv(TAG)
    with pytest.raises(ChannelClosedError):
        far.recv(TAG)
    with pytest.raises(ChannelClosedError):
        far.send(TAG, b"")


@pytest.mark.parametrize("length", [7, 9])
def test_a_wrong_size_is_a_violation(pair: Pair, length: int) -> None:
    near, far = pair
    near.send(TAG, bytes(length))
    with pytest.raises(ProtocolViolationError, match="8 bytes"):
        far.recv(TAG, size=8)


def test_an_array_of_another_shape_is_a_violation(pair: Pair) -> None:
    near, far = pair
    near.send_array(TAG, np.zeros((3, 2), dtype=np.uint64))
    with pytest.raises(ProtocolViolationError):
        far.recv_array(TAG, np.uint64, (4, 2))


def test_a_message_over_the_limit_is_refused_before_its_payload_arrives(pair: Pair) -> None:
    near, far = pair
    send_raw(near, encode_header(TAG, 1 << 62))
    with pytest.raises(ProtocolViolationError, match="limit"):
        far.recv(TAG)


def test_the_receivers_own_limit_holds(pair: Pair) -> None:
    near, far = pair
    near.send(TAG, bytes(100))
    near.send(TAG, bytes(101))
    assert len(far.recv(TAG, limit=100)) == 100
    with pytest.raises(ProtocolViolationError, match="limit of 100"):
        far.recv(TAG, limit=100)


def test_another_frame_version_does_not_decode(pair: Pair) -> None:
    near, far = pair
    send_raw(near, b"\x02" + encode_header(TAG, 0)[1:])
    with pytest.raises(DecodeError):
        far.recv(TAG)


@pytest.mark.parametrize("kept_bytes", [1, HEADER_BYTES - 1, HEADER_BYTES, HEADER_BYTES + 9])
def test_closing_inside_a_message_is_told_apart(pair: Pair, kept_bytes: int) -> None:
    near, far = pair
    send_raw(near, (encode_header(TAG, 10) + bytes(10))[:kept_bytes])
    near.close()
    with pytest.raises(ChannelClosedError, match="middle of a message"):
        far.recv(TAG)


def test_what_was_sent_before_closing_still_arrives(pair: Pair) -> None:
    near, far = pair
    near.send(TAG, b"last words")
    near.close()
    near.close()
    assert far.recv(TAG) == b"last words"
    with pytest.raises(ChannelClosedError, match="closed the line"):
        far.recv(TAG)


def test_sending_to_a_closed_peer_fails_sooner_or_later(pair: Pair) -> None:
    near, far = pair
    far.close()

    def keep_sending() -> None:
        for _ in range(50):
            near.send(TAG, bytes(1 << 16))

    with pytest.raises(ChannelClosedError):
        keep_sending()


def test_a_silent_peer_runs_into_the_channels_timeout(open_pair: Callable[..., Pair]) -> None:
    _, far = open_pair(timeout_s=0.05)
    with pytest.raises(PeerTimeoutError):
        far.recv(TAG)
    with pytest.raises(ChannelClosedError):
        far.recv(TAG)


def test_one_receive_may_have_its_own_timeout(open_pair: Callable[..., Pair]) -> None:
    """A false alarm takes a machine that keeps a thread from running for half a minute."""
    near, far = open_pair(timeout_s=60)
    send_raw(near, encode_header(TAG, 10) + bytes(9))
    started = time.monotonic()
    with pytest.raises(PeerTimeoutError):
        far.recv(TAG, timeout_s=0.05)
    assert time.monotonic() - started < 30


def test_both_sides_may_send_large_payloads_at_once(open_pair: Callable[..., Pair]) -> None:
    size = 24 << 20

    def party(channel: Channel) -> int:
        for _ in range(2):
            channel.send(TAG, bytes(size))
        return len(channel.recv(TAG, size=size)) + len(channel.recv(TAG, size=size))

    results = run_two_parties(party, party, channels=open_pair(timeout_s=20))
    assert results == (2 * size, 2 * size)


def _aborted_while(channel: StreamChannel, work: Callable[[], object]) -> list[EngineError]:
    """Abort a channel while another thread works on it; return how that thread ended."""
    ends: list[EngineError] = []
    begun = threading.Event()

    def use() -> None:
        begun.set()
        try:
            while True:
                work()
        except EngineError as error:
            ends.append(error)

    thread = threading.Thread(target=use, daemon=True)
    thread.start()
    assert begun.wait(10)
    thread.join(0.1)
    assert not ends
    channel.abort()
    thread.join(10)
    assert not thread.is_alive()
    return ends


def test_a_receive_ends_when_another_thread_aborts_the_line(
    open_pair: Callable[..., Pair],
) -> None:
    near, far = open_pair(timeout_s=60.0)
    (end,) = _aborted_while(near, lambda: near.recv(TAG))
    assert isinstance(end, ChannelClosedError)
    with pytest.raises(ChannelClosedError):
        near.send(TAG, b"")
    with pytest.raises(ChannelClosedError):
        far.recv(TAG)


def test_a_send_ends_when_another_thread_aborts_the_line(open_pair: Callable[..., Pair]) -> None:
    near, _ = open_pair(timeout_s=60.0)
    (end,) = _aborted_while(near, lambda: near.send(TAG, bytes(1 << 20)))
    assert isinstance(end, ChannelClosedError)


def test_an_aborted_line_delivers_nothing_that_came_before(pair: Pair) -> None:
    near, far = pair
    far.send(TAG, b"there")
    near.abort()
    near.abort()
    with pytest.raises(ChannelClosedError):
        near.recv(TAG)
    near.close()
    near.abort()


def test_the_meter_counts_headers_messages_and_rounds(pair: Pair) -> None:
    near, far = pair
    near.send(TAG, bytes(5))
    near.send(TAG, bytes(6))
    far.recv(TAG)
    far.recv(TAG)
    far.send(TAG, bytes(7))
    near.recv(TAG)
    near.send(TAG, b"")
    far.recv(TAG)
    assert (near.meter.bytes_sent, near.meter.messages_sent, near.meter.rounds) == (44, 3, 1)
    assert (far.meter.bytes_received, far.meter.messages_received, far.meter.rounds) == (44, 3, 2)
    assert near.meter.bytes_received == far.meter.bytes_sent == HEADER_BYTES + 7
    assert far.meter.seconds_waiting > 0


def test_a_tag_outside_sixteen_bits_is_the_callers_mistake(pair: Pair) -> None:
    with pytest.raises(UsageError):
        pair[0].send(1 << 16, b"")
    pair[0].send(TAG, b"still open")
    assert pair[1].recv(TAG) == b"still open"
