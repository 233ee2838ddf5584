"""No secret of a person or a party lies anywhere in a running installation, in any form.

One small study is played from draft to answered challenges by the Python client, with randomness
that the test records; so it knows every share, key and code. Meanwhile it watches the broker's
traffic, all command lines and environments, and the zones' temporary files. Then it searches
whatever was seen and all files that are there. The same searches must find each secret once it is
planted in each kind of place.
"""

from __future__ import annotations

import base64
import json
import os
import secrets
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path
from pwd import getpwnam
from typing import Any

import pytest
import redis

from mpc_engine.control.post.messages import MESSAGE_TASK
from mpc_engine.control.post.orders import ORDER_TASK, read_order
from mpc_engine.control.post.queues import Zone, consumed_queues, produced_queues
from mpc_engine.roles import Role
from tests.leak_search import Leak, Search, files_below
from tests.running_stack import RunningStack, running_stack
from tests.services.leak_study import RECORDED_CASE, Play
from tests.services.leak_watch import (
    Traffic,
    Watch,
    arguments_of,
    left_in,
    written_by,
)
from tests.services.redis_server import own_redis

ORDERS = {
    *("make_study_key", "accept_configuration", "invitations", "submission"),
    *("model", "deploy_model", "challenge", "run_job"),
}
"""Every kind of order that the study needs."""
AT_ANY_TIME = {"check_line", "list_revocations"}
"""Orders that come by the clock, or when a party starts."""
FOLDERS = ("web", "modeler", "regulator", "operator", "public", "logs")
TEMPORARY = {Path(tempfile.gettempdir()), Path("/tmp"), Path("/var/tmp"), Path("/dev/shm")}
TEST_RUNS = ("pytest-of-", "blindjustice-", "leak-search-")
"""What test runs make in temporary directories; the installation's own folder is searched whole."""


@dataclass
class Seen:
    """A played study: where it ran, what to search for, and everything that was watched."""

    stack: RunningStack
    play: Play
    search: Search
    traffic: list[bytes]
    left: bytes
    watch: Watch
    url: str
    written: bytes
    broker: Path
    new_temporary: list[Path]
    started: float


@pytest.fixture(scope="module")
def seen(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Seen]:
    """Play the study on an installation whose broker the test administers."""
    folder = tmp_path_factory.mktemp("broker")
    before, started = set(entries_of_temporary()), time.time()
    with (
        own_redis(folder, secrets.token_urlsafe(24), logs_writes=True) as server,
        closing(Traffic(server.url)) as traffic,
        running_stack({"REDIS_URL": server.url}) as stack,
    ):
        zones = [stack.state / zone / "tmp" for zone in ("web", "modeler", "regulator")]
        play = Play(stack)
        with closing(Watch({stack.supervisor.pid, os.getpid()}, zones)) as watch:
            play.play()
        new = [path for path in entries_of_temporary() if path not in before]
        new = [path for path in new if installed_by(stack, path)]
        yield Seen(
            stack=stack,
            play=play,
            search=Search(play.secrets),
            traffic=traffic.lines(),
            left=left_in(server.url),
            watch=watch,
            url=server.url,
            written=written_by(server.url, folder),
            broker=folder,
            new_temporary=new,
            started=started,
        )


def entries_of_temporary() -> list[Path]:
    """Return what lies in the machine's temporary directories."""
    return [path for folder in TEMPORARY if folder.is_dir() for path in folder.iterdir()]


def installed_by(stack: RunningStack, path: Path) -> bool:
    """Return whether the installation, rather than another test run, may have made a path."""
    owners = {
        os.geteuid(),
        *(getpwnam(user).pw_uid for user in stack.description["users"].values()),
    }
    with suppress(FileNotFoundError):
        return path.lstat().st_uid in owners and not path.name.startswith(TEST_RUNS)
    return False


def in_temporary(seen: Seen, path: Path) -> list[Leak]:
    """Search what is new in a temporary directory: a file, or a folder of files."""
    leaks = []
    for file in files_below(path):
        with suppress(FileNotFoundError):
            if file.stat().st_mtime >= seen.started:
                leaks += seen.search.in_bytes(str(file), file.read_bytes())
    return leaks


def in_folder(seen: Seen, folder: str) -> list[Leak]:
    """Search a folder of the installation, but for the files that are meant to hold keys."""
    return seen.search.in_files(seen.stack.state / folder, skip=seen.play.own_files)


@pytest.mark.parametrize("folder", FOLDERS)
def test_files_hold_no_secret(seen: Seen, folder: str) -> None:
    assert list(files_below(seen.stack.state / folder))
    leaks = in_folder(seen, folder)
    assert not leaks, leaks[:20]


def test_what_the_broker_keeps_holds_no_secret(seen: Seen) -> None:
    leaks = seen.search.in_bytes("keys left in Redis", seen.left)
    leaks += seen.search.in_bytes("the log of Redis", seen.written)
    assert not leaks, leaks[:20]


def test_what_the_broker_carries_holds_no_secret(seen: Seen) -> None:
    leaks = seen.search.in_bytes("Redis traffic", b"\n".join(seen.traffic))
    assert not leaks, leaks[:20]


def tasks_in(traffic: list[bytes], queue: str) -> list[tuple[str, dict[str, Any]]]:
    """Return name and keyword arguments of every task that went into a queue."""
    pushed = [
        json.loads(arguments[2])
        for arguments in map(arguments_of, traffic)
        if arguments[:2] == [b"LPUSH", queue.encode()]
    ]
    tasks = []
    for message in pushed:
        positional, keywords, _ = json.loads(base64.b64decode(message["body"]))
        assert positional == []
        tasks.append((message["headers"]["task"], keywords))
    return tasks


def _tasks(traffic: list[bytes], queues: tuple[str, ...]) -> list[tuple[str, dict[str, Any]]]:
    return [task for queue in queues for task in tasks_in(traffic, queue)]


def test_task_arguments_are_known_orders_and_signed_messages_without_a_secret(seen: Seen) -> None:
    kinds = set()
    for role in Role:
        for name, keywords in _tasks(seen.traffic, consumed_queues(Zone(role.value))):
            assert (name, set(keywords)) == (ORDER_TASK, {"kind", "payload"})
            read_order(keywords["kind"], keywords["payload"])
            kinds.add(keywords["kind"])
            assert not seen.search.in_bytes(keywords["kind"], json.dumps(keywords).encode())
        messages = _tasks(seen.traffic, produced_queues(Zone(role.value)))
        assert messages
        for name, keywords in messages:
            assert (name, set(keywords)) == (MESSAGE_TASK, {"body", "signature"})
            assert not seen.search.in_bytes("message", json.dumps(keywords).encode())
    assert kinds - AT_ANY_TIME == ORDERS


@pytest.mark.parametrize("kind", ["cmdline", "environ"])
def test_processes_are_started_with_no_secret(seen: Seen, kind: str) -> None:
    if kind in seen.watch.unreadable:
        pytest.skip("this user may not read the environments of the zones' processes")
    commands = b"\n".join(seen.watch.seen["cmdline"])
    for program in (b"uvicorn", b"celery", b"mpc_engine.party\0--config", b"\0decide\0"):
        assert program in commands
    leaks = seen.watch.leaks(kind, seen.search)
    assert not leaks, leaks[:20]


def test_temporary_files_hold_no_secret(seen: Seen) -> None:
    leaks = seen.watch.leaks("file", seen.search)
    for path in seen.new_temporary:
        leaks += in_temporary(seen, path)
    allowed = f"{seen.stack.state}/modeler/tmp/demo-"
    leaks = [
        leak
        for leak in leaks
        if not (leak.canary.startswith(RECORDED_CASE) and leak.place.startswith(allowed))
    ]
    assert not leaks, leaks[:20]


def test_what_the_supervisor_prints_holds_no_secret(seen: Seen) -> None:
    assert not seen.search.in_files(seen.stack.printed)


# The same searches find every form of every secret where it is planted.


def planted_in(leaks: list[Leak], place: str) -> set[tuple[str, str]]:
    """Return canaries and forms found at a place."""
    return {(leak.canary, leak.form) for leak in leaks if place in leak.place}


def forms(seen: Seen, *, printable: bool = False) -> dict[bytes, tuple[str, str]]:
    """Return what to plant; only what a command line can hold where ``printable``."""
    return {
        pattern: what
        for pattern, what in seen.search.patterns.items()
        if not printable or (pattern.isascii() and b"\0" not in pattern)
    }


def test_each_secret_is_found_in_a_row_of_the_sites_folder(seen: Seen) -> None:
    path = seen.stack.state / "web" / "planted.sqlite3"
    try:
        with closing(sqlite3.connect(path)) as rows:
            rows.execute("PRAGMA journal_mode = WAL")
            rows.execute("CREATE TABLE planted (value BLOB)")
            with rows:
                rows.executemany("INSERT INTO planted VALUES (?)", [(p,) for p in forms(seen)])
            leaks = in_folder(seen, "web")
    finally:
        for left in path.parent.glob("planted.sqlite3*"):
            left.unlink()
    expected = set(forms(seen).values())
    assert planted_in(leaks, f"rows of {path}") == expected
    assert {name for name, _ in planted_in(leaks, f"{path}-wal")} == {n for n, _ in expected}


@pytest.mark.parametrize("folder", FOLDERS)
def test_each_secret_is_found_in_a_file_of_each_folder(seen: Seen, folder: str) -> None:
    path = seen.stack.state / folder / "planted.log"
    try:
        path.write_bytes(b"\n".join(b"INFO it is " + p + b" today" for p in forms(seen)))
        leaks = in_folder(seen, folder)
    finally:
        path.unlink(missing_ok=True)
    assert planted_in(leaks, str(path)) == set(forms(seen).values())


def test_each_secret_is_found_in_a_message_and_in_what_the_broker_keeps(seen: Seen) -> None:
    body = base64.b64encode(json.dumps([[], {"share": "; ".join(texts(seen))}, {}]).encode())
    task = json.dumps({"body": body.decode(), "headers": {"task": ORDER_TASK}})
    with closing(Traffic(seen.url)) as traffic, redis.Redis.from_url(seen.url) as client:
        client.rpush("planted", *forms(seen))
        client.lpush("planted task", task)
        left = left_in(seen.url)
        client.delete("planted", "planted task")
        lines = traffic.lines()
    told = next(arguments_of(line) for line in lines if b'"planted task"' in line)
    assert told == [b"LPUSH", b"planted task", task.encode()]
    written = written_by(seen.url, seen.broker)
    for place, data in (("traffic", b"\n".join(lines)), ("keys", left), ("log", written)):
        found = seen.search.in_bytes(place, data)
        assert planted_in(found, place) == set(forms(seen).values())
        wrapped = {leak.canary for leak in found if "base64" in leak.place.partition(",")[2]}
        assert wrapped >= {name for name, _ in forms(seen, printable=True).values()}


def texts(seen: Seen) -> list[str]:
    """Return the printable forms as text."""
    return [pattern.decode() for pattern in forms(seen, printable=True)]


def test_each_secret_is_found_in_an_argument_and_an_environment(seen: Seen) -> None:
    written = texts(seen)
    pieces = [" ".join(written[start : start + 500]) for start in range(0, len(written), 500)]
    with closing(Watch({os.getpid()}, [])) as watch:
        child = subprocess.Popen(
            [sys.executable, "-c", "import sys; sys.stdin.read()", *pieces],
            env={f"PLANTED_{number}": piece for number, piece in enumerate(pieces)},
            stdin=subprocess.PIPE,
        )
        limit = time.monotonic() + 60
        while time.monotonic() < limit and not any(
            b"PLANTED_0" in content for content in list(watch.seen["environ"])
        ):
            time.sleep(0.05)
        child.communicate()
    for kind in ("cmdline", "environ"):
        found = planted_in(watch.leaks(kind, seen.search), str(child.pid))
        assert found >= set(forms(seen, printable=True).values())


def test_each_secret_is_found_in_a_temporary_file_even_if_it_goes(seen: Seen) -> None:
    folder = seen.stack.state / "modeler" / "tmp"
    with (
        closing(Watch({os.getpid()}, [folder])) as watch,
        tempfile.NamedTemporaryFile(dir=folder, prefix="planted-") as brief,
    ):
        brief.write(b" ".join(forms(seen)))
        brief.flush()
        time.sleep(1)
    assert planted_in(watch.leaks("file", seen.search), brief.name) == set(forms(seen).values())
    with tempfile.NamedTemporaryFile(prefix="planted-") as lasting:
        lasting.write(b" ".join(forms(seen)))
        lasting.flush()
        (new,) = [path for path in entries_of_temporary() if path.name == Path(lasting.name).name]
        assert installed_by(seen.stack, new)
        found = in_temporary(seen, new)
    assert planted_in(found, lasting.name) == set(forms(seen).values())
