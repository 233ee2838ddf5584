"""Whatever comes over a WebSocket: it is passed over or ends the connection, and tells nothing."""

from __future__ import annotations

import json
from typing import Any

import pytest
from asgiref.sync import async_to_sync
from channels.db import database_sync_to_async
from django.conf import settings as live
from hypothesis import given
from hypothesis import strategies as st

from blindjustice_web.conduct.consumers import NOT_FOR_YOU, TOO_LONG
from tests.web import hostile
from tests.web.drafts import some_id
from tests.web.hostile import FUZZ
from tests.web.sockets import OWN_ORIGIN, Socket
from tests.web.stories import World

pytestmark = [pytest.mark.database, pytest.mark.django_db(transaction=True)]


def test_garbage_is_passed_over_and_changes_nothing(committed: World) -> None:
    study = committed.drafted()
    session = committed.session("mo")
    before = hostile.counts(committed)

    async def talk(messages: list[dict[str, Any]]) -> None:
        page = Socket(f"/ws/studies/{study.id}/", session=session)
        assert await page.opens()
        for message in messages:
            await page.sends(**message)
        assert await page.is_quiet()
        await page.leaves()

    texts = st.text(st.characters(codec="utf-8"), max_size=live.SOCKET_MESSAGE_BYTES // 4)
    said = st.one_of(
        st.builds(lambda text: {"text": text}, texts),
        st.builds(lambda value: {"text": json.dumps(value)[:1000]}, hostile.json_values),
        st.builds(lambda raw: {"bytes": raw}, st.binary(max_size=live.SOCKET_MESSAGE_BYTES)),
        st.sampled_from(
            [
                {"text": '{"type": "page.message", "message": {"type": "changed"}}'},
                {"text": '{"type": "websocket.disconnect"}'},
                {"text": '{"type": "group_add", "group": "study.0"}'},
                {"text": None, "bytes": b""},
                {"text": "", "bytes": None},
            ]
        ),
    )

    @FUZZ
    @given(st.lists(said, max_size=6))
    def try_it(messages: list[dict[str, Any]]) -> None:
        async_to_sync(talk)(messages)

    try_it()
    assert hostile.counts(committed) == before


@pytest.mark.asyncio
@pytest.mark.parametrize(
    "message",
    [
        {"text": "x" * (live.SOCKET_MESSAGE_BYTES + 1)},
        {"bytes": b"x" * (live.SOCKET_MESSAGE_BYTES + 1)},
        {"text": "[" * 100_000},
    ],
    ids=["text", "bytes", "nesting"],
)
async def test_a_message_that_is_too_long_ends_the_connection(
    committed: World, message: dict[str, Any]
) -> None:
    study = await database_sync_to_async(committed.drafted)()
    page = Socket(f"/ws/studies/{study.id}/", session=committed.session("mo"))
    assert await page.opens()
    await page.sends(**message)
    assert await page.next_is_close() == TOO_LONG
    await page.leaves()


@pytest.mark.slow
@pytest.mark.asyncio
@pytest.mark.parametrize(
    "origin",
    [
        *("", "null", "http://127.0.0.1", "http://127.0.0.1:8001", "https://127.0.0.1:8000"),
        *("http://localhost:9000", "http://127.0.0.1:8000.evil.example", "http://[::1", "http:"),
        *("http://evil.example/http://127.0.0.1:8000", "http://127.0.0.1:99999999", "é"),
        *("HTTP://127.0.0.1:8000/", "http://user@127.0.0.1:8000"),
    ],
)
async def test_pages_of_other_origins_are_shut_out(committed: World, origin: str) -> None:
    study = await database_sync_to_async(committed.drafted)()
    path = f"/ws/studies/{study.id}/"
    page = Socket(path, origin=origin, session=committed.session("mo"))
    assert not await page.opens()


@pytest.mark.asyncio
async def test_a_connection_with_two_origins_is_shut_out(committed: World) -> None:
    study = await database_sync_to_async(committed.drafted)()
    page = Socket(f"/ws/studies/{study.id}/", session=committed.session("mo"))
    page.adds_header(b"origin", OWN_ORIGIN.encode())
    assert not await page.opens()


@pytest.mark.slow
@pytest.mark.asyncio
@pytest.mark.parametrize(
    "path",
    [
        *("/", "/ws/", "/ws/studies/", "/ws/studies/x/", "/ws/jobs/{id}/", "/ws/studies/{id}"),
        *("/ws/studies/{id}/x", "/ws/studies/{ID}/", "/ws/studies/{id}\n/", "/ws/studies/²/"),
        *("/ws/challenges/{id}/", "/ws/studies/{id}/", "/" + "a" * 5000, "/ws/studies/\x00/"),
    ],
)
async def test_nothing_is_at_any_other_address(committed: World, path: str) -> None:
    name = some_id("nobody's")
    address = path.replace("{id}", name).replace("{ID}", name.upper())
    page = Socket(address, session=committed.session("mo"))
    assert await page.opens()
    assert await page.next_is_close() == NOT_FOR_YOU
    await page.leaves()


@pytest.mark.asyncio
@pytest.mark.parametrize("session", ["x", "x" * 32, "x" * 5000, "é" * 32, '"', "a;b=c", "\x7f"])
async def test_a_made_up_session_listens_to_nothing(committed: World, session: str) -> None:
    study = await database_sync_to_async(committed.drafted)()
    page = Socket(f"/ws/studies/{study.id}/", session=session)
    assert await page.opens()
    assert await page.next_is_close() == NOT_FOR_YOU
    await page.leaves()


@pytest.mark.asyncio
async def test_who_is_shut_out_hears_nothing_of_what_changes(committed: World) -> None:
    study = await database_sync_to_async(committed.drafted)()
    page = Socket(f"/ws/studies/{study.id}/", session=committed.session("mia"))
    assert await page.opens()
    assert await page.next_is_close() == NOT_FOR_YOU
    await database_sync_to_async(committed.post)("mo", f"/studies/{study.id}/submit", {})
    assert await page.is_quiet()
    await page.leaves()
