"""Bodies are counted while they arrive: no length that is declared, and none that is not, helps."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest
from channels.db import database_sync_to_async
from django.conf import settings as live

from blindjustice_web.config.asgi import application
from blindjustice_web.enrolment.models import Submission
from blindjustice_web.studies.models import Study
from tests.web.drafts import API
from tests.web.stories import World

pytestmark = [pytest.mark.database, pytest.mark.django_db(transaction=True), pytest.mark.asyncio]

CHUNK = b" " * (1 << 16)
SMALL, LARGE = live.PUBLIC_BODY_BYTES, live.MEMBER_BODY_BYTES


class Sender:
    """A client that sends a body in chunks, and says how much of it was taken."""

    def __init__(self, n_bytes: int, *, session: str = "", declared: str = "") -> None:
        self.taken = 0
        self._left = n_bytes
        self._events: list[Any] = []
        self.headers = [
            (b"host", b"127.0.0.1"),
            (b"content-type", b"application/json"),
            (b"cookie", f"sessionid={session}; csrftoken={'c' * 32}".encode()),
            (b"x-csrftoken", b"c" * 32),
            (b"origin", live.ORIGIN.encode()),
        ]
        if declared:
            self.headers.append((b"content-length", declared.encode("latin-1")))
        self._chunks = self._body()

    async def _body(self) -> AsyncIterator[dict[str, Any]]:
        while self._left > 0:
            size = min(len(CHUNK), self._left)
            self._left -= size
            self.taken += size
            yield {"type": "http.request", "body": CHUNK[:size], "more_body": self._left > 0}
        await asyncio.Event().wait()  # the line stays open until the answer has come

    async def _receive(self) -> dict[str, Any]:
        return await anext(self._chunks)

    async def _send(self, event: dict[str, Any]) -> None:
        self._events.append(event)

    async def posts(self, path: str) -> int:
        """Post; return the status, after checking that there was exactly one answer."""
        scope = {
            "type": "http",
            "method": "POST",
            "path": path,
            "raw_path": path.encode(),
            "query_string": b"",
            "headers": self.headers,
            "client": ("192.0.2.7", 1),
            "server": ("127.0.0.1", 8000),
            "scheme": "http",
            "http_version": "1.1",
        }
        await application(scope, self._receive, self._send)
        starts = [event for event in self._events if event["type"] == "http.response.start"]
        assert len(starts) == 1
        status: int = starts[0]["status"]
        if status == 413:
            assert (b"content-type", b"application/problem+json") in starts[0]["headers"]
            assert b"BODY_TOO_LARGE" in self._events[-1]["body"]
        return status


@pytest.mark.parametrize("who", ["anonymous", "uma"])
@pytest.mark.parametrize("declares", [True, False])
async def test_a_body_over_the_limit_is_not_read(
    committed: World, who: str, declares: bool
) -> None:
    study: Study = await database_sync_to_async(committed.opened)()
    sender = Sender(
        8 * SMALL, session=committed.session(who), declared=str(8 * SMALL) if declares else ""
    )
    assert await sender.posts(f"{API}/studies/{study.id}/submissions") == 413
    assert sender.taken <= (0 if declares else SMALL + len(CHUNK))
    assert await database_sync_to_async(Submission.objects.count)() == 0


@pytest.mark.parametrize("path", ["/accounts/login/", "/", f"{API}/nothing", "/me/"])
async def test_it_holds_for_every_address(committed: World, path: str) -> None:
    sender = Sender(2 * SMALL)
    assert await sender.posts(path) == 413
    assert sender.taken <= SMALL + len(CHUNK)


async def test_a_member_sends_more_and_not_without_end(committed: World) -> None:
    mo = committed.session("mo")
    sender = Sender(2 * SMALL, session=mo)
    assert await sender.posts(f"{API}/studies") == 400  # read, and no JSON
    assert sender.taken == 2 * SMALL
    endless = Sender(2 * LARGE, session=mo)
    assert await endless.posts(f"{API}/studies") == 413
    assert endless.taken <= LARGE + len(CHUNK)


async def test_a_made_up_session_sends_no_more_than_none(committed: World) -> None:
    for session in ("x" * 32, "", "\x7f;=", 'a"b'):
        sender = Sender(2 * SMALL, session=session)
        assert await sender.posts(f"{API}/studies") == 413


@pytest.mark.parametrize("declared", ["-5", "²", "1e9", "", "0", "abc"])
async def test_a_length_that_is_wrong_is_counted_all_the_same(
    committed: World, declared: str
) -> None:
    sender = Sender(2 * SMALL, declared=declared)
    assert await sender.posts(f"{API}/studies") == 413
    assert sender.taken <= SMALL + len(CHUNK)


async def test_a_body_within_the_limit_arrives_whole(committed: World) -> None:
    sender = Sender(SMALL)
    assert await sender.posts(f"{API}/studies/{'a' * 32}/submissions") == 400
    assert sender.taken == SMALL
