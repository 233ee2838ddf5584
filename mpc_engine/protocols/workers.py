"""Dividing one session's people among workers of a party: what a worker does, not how it runs.

The *lead* is the worker that has the job; it opens the session, takes the first range of people and
does all that decides. Every other worker takes another range, on a line and under hash keys of its
own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Protocol, TypeVar

from mpc_engine.crypto.rng import Randomness
from mpc_engine.transport.channel import Channel

T = TypeVar("T")


class Workers(Protocol):
    """The workers beside the lead; both parties have as many."""

    @property
    def most(self) -> int:
        """Return how many workers take part at most, the lead among them."""
        ...

    def run(
        self, n: int, work: Callable[[int, Channel, Randomness], T], lead: Iterable[object]
    ) -> list[T]:
        """Run ``work(number, channel, rng)`` for 1 to ``n - 1`` beside ``lead``, run here.

        ``lead`` is iterated to its end. Returns the workers' results in order, after every worker
        has ended well. The error of a worker or of ``lead`` ends all the others and is raised.
        """
        ...
