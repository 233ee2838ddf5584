"""Where the site listens, and the address by which people use it."""

from __future__ import annotations

from dataclasses import dataclass
from ipaddress import ip_address
from urllib.parse import urlsplit

from docker.local import ports
from docker.local.processes import StackError
from mpc_engine.errors import UsageError
from mpc_engine.transport.address import HostPort, read_address, written_host

DEFAULT_PORTS = {"http": 80, "https": 443}
EVERY_ADDRESS = {"0.0.0.0": "127.0.0.1", "::": "::1"}
"""Hosts that stand for all of this machine's addresses, and the one to ask it at."""


@dataclass(frozen=True)
class Wish:
    """What whoever starts the stack chose: texts, "" where nothing was."""

    origin: str = ""
    listen: str = ""


@dataclass(frozen=True)
class SiteAddress:
    """Where the site listens, and the origin that people's browsers show."""

    listen: HostPort
    origin: str

    @property
    def local_url(self) -> str:
        """The address at which this machine asks the site itself."""
        host = EVERY_ADDRESS.get(self.listen.host, self.listen.host)
        return f"http://{HostPort(host, self.listen.port)}"

    @property
    def host_header(self) -> str:
        """The host that people's browsers name."""
        return urlsplit(self.origin).netloc


def reserve_site(wish: Wish) -> tuple[SiteAddress, ports.Port]:
    """Return the site's address with its port reserved; StackError says why not.

    Without ``listen`` the site listens where an http origin leads; else on 127.0.0.1, at the first
    free port from 8000 on.
    """
    chosen = _listen(wish)
    if chosen is None:
        port = ports.reserve(ports.SITE)
        chosen = HostPort(ports.LOOPBACK, port.number)
    else:
        port = _reserve(chosen)
    origin = wish.origin.rstrip("/") or SiteAddress(chosen, "").local_url
    parts = urlsplit(origin)
    if parts.scheme == "http" and not is_this_machine(parts.hostname or ""):
        port.release()
        raise StackError(
            f"People would use {origin}, and browsers seal answers over https only: set "
            "BLINDJUSTICE_ORIGIN to the https address of the proxy in front of this site."
        )
    return SiteAddress(chosen, origin), port


def is_this_machine(host: str) -> bool:
    """Return whether a host of an origin is this machine for every browser on it."""
    if host == "localhost":
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


def _listen(wish: Wish) -> HostPort | None:
    led_to = _where_it_leads(wish.origin) if wish.origin else None
    if not wish.listen:
        return led_to
    try:
        return read_address(wish.listen)
    except UsageError as error:
        raise StackError(f"BLINDJUSTICE_LISTEN: {error.sentence}") from None


def _where_it_leads(origin: str) -> HostPort | None:
    """Return where on this machine an origin leads, None for elsewhere; StackError if it's none."""
    try:
        parts = urlsplit(origin)
        port = parts.port
    except ValueError:
        parts, port = urlsplit(""), None
    if parts.scheme not in DEFAULT_PORTS or not parts.hostname or parts.path.strip("/"):
        raise StackError(
            f"BLINDJUSTICE_ORIGIN is {origin}; it must look like https://fair.example.org "
            "or http://127.0.0.1:8010."
        )
    if parts.scheme == "https" or not is_this_machine(parts.hostname):
        return None
    host = ports.LOOPBACK if parts.hostname == "localhost" else parts.hostname
    return HostPort(host, DEFAULT_PORTS["http"] if port is None else port)


def _reserve(address: HostPort) -> ports.Port:
    try:
        return ports.reserve_one(address.port, address.host)
    except OSError as error:
        raise StackError(
            f"The site can't listen at {written_host(address.host)}:{address.port} ({error}). "
            "Choose another address by BLINDJUSTICE_LISTEN, or end what uses this one."
        ) from None
