"""Channels joined in memory, with the framing and strictness of the real ones."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

from mpc_engine.errors import ChannelClosedError, PeerTimeoutError
from mpc_engine.transport.channel import DEFAULT_TIMEOUT_S, ByteStream, StreamChannel

Tap = Callable[[bytes], None]
"""Sees every piece of bytes one side writes, headers included; for leak searches and traces."""


class _Pipe:
    """One direction: an unbounded buffer that wakes its reader."""

    def __init__(self) -> None:
        self._buffer = bytearray()
        self._open = True
        self._changed = threading.Condition()

    def write(self, data: bytes) -> None:
        with self._changed:
            if not self._open:
                raise ChannelClosedError("The other party closed the line.")
            self._buffer += data
            self._changed.notify_all()

    def read_into(self, target: memoryview, deadline: float) -> int:
        with self._changed:
            while not self._buffer and self._open:
                if not self._changed.wait(max(0.0, deadline - time.monotonic())):
                    raise PeerTimeoutError("The other party did not answer in time.")
            count = min(len(target), len(self._buffer))
            target[:count] = self._buffer[:count]
            del self._buffer[:count]
            return count

    def close(self) -> None:
        with self._changed:
            self._open = False
            self._changed.notify_all()


class MemoryStream:
    """A :class:`~mpc_engine.transport.channel.ByteStream` whose peer lives in this process."""

    def __init__(self, incoming: _Pipe, outgoing: _Pipe, tap: Tap | None = None) -> None:
        self._incoming = incoming
        self._outgoing = outgoing
        self._tap = tap

    def write(self, parts: tuple[memoryview, ...], deadline: float) -> None:
        """Hand over all parts in one piece; never blocks."""
        data = b"".join(parts)
        if self._tap is not None:
            self._tap(data)
        self._outgoing.write(data)

    def read_into(self, target: memoryview, deadline: float) -> int:
        """Fill ``target`` with what is there; 0 = peer closed."""
        return self._incoming.read_into(target, deadline)

    def close(self) -> None:
        """Close both directions; what was written before can still be read."""
        self._incoming.close()
        self._outgoing.close()

    def abort(self) -> None:
        """Close both directions, which wakes who waits."""
        self.close()

    def leave(self) -> None:
        """Do nothing: there is no other process that could have a copy."""


def memory_stream_pair(
    tap_a: Tap | None = None, tap_b: Tap | None = None
) -> tuple[MemoryStream, MemoryStream]:
    """Return two joined streams; a tap sees what its side writes."""
    a_to_b, b_to_a = _Pipe(), _Pipe()
    return MemoryStream(b_to_a, a_to_b, tap_a), MemoryStream(a_to_b, b_to_a, tap_b)


class JobChannel(StreamChannel):
    """One side's first line of a job; ``beside`` is its second one, closed with it."""

    def __init__(self, stream: ByteStream, beside: StreamChannel, *, timeout_s: float) -> None:
        super().__init__(stream, timeout_s=timeout_s)
        self.beside = beside

    def close(self) -> None:
        """Close both lines, as whoever opened them does."""
        super().close()
        self.beside.close()


def memory_channel_pair(
    *, timeout_s: float = DEFAULT_TIMEOUT_S, tap_a: Tap | None = None, tap_b: Tap | None = None
) -> tuple[StreamChannel, StreamChannel]:
    """Return two joined channels; a tap sees the frames its side sends."""
    stream_a, stream_b = memory_stream_pair(tap_a, tap_b)
    channel_a = StreamChannel(stream_a, timeout_s=timeout_s)
    return channel_a, StreamChannel(stream_b, timeout_s=timeout_s)


def memory_job_pair(
    *,
    timeout_s: float = DEFAULT_TIMEOUT_S,
    taps: tuple[Tap | None, Tap | None] = (None, None),
    beside_taps: tuple[Tap | None, Tap | None] = (None, None),
) -> tuple[JobChannel, JobChannel]:
    """Return both lines of a job at both sides; ``beside_taps`` see the frames of the second."""
    beside = memory_channel_pair(timeout_s=timeout_s, tap_a=beside_taps[0], tap_b=beside_taps[1])
    stream_a, stream_b = memory_stream_pair(*taps)
    channel_a = JobChannel(stream_a, beside[0], timeout_s=timeout_s)
    return channel_a, JobChannel(stream_b, beside[1], timeout_s=timeout_s)
