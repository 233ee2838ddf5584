"""Open the line: TLS 1.3 only, both sides authenticated by pinned self-signed certificates.

No certificate authority is involved. Each party holds the other's certificate from its public
descriptor; a peer is accepted if, and only if, it proves possession of exactly that certificate's
key. After the handshake both sides send a hello that names the protocol version, which line of how
many this is, and the session (the job), so that a refused client learns it here, two different jobs
never share a line, and a job's lines are never taken for each other.
"""

from __future__ import annotations

import hmac
import socket
import ssl
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType

from mpc_engine.errors import (
    ChannelClosedError,
    OtherSessionError,
    PeerIdentityError,
    PeerTimeoutError,
    ProtocolViolationError,
    UsageError,
)
from mpc_engine.params import PROTOCOL_VERSION
from mpc_engine.transport.address import family_of
from mpc_engine.transport.channel import DEFAULT_TIMEOUT_S, StreamChannel
from mpc_engine.transport.meter import ChannelMeter
from mpc_engine.transport.tags import MessageTag
from mpc_engine.transport.tls_stream import TLSStream

Address = tuple[str, int]

_HANDSHAKE_LIMIT_S = 10.0
_NEXT_LINE_LIMIT_S = 30.0
_CONNECT_RETRY_S = 0.05
_HELLO_LIMIT_BYTES = 256
_LINE_BYTES = 2
_HELLO = b"blindjustice/v1/transport/line-hello " + PROTOCOL_VERSION.encode("ascii") + b" "
_NOT_THE_PEER = "The other end of the line did not prove that it is the other party."
_BROKE_OFF = "The other party closed the line in the handshake."


@dataclass(frozen=True)
class TLSIdentity:
    """Paths of a party's own certificate and private key, both PEM."""

    certificate_path: Path
    key_path: Path


@dataclass(frozen=True)
class LineNumber:
    """Which line of a session, from 0, and how many it has; at most 255."""

    number: int = 0
    n_lines: int = 1

    def encode(self) -> bytes:
        """Return the bytes of a hello that name the line."""
        return bytes((self.number, self.n_lines))


ONLY_LINE = LineNumber()


class TLSListener:
    """Accepts the one pinned peer on an address; port 0 lets the system choose."""

    def __init__(self, address: Address, identity: TLSIdentity, peer_certificate_pem: str) -> None:
        self._context = _context(identity, peer_certificate_pem, server_side=True)
        self._peer_certificate = ssl.PEM_cert_to_DER_cert(peer_certificate_pem)
        self._socket = socket.create_server(address, family=family_of(address[0]))

    def __enter__(self) -> TLSListener:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    @property
    def address(self) -> Address:
        """Return the host and port this listener is bound to."""
        host, port = self._socket.getsockname()[:2]
        return host, port

    def accept(
        self,
        *,
        timeout_s: float,
        session: bytes = b"",
        recv_timeout_s: float = DEFAULT_TIMEOUT_S,
        line: LineNumber = ONLY_LINE,
    ) -> StreamChannel:
        """Wait up to ``timeout_s`` for the pinned peer and return the channel to it.

        Whoever connects without proving to be the peer is dropped and the wait goes on, so that a
        stranger cannot end a job; so is, after a session's first line, the peer that comes for
        another session. Raises :class:`PeerTimeoutError` if nobody came, or whoever came
        broke off, :class:`PeerIdentityError` if strangers came, :class:`OtherSessionError` if the
        peer came for another ``session``, :class:`ProtocolViolationError` (``OTHER_LINE``) if it
        came for another ``line`` of this one.
        """
        deadline = time.monotonic() + timeout_s
        strangers = 0
        while True:
            raw = self._next_connection(deadline, strangers)
            try:
                raw.getpeername()  # fails where it was reset while it waited in the queue
                connection = self._context.wrap_socket(
                    raw, server_side=True, do_handshake_on_connect=False
                )
            except OSError:
                raw.close()
                continue
            try:
                return _open(
                    connection,
                    self._peer_certificate,
                    min(deadline, time.monotonic() + _HANDSHAKE_LIMIT_S),
                    line.encode() + session,
                    recv_timeout_s,
                )
            except OtherSessionError:
                if not line.number:
                    raise
            except PeerIdentityError:
                strangers += 1
            except (ChannelClosedError, PeerTimeoutError):
                continue

    def accept_lines(
        self,
        n_lines: int,
        *,
        timeout_s: float,
        session: bytes = b"",
        recv_timeout_s: float = DEFAULT_TIMEOUT_S,
    ) -> list[StreamChannel]:
        """Accept all lines of a session, in their order; see `accept`. All are open, or none.

        A peer that opened the first line is there: its others are waited for half a minute at most.
        """
        deadline = time.monotonic() + timeout_s

        def accept(line: LineNumber) -> StreamChannel:
            left_s = max(0.001, deadline - time.monotonic())
            return self.accept(
                timeout_s=min(left_s, _NEXT_LINE_LIMIT_S) if line.number else left_s,
                session=session,
                recv_timeout_s=recv_timeout_s,
                line=line,
            )

        return _all_lines(n_lines, accept)

    def close(self) -> None:
        """Stop listening; an accepted channel stays open."""
        self._socket.close()

    def _next_connection(self, deadline: float, strangers: int) -> socket.socket:
        self._socket.settimeout(max(0.001, deadline - time.monotonic()))
        try:
            return self._socket.accept()[0]
        except TimeoutError:
            if strangers:
                raise PeerIdentityError(_NOT_THE_PEER) from None
            raise PeerTimeoutError("The other party did not connect in time.") from None


def serve_lines(
    address: Address,
    identity: TLSIdentity,
    peer_certificate_pem: str,
    n_lines: int = 1,
    *,
    timeout_s: float,
    session: bytes = b"",
    recv_timeout_s: float = DEFAULT_TIMEOUT_S,
) -> list[StreamChannel]:
    """Listen, accept the lines of one session of the pinned peer, stop listening.

    See :meth:`TLSListener.accept_lines`.
    """
    with TLSListener(address, identity, peer_certificate_pem) as listener:
        return listener.accept_lines(
            n_lines, timeout_s=timeout_s, session=session, recv_timeout_s=recv_timeout_s
        )


def connect(
    address: Address,
    identity: TLSIdentity,
    peer_certificate_pem: str,
    *,
    timeout_s: float,
    session: bytes = b"",
    recv_timeout_s: float = DEFAULT_TIMEOUT_S,
    line: LineNumber = ONLY_LINE,
) -> StreamChannel:
    """Connect to the pinned peer, trying again until ``timeout_s`` while nobody listens.

    Also while a session's first line ends in the handshake: whoever listened for another session
    has stopped, and reset who waited behind. Raises :class:`PeerTimeoutError`,
    :class:`ChannelClosedError` (the line ended in the handshake at the last attempt too),
    :class:`PeerIdentityError` (either side refused the other's certificate),
    :class:`OtherSessionError` (the peer serves another ``session``) or
    :class:`ProtocolViolationError` (``OTHER_LINE``: it serves another ``line`` of this one).
    """
    deadline = time.monotonic() + timeout_s
    context = _context(identity, peer_certificate_pem, server_side=False)
    pinned = ssl.PEM_cert_to_DER_cert(peer_certificate_pem)
    while True:
        try:
            connection = context.wrap_socket(
                _connect_socket(address, deadline), do_handshake_on_connect=False
            )
            return _open(connection, pinned, deadline, line.encode() + session, recv_timeout_s)
        except ChannelClosedError:
            if line.number or time.monotonic() + _CONNECT_RETRY_S >= deadline:
                raise
            time.sleep(_CONNECT_RETRY_S)


def connect_lines(
    address: Address,
    identity: TLSIdentity,
    peer_certificate_pem: str,
    n_lines: int = 1,
    *,
    timeout_s: float,
    session: bytes = b"",
    recv_timeout_s: float = DEFAULT_TIMEOUT_S,
) -> list[StreamChannel]:
    """Connect all lines of a session, in their order; see `connect`. All are open, or none."""
    deadline = time.monotonic() + timeout_s
    return _all_lines(
        n_lines,
        lambda line: connect(
            address,
            identity,
            peer_certificate_pem,
            timeout_s=max(0.001, deadline - time.monotonic()),
            session=session,
            recv_timeout_s=recv_timeout_s,
            line=line,
        ),
    )


def _all_lines(
    n_lines: int, open_line: Callable[[LineNumber], StreamChannel]
) -> list[StreamChannel]:
    lines: list[StreamChannel] = []
    try:
        for number in range(n_lines):
            lines.append(open_line(LineNumber(number, n_lines)))
    except BaseException:
        for line in lines:
            line.close()
        raise
    return lines


def _context(
    identity: TLSIdentity, peer_certificate_pem: str, *, server_side: bool
) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER if server_side else ssl.PROTOCOL_TLS_CLIENT)
    context.minimum_version = ssl.TLSVersion.TLSv1_3
    context.check_hostname = False
    context.verify_mode = ssl.CERT_REQUIRED
    context.verify_flags |= ssl.VERIFY_X509_PARTIAL_CHAIN
    try:
        context.load_cert_chain(identity.certificate_path, identity.key_path)
        context.load_verify_locations(cadata=peer_certificate_pem)
    except (OSError, ValueError) as error:
        raise UsageError("A certificate or key for the line cannot be read.") from error
    if server_side:
        context.num_tickets = 0
    return context


def _connect_socket(address: Address, deadline: float) -> socket.socket:
    while True:
        remaining = deadline - time.monotonic()
        try:
            return socket.create_connection(address, timeout=max(0.001, remaining))
        except OSError as error:
            if time.monotonic() + _CONNECT_RETRY_S >= deadline:
                raise PeerTimeoutError("The other party could not be reached in time.") from error
            time.sleep(_CONNECT_RETRY_S)


def _open(
    connection: ssl.SSLSocket,
    pinned_certificate: bytes,
    deadline: float,
    line_and_session: bytes,
    recv_timeout_s: float,
) -> StreamChannel:
    """Shake hands, compare the certificate, exchange hellos; close the socket on any failure."""
    try:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
        connection.settimeout(max(0.001, deadline - time.monotonic()))
        _shake_hands(connection, pinned_certificate)
        channel = StreamChannel(TLSStream(connection), timeout_s=recv_timeout_s)
        _exchange_hellos(channel, line_and_session, deadline, server_side=connection.server_side)
    except BaseException:
        connection.close()
        raise
    channel.meter = ChannelMeter()
    return channel


def _shake_hands(connection: ssl.SSLSocket, pinned_certificate: bytes) -> None:
    try:
        connection.do_handshake()
    except TimeoutError as error:
        raise PeerTimeoutError("The other party did not finish the handshake in time.") from error
    except ssl.SSLError as error:
        if _broke_off(error):
            raise ChannelClosedError(_BROKE_OFF) from error
        raise PeerIdentityError(_NOT_THE_PEER) from error
    except OSError as error:
        raise ChannelClosedError(_BROKE_OFF) from error
    presented = connection.getpeercert(binary_form=True) or b""
    if not hmac.compare_digest(presented, pinned_certificate):
        raise PeerIdentityError(_NOT_THE_PEER)


def _broke_off(error: BaseException | None) -> bool:
    """Return whether the line just ended: nobody refused a certificate."""
    return isinstance(error, ssl.SSLEOFError | ssl.SSLZeroReturnError)


def _exchange_hellos(
    channel: StreamChannel, line_and_session: bytes, deadline: float, *, server_side: bool
) -> None:
    """Exchange and compare hellos, the server's first.

    In TLS 1.3 a client learns only after its handshake that the server refused its certificate. It
    sends nothing before the server's hello, so that the refusal is not lost in a reset.
    """
    hello = _HELLO + line_and_session
    timeout_s = max(0.001, deadline - time.monotonic())
    if server_side:
        channel.send(MessageTag.HELLO, hello)
    try:
        received = channel.recv(MessageTag.HELLO, limit=_HELLO_LIMIT_BYTES, timeout_s=timeout_s)
    except ChannelClosedError as error:
        if isinstance(error.__cause__, ssl.SSLError) and not _broke_off(error.__cause__):
            raise PeerIdentityError(_NOT_THE_PEER) from error
        raise
    if not server_side:
        channel.send(MessageTag.HELLO, hello)
    if not hmac.compare_digest(received, hello):
        if not received.startswith(_HELLO):
            raise ProtocolViolationError("The other party's hello is of another version.")
        session = received[len(_HELLO) + _LINE_BYTES :]
        if session == hello[len(_HELLO) + _LINE_BYTES :]:
            raise ProtocolViolationError(
                "The other party opened another line of the same job.", code="OTHER_LINE"
            )
        raise OtherSessionError("The other party opened the line for something else.", session)
