"""Opening the line: who gets in, and what is said to whom."""

from __future__ import annotations

import contextlib
import socket
import ssl
import struct
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from mpc_engine.errors import (
    ChannelClosedError,
    EngineError,
    OtherSessionError,
    PeerIdentityError,
    PeerTimeoutError,
    UsageError,
)
from mpc_engine.testing.tls import LOOPBACK, has_ipv6, write_identity
from mpc_engine.transport.channel import StreamChannel
from mpc_engine.transport.tls import TLSIdentity, TLSListener, connect, serve_lines

TAG = 0xF001
IPV6 = has_ipv6()
Outcome = StreamChannel | EngineError
Party = tuple[TLSIdentity, str]


def outcome_of(opening: Callable[[], StreamChannel]) -> Outcome:
    try:
        return opening()
    except EngineError as error:
        return error


def open_both(
    server: Callable[[], StreamChannel], client: Callable[[], StreamChannel]
) -> tuple[Outcome, Outcome]:
    served: list[Outcome] = []
    thread = threading.Thread(target=lambda: served.append(outcome_of(server)))
    thread.start()
    connected = outcome_of(client)
    thread.join(10)
    for outcome in (served[0], connected):
        if isinstance(outcome, StreamChannel):
            outcome.close()
    return served[0], connected


def client_context(server_certificate_pem: str) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.load_verify_locations(cadata=server_certificate_pem)
    return context


def read_one_byte(context: ssl.SSLContext, plain: socket.socket) -> None:
    with context.wrap_socket(plain) as connection:
        connection.recv(1)


def assert_refused(context: ssl.SSLContext, server: Party, peer: Party) -> None:
    """Check that a client with a context of its own gets no byte of the hello."""
    served: list[Outcome] = []
    with TLSListener(LOOPBACK, server[0], peer[1]) as listener:
        thread = threading.Thread(
            target=lambda: served.append(outcome_of(lambda: listener.accept(timeout_s=0.5)))
        )
        thread.start()
        with (
            socket.create_connection(listener.address) as plain,
            pytest.raises((ssl.SSLError, ConnectionError)),
        ):
            read_one_byte(context, plain)
        thread.join(10)
    assert isinstance(served[0], PeerIdentityError)


@pytest.fixture
def regulator(tmp_path: Path) -> tuple[TLSIdentity, str]:
    return write_identity(tmp_path, "regulator")


@pytest.fixture
def modeler(tmp_path: Path) -> tuple[TLSIdentity, str]:
    return write_identity(tmp_path, "modeler")


@pytest.fixture
def stranger(tmp_path: Path) -> tuple[TLSIdentity, str]:
    return write_identity(tmp_path, "stranger")


def test_a_stranger_is_refused_on_both_sides(
    regulator: Party, modeler: Party, stranger: Party
) -> None:
    with TLSListener(LOOPBACK, regulator[0], modeler[1]) as listener:
        served, connected = open_both(
            lambda: listener.accept(timeout_s=0.5),
            lambda: connect(listener.address, stranger[0], regulator[1], timeout_s=5),
        )
    assert isinstance(served, PeerIdentityError)
    assert isinstance(connected, PeerIdentityError)


def test_a_server_with_another_certificate_is_refused(
    regulator: Party, modeler: Party, stranger: Party
) -> None:
    with TLSListener(LOOPBACK, stranger[0], modeler[1]) as listener:
        served, connected = open_both(
            lambda: listener.accept(timeout_s=0.5),
            lambda: connect(listener.address, modeler[0], regulator[1], timeout_s=5),
        )
    assert isinstance(served, PeerIdentityError)
    assert isinstance(connected, PeerIdentityError)


def test_a_stranger_does_not_end_the_wait_for_the_peer(
    regulator: Party, modeler: Party, stranger: Party
) -> None:
    with TLSListener(LOOPBACK, regulator[0], modeler[1]) as listener:

        def stranger_then_peer() -> StreamChannel:
            with pytest.raises(PeerIdentityError):
                connect(listener.address, stranger[0], regulator[1], timeout_s=5)
            socket.create_connection(listener.address).close()
            _reset(listener.address)
            return connect(listener.address, modeler[0], regulator[1], timeout_s=5)

        served, connected = open_both(lambda: listener.accept(timeout_s=5), stranger_then_peer)
    assert isinstance(served, StreamChannel)
    assert isinstance(connected, StreamChannel)


def _reset(address: tuple[str, int]) -> None:
    """Connect and break off at once, without a farewell."""
    stranger = socket.create_connection(address)
    stranger.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    stranger.close()


def test_a_connection_that_was_reset_in_the_queue_does_not_end_the_wait(
    regulator: Party, modeler: Party
) -> None:
    with TLSListener(LOOPBACK, regulator[0], modeler[1]) as listener:
        for _ in range(3):
            _reset(listener.address)
        served, connected = open_both(
            lambda: listener.accept(timeout_s=5),
            lambda: connect(listener.address, modeler[0], regulator[1], timeout_s=5),
        )
    assert isinstance(served, StreamChannel)
    assert isinstance(connected, StreamChannel)


def test_tls_1_2_is_refused(regulator: Party, modeler: Party) -> None:
    context = client_context(regulator[1])
    context.load_cert_chain(modeler[0].certificate_path, modeler[0].key_path)
    context.maximum_version = ssl.TLSVersion.TLSv1_2
    assert_refused(context, regulator, modeler)


def test_a_client_without_certificate_is_refused(regulator: Party, modeler: Party) -> None:
    assert_refused(client_context(regulator[1]), regulator, modeler)


def test_two_sessions_never_share_a_line(regulator: Party, modeler: Party) -> None:
    with TLSListener(LOOPBACK, regulator[0], modeler[1]) as listener:
        served, connected = open_both(
            lambda: listener.accept(timeout_s=5, session=b"job 1"),
            lambda: connect(
                listener.address, modeler[0], regulator[1], timeout_s=5, session=b"job 2"
            ),
        )
    assert isinstance(served, OtherSessionError)
    assert isinstance(connected, OtherSessionError)
    assert (served.peer_session, connected.peer_session) == (b"job 2", b"job 1")


def test_a_client_waits_for_a_server_that_starts_late(regulator: Party, modeler: Party) -> None:
    with socket.create_server(LOOPBACK) as probe:
        address = probe.getsockname()
    ready = threading.Event()

    def serve_later() -> StreamChannel:
        ready.wait(0.2)
        (line,) = serve_lines(address, regulator[0], modeler[1], timeout_s=5)
        return line

    served, connected = open_both(
        serve_later, lambda: connect(address, modeler[0], regulator[1], timeout_s=5)
    )
    assert isinstance(served, StreamChannel)
    assert isinstance(connected, StreamChannel)


def test_a_client_that_was_reset_behind_another_session_comes_again(
    regulator: Party, modeler: Party
) -> None:
    stopping = socket.create_server(LOOPBACK)
    address = stopping.getsockname()[:2]
    outcome: list[Outcome] = []
    client = threading.Thread(
        target=lambda: outcome.append(
            outcome_of(lambda: connect(address, modeler[0], regulator[1], timeout_s=10))
        )
    )
    client.start()
    for _ in range(2):
        waiting = stopping.accept()[0]
        waiting.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        waiting.close()
    stopping.close()
    (channel,) = serve_lines(address, regulator[0], modeler[1], timeout_s=10)
    client.join(10)
    (connected,) = outcome
    assert isinstance(connected, StreamChannel)
    channel.close()
    connected.close()


def test_a_line_that_ends_in_every_handshake_is_told_in_the_end(
    regulator: Party, modeler: Party
) -> None:
    with socket.create_server(LOOPBACK) as ending:

        def end_each() -> None:
            with contextlib.suppress(OSError):
                while True:
                    ending.accept()[0].close()

        threading.Thread(target=end_each, daemon=True).start()
        with pytest.raises(ChannelClosedError):
            connect(ending.getsockname()[:2], modeler[0], regulator[1], timeout_s=0.3)


def test_nobody_there_is_a_timeout_on_both_sides(regulator: Party, modeler: Party) -> None:
    with socket.create_server(LOOPBACK) as probe:
        address = probe.getsockname()
    with pytest.raises(PeerTimeoutError):
        connect(address, modeler[0], regulator[1], timeout_s=0.1)
    with pytest.raises(PeerTimeoutError):
        serve_lines(LOOPBACK, regulator[0], modeler[1], timeout_s=0.1)


def test_a_silent_server_is_a_timeout(regulator: Party, modeler: Party) -> None:
    with socket.create_server(LOOPBACK) as silent, pytest.raises(PeerTimeoutError):
        connect(silent.getsockname(), modeler[0], regulator[1], timeout_s=0.2)


def test_an_unreadable_key_is_a_usage_error(tmp_path: Path, modeler: Party) -> None:
    missing = TLSIdentity(tmp_path / "missing.crt", tmp_path / "missing.key")
    with pytest.raises(UsageError):
        TLSListener(LOOPBACK, missing, modeler[1])


def test_opening_costs_are_not_on_the_meter(regulator: Party, modeler: Party) -> None:
    with TLSListener(LOOPBACK, regulator[0], modeler[1]) as listener:
        served, connected = open_both(
            lambda: listener.accept(timeout_s=5),
            lambda: connect(listener.address, modeler[0], regulator[1], timeout_s=5),
        )
    assert isinstance(served, StreamChannel)
    assert isinstance(connected, StreamChannel)
    assert served.meter.bytes_sent == served.meter.bytes_received == connected.meter.rounds == 0


@pytest.mark.skipif(not IPV6, reason="no IPv6 on this machine")
def test_a_line_opens_between_ipv6_addresses(tmp_path: Path) -> None:
    server, client = write_identity(tmp_path, "server"), write_identity(tmp_path, "client")
    with TLSListener(("::1", 0), server[0], client[1]) as listener:
        assert listener.address[0] == "::1"
        outcomes = open_both(
            lambda: listener.accept(timeout_s=10),
            lambda: connect(listener.address, client[0], server[1], timeout_s=10),
        )
    assert all(isinstance(outcome, StreamChannel) for outcome in outcomes)
