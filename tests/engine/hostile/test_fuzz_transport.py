"""Whatever arrives on a line, a channel delivers messages as sent or closes with an error."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mpc_engine.errors import (
    ChannelClosedError,
    DecodeError,
    EngineError,
    ProtocolViolationError,
)
from mpc_engine.testing.channel import memory_stream_pair
from mpc_engine.transport.channel import StreamChannel
from mpc_engine.transport.frame import HEADER_BYTES, decode_header, encode_header
from tests.engine.hostile.mutations import damaged, fuzzing, read_or_refuse

_TAG = 0xF001
_MESSAGES = [b"first", b"", b"\xff" * 40]
_FRAMES = [encode_header(_TAG, len(message)) + message for message in _MESSAGES]
_LIMIT = 64


def _arriving(data: bytes) -> StreamChannel:
    """Return a channel on which exactly ``data`` arrives before the peer closes."""
    peer, own = memory_stream_pair()
    peer.write((memoryview(data),), 0.0)
    peer.close()
    return StreamChannel(own, timeout_s=5.0)


@fuzzing(150)
@given(st.binary(max_size=30) | damaged(_FRAMES[0][:HEADER_BYTES]))
def test_a_header_is_read_exactly_or_refused(data: bytes) -> None:
    header = read_or_refuse(lambda: decode_header(data), DecodeError)
    assert header is None or encode_header(header.tag, header.length) == data


@fuzzing(200)
@given(damaged(b"".join(_FRAMES), _FRAMES))
def test_a_damaged_stream_gives_whole_messages_and_then_an_error(data: bytes) -> None:
    channel = _arriving(data)
    read = 0
    with pytest.raises((ProtocolViolationError, DecodeError, ChannelClosedError)):
        while True:
            payload = channel.recv(_TAG, limit=_LIMIT)
            frame = encode_header(_TAG, len(payload)) + payload
            assert data[read : read + len(frame)] == frame
            read += len(frame)
    with pytest.raises(ChannelClosedError):
        channel.recv(_TAG)
    with pytest.raises(ChannelClosedError):
        channel.send(_TAG, b"")


@fuzzing(100)
@given(damaged(encode_header(_TAG, 48) + bytes(range(48))))
def test_an_array_is_received_in_its_shape_or_not_at_all(data: bytes) -> None:
    channel = _arriving(data)
    array = read_or_refuse(lambda: channel.recv_array(_TAG, np.uint64, (3, 2)), EngineError)
    if array is not None:
        assert array.shape == (3, 2)
        assert encode_header(_TAG, 48) + array.tobytes() == data[: HEADER_BYTES + 48]


@pytest.mark.parametrize("length", [_LIMIT + 1, 1 << 31, 1 << 40, (1 << 64) - 1])
def test_no_memory_is_taken_for_a_message_that_is_announced_too_long(length: int) -> None:
    tracemalloc.start()
    try:
        for wanted in ({"size": 8}, {"limit": _LIMIT}, {}):
            if length <= 1 << 24 and not wanted:
                continue
            with pytest.raises(ProtocolViolationError):
                _arriving(encode_header(_TAG, length)).recv(_TAG, **wanted)
        assert tracemalloc.get_traced_memory()[1] < 1 << 20
    finally:
        tracemalloc.stop()
