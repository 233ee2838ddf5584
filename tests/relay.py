"""A relay for TCP lines: they can be slow, far, halted after so many bytes, or cut.

It stands between two parties that speak TLS, so it sees and keeps sizes only. Tests halt a protocol
with it at an exact stage without any hook in the product; benchmarks take its rate and delay.
"""

from __future__ import annotations

import contextlib
import queue
import socket
import struct
import threading
import time
from dataclasses import dataclass, field

Address = tuple[str, int]
CHUNK_BYTES = 1 << 14
_RETRY_S = 0.02
_LOOPBACK = "127.0.0.1"
_RESET = struct.pack("ii", 1, 0)


@dataclass(frozen=True)
class Burst:
    """Bytes that went one way without any going the other way in between."""

    upstream: bool
    size: int


@dataclass
class _Line:
    """One relayed connection: its two sockets."""

    client: socket.socket
    target: socket.socket

    def cut(self) -> None:
        """Reset both ends at once, as a machine that vanishes does."""
        for end in (self.client, self.target):
            with contextlib.suppress(OSError):
                end.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET)
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
            end.close()


@dataclass
class Relay:
    """Passes every connection to ``target`` on; without one yet, they are kept waiting.

    ``rate_bytes_s`` bounds each direction, all lines together; ``delay_s`` is the time one way. A
    writer that the system woke late makes up for it, so that the rate is met over many chunks.
    ``bursts`` tells what went through since `arm`.
    """

    target: Address | None
    port: int = 0
    rate_bytes_s: float = 0.0
    delay_s: float = 0.0
    bursts: list[Burst] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._halt_at: int | None = None
        self._passed = 0
        self._changed = threading.Condition()
        self._lines: list[_Line] = []
        self._halted = self._closed = False
        self._free_at = {True: 0.0, False: 0.0}
        self._server = socket.create_server((_LOOPBACK, self.port))
        self.port = self._server.getsockname()[1]
        threading.Thread(target=self._serve, name="relay", daemon=True).start()

    @property
    def n_bytes(self) -> int:
        """How many bytes went through, both ways together, since `arm`."""
        return self._passed

    def arm(self, halt_at: int | None = None) -> None:
        """Count from zero, and halt every line when ``halt_at`` bytes have gone through."""
        with self._changed:
            self._passed, self._halt_at, self._halted = 0, halt_at, False
            self.bursts.clear()
            self._changed.notify_all()

    def wait_until_halted(self, timeout_s: float) -> bool:
        """Return whether the line was halted within a time."""
        with self._changed:
            return self._changed.wait_for(lambda: self._halted, timeout_s)

    def release(self) -> None:
        """Let everything through again."""
        with self._changed:
            self._halt_at, self._halted = None, False
            self._changed.notify_all()

    def cut(self) -> None:
        """Break every line there is, and let new ones through."""
        with self._changed:
            lines, self._lines = self._lines, []
        for line in lines:
            line.cut()
        self.release()

    def close(self) -> None:
        """Break every line and take no more."""
        self._closed = True
        self._server.close()
        self.cut()

    def _serve(self) -> None:
        while not self._closed:
            try:
                client, _ = self._server.accept()
            except OSError:
                return
            threading.Thread(target=self._join, args=(client,), daemon=True).start()

    def _join(self, client: socket.socket) -> None:
        """Connect a client on; one who comes before the target listens is kept waiting."""
        while not self._closed and not _has_gone(client):
            try:
                target = self._reach_target()
            except OSError:
                time.sleep(_RETRY_S)
                continue
            line = _Line(client, target)
            for end in (client, target):
                end.settimeout(None)
                end.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            with self._changed:
                self._lines.append(line)
            self._pump(line, upstream=True)
            self._pump(line, upstream=False)
            return
        client.close()

    def _reach_target(self) -> socket.socket:
        if self.target is None:
            raise ConnectionRefusedError
        return socket.create_connection(self.target, timeout=5)

    def _pump(self, line: _Line, *, upstream: bool) -> None:
        """Start the two threads of one direction: one reads, one writes what is due."""
        source, sink = (line.client, line.target) if upstream else (line.target, line.client)
        due: queue.Queue[tuple[float, bytes]] = queue.Queue(maxsize=1024)

        def read() -> None:
            data = b"-"
            while data:
                try:
                    data = source.recv(CHUNK_BYTES)
                except OSError:
                    data = b""
                due.put((time.monotonic() + self.delay_s, data))

        def write() -> None:
            while True:
                at, data = due.get()
                time.sleep(max(0.0, self._due(at, len(data), upstream) - time.monotonic()))
                if not data:
                    break
                try:
                    self._pass(sink, data, upstream)
                except OSError:
                    break
            with contextlib.suppress(OSError):
                sink.shutdown(socket.SHUT_WR)

        for part in (read, write):
            threading.Thread(target=part, name="relay", daemon=True).start()

    def _due(self, at: float, size: int, upstream: bool) -> float:
        """Return when a chunk that arrives at ``at`` is through, behind those taken before it."""
        if not self.rate_bytes_s:
            return at
        with self._changed:
            free_at = max(at, self._free_at[upstream]) + size / self.rate_bytes_s
            self._free_at[upstream] = free_at
        return free_at

    def _pass(self, sink: socket.socket, data: bytes, upstream: bool) -> None:
        while data:
            with self._changed:
                self._changed.wait_for(lambda: not self._halted)
                room = len(data) if self._halt_at is None else self._halt_at - self._passed
                piece, data = data[:room], data[room:]
                self._passed += len(piece)
                self._count(upstream, len(piece))
                if self._halt_at is not None and self._passed >= self._halt_at:
                    self._halted = True
                    self._changed.notify_all()
            sink.sendall(piece)

    def _count(self, upstream: bool, size: int) -> None:
        if self.bursts and self.bursts[-1].upstream is upstream:
            size += self.bursts.pop().size
        self.bursts.append(Burst(upstream, size))


def _has_gone(client: socket.socket) -> bool:
    """Return whether a waiting client hung up; one that has not spoken yet is still there."""
    client.setblocking(False)
    try:
        return client.recv(1, socket.MSG_PEEK) == b""
    except BlockingIOError:
        return False
    except OSError:
        return True
    finally:
        client.setblocking(True)
