"""Who really asks: what a proxy says counts only if the operator named that proxy."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address

from django.conf import settings
from django.http import HttpRequest, HttpResponse

Handler = Callable[[HttpRequest], HttpResponse]
Network = IPv4Network | IPv6Network

SAID_BY_PROXIES = (
    "HTTP_FORWARDED",
    "HTTP_X_FORWARDED_FOR",
    "HTTP_X_FORWARDED_HOST",
    "HTTP_X_FORWARDED_PORT",
    "HTTP_X_FORWARDED_PROTO",
    "HTTP_X_REAL_IP",
)


class ForwardedMiddleware:
    """Put the client's own address into ``REMOTE_ADDR``; drop what nobody trustworthy said."""

    def __init__(self, get_response: Handler) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Pass the request on with an address that was not made up."""
        believe_proxies_only(request)
        return self._get_response(request)


def believe_proxies_only(request: HttpRequest) -> None:
    """Keep in a request's ``META`` what a trusted proxy said of its client, and from nobody else.

    ``REMOTE_ADDR`` becomes the client's own address.
    """
    meta = request.META
    peer = meta.get("REMOTE_ADDR", "")
    if _is_trusted(peer, settings.TRUSTED_PROXIES):
        said = meta.get("HTTP_X_FORWARDED_FOR", "").split(",")
        meta["REMOTE_ADDR"] = client_address(peer, said, settings.TRUSTED_PROXIES)
    else:
        for name in SAID_BY_PROXIES:
            meta.pop(name, None)


def client_address(peer: str, said: Sequence[str], trusted: Sequence[Network]) -> str:
    """Return the last address of ``X-Forwarded-For`` that no trusted proxy has.

    What stands to the left of it anybody may have written. Where a trusted proxy passed on
    something that is no address, the proxy's own counts.
    """
    nearest = peer
    for word in reversed(said):
        address = _address(word)
        if address is None:
            return nearest
        nearest = str(address)
        if not _is_trusted(nearest, trusted):
            return nearest
    return nearest


def _is_trusted(text: str, trusted: Sequence[Network]) -> bool:
    address = _address(text)
    return address is not None and any(address in network for network in trusted)


def _address(text: str) -> IPv4Address | IPv6Address | None:
    try:
        address = ip_address(text.strip())
    except ValueError:
        return None
    if isinstance(address, IPv6Address) and address.ipv4_mapped is not None:
        return address.ipv4_mapped
    return address
