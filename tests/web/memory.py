"""What a story leaves behind is kept for a minute: the next test that tells it has it at once.

A study that is closed takes some thirty requests and signed messages to get there, and hundreds of
tests begin with one. The first of them goes the whole way; for the others the rows, tasks, cookies
and counts that it left are put back. A story is recognised by everything it could depend on: all
rows, the settings, the limits, the parties and their files, what is in the queue, and its own
arguments. Where a test has exchanged more than all tests do, nothing is kept and nothing put back.

Nothing kept is older than `KEPT_S`: less than anything that the site does by the clock.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from django.conf import settings
from django.core import mail
from django.core.cache import cache
from django.db import connection
from django.db.models import Model

from tests.web import rows
from tests.web.exchanges import exchanged

if TYPE_CHECKING:
    from tests.web.stories import World

KEPT_S = 60.0
USUAL = {"take", "hand_to_broker", "n_orders_waiting", "on_commit"}
"""What every test with a world exchanges: see ``conftest.py``."""

Story = TypeVar("Story", bound=Callable[..., Any])


@dataclass(frozen=True)
class Kept:
    """What was there before a story and after it."""

    before: rows.Tables
    after: rows.Tables
    beside: Any
    mails: list[Any]


class Memory:
    """The stories of the last minute, or of another time."""

    def __init__(self, kept_s: float = KEPT_S) -> None:
        self._kept_s = kept_s
        self._kept: dict[str, Kept] = {}
        self._begun = time.monotonic()

    def recall(self, world: World, name: str, told_with: object, tell: Callable[[], Any]) -> Any:
        """Return what a story returns, told now or put back."""
        now = time.monotonic()
        if now - self._begun >= self._kept_s:
            self._kept.clear()
            self._begun = now
        before = rows.read(connection)
        key = _digest(repr((before, _situation(world))), name, told_with)
        kept = self._kept.get(key)
        if kept is not None:
            rows.change(connection, kept.before, kept.after)
            return _put_back(world, kept)
        result = tell()
        beside = deepcopy((result, _beside(world)))
        self._kept[key] = Kept(before, rows.read(connection), beside, list(mail.outbox))
        return result


def kept(story: Story) -> Story:
    """Let a story of the world be recalled; its arguments and its result are plain data or rows."""

    @wraps(story)
    def told(world: World, *args: Any, **changes: Any) -> Any:
        return recalled(
            world, story.__name__, (args, changes), lambda: story(world, *args, **changes)
        )

    return told  # type: ignore[return-value]


def recalled(world: World, name: str, told_with: object, tell: Callable[[], Any]) -> Any:
    """Return what a story returns, from the memory of its world if that has one it may use."""
    if world.memory is None or exchanged() != USUAL:
        return tell()
    return world.memory.recall(world, name, told_with, tell)


def _digest(*parts: object) -> str:
    return hashlib.blake2b(repr(_plain(parts)).encode(), digest_size=20).hexdigest()


def _plain(value: Any) -> Any:
    """Return a value whose repr tells a row by all its fields."""
    match value:
        case Model():
            fields = {field.attname: getattr(value, field.attname) for field in value._meta.fields}
            return value._meta.label, fields
        case tuple() | list():
            return [_plain(inner) for inner in value]
        case dict():
            return [(name, _plain(inner)) for name, inner in value.items()]
    return value


def _situation(world: World) -> object:
    """Return everything beside rows that what a story does can depend on."""
    public = Path(settings.PUBLIC_DIR)
    return (
        _settings(),
        [(path.name, path.read_bytes()) for path in sorted(public.iterdir()) if path.is_file()],
        [(party.clock_ahead, party.descriptor().to_text()) for party in world.parties],
        [(name, client.cookies.output()) for name, client in world.clients.items()],
        world.broker,
        _counts(),
    )


def _settings() -> dict[str, Any]:
    """Return every setting but the place of the parties' files, which is the test's own."""
    names = {name for name in dir(settings) if name.isupper()} - {"PUBLIC_DIR"}
    return {name: getattr(settings, name) for name in sorted(names)}


def _counts() -> dict[str, bytes]:
    return dict(cache._cache)  # type: ignore[attr-defined]


def _beside(world: World) -> object:
    """Return what is to be put back beside rows."""
    return (
        world.users,
        world.organisations,
        {name: client.cookies for name, client in world.clients.items()},
        world.broker.tasks,
        _counts(),
        dict(cache._expire_info),  # type: ignore[attr-defined]
    )


def _put_back(world: World, kept: Kept) -> Any:
    result, (users, organisations, cookies, tasks, counts, ends) = deepcopy(kept.beside)
    world.users.update(users)
    world.organisations.update(organisations)
    for name, client in world.clients.items():
        client.cookies = cookies[name]
    world.broker.tasks[:] = tasks
    cache.clear()
    cache._cache.update(counts)  # type: ignore[attr-defined]
    cache._expire_info.update(ends)  # type: ignore[attr-defined]
    mail.outbox[:] = kept.mails
    return result
