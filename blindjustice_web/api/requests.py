"""Who asks: the log-in the API's address demanded."""

from __future__ import annotations

from typing import cast

from django.http import HttpRequest

from blindjustice_web.accounts.models import User


def user_of(request: HttpRequest) -> User:
    """Return the logged-in user; only for addresses that demand a log-in."""
    return cast(User, request.user)
