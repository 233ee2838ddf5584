"""`/health/` says which part of the site takes no changes, with status 503."""

from __future__ import annotations

import socket
from typing import Any

import pytest
from django.core.cache import caches
from django.db import connection
from django.test import Client
from redis import exceptions

SECRET = "the login"

pytestmark = [pytest.mark.database, pytest.mark.django_db]


def _health() -> tuple[int, list[str]]:
    answer = Client().get("/health/")
    assert SECRET not in answer.content.decode()
    told = answer.json()
    assert told["status"] == ("ok" if answer.status_code == 200 else "failed")
    return answer.status_code, [fault["code"] for fault in told.get("faults", [])]


def test_a_site_that_can_work_says_so() -> None:
    assert _health() == (200, [])


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (exceptions.TimeoutError(SECRET), "REDIS_HANGS"),
        (exceptions.ConnectionError(SECRET), "REDIS_AWAY"),
        (exceptions.BusyLoadingError(SECRET), "REDIS_LOADING"),
        (exceptions.AuthenticationError(SECRET), "REDIS_REFUSES"),
        (exceptions.NoPermissionError(SECRET), "REDIS_REFUSES"),
        (exceptions.ReadOnlyError(SECRET), "REDIS_READ_ONLY"),
        (exceptions.OutOfMemoryError(SECRET), "REDIS_FULL"),
        (exceptions.ResponseError(f"MISCONF {SECRET}"), "REDIS_CANNOT_SAVE"),
        (exceptions.ResponseError(SECRET), "REDIS_FAILED"),
    ],
)
def test_redis_that_takes_no_change_is_named(
    monkeypatch: pytest.MonkeyPatch, error: Exception, code: str
) -> None:
    def refuse(*_: Any, **__: Any) -> None:
        raise error

    monkeypatch.setattr(caches["default"], "set", refuse)
    assert _health() == (503, [code])


@pytest.mark.parametrize(("listens", "code"), [(True, "REDIS_HANGS"), (False, "REDIS_AWAY")])
def test_a_redis_that_is_mute_or_absent_is_named_in_time(
    settings: Any, listens: bool, code: str
) -> None:
    from importlib import import_module

    real = import_module("blindjustice_web.config.settings").CACHES["default"]
    assert real["OPTIONS"]["socket_timeout"] + real["OPTIONS"]["socket_connect_timeout"] <= 4
    with socket.create_server(("127.0.0.1", 0)) as server:
        address = f"redis://127.0.0.1:{server.getsockname()[1]}/0"
        if not listens:
            server.close()
        settings.CACHES = {"default": {**real, "LOCATION": address}}
        assert _health() == (503, [code])


@pytest.mark.django_db(transaction=True)
def test_a_database_that_takes_no_change_is_named() -> None:
    with connection.cursor() as cursor:
        read_only, writable = {
            "sqlite": ("PRAGMA query_only = ON", "PRAGMA query_only = OFF"),
            "postgresql": (
                "SET default_transaction_read_only = on",
                "SET default_transaction_read_only = off",
            ),
        }[connection.vendor]
        cursor.execute(read_only)
        try:
            assert _health() == (503, ["DATABASE_NOT_WRITABLE"])
        finally:
            cursor.execute(writable)
