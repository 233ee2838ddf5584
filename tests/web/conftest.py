"""What tests of the site share. Django is imported late: the lane chooses its database first."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.web import exchanges

if TYPE_CHECKING:
    from tests.web.broker import RecordingBroker
    from tests.web.memory import Memory
    from tests.web.parties import Pair
    from tests.web.stories import World

exchanges.watch()


@pytest.hookimpl(trylast=True)
def pytest_configure() -> None:
    """Set Django up once the lane's database is chosen, before test modules import models."""
    import django

    django.setup()
    _let_tests_empty_guarded_tables()


def _let_tests_empty_guarded_tables() -> None:
    """Let a test that commits empty the database after it, and guard what is only added to again.

    SQLite is emptied row by row, which the guards refuse; PostgreSQL is emptied by TRUNCATE.
    """
    from django.db import connection
    from django.test import TransactionTestCase

    from blindjustice_web.lib import append_only

    # Where Django's own test case empties the database; its stubs know public names only.
    case: Any = TransactionTestCase
    empty = case._fixture_teardown

    def teardown(self: Any) -> None:
        tables = ("audit_auditentry", "audit_auditlink", "certificates_revocation")
        for table in tables:
            append_only.unguard(connection, table)
        empty(self)
        for table in tables:
            append_only.guard(connection, table)

    case._fixture_teardown = teardown


@pytest.fixture(autouse=True)
def _site(settings: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Give every test its own public directory, layer and quick passwords."""
    from asgiref.sync import async_to_sync
    from django.core.cache import cache

    from blindjustice_web.lib import outage, push

    outage.REDIS.end()
    # The layer in memory is no layer between threads.
    monkeypatch.setattr(push._courier, "take", async_to_sync(push.tell))
    settings.PUBLIC_DIR = tmp_path
    settings.CHANNEL_LAYERS = {"default": {"BACKEND": "channels.layers.InMemoryChannelLayer"}}
    settings.CACHES = {"default": {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"}}
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
    settings.EMAIL_BACKEND = "django.core.mail.backends.locmem.EmailBackend"
    settings.STORAGES = {
        **settings.STORAGES,
        "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"},
    }
    cache.clear()


@pytest.fixture
def broker(monkeypatch: pytest.MonkeyPatch) -> RecordingBroker:
    """Return the broker every task of this test goes to."""
    from blindjustice_web.engine import engine_client
    from tests.web.broker import RecordingBroker

    recording = RecordingBroker()
    monkeypatch.setattr(engine_client, "hand_to_broker", recording)
    monkeypatch.setattr(engine_client, "n_orders_waiting", recording.n_waiting)
    return recording


@pytest.fixture
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Run what waits for a commit at once: the test's own transaction never commits."""
    from django.db import transaction

    def run(function: Callable[[], Any], using: Any = None, robust: bool = False) -> None:
        function()

    monkeypatch.setattr(transaction, "on_commit", run)


@pytest.fixture
def parties(tmp_path: Path) -> Pair:
    """Return two parties whose descriptors the site reads."""
    from tests.web.parties import make_pair

    return make_pair(tmp_path)


@pytest.fixture(scope="session")
def memory() -> Memory | None:
    """Return the stories of the last minute; a module with its own clock has none."""
    from tests.web.memory import Memory

    return Memory()


@pytest.fixture
def committed(transactional_db: None, broker: RecordingBroker, parties: Pair) -> World:
    """Return everybody, in a database whose commits are real."""
    from tests.web.cast import make_world

    return make_world(broker, parties)


@pytest.fixture
def world(
    db: None,
    at_once: None,
    broker: RecordingBroker,
    parties: Pair,
    memory: Memory | None,
) -> World:
    """Return everybody, each logged in."""
    from tests.web.cast import make_world

    return make_world(broker, parties, memory)
