"""The stack on a Redis and a PostgreSQL server that somebody else runs."""

from __future__ import annotations

import urllib.request

import redis

from tests.running_stack import running_stack

USERS = {"bj-web", "bj-modeler", "bj-regulator"}


def test_stack_uses_the_servers_it_is_given(test_redis_url: str, test_database_url: str) -> None:
    variables = {"REDIS_URL": test_redis_url, "DATABASE_URL": test_database_url}
    with redis.Redis.from_url(test_redis_url, decode_responses=True) as admin:
        with running_stack(variables) as stack:
            with urllib.request.urlopen(f"{stack.base_url}/health/", timeout=10) as answer:
                assert answer.status == 200
            assert set(admin.execute_command("ACL", "USERS")) >= USERS
            assert not (stack.state / "web" / "site.sqlite3").exists()
            assert not [c for c in stack.processes().values() if "redis-server" in c[0]]
        assert not USERS & set(admin.execute_command("ACL", "USERS"))
