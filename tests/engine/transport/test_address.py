from __future__ import annotations

import socket

import pytest

from mpc_engine.errors import UsageError
from mpc_engine.transport.address import HostPort, read_address


@pytest.mark.parametrize(
    ("text", "host", "port", "family"),
    [
        ("127.0.0.1:7443", "127.0.0.1", 7443, socket.AF_INET),
        ("party.example.org:7443", "party.example.org", 7443, socket.AF_INET),
        ("[::1]:7443", "::1", 7443, socket.AF_INET6),
        ("[2001:db8::5]:65535", "2001:db8::5", 65535, socket.AF_INET6),
    ],
)
def test_an_address_is_read_and_written_alike(
    text: str, host: str, port: int, family: socket.AddressFamily
) -> None:
    found = read_address(text)
    assert found == HostPort(host, port)
    assert found.family == family
    assert str(found) == text


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("2001:db8::5", "in brackets"),
        ("::1:7443", "in brackets"),
        ("[2001:db8::5]", "host:port"),
        ("[127.0.0.1]:7443", "no IPv6"),
        ("[::1:7443", "in brackets"),
        ("[host]:7443", "no IPv6"),
        ("host]:7443", "host:port"),
        (":7443", "host:port"),
        ("host:", "host:port"),
        ("host:70000", "host:port"),
        ("host:７", "host:port"),
        ("host", "host:port"),
        ("", "host:port"),
    ],
)
def test_what_can_be_read_two_ways_is_refused(text: str, words: str) -> None:
    with pytest.raises(UsageError, match=words) as caught:
        read_address(text)
    assert caught.value.code == "ADDRESS_INVALID"
