"""One command starts everything, keeps it running and leaves nothing behind."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

from docker.local.party import Party
from docker.local.placement import Code
from docker.local.zones import Zone
from mpc_engine.party.zone.config import load_config
from mpc_engine.testing.tls import has_ipv6
from mpc_engine.transport.address import HostPort, family_of
from tests.running_stack import ROOT, RunningStack, running_stack


def party_process(stack: RunningStack, role: str) -> int | None:
    """Return the oldest process of a party: the worker that the supervisor started."""
    found = [
        pid
        for pid, command in stack.processes().items()
        if "mpc_engine.party" in command and f"/{role}/" in " ".join(command)
    ]
    return min(found, default=None)


def test_site_says_that_it_is_healthy(stack: RunningStack) -> None:
    with urllib.request.urlopen(f"{stack.base_url}/health/", timeout=10) as answer:
        assert answer.status == 200


def test_what_an_operator_set_stays_set_when_the_stack_starts_again(tmp_path: Path) -> None:
    folder = tmp_path / "regulator"
    folder.mkdir()
    zone = Zone("regulator", folder, tmp_path, None, None)
    party = Party(Code(ROOT, Path(sys.executable), tmp_path), zone, tmp_path, tmp_path)
    party.configure("redis://first.invalid:1/0", "127.0.0.1:7001")
    assert load_config(party.config).name == "Fairness Authority"
    with party.config.open("a", encoding="utf-8") as file:
        file.write("# less than the default\nquestion_bits_limit = 64\n")
    named = party.config.read_text("utf-8").replace("Fairness Authority", "City Council")
    party.config.write_text(named, encoding="utf-8")
    for _ in range(2):
        party.configure("redis://second.invalid:1/0", "127.0.0.1:7002")
    config = load_config(party.config)
    assert (config.question_bits_limit, config.name) == (64, "City Council")
    assert (config.training_bits_limit, config.port) == (10_000, 7002)
    assert config.broker_url() == "redis://second.invalid:1/0"
    assert party.config.read_text("utf-8").count("# less than the default") == 1


def test_second_stack_on_one_state_directory_is_refused(stack: RunningStack) -> None:
    environment = {
        **{name: value for name, value in os.environ.items() if name == "PATH"},
        "BLINDJUSTICE_STATE_DIR": str(stack.state),
    }
    assert stack.supervisor.poll() is None
    answer = subprocess.run(
        [sys.executable, "-m", "docker.local.stack", "up"],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert answer.returncode == 1
    assert "already runs" in answer.stderr


def test_no_secret_is_in_a_command_line(stack: RunningStack) -> None:
    secrets = [
        (stack.state / role / "broker-url").read_text(encoding="utf-8").split(":")[2].split("@")[0]
        for role in ("modeler", "regulator")
    ]
    lines = [" ".join(command) for command in stack.processes().values()]
    assert not [line for line in lines for secret in secrets if secret in line]


def _free_address() -> HostPort:
    """Return an address on which nobody listens: an IPv6 one where the machine has any."""
    host = "::1" if has_ipv6() else "127.0.0.1"
    with socket.create_server((host, 0), family=family_of(host)) as probe:
        return HostPort(host, probe.getsockname()[1])


def test_killed_party_comes_back_and_the_end_leaves_no_process() -> None:
    origin = f"http://{_free_address()}"
    with running_stack({"BLINDJUSTICE_ORIGIN": origin}) as stack:
        assert stack.base_url == origin
        with urllib.request.urlopen(f"{origin}/health/", timeout=60) as answer:
            assert answer.status == 200
        before = party_process(stack, "modeler")
        assert before is not None
        ready = stack.state / "modeler" / "data" / "ready"
        ready.unlink()
        os.kill(before, signal.SIGKILL)
        limit = time.monotonic() + 180
        while not ready.exists() and time.monotonic() < limit:
            time.sleep(0.2)
        assert ready.exists()
        assert party_process(stack, "modeler") not in (None, before)
        family = stack.processes()
        assert len(family) >= 5
        assert stack.stop() == 0
        assert not [pid for pid in family if Path(f"/proc/{pid}").exists()]
