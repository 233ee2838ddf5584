"""How long a log-in lasts: it ends when unused, and at the latest after a fixed time.

Both times stand in the session itself, so that closing and opening a browser changes nothing. A
page that fetches its own live region does not count as use.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from importlib import import_module
from typing import Any

from django.conf import settings
from django.contrib.auth import get_user, logout
from django.contrib.auth.models import AnonymousUser
from django.contrib.auth.signals import user_logged_in
from django.contrib.sessions.backends.base import SessionBase
from django.contrib.sessions.exceptions import SessionInterrupted
from django.contrib.sessions.middleware import SessionMiddleware
from django.db import DatabaseError
from django.dispatch import receiver
from django.http import HttpRequest, HttpResponse

from blindjustice_web.accounts.selectors import Viewer
from blindjustice_web.lib.problems import AWAY

logger = logging.getLogger(__name__)

Handler = Callable[[HttpRequest], HttpResponse]

STARTED = "log_in_started_at"
USED = "log_in_used_at"
NOTED_EVERY_S = 60


@receiver(user_logged_in)
def note_log_in(sender: Any, request: HttpRequest, **kwargs: Any) -> None:
    """Start the clock of a log-in."""
    now = int(time.time())
    request.session[STARTED] = request.session[USED] = now


def is_over(session: SessionBase) -> bool:
    """Tell whether a log-in has lasted too long, was unused too long, or was never started."""
    now = time.time()
    started, used = session.get(STARTED, 0), session.get(USED, 0)
    too_old = now - started > settings.SESSION_LONGEST_S
    return bool(too_old or now - used > settings.SESSION_IDLE_S)


def viewer_of(session_key: str | None) -> Viewer:
    """Return who a session's cookie stands for now, outside a page's request."""
    request = HttpRequest()
    request.session = import_module(settings.SESSION_ENGINE).SessionStore(session_key)
    user = get_user(request)
    return AnonymousUser() if is_over(request.session) else user


class ReadingSessionMiddleware(SessionMiddleware):
    """Django's own, but a page that was only read is shown though its session can't be kept."""

    def process_response(self, request: HttpRequest, response: HttpResponse) -> HttpResponse:
        """Keep the session; where the database takes no changes, say so to whoever changed any."""
        try:
            return super().process_response(request, response)
        except (DatabaseError, SessionInterrupted) as error:
            if request.method not in ("GET", "HEAD") or not _is_away(error):
                raise
            logger.warning("A session could not be kept: the database takes no changes")
            return response


def _is_away(error: BaseException | None) -> bool:
    """Tell whether a database that is away is behind an error: Django takes it for a lost row."""
    while error is not None and not isinstance(error, AWAY):
        error = error.__context__
    return error is not None


class SessionLifeMiddleware:
    """End log-ins whose time is over."""

    def __init__(self, get_response: Handler) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Log out what is over, note that the rest is in use, and pass the request on."""
        if request.user.is_authenticated:
            if is_over(request.session):
                logout(request)
            elif "partial" not in request.GET:
                _note_use(request.session)
        return self._get_response(request)


def _note_use(session: SessionBase) -> None:
    now = int(time.time())
    if now - session[USED] >= NOTED_EVERY_S:
        session[USED] = now
