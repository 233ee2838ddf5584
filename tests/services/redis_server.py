"""A Redis server of a test's own, and what can happen to one in use."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import redis

from tests.services.crash_study import wait_for

LIMIT_S = 60


@dataclass(frozen=True)
class OwnRedis:
    """A running server, with the login that may do everything."""

    process: subprocess.Popen[bytes]
    folder: Path
    url: str

    def admin(self) -> Any:
        """Return a client that may do everything."""
        return redis.Redis.from_url(self.url, socket_timeout=LIMIT_S, decode_responses=True)


@contextmanager
def own_redis(folder: Path, password: str = "", *, logs_writes: bool = False) -> Iterator[OwnRedis]:
    """Start a server, give it to the caller, end it.

    ``logs_writes``: it keeps a log of all writes in ``folder``.
    """
    beside = Path(sys.executable).with_name("redis-server")
    binary = str(beside) if beside.exists() else shutil.which("redis-server")
    if binary is None:
        pytest.skip("no Redis server on this machine")
    with socket.create_server(("127.0.0.1", 0)) as chosen:
        port = chosen.getsockname()[1]
    lines = ["bind 127.0.0.1", f"port {port}", f"dir {folder}", 'save ""']
    lines += [f"requirepass {password}"] if password else []
    lines += ["appendonly yes"] if logs_writes else []
    config = folder / "redis.conf"
    config.write_text("\n".join(lines) + "\n", encoding="utf-8")
    process = subprocess.Popen([binary, str(config)], stdout=subprocess.DEVNULL)
    login = f":{password}@" if password else ""
    server = OwnRedis(process, folder, f"redis://{login}127.0.0.1:{port}/0")
    try:
        wait_for("Redis answers", lambda: _answers(server), LIMIT_S)
        yield server
    finally:
        process.send_signal(signal.SIGCONT)
        process.terminate()
        process.wait()


def _answers(server: OwnRedis) -> bool:
    try:
        with server.admin() as client:
            return bool(client.ping())
    except redis.ConnectionError:
        return False


@contextmanager
def replica(server: OwnRedis) -> Iterator[None]:
    """Make it a read-only replica of a server that is not there, as in a fail-over."""
    with server.admin() as client:
        client.replicaof("127.0.0.1", "1")
        try:
            yield
        finally:
            client.replicaof("NO", "ONE")


@contextmanager
def full(server: OwnRedis) -> Iterator[None]:
    """Let it refuse whatever needs memory."""
    with server.admin() as client:
        client.config_set("maxmemory-policy", "noeviction")
        client.config_set("maxmemory", 1)
        try:
            yield
        finally:
            client.config_set("maxmemory", 0)


@contextmanager
def frozen(server: OwnRedis) -> Iterator[None]:
    """Let it hang: connections open, answers do not come."""
    os.kill(server.process.pid, signal.SIGSTOP)
    try:
        yield
    finally:
        os.kill(server.process.pid, signal.SIGCONT)


@contextmanager
def unable_to_save(server: OwnRedis) -> Iterator[None]:
    """Take its directory away and let it save: it takes no changes until a save succeeds."""
    gone = server.folder / "gone"
    gone.mkdir()
    with server.admin() as client:
        client.config_set("stop-writes-on-bgsave-error", "yes")
        client.config_set("save", "3600 1")
        client.config_set("dir", str(gone))
        gone.rmdir()
        _save(client, "err")
        try:
            yield
        finally:
            client.config_set("dir", str(server.folder))
            _save(client, "ok")
            client.config_set("save", "")


def _save(client: Any, outcome: str) -> None:
    client.bgsave()
    wait_for("a save", lambda: _saved(client) == outcome, LIMIT_S)


def _saved(client: Any) -> str:
    told = client.info("persistence")
    return "" if told["rdb_bgsave_in_progress"] else str(told["rdb_last_bgsave_status"])


Fault = Callable[[OwnRedis], AbstractContextManager[None]]
FAULTS: Mapping[str, Fault] = {
    "REDIS_READ_ONLY": replica,
    "REDIS_FULL": full,
    "REDIS_HANGS": frozen,
    "REDIS_CANNOT_SAVE": unable_to_save,
}
"""Each by the code under which `/health/` names it."""
