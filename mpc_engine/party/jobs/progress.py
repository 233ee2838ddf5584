"""Progress of a job: told to the web at every stage, and at most twice a second within one."""

from __future__ import annotations

import time
from collections.abc import Callable

LEAST_INTERVAL_S = 0.5

Tell = Callable[[str, int, int], None]


class ThrottledProgress:
    """Passes on the first and last report of a stage, and others no faster than the interval."""

    def __init__(self, tell: Tell, clock: Callable[[], float] = time.monotonic) -> None:
        self._tell = tell
        self._clock = clock
        self._stage = ""
        self._told_at = 0.0

    def __call__(self, stage: str, done: int, total: int) -> None:
        """Report that ``done`` of ``total`` steps of a stage are finished."""
        now = self._clock()
        is_new = stage != self._stage
        if is_new or done >= total or now - self._told_at >= LEAST_INTERVAL_S:
            self._stage = stage
            self._told_at = now
            self._tell(stage, done, total)
