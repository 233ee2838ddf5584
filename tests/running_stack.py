"""Start the whole installation for tests, as ``./run up`` does, in a state directory of its own."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.machine_code import take_from

ROOT = Path(__file__).resolve().parent.parent
PROGRAM = ("docker.local.stack",)
START_TIMEOUT_S = 1200
"""Longer than what the stack itself allows its processes, so that it says what is not ready."""
STOP_TIMEOUT_S = 60


class NotStartedError(Exception):
    """The installation did not come up; the text is what it printed."""


@dataclass(frozen=True)
class RunningStack:
    """A running installation: its supervisor, and what it says about itself."""

    supervisor: subprocess.Popen[bytes]
    description_path: Path
    printed: Path

    @property
    def description(self) -> dict[str, Any]:
        """What ``<state>/operator/stack.json`` says."""
        value: dict[str, Any] = json.loads(self.description_path.read_text(encoding="utf-8"))
        return value

    @property
    def base_url(self) -> str:
        """The site's address."""
        return str(self.description["base_url"])

    @property
    def state(self) -> Path:
        """The state directory."""
        return Path(self.description["state"])

    @property
    def isolated(self) -> bool:
        """Whether each zone runs as a user of its own."""
        return bool(self.description["isolated"])

    def user_of(self, zone: str) -> str:
        """Return the system user of a zone."""
        return str(self.description["users"][zone])

    def log_in_of(self, role: str) -> tuple[str, str]:
        """Return e-mail and password of the modeler's, regulator's or ordinary person."""
        for person in self.description["people"]["people"]:
            if person["role"] == role:
                return person["email"], person["password"]
        raise KeyError(role)

    def approver_key(self, role: str) -> Path:
        """Return the key file with which a role approves."""
        return Path(self.description["approver_keys"][role])

    def processes(self) -> dict[int, list[str]]:
        """Return the command lines of everything the supervisor started, by process id."""
        answer = subprocess.run(
            ["ps", "-ww", "-eo", "pid=,ppid=,args="], capture_output=True, text=True, check=True
        )
        rows = [line.split(None, 2) for line in answer.stdout.splitlines()]
        family, grown = {self.supervisor.pid}, True
        while grown:
            children = {int(pid) for pid, parent, _ in rows if int(parent) in family}
            grown = not children <= family
            family |= children
        family.discard(self.supervisor.pid)
        return {int(pid): command.split() for pid, _, command in rows if int(pid) in family}

    def stop(self) -> int:
        """End it as an operator would and return its exit code."""
        self.supervisor.send_signal(signal.SIGTERM)
        return self.supervisor.wait(timeout=STOP_TIMEOUT_S)


@contextlib.contextmanager
def running_stack(
    variables: Mapping[str, str] | None = None,
    party_settings: Mapping[str, int] | None = None,
    program: Sequence[str] = PROGRAM,
) -> Iterator[RunningStack]:
    """Start an installation, give it to the caller, end it and remove its state.

    ``party_settings`` are those of both parties' files; ``program`` is the module to run and what
    comes before its command. The state directory is not pytest's own, which other users can't
    enter. Machine code is handed on from one installation to the next.
    """
    from tests.prepared_state import prepare_state

    folder = Path(tempfile.mkdtemp(prefix="blindjustice-stack-"))
    folder.chmod(0o711)
    printed = folder / "printed"
    environment = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith("BLINDJUSTICE_")
        and name not in {"DATABASE_URL", "REDIS_URL", "DJANGO_SETTINGS_MODULE"}
    }
    state = folder / "state"
    environment |= {"BLINDJUSTICE_STATE_DIR": str(state), **(variables or {})}
    prepare_state(state, party_settings or {})
    with printed.open("wb") as output:
        supervisor = subprocess.Popen(
            [sys.executable, "-m", *program, "up"],
            cwd=ROOT,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
        )
    stack = RunningStack(supervisor, state / "operator" / "stack.json", printed)
    try:
        _wait_until_up(stack)
        _keep_machine_code(stack)
        yield stack
    finally:
        if supervisor.poll() is None:
            stack.stop()
            _keep_machine_code(stack)
        shutil.rmtree(folder, ignore_errors=True)


def _wait_until_up(stack: RunningStack) -> None:
    limit = time.monotonic() + START_TIMEOUT_S
    while not stack.description_path.exists():
        if stack.supervisor.poll() is not None or time.monotonic() > limit:
            raise NotStartedError(stack.printed.read_text(encoding="utf-8", errors="replace"))
        time.sleep(0.2)


def _keep_machine_code(stack: RunningStack) -> None:
    for role in ("modeler", "regulator"):
        take_from(stack.description_path.parent.parent / role / "numba-cache")
