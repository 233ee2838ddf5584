"""The broker: the embedded Redis server, or the one REDIS_URL names, with one user per zone."""

from __future__ import annotations

import secrets
import shutil
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

import redis

from docker.local import ports
from docker.local.acl import acl_file, rules_for, user_name
from docker.local.placement import Code
from docker.local.processes import Process, StackError, zone_environment
from docker.local.zones import PARTIES, Zone

CONNECTING_ZONES = ("web", *PARTIES)
REDIS_CONFIG = """\
bind 127.0.0.1
port {port}
protected-mode yes
daemonize no
dir {folder}
aclfile {folder}/users.acl
appendonly yes
appendfsync always
save ""
"""


def fresh_passwords() -> dict[str, str]:
    """Return a random password for each zone that connects to the broker."""
    return {zone: secrets.token_urlsafe(32) for zone in CONNECTING_ZONES}


def url_for(zone: str, password: str, server: str) -> str:
    """Return the URL by which a zone logs in to a server (``redis[s]://…host:port/db``)."""
    parts = urlsplit(server)
    netloc = f"{user_name(zone)}:{password}@{parts.netloc.rpartition('@')[2]}"
    return urlunsplit(parts._replace(netloc=netloc))


def embedded(
    code: Code, zone: Zone, port: int, passwords: Mapping[str, str]
) -> tuple[Process, str]:
    """Return the embedded server as a process to start, and its URL without a login."""
    zone.write("users.acl", acl_file(passwords))
    config = zone.write("redis.conf", REDIS_CONFIG.format(port=port, folder=zone.folder))
    server = f"redis://{ports.LOOPBACK}:{port}/0"
    process = Process(
        name="redis",
        zone=zone,
        command=[_binary(code), config],
        environment=zone_environment(zone, code.root, {}),
        root=zone.folder,
        ready=lambda: answers(url_for("web", passwords["web"], server)),
    )
    return process, server


def _binary(code: Code) -> Path:
    beside = code.python.parent / "redis-server"
    if beside.exists():
        return beside
    found = shutil.which("redis-server")
    if found is None:
        raise StackError("No Redis server: neither the embedded one nor one on this machine.")
    return Path(found)


def answers(url: str) -> bool:
    """Return whether a server lets this login in."""
    try:
        with redis.Redis.from_url(url, socket_timeout=2) as client:
            return bool(client.ping())
    except redis.AuthenticationError as error:
        raise StackError(f"Redis refuses the login of a zone: {error}") from None
    except redis.RedisError:
        return False


def add_users(admin_url: str, passwords: Mapping[str, str]) -> None:
    """Make the zones' users on a given server, which takes a login that may administer it."""
    try:
        with redis.Redis.from_url(admin_url, socket_timeout=10) as client:
            for zone, password in passwords.items():
                client.execute_command(
                    "ACL", "SETUSER", user_name(zone), *rules_for(zone, password)
                )
    except redis.RedisError as error:
        raise StackError(
            f"The Redis server of REDIS_URL did not take the zones' users ({error}). The URL needs "
            "a login that may run ACL SETUSER."
        ) from None


def remove_users(admin_url: str) -> bool:
    """Remove the zones' users from a given server; False where it can't be reached or refuses."""
    names = [user_name(zone) for zone in CONNECTING_ZONES]
    try:
        with redis.Redis.from_url(admin_url, socket_timeout=10) as client:
            client.execute_command("ACL", "DELUSER", *names)
    except redis.RedisError:
        return False
    return True
