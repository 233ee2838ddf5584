"""A channel that never waits longer than its job may take, and stops when the job is cancelled."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from numpy.typing import DTypeLike, NDArray

from mpc_engine.errors import EngineError, PeerTimeoutError
from mpc_engine.transport.channel import Channel, Payload

LOOK_INTERVAL_S = 0.25


class DeadlineChannel:
    """Passes everything on to ``channel`` until ``deadline`` (of ``time.monotonic()``).

    Raises PeerTimeoutError with the code ``JOB_TIME_LIMIT`` once it has passed, and the error that
    ``stopped`` returns: it is asked four times a second at most.
    """

    def __init__(
        self,
        channel: Channel,
        deadline: float,
        receive_limit_s: float,
        stopped: Callable[[], EngineError | None],
    ) -> None:
        self._channel = channel
        self._deadline = deadline
        self._receive_limit_s = receive_limit_s
        self._stopped = stopped
        self._looked_at = time.monotonic()
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

    def abort(self) -> None:
        """End the line from another thread."""
        self._channel.abort()

    def leave(self) -> None:
        """Leave the line to another process."""
        self._channel.leave()

    def check(self) -> None:
        """Raise, and close the line, if the job may not go on; for waits on something else."""
        self._remaining()

    def _wait(self, timeout_s: float | None) -> float:
        own = self._receive_limit_s if timeout_s is None else timeout_s
        return min(own, self._remaining())

    def _remaining(self) -> float:
        now = time.monotonic()
        if now - self._looked_at >= LOOK_INTERVAL_S:
            self._looked_at = now
            error = self._stopped()
            if error is not None:
                self._channel.close()
                raise error
        remaining = self._deadline - now
        if remaining <= 0:
            self._channel.close()
            raise PeerTimeoutError("The job's time limit has passed.", code="JOB_TIME_LIMIT")
        return remaining
