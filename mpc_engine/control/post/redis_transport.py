"""Kombu's Redis transport, made to live with bytes that are no message and with a full server.

Kombu trusts whatever may write to its queues: bytes that are not its JSON end the consuming
process. A worker of one zone must not be ended by what another zone writes.

A Redis server that is full hands messages out, and refuses the note of who took them: kombu would
lose each message that it takes then.
"""

from __future__ import annotations

import logging
from typing import Any

from kombu.transport import TRANSPORT_ALIASES, virtual
from kombu.transport import redis as kombu_redis
from redis.exceptions import ResponseError

_log = logging.getLogger(__name__)
_NAME = f"{__name__}:Transport"


class QoS(kombu_redis.QoS):
    """Notes what was taken and not done yet; without the server's note where it takes none."""

    def append(self, message: Any, delivery_tag: str) -> None:
        """Note a message: a worker that dies with one whose note was refused loses it."""
        try:
            super().append(message, delivery_tag)
        except ResponseError as error:
            _log.warning("the broker takes no note of a message: %s", type(error).__name__)
            virtual.QoS.append(self, message, delivery_tag)


class Channel(kombu_redis.Channel):
    """A channel that drops what it cannot read as a message."""

    QoS = QoS

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
