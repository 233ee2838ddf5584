"""Choose TCP ports on the loopback interface."""

from __future__ import annotations

import socket

LOOPBACK = "127.0.0.1"


def is_free(port: int) -> bool:
    """Return whether nobody listens on a port."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((LOOPBACK, port))
        except OSError:
            return False
    return True


def next_free(first: int) -> int:
    """Return the first free port from ``first`` on."""
    for port in range(first, first + 200):
        if is_free(port):
            return port
    raise OSError(f"no free port from {first} on")


def any_free() -> int:
    """Return some free port that the kernel chooses."""
    with socket.socket() as probe:
        probe.bind((LOOPBACK, 0))
        port: int = probe.getsockname()[1]
    return port


def listens(port: int) -> bool:
    """Return whether somebody accepts connections on a port."""
    with socket.socket() as probe:
        probe.settimeout(1.0)
        return probe.connect_ex((LOOPBACK, port)) == 0
