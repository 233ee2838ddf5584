"""Limits are counted in Redis, under the site's own login, for all its processes together."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from docker.local import broker, ports, zones
from docker.local.placement import in_place
from docker.local.processes import Supervisor
from tests.running_stack import ROOT

COUNT_ONE = """
import django
django.setup()
from django.http import HttpRequest
from blindjustice_web.lib import throttle
from blindjustice_web.lib.problems import TooMany
request = HttpRequest()
request.META["REMOTE_ADDR"] = "192.0.2.7"
try:
    throttle.spend_by_address(request, "GUESSES_ADDRESS")
    print("passed")
except TooMany as problem:
    print("refused", 0 < problem.retry_after_s <= 86400)
"""

FAIL_TO_LOG_IN = """
import django
django.setup()
from django.core.management import call_command
call_command("migrate", verbosity=0)
from django.test import Client
form = {"login": "nobody@example.org", "password": "wrong"}
client = Client(REMOTE_ADDR="192.0.2.7", HTTP_HOST="127.0.0.1")
print(client.post("/accounts/login/", form).status_code)
"""


@pytest.fixture
def redis_url(tmp_path: Path) -> Iterator[str]:
    """Return the web zone's URL of an embedded server with the zones' access rules."""
    zone = zones.make_zones(tmp_path, separate=False)["redis"]
    passwords = broker.fresh_passwords()
    port = ports.reserve(ports.BROKER)
    supervisor = Supervisor()
    try:
        process, server = broker.embedded(in_place(), zone, port.number, passwords)
        supervisor.start(process, timeout_s=30)
        yield broker.url_for("web", passwords["web"], server)
    finally:
        supervisor.stop()
        port.release()


def _in_a_process_of_its_own(code: str, redis_url: str, state: Path, **limits: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=ROOT,
        env={
            **os.environ,
            "DJANGO_SETTINGS_MODULE": "blindjustice_web.config.settings",
            "BLINDJUSTICE_STATE_DIR": str(state),
            "BLINDJUSTICE_DEBUG": "1",
            "REDIS_URL": redis_url,
            **limits,
        },
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    assert "could not be counted" not in done.stderr
    return done.stdout.strip()


def test_two_processes_share_one_count(redis_url: str, tmp_path: Path) -> None:
    limit = {"BLINDJUSTICE_LIMIT_GUESSES_ADDRESS": "2/1d"}
    said = [_in_a_process_of_its_own(COUNT_ONE, redis_url, tmp_path, **limit) for _ in range(3)]
    assert said == ["passed", "passed", "refused True"]


def test_a_log_in_is_locked_in_every_process(redis_url: str, tmp_path: Path) -> None:
    limit = {"BLINDJUSTICE_LIMIT_LOG_IN_ACCOUNT": "2/1h"}
    said = [
        _in_a_process_of_its_own(FAIL_TO_LOG_IN, redis_url, tmp_path, **limit) for _ in range(3)
    ]
    assert said == ["200", "200", "429"]
