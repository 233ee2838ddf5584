"""Numbers for circuit instances, which both parties count alike."""

from __future__ import annotations

from mpc_engine.crypto.tweaked_hash import INSTANCE_BITS
from mpc_engine.errors import UsageError


class InstanceCounter:
    """Hands out instance ids in order, each once.

    An id must not meet two circuits under one ``delta``: equal tweaks would leak it. Garbler and
    evaluator each own a counter and reach the same ids by garbling and evaluating in the same
    order. Several garblers under one ``delta`` share one counter.
    """

    def __init__(self) -> None:
        self._next = 0

    def take(self, count: int) -> int:
        """Return the first of ``count`` fresh ids in a row; they are never handed out again."""
        if count < 0 or self._next + count > 1 << INSTANCE_BITS:
            raise UsageError("There are no instance numbers left under this key.")
        first = self._next
        self._next += count
        return first
