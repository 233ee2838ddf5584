"""The link of benchmarks limits and delays what it passes on."""

from __future__ import annotations

import argparse
import socket
import time
from threading import Thread

import pytest

from tools.bench.link import parse_link


def _echo_once(server: socket.socket, n_bytes: int) -> None:
    connection, _ = server.accept()
    with connection:
        while n_bytes > 0:
            n_bytes -= len(connection.recv(1 << 16))
        connection.sendall(b"-")


def _seconds_through(text: str, n_bytes: int) -> float:
    """Return the time until a byte comes back after ``n_bytes`` went through a link."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        Thread(target=_echo_once, args=(server, n_bytes), daemon=True).start()
        with (
            parse_link(text).relayed(server.getsockname()) as address,
            socket.create_connection(address) as client,
        ):
            started = time.monotonic()
            client.sendall(bytes(n_bytes))
            assert client.recv(1) == b"-"
            return time.monotonic() - started


def test_a_round_trip_takes_its_time() -> None:
    assert _seconds_through("1gbit,60ms", 1) >= 0.06


def test_many_bytes_take_as_long_as_the_rate_says() -> None:
    assert _seconds_through("40mbit,0ms", 1_000_000) >= 0.95 * 8 / 40


@pytest.mark.parametrize("text", ["100mbit", "0mbit,1ms", "100,40ms", "100mbit,40", "-1mbit,1ms"])
def test_what_is_no_link_is_refused(text: str) -> None:
    with pytest.raises(argparse.ArgumentTypeError, match="is not a link"):
        parse_link(text)


def test_a_link_is_read_in_bytes_and_seconds() -> None:
    link = parse_link("100mbit,40ms")
    assert (link.rate_bytes_s, link.round_trip_s) == (12.5e6, 0.04)
