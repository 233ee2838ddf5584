"""Choose TCP ports on this machine, so that no two stacks choose the same."""

from __future__ import annotations

import socket
from contextlib import suppress
from dataclasses import dataclass

from mpc_engine.transport.address import family_of

LOOPBACK = "127.0.0.1"
SITE, BROKER, PARTIES = 8000, 16379, 7443
"""Where the search starts: below the range that the kernel gives to outgoing connections."""
_TRIED = 200


@dataclass(frozen=True)
class Port:
    """A port and the mark by which other stacks on this machine see that it is taken."""

    number: int
    mark: socket.socket

    def release(self) -> None:
        """Let other stacks have it."""
        self.mark.close()


def reserve(first: int) -> Port:
    """Return the first port from ``first`` on that nobody uses and no other stack has reserved.

    The server that gets it may need minutes until it listens. Until then the mark, a name that
    only one process on the machine can hold, keeps other stacks away.
    """
    for number in range(first, first + _TRIED):
        with suppress(OSError):
            return reserve_one(number, LOOPBACK)
    raise OSError(f"no free port from {first} on")


def reserve_one(number: int, host: str) -> Port:
    """Return this very port of a host; OSError says why it cannot be had."""
    mark = socket.socket(socket.AF_UNIX)
    try:
        mark.bind(f"\0blindjustice port {number}")
        with socket.socket(family_of(host)) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind((host, number))
    except OSError:
        mark.close()
        raise
    return Port(number, mark)
