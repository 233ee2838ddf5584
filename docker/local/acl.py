"""Redis users: one per zone, each limited to the keys of its own queues.

The lines work for Redis 6.2 (the embedded binary) and newer. Nobody else gets in: the default
user is off. A party's user can neither list keys, nor subscribe, nor touch the other party's
queue, the site's queue of the other party, or the site's channel layer.

What kombu 5.7 sends for a worker without gossip, mingle, events and remote control was read off
``MONITOR``: BRPOP and LPUSH on the queues, and a sorted set, a hash and a lock (released by a
script) for unacknowledged messages, all three named after the zone. Queues on the nameless
exchange need no binding tables, by which one zone could otherwise divert another's messages.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping

PARTY_COMMANDS = (
    "+ping +hello +auth +select +echo +client|setname +client|id "
    "+multi +exec +discard +watch +unwatch +evalsha +eval +script|load "
    "+brpop +lpush +rpush +llen +exists "
    "+zadd +zrem +zrange +hset +hget +hdel +set +get +del"
)
WEB_COMMANDS = "+@all -@admin -@dangerous +info"


def _party_rules(role: str) -> str:
    keys = (f"bj.{role}", f"bj.{role}.*", f"bj.web.{role}", f"bj.web.{role}.receipts")
    return " ".join([*(f"~{key}" for key in keys), PARTY_COMMANDS])


ZONE_RULES: Mapping[str, str] = {
    "web": f"~bj.* &bj.channels* {WEB_COMMANDS}",
    "modeler": _party_rules("modeler"),
    "regulator": _party_rules("regulator"),
}


def user_name(zone: str) -> str:
    """Return the Redis user of a zone."""
    return f"bj-{zone}"


def rules_for(zone: str, password: str) -> list[str]:
    """Return what ``ACL SETUSER`` takes after the name: only the password's digest is in it."""
    digest = hashlib.sha256(password.encode()).hexdigest()
    return ["reset", "on", f"#{digest}", "resetchannels", "-@all", *ZONE_RULES[zone].split(" ")]


def acl_file(passwords: Mapping[str, str]) -> str:
    """Return the text of the ACL file for zones with these passwords."""
    lines = ["user default reset off"]
    for zone, password in passwords.items():
        lines.append(f"user {user_name(zone)} {' '.join(rules_for(zone, password))}")
    return "\n".join(lines) + "\n"
