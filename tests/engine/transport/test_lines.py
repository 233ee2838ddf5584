"""A job's two lines open in their order and are never taken for each other or another job's."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from mpc_engine.errors import (
    EngineError,
    OtherSessionError,
    PeerIdentityError,
    PeerTimeoutError,
    ProtocolViolationError,
)
from mpc_engine.testing.tls import LOOPBACK, write_identity
from mpc_engine.transport.channel import StreamChannel
from mpc_engine.transport.tls import (
    LineNumber,
    TLSIdentity,
    TLSListener,
    connect,
    connect_lines,
)

TAG = 0xF001
JOB, OTHER_JOB = b"job 1", b"job 2"
FIRST, SECOND = LineNumber(0, 2), LineNumber(1, 2)
Party = tuple[TLSIdentity, str]
Client = Callable[[Any], Any]


@pytest.fixture
def parties(tmp_path: Path) -> tuple[Party, Party]:
    """Return the server and the client."""
    return write_identity(tmp_path, "regulator"), write_identity(tmp_path, "modeler")


def _met(
    parties: tuple[Party, Party], client: Client, *, n_lines: int = 2, wait_s: float = 5.0
) -> tuple[Any, Any]:
    """Serve lines of JOB to what ``client`` does at the address; return how both ended."""
    (server_identity, _), (_, client_pem) = parties
    ends: dict[str, Any] = {}

    def run(name: str, opening: Callable[[], Any]) -> None:
        try:
            ends[name] = opening()
        except EngineError as error:
            ends[name] = error

    with TLSListener(LOOPBACK, server_identity, client_pem) as listener:
        thread = threading.Thread(
            target=run,
            args=(
                "server",
                lambda: listener.accept_lines(n_lines, timeout_s=wait_s, session=JOB),
            ),
        )
        thread.start()
        run("client", lambda: client(listener.address))
        thread.join(20)
    return ends["server"], ends["client"]


def _line(
    parties: tuple[Party, Party], address: Any, line: LineNumber, session: bytes = JOB
) -> StreamChannel:
    (_, server_pem), (identity, _) = parties
    return connect(address, identity, server_pem, timeout_s=5, session=session, line=line)


def _lines(parties: tuple[Party, Party], address: Any, n_lines: int = 2) -> list[StreamChannel]:
    (_, server_pem), (identity, _) = parties
    return connect_lines(address, identity, server_pem, n_lines, timeout_s=5, session=JOB)


def _close(*lines: StreamChannel) -> None:
    for line in lines:
        line.close()


def _assert_refused(end: Any, code: str) -> None:
    assert isinstance(end, ProtocolViolationError)
    assert end.code == code


def test_both_lines_are_open_in_their_order(parties: tuple[Party, Party]) -> None:
    served, connected = _met(parties, lambda address: _lines(parties, address))
    for number, (near, far) in enumerate(zip(served, connected, strict=True)):
        near.send(TAG, bytes([number]))
        assert far.recv(TAG) == bytes([number])
    assert served[1].meter.bytes_received == connected[1].meter.bytes_sent == 0
    _close(*served, *connected)


def test_lines_that_come_in_another_order_are_refused(parties: tuple[Party, Party]) -> None:
    served, connected = _met(parties, lambda address: _line(parties, address, SECOND))
    _assert_refused(served, "OTHER_LINE")
    _assert_refused(connected, "OTHER_LINE")


def test_the_first_line_does_not_serve_as_the_second(parties: tuple[Party, Party]) -> None:
    """What a client said on the first line is no hello of the second one."""
    opened: list[StreamChannel] = []

    def twice(address: Any) -> StreamChannel:
        opened.append(_line(parties, address, FIRST))
        return _line(parties, address, FIRST)

    served, connected = _met(parties, twice)
    _assert_refused(served, "OTHER_LINE")
    _assert_refused(connected, "OTHER_LINE")
    with pytest.raises(EngineError):
        opened[0].recv(TAG)


@pytest.mark.parametrize(("there", "here"), [(1, 2), (2, 1)])
def test_both_parties_must_want_as_many_lines(
    parties: tuple[Party, Party], there: int, here: int
) -> None:
    served, connected = _met(parties, lambda address: _lines(parties, address, here), n_lines=there)
    _assert_refused(served, "OTHER_LINE")
    _assert_refused(connected, "OTHER_LINE")


def test_the_second_line_of_another_job_is_refused_and_the_right_one_still_comes(
    parties: tuple[Party, Party],
) -> None:
    def crossed(address: Any) -> list[StreamChannel]:
        first = _line(parties, address, FIRST)
        for line in (SECOND, FIRST, LineNumber()):
            with pytest.raises(OtherSessionError):
                _line(parties, address, line, OTHER_JOB)
        return [first, _line(parties, address, SECOND)]

    served, connected = _met(parties, crossed)
    served[1].send(TAG, b"second")
    assert connected[1].recv(TAG) == b"second"
    _close(*served, *connected)


def test_a_stranger_gets_no_second_line(parties: tuple[Party, Party], tmp_path: Path) -> None:
    stranger, _ = write_identity(tmp_path, "stranger")

    def with_stranger(address: Any) -> list[StreamChannel]:
        first = _line(parties, address, FIRST)
        with pytest.raises(PeerIdentityError):
            connect(address, stranger, parties[0][1], timeout_s=5, session=JOB, line=SECOND)
        socket.create_connection(address).close()
        return [first, _line(parties, address, SECOND)]

    served, connected = _met(parties, with_stranger)
    assert len(served) == len(connected) == 2
    _close(*served, *connected)


def test_a_second_line_that_never_comes_closes_the_first(parties: tuple[Party, Party]) -> None:
    served, first = _met(parties, lambda address: _line(parties, address, FIRST), wait_s=1.0)
    assert isinstance(served, PeerTimeoutError)
    with pytest.raises(EngineError):
        first.recv(TAG, timeout_s=10)
