"""Whether the site can do its work: what its database and its Redis say when it writes to them.

Each is asked with a write, since a replica and a server that is full or unable to save still read.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass

from django.contrib.sessions.models import Session
from django.core.cache import cache
from django.db import Error as DatabaseError
from redis import exceptions

logger = logging.getLogger(__name__)

CACHE_KEY = "health"
KEPT_S = 60


@dataclass(frozen=True)
class Fault:
    """What is not in order: a stable code and a sentence, neither with an address or a login."""

    code: str
    sentence: str


def faults() -> list[Fault]:
    """Return what is not in order at this moment; takes seconds at most while Redis hangs."""
    return [fault for fault in (_database_fault(), _redis_fault()) if fault is not None]


def _database_fault() -> Fault | None:
    """Ask the database to change no row: it refuses even that where it is read-only."""
    try:
        Session.objects.filter(session_key="").update(session_data="")
    except DatabaseError as error:
        logger.warning("The database takes no change: %s", error)
        return Fault("DATABASE_NOT_WRITABLE", "The database takes no changes.")
    return None


def _redis_fault() -> Fault | None:
    """Write to Redis and read it back."""
    try:
        cache.set(CACHE_KEY, 1, KEPT_S)
        cache.get(CACHE_KEY)
    except exceptions.RedisError as error:
        logger.warning("Redis takes no change: %s", type(error).__name__)
        return _named(error)
    return None


def _named(error: exceptions.RedisError) -> Fault:
    if isinstance(error, exceptions.TimeoutError):
        return Fault("REDIS_HANGS", "Redis gives no answer.")
    if isinstance(error, exceptions.AuthenticationError | exceptions.NoPermissionError):
        return Fault("REDIS_REFUSES", "Redis refuses the site's login.")
    if isinstance(error, exceptions.BusyLoadingError):
        return Fault("REDIS_LOADING", "Redis is still loading its data.")
    if isinstance(error, exceptions.ConnectionError):
        return Fault("REDIS_AWAY", "Redis can't be reached.")
    if isinstance(error, exceptions.ReadOnlyError):
        return Fault("REDIS_READ_ONLY", "Redis is a read-only replica.")
    if isinstance(error, exceptions.OutOfMemoryError):
        return Fault("REDIS_FULL", "Redis is full.")
    if str(error).startswith("MISCONF"):
        return Fault("REDIS_CANNOT_SAVE", "Redis can't save its data to its disk.")
    return Fault("REDIS_FAILED", "Redis takes no changes.")
