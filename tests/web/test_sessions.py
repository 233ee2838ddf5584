"""Log-ins: where they lead, how long they last, and what ends them."""

from __future__ import annotations

from typing import Any

import pytest
from channels.db import database_sync_to_async
from django.contrib.sessions.models import Session
from django.test import Client

from blindjustice_web.accounts import sessions
from blindjustice_web.conduct import consumers
from blindjustice_web.conduct.consumers import NOT_FOR_YOU
from tests.web.broker import RecordingBroker
from tests.web.cast import make_world
from tests.web.drafts import API
from tests.web.parties import Pair
from tests.web.sockets import Socket
from tests.web.stories import World

pytestmark = pytest.mark.database

HOUR_S = 3600


@pytest.fixture
def memory() -> None:
    """Tell every story now: how old a log-in is decides."""


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Return what moves the clock of log-ins forward."""
    now = sessions.time.time()
    moved = [0.0]
    monkeypatch.setattr(sessions.time, "time", lambda: now + moved[0])

    def forward(seconds: float) -> None:
        moved[0] += seconds

    return forward


def _log_in(email: str, password: str, **fields: str) -> tuple[Client, Any]:
    client = Client()
    form = {"login": email, "password": password, **fields}
    return client, client.post("/accounts/login/", form)


@pytest.mark.parametrize(
    ("who", "home"), [("mo", "/modeler/"), ("rae", "/regulator/"), ("uma", "/me/")]
)
def test_a_log_in_leads_home(world: World, who: str, home: str) -> None:
    client, answer = _log_in(f"{who}@example.org", f"{who}'s password")
    assert (answer.status_code, answer["Location"]) == (302, home)
    assert client.get(home).status_code == 200
    assert client.get("/accounts/login/")["Location"] == home


def test_a_log_in_leads_where_it_was_asked_for_but_not_to_another_site(world: World) -> None:
    for wanted, leads in (
        ("/modeler/key/", "/modeler/key/"),
        ("https://evil.example/", "/modeler/"),
        ("//evil.example/", "/modeler/"),
    ):
        _, answer = _log_in("mo@example.org", "mo's password", next=wanted)
        assert answer["Location"] == leads


def test_a_log_in_gets_a_session_of_its_own(world: World) -> None:
    client = Client()
    session = client.session
    session["planted"] = 1
    session.save()
    planted = session.session_key
    assert planted is not None
    client.cookies["sessionid"] = planted
    client.post("/accounts/login/", {"login": "mo@example.org", "password": "mo's password"})
    assert client.cookies["sessionid"].value != planted
    assert not Session.objects.filter(pk=planted).exists()


def test_cookies_are_for_the_site_alone(world: World) -> None:
    client, answer = _log_in("mo@example.org", "mo's password")
    cookie = answer.cookies["sessionid"]
    assert cookie["httponly"]
    assert cookie["samesite"] == "Lax"
    assert not cookie["max-age"]  # it goes when the browser does
    assert client.cookies["csrftoken"]["samesite"] == "Lax"


def test_a_log_in_that_is_not_used_ends(world: World, clock: Any) -> None:
    assert world.get("mo", "/studies").status_code == 200
    clock(HOUR_S - 10)
    assert world.get("mo", "/studies").status_code == 200
    clock(HOUR_S + 10)
    assert world.get("mo", "/studies").status_code == 401
    assert world.clients["mo"].get("/modeler/").status_code == 302


def test_a_log_in_that_is_used_ends_in_the_evening(world: World, clock: Any) -> None:
    for _ in range(23):
        assert world.get("mo", "/studies").status_code == 200
        clock(HOUR_S / 2 + 1)
    assert world.get("mo", "/studies").status_code == 200
    clock(HOUR_S / 2 + 1)
    assert world.get("mo", "/studies").status_code == 401


def test_a_page_that_refreshes_itself_is_no_use(world: World, clock: Any) -> None:
    study = world.drafted()
    path = f"/modeler/studies/{study.id}/?partial=1"
    clock(HOUR_S / 2)
    assert world.clients["mo"].get(path).status_code == 200
    clock(HOUR_S / 2 + 1)
    assert world.clients["mo"].get(path).status_code == 302


def test_a_session_without_a_clock_is_over(world: World) -> None:
    session = world.clients["mo"].session
    del session[sessions.STARTED]
    session.save()
    assert world.get("mo", "/studies").status_code == 401


def test_a_new_password_ends_every_other_log_in(world: World) -> None:
    here, _ = _log_in("mo@example.org", "mo's password")
    there, _ = _log_in("mo@example.org", "mo's password")
    before = here.cookies["sessionid"].value
    form = {
        "oldpassword": "mo's password",
        "password1": "another long secret",
        "password2": "another long secret",
    }
    assert here.post("/accounts/password/change/", form).status_code == 302
    assert here.get("/modeler/").status_code == 200
    assert here.cookies["sessionid"].value != before
    for other in (there, world.clients["mo"]):
        assert other.get("/modeler/").status_code == 302
        assert other.get(f"{API}/studies").status_code == 401


def test_logging_out_ends_the_session_itself(world: World) -> None:
    client, _ = _log_in("mo@example.org", "mo's password")
    stolen = Client()
    stolen.cookies["sessionid"] = client.cookies["sessionid"].value
    assert stolen.get("/modeler/").status_code == 200
    client.post("/accounts/logout/")
    assert stolen.get("/modeler/").status_code == 302


@pytest.mark.parametrize(
    ("who", "path"),
    [
        ("uma", "/me/"),
        ("uma", "/"),
        ("mo", "/accounts/email/"),
        ("anonymous", "/accounts/login/"),
        ("mo", f"{API}/studies"),
        ("anonymous", f"{API}/certificates"),
        ("anonymous", f"{API}/studies"),
    ],
)
def test_nobody_keeps_a_copy_of_what_is_private(world: World, who: str, path: str) -> None:
    kept = world.clients[who].get(path)["Cache-Control"]
    assert "no-store" in kept
    assert "private" in kept


@pytest.mark.asyncio
@pytest.mark.django_db(transaction=True)
async def test_an_open_connection_ends_with_its_log_in(
    transactional_db: None, broker: RecordingBroker, parties: Pair, monkeypatch: pytest.MonkeyPatch
) -> None:
    world: World = await database_sync_to_async(make_world)(broker, parties)
    study = await database_sync_to_async(world.drafted)()
    session = world.clients["mo"].cookies["sessionid"].value
    page = Socket(f"/ws/studies/{study.id}/", session=session)
    assert await page.opens()
    await database_sync_to_async(world.clients["mo"].logout)()
    monkeypatch.setattr(consumers, "ASKED_AGAIN_EVERY_S", -1.0)
    await database_sync_to_async(consumers.push.push_change)(
        consumers.push.study_group(study.id), "study"
    )
    assert await page.next_is_close() == NOT_FOR_YOU
    await page.leaves()


@pytest.mark.asyncio
@pytest.mark.django_db(transaction=True)
async def test_a_log_in_that_is_over_opens_no_connection(
    transactional_db: None, broker: RecordingBroker, parties: Pair, clock: Any
) -> None:
    world: World = await database_sync_to_async(make_world)(broker, parties)
    study = await database_sync_to_async(world.drafted)()
    clock(HOUR_S + 1)
    session = world.clients["mo"].cookies["sessionid"].value
    page = Socket(f"/ws/studies/{study.id}/", session=session)
    assert await page.opens()
    assert await page.next_is_close() == NOT_FOR_YOU
    await page.leaves()
