"""Tell open pages that something changed, once the change is committed."""

from __future__ import annotations

import logging
from typing import Any

from asgiref.sync import async_to_sync
from channels.layers import get_channel_layer
from django.db import transaction

logger = logging.getLogger(__name__)


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
    try:
        async_to_sync(layer.group_send)(group, {"type": "page.message", "message": message})
    except Exception:
        logger.exception("A page could not be told of a change")
