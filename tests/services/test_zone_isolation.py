"""Started as root, no zone can reach what belongs to another."""

from __future__ import annotations

import itertools
import subprocess
from pathlib import Path

import pytest
import redis

from tests.running_stack import RunningStack

ZONES = ("web", "modeler", "regulator")
FOLDERS = (*ZONES, "redis", "operator", "logs/web", "logs/modeler", "logs/regulator")
LIST = "import os, sys; os.listdir(sys.argv[1])"
OTHERS = [(zone, folder) for zone in ZONES for folder in FOLDERS if folder != zone]


@pytest.fixture(scope="module")
def isolated(stack: RunningStack) -> RunningStack:
    if not stack.isolated:
        pytest.skip("zones not isolated on this machine")
    return stack


def environment_of(pid: int) -> dict[str, str]:
    """Return the variables that a process was started with."""
    raw = Path(f"/proc/{pid}/environ").read_bytes().decode()
    return dict(variable.split("=", 1) for variable in raw.split("\0") if variable)


def login_of(stack: RunningStack, zone: str) -> redis.Redis:
    """Return a client with a zone's own login, as its file or its process has it."""
    if zone != "web":
        url = (stack.state / zone / "broker-url").read_text(encoding="utf-8").strip()
        return redis.Redis.from_url(url)
    site = next(pid for pid, command in stack.processes().items() if "uvicorn" in command)
    return redis.Redis.from_url(environment_of(site)["REDIS_URL"])


@pytest.mark.parametrize(("zone", "folder"), OTHERS)
def test_zone_gets_permission_error_on_the_files_of_another(
    isolated: RunningStack, zone: str, folder: str
) -> None:
    user = isolated.user_of(zone)
    answer = subprocess.run(
        [isolated.description["python"], "-c", LIST, isolated.state / folder],
        user=user,
        group=user,
        extra_groups=[],
        cwd="/",
        capture_output=True,
        text=True,
        check=False,
    )
    assert answer.returncode != 0
    assert "PermissionError" in answer.stderr


@pytest.mark.parametrize("zone", ZONES)
def test_zone_opens_its_own_files(isolated: RunningStack, zone: str) -> None:
    user = isolated.user_of(zone)
    subprocess.run(
        [isolated.description["python"], "-c", LIST, isolated.state / zone],
        user=user,
        group=user,
        extra_groups=[],
        cwd="/",
        check=True,
    )


def test_each_zone_runs_as_its_own_user(isolated: RunningStack) -> None:
    expected = {
        "redis-server": "redis",
        "uvicorn": "web",
        "celery": "web",
    }
    seen = set()
    for pid, command in isolated.processes().items():
        owner = subprocess.run(
            ["ps", "-o", "user:32=", "-p", str(pid)], capture_output=True, text=True, check=False
        ).stdout.strip()
        if not owner:
            continue
        line = " ".join(command)
        zone = next((zone for word, zone in expected.items() if word in line), "")
        if "mpc_engine.party" in line:
            zone = "modeler" if "/modeler/" in line else "regulator"
        if zone:
            assert owner == isolated.user_of(zone), line
            seen.add(zone)
    assert seen == {"redis", *ZONES}


@pytest.mark.parametrize(("own", "other"), list(itertools.permutations(("modeler", "regulator"))))
@pytest.mark.parametrize(
    "command",
    ["LPUSH {key} x", "BRPOP {key} 1", "LLEN {key}", "LRANGE {key} 0 -1", "GET {key}", "DEL {key}"],
)
def test_redis_refuses_a_party_the_queues_of_the_other(
    stack: RunningStack, own: str, other: str, command: str
) -> None:
    with login_of(stack, own) as client:
        for key in (
            f"bj.{other}",
            f"bj.web.{other}",
            f"bj.web.{other}.receipts",
            f"bj.{other}.intake",
            f"bj.{other}.unacked",
            "bj.web",
            "bj.channels:x",
        ):
            with pytest.raises(redis.exceptions.NoPermissionError):
                client.execute_command(*command.format(key=key).split())


@pytest.mark.parametrize(
    "command",
    [
        "KEYS *",
        "SCAN 0",
        "CONFIG GET *",
        "ACL LIST",
        "MONITOR",
        "SUBSCRIBE bj.channels",
        "PUBLISH bj.channels x",
        "FLUSHALL",
        "CLIENT LIST",
        "DEBUG SLEEP 0",
        "SAVE",
    ],
)
@pytest.mark.parametrize("zone", ["modeler", "regulator"])
def test_redis_refuses_a_party_to_look_around(stack: RunningStack, zone: str, command: str) -> None:
    with login_of(stack, zone) as client, pytest.raises(redis.exceptions.NoPermissionError):
        client.execute_command(*command.split())


@pytest.mark.parametrize("command", ["CONFIG GET *", "ACL LIST", "MONITOR", "FLUSHALL", "KEYS *"])
def test_redis_refuses_the_site_to_administer(stack: RunningStack, command: str) -> None:
    with login_of(stack, "web") as client, pytest.raises(redis.exceptions.NoPermissionError):
        client.execute_command(*command.split())


def test_redis_refuses_whoever_has_no_login(stack: RunningStack) -> None:
    with login_of(stack, "modeler") as client:
        place = client.connection_pool.connection_kwargs
    stranger = redis.Redis(host=place["host"], port=place["port"])
    with stranger, pytest.raises(redis.exceptions.AuthenticationError):
        stranger.ping()


def test_parties_know_neither_the_site_nor_each_other(stack: RunningStack) -> None:
    for pid, command in stack.processes().items():
        if "mpc_engine.party" not in " ".join(command):
            continue
        names = set(environment_of(pid))
        assert not {"DATABASE_URL", "REDIS_URL", "DJANGO_SETTINGS_MODULE"} & names
        assert not [name for name in names if name.startswith("BLINDJUSTICE_")]
