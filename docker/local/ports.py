"""Choose TCP ports on the loopback interface, so that no two stacks choose the same."""

from __future__ import annotations

import socket
from dataclasses import dataclass

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
        mark = socket.socket(socket.AF_UNIX)
        try:
            mark.bind(f"\0blindjustice port {number}")
        except OSError:
            mark.close()
            continue
        if _is_free(number):
            return Port(number, mark)
        mark.close()
    raise OSError(f"no free port from {first} on")


def _is_free(number: int) -> bool:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((LOOPBACK, number))
        except OSError:
            return False
    return True
