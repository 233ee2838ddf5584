"""Tell open pages that something changed, once the change is committed."""

from __future__ import annotations

import asyncio
import logging
import threading
from typing import Any

from asgiref.sync import async_to_sync
from channels.layers import get_channel_layer
from django.db import transaction

logger = logging.getLogger(__name__)

_own_loop: asyncio.AbstractEventLoop | None = None


def keep_own_loop() -> None:
    """Keep one event loop for this process, and with it one connection to the layer.

    For a worker, which has no loop of its own: a fresh loop for each push would log in anew.
    """
    global _own_loop
    _own_loop = asyncio.new_event_loop()


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
    transaction.on_commit(lambda: _send(group, message))


def _send(group: str, message: dict[str, Any]) -> None:
    layer = get_channel_layer()
    event = {"type": "page.message", "message": message}
    try:
        if _own_loop is not None and threading.current_thread() is threading.main_thread():
            _own_loop.run_until_complete(layer.group_send(group, event))
        else:
            async_to_sync(layer.group_send)(group, event)
    except Exception:
        logger.exception("A page could not be told of a change")
