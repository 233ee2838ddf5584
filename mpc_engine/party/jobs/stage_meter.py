"""What each stage of an attempt cost, from the stages that the protocol tells."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from mpc_engine.control.post.run_stages import StageCost
from mpc_engine.party.jobs.progress import Tell
from mpc_engine.transport.meter import ChannelMeter
from mpc_engine.vocabulary.runs import Epoch, Stage


class StageMeter:
    """Passes progress on, and counts time and bytes between two calls under the earlier stage.

    ``meters``: of every line of the job; what they counted before belongs to the set-up.
    """

    def __init__(
        self,
        meters: Sequence[ChannelMeter],
        tell: Tell,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._meters = meters
        self._tell = tell
        self._clock = clock
        self._stage = Stage.SET_UP
        self._since = (clock(), 0, 0)
        self._spent: dict[Stage, tuple[float, int, int]] = {}

    def __call__(self, stage: str, done: int, total: int) -> None:
        """Take note of a stage's begin or advance."""
        self._turn(_named(stage))
        self._tell(stage, done, total)

    def costs(self) -> list[StageCost]:
        """Return what every stage has cost up to now, in the order in which they began."""
        self._turn(self._stage)
        return [
            StageCost(stage, int(1000 * seconds), sent, received)
            for stage, (seconds, sent, received) in self._spent.items()
        ]

    def _turn(self, stage: Stage) -> None:
        now = (
            self._clock(),
            sum(meter.bytes_sent for meter in self._meters),
            sum(meter.bytes_received for meter in self._meters),
        )
        seconds, sent, received = self._spent.get(self._stage, (0.0, 0, 0))
        self._spent[self._stage] = (
            seconds + now[0] - self._since[0],
            sent + now[1] - self._since[1],
            received + now[2] - self._since[2],
        )
        self._stage, self._since = stage, now


def _named(told: str) -> Stage:
    """Return a stage as reports name it: all epochs of all points are the training."""
    if Epoch.read(told):
        return Stage.TRAINING
    return Stage(told) if told in set(Stage) else Stage.OTHER
