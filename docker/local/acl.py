"""Redis users: one per zone, each limited to the keys of its own queues.

The lines work for Redis 6.2 (the embedded binary) and newer. Nobody else gets in: the default
user is off. A party's user can neither list keys, nor subscribe, nor touch the other party's
queue, the site's queue of the other party, or the site's channel layer.

What kombu 5.7 sends for a worker without gossip, mingle, events and remote control was read off
``MONITOR``: BRPOP and LPUSH on the queue and its priority steps, a sorted set, a hash and a lock
for unacknowledged messages (named after the zone), and the binding table of the queue's exchange.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping

PARTY_COMMANDS = (
    "+ping +hello +auth +select +echo +client|setname +client|id "
    "+multi +exec +discard +watch +unwatch +evalsha +eval +script|load "
    "+brpop +rpop +lpush +rpush +llen +exists +del "
    "+zadd +zrem +zrange +zrevrangebyscore +hset +hget +hdel "
    "+set +get +pexpire +sadd +srem +smembers"
)
WEB_COMMANDS = "+@all -@admin -@dangerous +info"

ZONE_RULES: Mapping[str, str] = {
    "web": f"~bj.* ~_kombu.binding* &bj.channels* {WEB_COMMANDS}",
    **{
        role: (
            f"~bj.{role} ~bj.{role}.* ~bj.{role}\x06* ~bj.web.{role} ~bj.web.{role}\x06* "
            f"~_kombu.binding.bj.{role} ~_kombu.binding_permanent.bj.{role} "
            f"~_kombu.binding.bj.web.{role} ~_kombu.binding_permanent.bj.web.{role} "
            f"{PARTY_COMMANDS}"
        )
        for role in ("modeler", "regulator")
    },
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
