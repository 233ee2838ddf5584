"""The names by which browsers on this machine may call the site."""

from __future__ import annotations

from urllib.parse import SplitResult, urlsplit

from django.core.exceptions import ImproperlyConfigured

LOOPBACK_HOSTS = ("127.0.0.1", "localhost", "[::1]")
"""As they stand in an address: IPv6 in brackets."""
_SHAPE = "BLINDJUSTICE_ORIGIN must look like https://fair.example.org"


def read_origin(origin: str) -> SplitResult:
    """Return the parts of an origin; ImproperlyConfigured where it has others, or lacks some."""
    try:
        parts = urlsplit(origin)
        port = parts.port
    except ValueError:
        raise ImproperlyConfigured(_SHAPE) from None
    if parts.scheme not in {"http", "https"} or not parts.hostname or parts.path or port == 0:
        raise ImproperlyConfigured(_SHAPE)
    return parts


def host_as_sent(parts: SplitResult) -> str:
    """Return the host as it stands in an address: IPv6 in brackets."""
    host = parts.hostname or ""
    return f"[{host}]" if ":" in host else host


def mail_host(parts: SplitResult) -> str:
    """Return the host of the site's own mail address; an IPv6 address makes none."""
    host = parts.hostname or ""
    return "localhost" if ":" in host else host


def local_hosts(machine: str) -> list[str]:
    """Return the names by which this machine calls itself."""
    return [*LOOPBACK_HOSTS, machine.lower()]


def own_origins(origin: str, machine: str) -> list[str]:
    """Return the origins of the site's own pages: more than one only for a site of this machine."""
    parts = urlsplit(origin.lower())
    host = host_as_sent(parts)
    if parts.scheme != "http" or host not in LOOPBACK_HOSTS:
        return [origin.lower()]
    port = parts.netloc.removeprefix(host)
    return [origin.lower(), *(f"http://{name}{port}" for name in local_hosts(machine))]
