"""How often somebody logs in, signs up or asks for a new password, counted before it is tried.

Each count is one step of the server. Who does it right at the same moment as fifty others waits
for nobody's lock.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import wraps
from typing import Any

from allauth.account.models import EmailAddress
from allauth.account.signals import password_reset
from django.dispatch import receiver
from django.http import HttpRequest, HttpResponse

from blindjustice_web.accounts.models import User
from blindjustice_web.lib.throttle import address_of, forgive_all, spend_strictly

BY_ACCOUNT, BY_ADDRESS = "LOG_IN_ACCOUNT", "LOG_IN_ADDRESS"

COUNTED = {
    "account_login": "LOG_IN_TRIES_ADDRESS",
    "account_signup": "SIGN_UP_ADDRESS",
    "account_reset_password": "RESETS_ADDRESS",
    "account_reset_password_from_key": "RESETS_ADDRESS",
}
"""Pages whose forms are counted by address, and the limit of each."""


def failed_log_ins(request: HttpRequest, email: str) -> Iterator[tuple[str, str]]:
    """Yield name and key of each limit that an attempt to log in counts against."""
    yield BY_ADDRESS, address_of(request)
    yield BY_ACCOUNT, email.lower()


def counted(name: str, view: Callable[..., Any]) -> Callable[..., Any]:
    """Return a view whose forms are counted by the address they come from."""

    @wraps(view)
    def limited(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        if request.method == "POST":
            spend_strictly(request, name)
        response: HttpResponse = view(request, *args, **kwargs)
        return response

    return limited


@receiver(password_reset)
def lift_lock(sender: Any, request: HttpRequest, user: User, **kwargs: Any) -> None:
    """Let who owns an account's address, and has just set a new password, log in at once."""
    for address in EmailAddress.objects.filter(user=user):
        forgive_all(request, BY_ACCOUNT, address.email.lower())
