"""Bytes over one established TLS socket, without threads and without deadlock.

Two parties may send large payloads at the same moment. While this side cannot write because the
peer is not reading, it reads what the peer writes and keeps it for later receives, so each side
always makes the other's progress possible. A sender thread would do too, but costs a thread switch
in every small message of the online phase.
"""

from __future__ import annotations

import select
import socket
import ssl
import time
from collections import deque
from contextlib import suppress

from mpc_engine.errors import ChannelClosedError, PeerTimeoutError

_RECORD_BYTES = 1 << 14
_WRITE_BYTES = 1 << 20
_READ_AHEAD_BYTES = 1 << 18
READ_AHEAD_LIMIT_BYTES = 1 << 30
"""What a party keeps for later while it writes; beyond it, it waits for the peer to read."""

_BROKEN = "The line to the other party broke."


class TLSStream:
    """A :class:`~mpc_engine.transport.channel.ByteStream` over a handshaken TLS socket."""

    def __init__(
        self, connection: ssl.SSLSocket, read_ahead_limit_bytes: int = READ_AHEAD_LIMIT_BYTES
    ) -> None:
        connection.setblocking(False)
        self._connection = connection
        self._read_ahead: deque[memoryview] = deque()
        self._read_ahead_bytes = 0
        self._read_ahead_limit_bytes = read_ahead_limit_bytes
        self._peer_closed = False

    def write(self, parts: tuple[memoryview, ...], deadline: float) -> None:
        """Write all parts, reading ahead whenever the peer does not take them."""
        for piece in _pieces(parts):
            self._write_piece(piece, deadline)

    def read_into(self, target: memoryview, deadline: float) -> int:
        """Fill ``target`` with what was read ahead, else from the socket; 0 = peer closed.

        From the socket it takes all that is there: a TLS record holds 16 KiB only.
        """
        if self._read_ahead:
            return self._take_read_ahead(target)
        read, filled = self._connection.read, 0
        while not self._peer_closed:
            try:
                while filled < len(target):
                    count = read(len(target) - filled, target[filled:])  # type: ignore[arg-type]
                    if not count:
                        return filled
                    filled += count  # type: ignore[assignment,operator]
                return filled
            except ssl.SSLWantReadError:
                if filled:
                    return filled
                self._wait(select.POLLIN, deadline)
            except ssl.SSLWantWriteError:
                self._wait(select.POLLOUT, deadline)
            except OSError as error:
                raise ChannelClosedError(_BROKEN) from error
        return 0

    def close(self) -> None:
        """Say goodbye as far as the socket takes it at once, and close."""
        with suppress(OSError, ValueError):
            self._connection.unwrap()
        self._connection.close()

    def abort(self) -> None:
        """End both directions of the socket: the thread that waits for it wakes and finds it ended.

        Not by ``SSLSocket.shutdown``, which would touch the state that the other thread uses.
        """
        with suppress(OSError):
            socket.socket.shutdown(self._connection, socket.SHUT_RDWR)

    def leave(self) -> None:
        """Close this process's descriptor and nothing else: no goodbye, the TLS state moves on."""
        self._connection.close()

    def _write_piece(self, piece: memoryview, deadline: float) -> None:
        """Write one piece; OpenSSL wants an interrupted write repeated with the same bytes."""
        while piece:
            try:
                piece = piece[self._connection.send(piece) :]
            except ssl.SSLWantReadError:
                self._wait(select.POLLIN, deadline)
            except ssl.SSLWantWriteError:
                self._wait_until_writable(deadline)
            except OSError as error:
                raise ChannelClosedError(_BROKEN) from error

    def _wait_until_writable(self, deadline: float) -> None:
        listening = not self._peer_closed and self._read_ahead_bytes < self._read_ahead_limit_bytes
        events = self._wait(select.POLLOUT | (select.POLLIN if listening else 0), deadline)
        if listening and events & select.POLLIN:
            self._read_what_is_there()

    def _read_what_is_there(self) -> None:
        try:
            data = self._connection.recv(_READ_AHEAD_BYTES)
        except (ssl.SSLWantReadError, ssl.SSLWantWriteError):
            return
        except OSError as error:
            raise ChannelClosedError(_BROKEN) from error
        if data:
            self._read_ahead.append(memoryview(data))
            self._read_ahead_bytes += len(data)
        else:
            self._peer_closed = True

    def _take_read_ahead(self, target: memoryview) -> int:
        first = self._read_ahead.popleft()
        count = min(len(target), len(first))
        target[:count] = first[:count]
        if count < len(first):
            self._read_ahead.appendleft(first[count:])
        self._read_ahead_bytes -= count
        return count

    def _wait(self, events: int, deadline: float) -> int:
        """Wait for events on the socket and return them; PeerTimeoutError at the deadline."""
        poller = select.poll()
        poller.register(self._connection, events)
        ready = poller.poll(max(0.0, (deadline - time.monotonic()) * 1000))
        if not ready:
            raise PeerTimeoutError("The other party did not answer in time.")
        return ready[0][1]


def _pieces(parts: tuple[memoryview, ...]) -> list[memoryview]:
    """Cut parts for writing: a short head joined into one TLS record, then long slices."""
    head = bytearray()
    pieces: list[memoryview] = []
    for part in parts:
        room = _RECORD_BYTES - len(head) if not pieces else 0
        head += part[:room]
        pieces += [
            part[start : start + _WRITE_BYTES] for start in range(room, len(part), _WRITE_BYTES)
        ]
    return [memoryview(head), *pieces]
