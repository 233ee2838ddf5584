"""Kombu's Redis transport, made to live with bytes on a queue that are no message.

Kombu trusts whatever may write to its queues: bytes that are not its JSON end the consuming
process. A worker of one zone must not be ended by what another zone writes.
"""

from __future__ import annotations

import logging
from typing import Any

from kombu.transport import TRANSPORT_ALIASES
from kombu.transport import redis as kombu_redis

_log = logging.getLogger(__name__)
_NAME = f"{__name__}:Transport"


class Channel(kombu_redis.Channel):
    """A channel that drops what it cannot read as a message."""

    def _brpop_read(self, **options: Any) -> Any:
        try:
            return super()._brpop_read(**options)
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            _log.warning("dropped bytes that are no message: %s", type(error).__name__)
            return True


class Transport(kombu_redis.Transport):
    """The Redis transport with the channel above."""

    Channel = Channel


def use_strict_transport() -> None:
    """Make every Redis address that kombu resolves from now on use this transport."""
    for scheme in ("redis", "rediss"):
        TRANSPORT_ALIASES[scheme] = _NAME
