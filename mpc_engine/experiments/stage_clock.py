"""How long a run spent in which stage, from the stages that the protocol tells."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable

from mpc_engine.vocabulary.runs import Stage

Progress = Callable[[str, int, int], None]
OFFLINE_STAGES = frozenset({Stage.SET_UP, Stage.MATERIAL})
"""Stages that no person's data enters on the regulator's side, and none but rows on the modeler's:
base OTs, and waiting for products of random values with rows, most of which are made while steps
run."""


class StageClock:
    """Passes progress on and sums the seconds between two calls under the earlier one's stage."""

    def __init__(self, progress: Progress | None = None) -> None:
        self._progress = progress
        self._seconds: defaultdict[str, float] = defaultdict(float)
        self._stage: str = Stage.SET_UP
        self._since = time.perf_counter()

    def __call__(self, stage: str, done: int, total: int) -> None:
        """Take note of a stage's begin or advance."""
        self._turn(stage)
        if self._progress is not None:
            self._progress(stage, done, total)

    def offline_and_online(self) -> tuple[float, float]:
        """Return the seconds of the offline stages and of all others, up to now."""
        self._turn(self._stage)
        offline = sum(self._seconds[stage] for stage in OFFLINE_STAGES)
        return offline, sum(self._seconds.values()) - offline

    def _turn(self, stage: str) -> None:
        now = time.perf_counter()
        self._seconds[self._stage] += now - self._since
        self._stage, self._since = stage, now
