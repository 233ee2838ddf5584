"""A limit on bodies that is enforced while they arrive, declared length or not.

Django's handler reads a body to its end before any middleware runs; this stands before it. Everyone
may send a little; only a member of an organisation who is logged in may send more.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from http.cookies import CookieError, SimpleCookie
from typing import Any

from channels.db import database_sync_to_async
from django.conf import settings
from django.utils.translation import gettext as _

from blindjustice_web.accounts.selectors import membership_of
from blindjustice_web.accounts.sessions import viewer_of
from blindjustice_web.lib.problems import TooLarge, problem_document

Scope = dict[str, Any]
Event = Mapping[str, Any]
Receive = Callable[[], Awaitable[Event]]
SendEvent = Callable[[Event], Awaitable[None]]
Application = Callable[[Scope, Receive, SendEvent], Awaitable[None]]


class BodyLimit:
    """Stop reading a body where its sender's limit is, and answer 413."""

    def __init__(self, application: Application) -> None:
        self._application = application

    async def __call__(self, scope: Scope, receive: Receive, send: SendEvent) -> None:
        """Serve a request whose body stays within the limit."""
        if scope["type"] != "http":
            await self._application(scope, receive, send)
            return
        body = _CountedBody(scope, receive)
        if not await body.admits(_declared_bytes(scope)):
            await _refuse(send)
            return

        async def send_unless_refused(event: Event) -> None:
            if not body.is_over:
                await send(event)

        await self._application(scope, body.receive, send_unless_refused)
        if body.is_over:
            await _refuse(send)


class _CountedBody:
    """What arrives of one body. To the application a body over the limit is a broken line."""

    def __init__(self, scope: Scope, receive: Receive) -> None:
        self._scope = scope
        self._receive = receive
        self._n_bytes = 0
        self._limit_bytes: int = settings.PUBLIC_BODY_BYTES
        self._asked_who = False
        self.is_over = False

    async def admits(self, n_bytes: int) -> bool:
        """Tell whether the sender may send this much; look who it is only where that matters."""
        if n_bytes > self._limit_bytes and not self._asked_who:
            self._asked_who = True
            if await database_sync_to_async(_is_member)(_session_key(self._scope)):
                self._limit_bytes = settings.MEMBER_BODY_BYTES
        return n_bytes <= self._limit_bytes

    async def receive(self) -> Event:
        """Return the next event of the line."""
        event = await self._receive()
        if event["type"] == "http.request":
            self._n_bytes += len(event.get("body", b""))
            if not await self.admits(self._n_bytes):
                self.is_over = True
                return {"type": "http.disconnect"}
        return event


def _declared_bytes(scope: Scope) -> int:
    """Return the declared length; what is no number counts as none and is counted as it comes."""
    declared = [value for name, value in scope["headers"] if name.lower() == b"content-length"]
    return max((int(value) for value in declared if value.isdigit()), default=0)


def _session_key(scope: Scope) -> str:
    for name, value in scope["headers"]:
        if name.lower() == b"cookie":
            try:
                cookie = SimpleCookie(value.decode("latin-1")).get(settings.SESSION_COOKIE_NAME)
            except CookieError:
                return ""
            return cookie.value if cookie else ""
    return ""


def _is_member(session_key: str) -> bool:
    return membership_of(viewer_of(session_key)) is not None


async def _refuse(send: SendEvent) -> None:
    problem = TooLarge(
        "BODY_TOO_LARGE",
        _("The request is larger than this address takes."),
        next_step=_("Send less at once."),
    )
    document = problem_document(problem)
    headers = [
        (b"content-type", document.headers["Content-Type"].encode()),
        (b"cache-control", b"no-store"),
        (b"connection", b"close"),
    ]
    await send({"type": "http.response.start", "status": problem.status, "headers": headers})
    await send({"type": "http.response.body", "body": document.content})
