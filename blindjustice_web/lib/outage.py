"""Remembers for a moment that a service gave no answer, so that not everybody waits for it in turn.

Without that, thirty people who send an answer while Redis hangs would wait for thirty time limits,
one after the other.
"""

from __future__ import annotations

import time


class Outage:
    """What this process knows of a service: whether it gave no answer a moment ago."""

    def __init__(self, pause_s: float) -> None:
        self._pause_s = pause_s
        self._over_at = float("-inf")

    def begin(self) -> None:
        """Note that the service gave no answer: nobody asks it again for the pause."""
        self._over_at = time.monotonic() + self._pause_s

    def end(self) -> None:
        """Forget what was noted."""
        self._over_at = float("-inf")

    @property
    def lasts(self) -> bool:
        """Whether the pause is not over yet."""
        return time.monotonic() < self._over_at


REDIS = Outage(pause_s=2.0)
"""Redis, as limits and orders of this process find it."""
