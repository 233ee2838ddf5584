"""The watchdog looks again and again, and an error doesn't end it."""

from __future__ import annotations

import threading

import pytest

from blindjustice_web.conduct import watchdog
from blindjustice_web.lib import rounds


def test_an_error_does_not_end_the_watch(monkeypatch: pytest.MonkeyPatch) -> None:
    looks: list[int] = []
    third = threading.Event()

    def look() -> None:
        looks.append(1)
        if len(looks) == 3:
            third.set()
        raise RuntimeError("a broken round")

    monkeypatch.setattr(watchdog, "look_once", look)
    monkeypatch.setattr(rounds, "close_old_connections", lambda: None)
    dog = watchdog.Watchdog(period_s=0.01)
    dog.start()
    try:
        assert third.wait(5)
    finally:
        dog.stop()
        dog.join(5)
    assert not dog.is_alive()
