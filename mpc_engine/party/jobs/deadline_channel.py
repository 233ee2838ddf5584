"""A channel that never waits longer than its job may take."""

from __future__ import annotations

import time
from typing import Any

from numpy.typing import DTypeLike, NDArray

from mpc_engine.errors import PeerTimeoutError
from mpc_engine.transport.channel import Channel, Payload


class DeadlineChannel:
    """Passes everything on to ``channel`` until ``deadline`` (of ``time.monotonic()``).

    Raises PeerTimeoutError with the code ``JOB_TIME_LIMIT`` once it has passed.
    """

    def __init__(self, channel: Channel, deadline: float, receive_limit_s: float) -> None:
        self._channel = channel
        self._deadline = deadline
        self._receive_limit_s = receive_limit_s
        self.meter = channel.meter

    def send(self, tag: int, payload: Payload) -> None:
        """Send one message."""
        self._remaining()
        self._channel.send(tag, payload)

    def recv(
        self,
        tag: int,
        *,
        size: int | None = None,
        limit: int | None = None,
        timeout_s: float | None = None,
    ) -> bytes:
        """Receive the next message."""
        wait = self._wait(timeout_s)
        try:
            return self._channel.recv(tag, size=size, limit=limit, timeout_s=wait)
        except PeerTimeoutError:
            self._remaining()
            raise

    def send_array(self, tag: int, array: NDArray[Any]) -> None:
        """Send an array's elements."""
        self._remaining()
        self._channel.send_array(tag, array)

    def recv_array(
        self, tag: int, dtype: DTypeLike, shape: tuple[int, ...], *, timeout_s: float | None = None
    ) -> NDArray[Any]:
        """Receive exactly the bytes of an array."""
        wait = self._wait(timeout_s)
        try:
            return self._channel.recv_array(tag, dtype, shape, timeout_s=wait)
        except PeerTimeoutError:
            self._remaining()
            raise

    def close(self) -> None:
        """Close the line."""
        self._channel.close()

    def _wait(self, timeout_s: float | None) -> float:
        own = self._receive_limit_s if timeout_s is None else timeout_s
        return min(own, self._remaining())

    def _remaining(self) -> float:
        remaining = self._deadline - time.monotonic()
        if remaining <= 0:
            self._channel.close()
            raise PeerTimeoutError("The job's time limit has passed.", code="JOB_TIME_LIMIT")
        return remaining
