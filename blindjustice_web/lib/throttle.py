"""Limits on how often something is done, counted for all processes of the site together.

The counts are in the shared cache, so they need Redis. While it is away, what a limit here guards
goes on and the log says so: the parties refuse a wrong code themselves, and a person's answer must
not get lost. Log-ins and new accounts do not go on without theirs (see `accounts.login_limits`).
"""

from __future__ import annotations

import logging
from ipaddress import ip_network
from typing import Any

from django.conf import settings
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext
from django_ratelimit.core import get_usage
from redis.exceptions import RedisError

from blindjustice_web.lib.outage import REDIS
from blindjustice_web.lib.problems import TooMany

logger = logging.getLogger(__name__)


def spend(request: HttpRequest, name: str, key: str) -> None:
    """Count one use of a limit by ``key``; TooMany when it was used up before."""
    _check(request, name, key, count=True)


def spend_strictly(request: HttpRequest, name: str) -> None:
    """Count one use by address; what can't be counted does not go on."""
    usage = _usage(request, name, address_of(request), count=True)
    if usage["should_limit"]:
        raise too_many(max(1, usage["time_left"]))


def spend_by_account(request: HttpRequest, what: str) -> None:
    """Count one use by the logged-in account, and one by the address it comes from."""
    spend(request, f"{what}_ACCOUNT", str(request.user.pk))
    spend_by_address(request, f"{what}_ADDRESS")


def spend_by_address(request: HttpRequest, name: str) -> None:
    """Count one use by the address a request comes from."""
    spend(request, name, address_of(request))


def require_left(request: HttpRequest, name: str) -> None:
    """TooMany if the limit by address is used up; counts nothing."""
    _check(request, name, address_of(request), count=False)


def address_of(request: HttpRequest) -> str:
    """Return what addresses are counted by: IPv4 as it is, IPv6 by its /64."""
    text: str = request.META.get("REMOTE_ADDR", "")
    if ":" in text:
        return str(ip_network(f"{text.partition('%')[0]}/64", strict=False))
    return text


def too_many(wait_s: int, code: str = "TOO_MANY_REQUESTS") -> TooMany:
    """Return the problem of a used-up limit: it says how long to wait."""
    minutes = -(-wait_s // 60)
    wait = ngettext(
        "Wait %(n)d minute, then try again.", "Wait %(n)d minutes, then try again.", minutes
    ) % {"n": minutes}
    details = {
        "TOO_MANY_REQUESTS": _("This was tried too often in a short time."),
        "LOG_IN_LOCKED": _("There were too many failed log-ins, so logging in is locked for now."),
    }
    return TooMany(code, details[code], next_step=wait, retry_after_s=wait_s)


def spend_attempt(request: HttpRequest, name: str, key: str) -> None:
    """Count an attempt as failed until `forgive`; TooMany while as many as allowed stand.

    A refused one does not count, and none passes uncounted: it raises what the cache raises.
    """
    # In this order: what is taken back between the two must not make room for this attempt.
    forgiven = _usage(request, name, key, count=False, taken_back=True)
    used = _usage(request, name, key, count=True)
    if used["count"] == 0 or used["count"] - forgiven["count"] > used["limit"]:
        forgive(request, name, key)
        raise too_many(max(1, used["time_left"]))


def forgive(request: HttpRequest, name: str, key: str) -> None:
    """Take back one attempt: it went well."""
    _usage(request, name, key, count=True, taken_back=True)


def forgive_all(request: HttpRequest, name: str, key: str) -> None:
    """Take back every attempt that stands."""
    used = _usage(request, name, key, count=False)["count"]
    forgiven = _usage(request, name, key, count=False, taken_back=True)
    for _attempt in range(used - forgiven["count"]):
        forgive(request, name, key)


def _check(request: HttpRequest, name: str, key: str, *, count: bool) -> None:
    if REDIS.lasts:
        logger.warning("The limit %s is not counted: Redis is away", name)
        return
    try:
        usage = _usage(request, name, key, count=count)
    except RedisError as error:
        REDIS.begin()
        logger.warning("The limit %s could not be counted: %s", name, type(error).__name__)
        return
    if usage["should_limit"] or (not count and usage["count"] >= usage["limit"]):
        raise too_many(max(1, usage["time_left"]))


def _usage(
    request: HttpRequest, name: str, key: str, *, count: bool, taken_back: bool = False
) -> dict[str, Any]:
    """Return how often a limit was used, or a use ``taken_back``, by ``key`` in this period.

    ``count`` adds one. Both only rise, each by one step of the server: nobody waits for a lock.
    """
    rate = settings.LIMITS[name]
    usage: dict[str, Any] = get_usage(
        request,
        group=f"limit.{name}.taken_back" if taken_back else f"limit.{name}",
        key=lambda group, asked: key,
        rate=(rate.count, rate.period_s),
        increment=count,
    )
    return usage
