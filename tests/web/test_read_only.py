"""A database that takes no changes: pages that only read work, everything else says 503."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from django.db import connection
from django.test import Client

from blindjustice_web.accounts import sessions
from tests.web.broker import RecordingBroker
from tests.web.cast import make_world
from tests.web.drafts import draft, submission
from tests.web.parties import Pair
from tests.web.stories import World

pytestmark = [pytest.mark.database, pytest.mark.django_db(transaction=True)]
STATEMENTS = {
    "sqlite": "PRAGMA query_only = {}",
    "postgresql": "SET default_transaction_read_only = {}",
}


@contextmanager
def read_only() -> Iterator[None]:
    """Let the site's connection refuse every change."""
    statement = STATEMENTS[connection.vendor]
    with connection.cursor() as cursor:
        cursor.execute(statement.format("on"))
    try:
        yield
    finally:
        with connection.cursor() as cursor:
            cursor.execute(statement.format("off"))


@pytest.fixture
def world(transactional_db: None, at_once: None, broker: RecordingBroker, parties: Pair) -> World:
    """Return everybody, in a database whose commits are real."""
    return make_world(broker, parties)


@pytest.mark.slow
def test_what_only_reads_works_though_the_log_in_is_noted_as_used(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    study, _ = world.invited()
    monkeypatch.setattr(sessions, "NOTED_EVERY_S", -1)
    pages = {
        "anonymous": ["/", "/certificates/", f"/take-part/{study.id}/", "/accounts/login/"],
        "mo": ["/modeler/", f"/modeler/studies/{study.id}/", "/modeler/health/"],
        "rae": ["/regulator/", f"/regulator/studies/{study.id}/"],
        "uma": ["/me/"],
    }
    with read_only():
        found = {
            path: (world.clients.get(who) or Client()).get(path).status_code
            for who, paths in pages.items()
            for path in paths
        }
    assert set(found.values()) == {200}, found


def test_what_keeps_something_says_that_it_did_not(world: World, caplog: Any) -> None:
    study, records = world.invited()
    form = {"login": "mo@example.org", "password": "mo's password"}
    with read_only():
        refused = [
            world.submit(study, submission(records[0])),
            world.post("mo", "/studies", draft()),
        ]
        page = Client().post("/accounts/login/", form)
    for answer in refused:
        assert (answer.status_code, answer.json()["code"]) == (503, "DATABASE_AWAY")
    assert page.status_code == 503
    assert b"can&#x27;t keep anything" in page.content
    assert "DATABASE_AWAY" in caplog.text
    again = world.submit(study, submission(records[0]))
    assert again.status_code == 202
