"""Host and port as people write them: ``host:port``, an IPv6 address in brackets."""

from __future__ import annotations

import socket
from dataclasses import dataclass
from ipaddress import IPv6Address

from mpc_engine.errors import UsageError

CODE = "ADDRESS_INVALID"
HIGHEST_PORT = (1 << 16) - 1


@dataclass(frozen=True)
class HostPort:
    """A host (name, IPv4 or IPv6 address, without brackets) and a TCP port."""

    host: str
    port: int

    def __str__(self) -> str:
        """Return it as it is written."""
        return f"{written_host(self.host)}:{self.port}"

    @property
    def family(self) -> socket.AddressFamily:
        """The family of a socket that listens there; names are taken for IPv4."""
        return family_of(self.host)


def family_of(host: str) -> socket.AddressFamily:
    """Return the family of a socket that listens at a host; names are taken for IPv4."""
    return socket.AF_INET6 if ":" in host else socket.AF_INET


def written_host(host: str) -> str:
    """Return a host as it stands before a port: an IPv6 address in brackets."""
    return f"[{host}]" if ":" in host else host


def read_address(text: str) -> HostPort:
    """Return the address of a text.

    Raises UsageError (``ADDRESS_INVALID``) unless it is ``host:port`` or ``[IPv6]:port``. An IPv6
    address without brackets is refused: whether its last part is a port could only be guessed.
    """
    host, colon, port = text.strip().rpartition(":")
    if not colon or not port.isascii() or not port.isdigit() or int(port) > HIGHEST_PORT:
        raise UsageError(f'"{text}" is not host:port.', code=CODE)
    if host.startswith("[") and host.endswith("]"):
        return HostPort(_ipv6(host[1:-1], text), int(port))
    if ":" in host:
        raise UsageError(
            f'"{text}" is not clear: write an IPv6 address in brackets, such as '
            "[2001:db8::5]:7443.",
            code=CODE,
        )
    if not host or "[" in host or "]" in host:
        raise UsageError(f'"{text}" is not host:port.', code=CODE)
    return HostPort(host, int(port))


def _ipv6(host: str, text: str) -> str:
    try:
        IPv6Address(host)
    except ValueError:
        raise UsageError(f'"{text}" has no IPv6 address in its brackets.', code=CODE) from None
    return host
