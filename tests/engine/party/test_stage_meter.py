"""Seconds and bytes by stage: each counted once, under the stage that ran."""

from __future__ import annotations

from mpc_engine.control.post.run_stages import StageCost
from mpc_engine.party.jobs.stage_meter import StageMeter
from mpc_engine.transport.meter import ChannelMeter


class Clock:
    """A clock that a test sets."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        """Return the time that was set."""
        return self.now


def test_time_and_bytes_count_under_the_stage_that_ran() -> None:
    clock, first, second = Clock(), ChannelMeter(), ChannelMeter()
    told: list[tuple[str, int, int]] = []
    first.bytes_sent = 7  # the greeting, before the meter was there
    meter = StageMeter([first, second], lambda *words: told.append(words), clock)
    clock.now += 1
    meter("counting decisions", 0, 2)
    clock.now += 2
    first.bytes_sent += 100
    second.bytes_received += 50
    meter("counting decisions", 1, 2)
    clock.now += 3
    meter("decisions", 0, 1)
    second.bytes_sent += 11
    clock.now += 0.5
    meter("counting decisions", 2, 2)
    clock.now += 0.25
    assert meter.costs() == [
        StageCost("set-up", 1000, 7, 0),
        StageCost("counting decisions", 5250, 100, 50),
        StageCost("decisions", 500, 11, 0),
    ]
    assert told == [
        ("counting decisions", 0, 2),
        ("counting decisions", 1, 2),
        ("decisions", 0, 1),
        ("counting decisions", 2, 2),
    ]


def test_a_verification_from_stock_names_its_stage() -> None:
    meter = StageMeter([], lambda *words: None, Clock())
    meter("prepared material", 0, 1)
    assert [cost.stage for cost in meter.costs()] == ["set-up", "prepared material"]


def test_epochs_of_all_points_are_one_stage_and_strangers_another() -> None:
    meter = StageMeter([], lambda *words: None, Clock())
    for stage in ("epoch 1 of 2", "point 1 of 2, epoch 2 of 2", "made up", "made up too"):
        meter(stage, 0, 1)
    assert [cost.stage for cost in meter.costs()] == ["set-up", "training", "other"]
