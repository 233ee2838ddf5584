"""Tell open pages that something changed, once the change is committed.

A thread of each process does the telling, one page group after the other and each within a time
limit: whoever made the change waits for no page, and for no Redis that hangs.
"""

from __future__ import annotations

import asyncio
import logging
import os
import queue
import threading
from typing import Any

from channels.layers import get_channel_layer
from django.db import transaction

logger = logging.getLogger(__name__)

TELLING_LIMIT_S = 3.0
MOST_WAITING = 1000
"""News beyond these are dropped: a page that misses some is right after a reload."""


def study_group(study_id: str) -> str:
    """Return the channel group of a study's pages."""
    return f"study.{study_id}"


def challenge_group(challenge_id: str) -> str:
    """Return the channel group of a challenge's pages."""
    return f"challenge.{challenge_id}"


def push_change(group: str, what: str) -> None:
    """Make the pages of a group fetch their live region again, after commit."""
    push(group, {"type": "changed", "what": what})


def push(group: str, message: dict[str, Any]) -> None:
    """Send a message to a group after commit; a page that misses it is right after a reload."""
    transaction.on_commit(lambda: _courier.take(group, message))


async def tell(group: str, message: dict[str, Any]) -> None:
    """Send a message to a group now; where the layer is away or hangs, the log says so."""
    event = {"type": "page.message", "message": message}
    try:
        async with asyncio.timeout(TELLING_LIMIT_S):
            await get_channel_layer().group_send(group, event)
    except Exception as error:
        logger.warning("A page could not be told of a change: %s", type(error).__name__)


class Courier:
    """A thread with one event loop, and so with one connection to the layer."""

    def __init__(self) -> None:
        self._waiting: queue.Queue[tuple[str, dict[str, Any]]] = queue.Queue(MOST_WAITING)
        self._starting = threading.Lock()
        self._thread: threading.Thread | None = None

    def take(self, group: str, message: dict[str, Any]) -> None:
        """Take a message and return at once; messages are told in the order they were taken."""
        with self._starting:
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="courier", daemon=True)
                self._thread.start()
        try:
            self._waiting.put_nowait((group, message))
        except queue.Full:
            logger.warning("A page is not told of a change: too many wait to be told")

    def _run(self) -> None:
        loop = asyncio.new_event_loop()
        while True:
            loop.run_until_complete(tell(*self._waiting.get()))


_courier = Courier()


def _begin_anew() -> None:
    """In a forked process: the thread stayed with the parent."""
    global _courier
    _courier = Courier()


os.register_at_fork(after_in_child=_begin_anew)
