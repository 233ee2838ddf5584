"""What log-ins do on this site: where they lead, and when they are locked."""

from __future__ import annotations

from typing import Any

from allauth.account.adapter import DefaultAccountAdapter
from django.dispatch import Signal
from django.http import HttpRequest
from django.urls import reverse

from blindjustice_web.accounts.login_limits import failed_log_ins
from blindjustice_web.accounts.models import Role
from blindjustice_web.accounts.selectors import Viewer, role_of
from blindjustice_web.lib.problems import TooMany
from blindjustice_web.lib.throttle import forgive, spend_attempt, too_many

log_in_locked = Signal()
"""Sent with ``email``, as it was typed, and ``wait_s``, each time a locked log-in is tried."""


def home_of(user: Viewer) -> str:
    """Return the page where somebody's work begins."""
    names = {Role.MODELER: "modeler_home", Role.REGULATOR: "regulator_home", None: "my_page"}
    return reverse(names[role_of(user)])


class Accounts(DefaultAccountAdapter):  # type: ignore[misc]  # allauth has no types
    """Lead everybody home, and lock log-ins that fail too often."""

    def get_login_redirect_url(self, request: HttpRequest) -> str:
        """Return where a log-in leads that was not asked for by a page."""
        return home_of(request.user)

    def get_signup_redirect_url(self, request: HttpRequest) -> str:
        """Return where a new account leads."""
        return home_of(request.user)

    def pre_authenticate(self, request: HttpRequest, **credentials: Any) -> None:
        """Count an attempt; TooMany says how long logging in is locked.

        The limit by account is counted under the e-mail address that was typed, so that it says
        nothing about whether there is such an account. A refused attempt counts nowhere.
        """
        email = str(credentials.get("email", ""))
        spent = []
        try:
            for name, key in failed_log_ins(request, email):
                spend_attempt(request, name, key)
                spent.append((name, key))
        except TooMany as limit:
            for name, key in spent:
                forgive(request, name, key)
            wait_s = limit.retry_after_s
            log_in_locked.send(type(self), email=email, wait_s=wait_s)
            raise too_many(wait_s, "LOG_IN_LOCKED") from None

    def authenticate(self, request: HttpRequest, **credentials: Any) -> Any:
        """Return whose credentials these are, or None; right ones don't count as an attempt."""
        user = super().authenticate(request, **credentials)
        if user is not None:
            for name, key in failed_log_ins(request, str(credentials.get("email", ""))):
                forgive(request, name, key)
        return user
