"""What the leak search watches while an installation runs: its broker, processes and files."""

from __future__ import annotations

import re
import secrets
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import redis

from tests.leak_search import Leak, Search, files_below, unescaped

TICK_S = 0.1
START_LIMIT_S = 60
_WORD = re.compile(rb'"((?:[^"\\]|\\.)*)"')


class Traffic:
    """Everything that anybody says to a Redis server, as MONITOR tells an administrator."""

    def __init__(self, url: str) -> None:
        self._client = redis.Redis.from_url(url, socket_timeout=None)
        self._connection = self._client.connection_pool.get_connection()
        self._connection.send_command("MONITOR")
        assert self._connection.read_response() in (b"OK", "OK")
        self._lines: list[bytes] = []
        self._end = secrets.token_hex(16).encode()
        self._changed = threading.Condition()
        self._thread = threading.Thread(target=self._listen, name="traffic", daemon=True)
        self._thread.start()

    def _listen(self) -> None:
        while not self._lines or self._end not in self._lines[-1]:
            line = self._connection.read_response()
            with self._changed:
                self._lines.append(line if isinstance(line, bytes) else str(line).encode())
                self._changed.notify_all()

    def lines(self) -> list[bytes]:
        """Return every command until now."""
        return self._lines_until(secrets.token_hex(16).encode())

    def _lines_until(self, mark: bytes) -> list[bytes]:
        with self._changed:
            before = len(self._lines)
        self._client.echo(mark)
        with self._changed:
            come = self._changed.wait_for(
                lambda: any(mark in line for line in self._lines[before:]), timeout=START_LIMIT_S
            )
            assert come, "MONITOR fell silent"
            return list(self._lines)

    def close(self) -> None:
        """Stop listening."""
        self._lines_until(self._end)
        self._thread.join()
        self._connection.disconnect()
        self._client.close()


def written_by(url: str, folder: Path) -> bytes:
    """Return the log of writes in a server's folder, once what was said until now is in it."""
    mark = secrets.token_hex(16).encode()
    with redis.Redis.from_url(url) as client:
        client.set(mark, b"")
        client.delete(mark)
    limit = time.monotonic() + START_LIMIT_S
    while mark not in (log := (folder / "appendonly.aof").read_bytes()):
        assert time.monotonic() < limit, "Redis does not write its log"
        time.sleep(TICK_S)
    return log


def left_in(url: str) -> bytes:
    """Return the names and values of all keys of a Redis server."""
    read: dict[bytes, Callable[[Any, bytes], object]] = {
        b"string": lambda client, key: client.get(key),
        b"list": lambda client, key: client.lrange(key, 0, -1),
        b"hash": lambda client, key: list(client.hgetall(key).items()),
        b"zset": lambda client, key: client.zrange(key, 0, -1),
        b"set": lambda client, key: client.smembers(key),
    }
    with redis.Redis.from_url(url) as client:
        found: list[object] = []
        for key in client.scan_iter():
            kind = client.type(key)
            found += [key, read[kind](client, key)] if kind != b"none" else []
    return b"\0".join(_flat(found))


def arguments_of(line: bytes) -> list[bytes]:
    """Return a command of the traffic, word by word."""
    words = _WORD.findall(line.partition(b"] ")[2])
    return [unescaped(word) or word for word in words]


def _flat(value: object) -> Iterator[bytes]:
    if isinstance(value, (list, tuple, set)):
        for item in value:
            yield from _flat(item)
    elif isinstance(value, bytes):
        yield value


class Watch:
    """Command lines and environments of processes and all they start, and short-lived files."""

    def __init__(self, roots: set[int], folders: list[Path]) -> None:
        self._roots, self._folders = roots, folders
        self._files: set[tuple[Path, int, int]] = set()
        self.seen: dict[str, dict[bytes, str]] = {"cmdline": {}, "environ": {}, "file": {}}
        self.unreadable: set[str] = set()
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._watch, name="watch", daemon=True)
        self._thread.start()

    def _watch(self) -> None:
        while not self._ended.wait(TICK_S):
            self._look()

    def _look(self) -> None:
        for pid in family_of(self._roots):
            for kind in ("cmdline", "environ"):
                try:
                    content = Path(f"/proc/{pid}/{kind}").read_bytes()
                except PermissionError:
                    self.unreadable.add(kind)
                except OSError:
                    continue
                else:
                    self.seen[kind].setdefault(content, f"{kind} of process {pid}")
        for path in (path for folder in self._folders for path in files_below(folder)):
            with suppress(OSError):
                status = path.stat()
                version = (path, status.st_mtime_ns, status.st_size)
                if version not in self._files:
                    self._files.add(version)
                    self.seen["file"].setdefault(path.read_bytes(), str(path))

    def close(self) -> None:
        """Look a last time and stop."""
        self._ended.set()
        self._thread.join()
        self._look()

    def leaks(self, kind: str, search: Search) -> list[Leak]:
        """Return the secrets in what was seen of a kind."""
        return [
            leak
            for content, place in list(self.seen[kind].items())
            for leak in search.in_bytes(place, content)
        ]


def family_of(roots: set[int]) -> set[int]:
    """Return the processes below some, and these."""
    family: set[int] = set()
    waiting = list(roots)
    while waiting:
        pid = waiting.pop()
        if pid not in family:
            family.add(pid)
            with suppress(OSError):
                for children in Path(f"/proc/{pid}/task").glob("*/children"):
                    waiting += map(int, children.read_bytes().split())
    return family
