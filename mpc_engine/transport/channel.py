"""Strict typed messages over any byte stream.

A receiver always says which tag it expects and which size or limit; anything else is the peer's
fault, and the line is closed at once: after an error a channel never delivers another message.

A channel serves one thread. Another thread may only `abort` it: the serving one, wherever it waits,
then ends with an error and closes it.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Protocol

import numpy as np
from numpy.typing import DTypeLike, NDArray

from mpc_engine.errors import ChannelClosedError, ProtocolViolationError, UsageError
from mpc_engine.transport.frame import HEADER_BYTES, decode_header, encode_header
from mpc_engine.transport.meter import ChannelMeter

DEFAULT_LIMIT_BYTES = 1 << 24
"""Largest payload accepted where the receiver names neither a size nor a limit."""
DEFAULT_TIMEOUT_S = 120.0

Payload = bytes | bytearray | memoryview


class ByteStream(Protocol):
    """A reliable, ordered stream of bytes in both directions, used by one thread."""

    def write(self, parts: tuple[memoryview, ...], deadline: float) -> None:
        """Hand over all parts in order, or raise a :class:`TransportError`.

        Must make progress while the peer is writing too: two parties may send at once.
        ``deadline`` is a value of ``time.monotonic()``.
        """
        ...

    def read_into(self, target: memoryview, deadline: float) -> int:
        """Fill ``target`` with 1 to ``len(target)`` bytes and return how many; 0 = peer closed."""
        ...

    def close(self) -> None:
        """Close both directions; closing twice is harmless."""
        ...

    def abort(self) -> None:
        """End both directions from another thread, which wakes the one that reads or writes.

        Never called after or during `close`.
        """
        ...

    def leave(self) -> None:
        """Give up this process's copy; the line goes on in another process, and nothing is sent."""
        ...


class Channel(Protocol):
    """Ordered, typed messages between two parties."""

    meter: ChannelMeter

    def send(self, tag: int, payload: Payload) -> None:
        """Send one message; returns when the bytes have left this process."""
        ...

    def recv(
        self,
        tag: int,
        *,
        size: int | None = None,
        limit: int | None = None,
        timeout_s: float | None = None,
    ) -> bytes:
        """Receive the next message, which must carry ``tag`` and exactly ``size`` bytes.

        Without ``size`` at most ``limit`` bytes are accepted (default 16 MiB). ``timeout_s`` bounds
        the wait for the whole message; without it the channel's own timeout holds. Bulk data had
        better travel as arrays, which are received in place.
        """
        ...

    def send_array(self, tag: int, array: NDArray[Any]) -> None:
        """Send an array's elements, little-endian in C order; dtype and shape do not travel."""
        ...

    def recv_array(
        self, tag: int, dtype: DTypeLike, shape: tuple[int, ...], *, timeout_s: float | None = None
    ) -> NDArray[Any]:
        """Receive exactly the bytes of an array of ``dtype`` and ``shape``; writable."""
        ...

    def close(self) -> None:
        """Close the line; closing twice is harmless."""
        ...

    def abort(self) -> None:
        """End the line from another thread; who uses it gets a :class:`ChannelClosedError`."""
        ...

    def leave(self) -> None:
        """Leave the line to another process, parent or child, that has a copy of it.

        It is closed here, without a word to the other party, and open there.
        """
        ...


class StreamChannel:
    """The :class:`Channel` over a :class:`ByteStream`; used by one thread at a time."""

    def __init__(self, stream: ByteStream, *, timeout_s: float = DEFAULT_TIMEOUT_S) -> None:
        self._stream = stream
        self._timeout_s = timeout_s
        self._closed = self._aborted = False
        self._ending = threading.Lock()
        self.meter = ChannelMeter()

    def send(self, tag: int, payload: Payload) -> None:
        """Send one message; returns when the bytes have left this process."""
        view = _byte_view(payload)
        header = encode_header(tag, view.nbytes)
        with self._closing_on_error():
            deadline = time.monotonic() + self._timeout_s
            self._stream.write((memoryview(header), view), deadline)
        self.meter.count_sent(view.nbytes)

    def recv(
        self,
        tag: int,
        *,
        size: int | None = None,
        limit: int | None = None,
        timeout_s: float | None = None,
    ) -> bytes:
        """Receive the next message; see :meth:`Channel.recv`.

        Raises :class:`ProtocolViolationError` on another tag or size, :class:`DecodeError` on a
        header that does not parse, :class:`PeerTimeoutError`, :class:`ChannelClosedError`.
        """
        return self._receive(tag, size, limit, timeout_s).tobytes()

    def send_array(self, tag: int, array: NDArray[Any]) -> None:
        """Send an array's elements, little-endian in C order."""
        self.send(tag, np.ascontiguousarray(array, dtype=_wire_dtype(array.dtype)).data)

    def recv_array(
        self, tag: int, dtype: DTypeLike, shape: tuple[int, ...], *, timeout_s: float | None = None
    ) -> NDArray[Any]:
        """Receive exactly the bytes of an array of ``dtype`` and ``shape``; writable."""
        wire_dtype = _wire_dtype(np.dtype(dtype))
        size = wire_dtype.itemsize * int(np.prod(shape, dtype=np.int64))
        return self._receive(tag, size, None, timeout_s).view(wire_dtype).reshape(shape)

    def close(self) -> None:
        """Close the line; closing twice is harmless."""
        with self._ending:
            if not self._closed:
                self._closed = True
                self._stream.close()

    def abort(self) -> None:
        """End the line from another thread; who uses it gets a :class:`ChannelClosedError`."""
        with self._ending:
            self._aborted = True
            if not self._closed:
                self._stream.abort()

    def leave(self) -> None:
        """Leave the line to another process; see :meth:`Channel.leave`."""
        with self._ending:
            if not self._closed:
                self._closed = True
                self._stream.leave()

    def _receive(
        self, tag: int, size: int | None, limit: int | None, timeout_s: float | None
    ) -> NDArray[np.uint8]:
        started = time.monotonic()
        deadline = started + (self._timeout_s if timeout_s is None else timeout_s)
        with self._closing_on_error():
            header = decode_header(
                self._read_exactly(HEADER_BYTES, deadline, inside=False).tobytes()
            )
            if header.tag != tag:
                raise ProtocolViolationError(
                    f"Expected message {int(tag):#06x}, the other party sent {header.tag:#06x}."
                )
            _check_length(header.length, size, limit)
            payload = self._read_exactly(header.length, deadline, inside=True)
        self.meter.count_received(header.length, time.monotonic() - started)
        return payload

    def _read_exactly(self, n_bytes: int, deadline: float, *, inside: bool) -> NDArray[np.uint8]:
        """Read ``n_bytes``; ``inside`` says whether a message has already begun."""
        buffer = np.empty(n_bytes, np.uint8)
        view = buffer.data
        filled = 0
        while filled < n_bytes:
            count = self._stream.read_into(view[filled:], deadline)
            if count == 0:
                if inside or filled:
                    raise ChannelClosedError(
                        "The other party closed the line in the middle of a message."
                    )
                raise ChannelClosedError("The other party closed the line.")
            filled += count
        return buffer

    @contextmanager
    def _closing_on_error(self) -> Iterator[None]:
        with closing_on_error(self):
            if self._closed or self._aborted:
                raise ChannelClosedError("The line is closed.")
            yield


@contextmanager
def closing_on_error(channel: Channel) -> Iterator[None]:
    """Close ``channel`` if the body raises, so that no message follows one that was refused."""
    try:
        yield
    except BaseException:
        channel.close()
        raise


def _check_length(length: int, size: int | None, limit: int | None) -> None:
    if size is not None and length != size:
        raise ProtocolViolationError(f"Expected a message of {size} bytes, announced {length}.")
    allowed = DEFAULT_LIMIT_BYTES if limit is None else limit
    if size is None and length > allowed:
        raise ProtocolViolationError(f"A message of {length} bytes is over the limit of {allowed}.")


def _byte_view(payload: Payload) -> memoryview:
    view = memoryview(payload)
    if not view.c_contiguous:
        raise UsageError("Only contiguous memory can be sent.")
    return view.cast("B") if view.nbytes else memoryview(b"")


def _wire_dtype(dtype: np.dtype[Any]) -> np.dtype[Any]:
    if dtype.kind not in "iu":
        raise UsageError(f"Only integer arrays travel between the parties, not {dtype}.")
    return dtype.newbyteorder("<")
