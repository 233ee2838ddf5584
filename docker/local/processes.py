"""Start the zones' processes, watch them, and end every one of them."""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from docker.local.zones import Zone

TERM_GRACE_S = 12.0
RESTARTS = 3
STEADY_S = 5.0
"""A process that is ready, and has run this long, has got over its earlier ends."""
LARGE_LOG_BYTES = 10 << 20
PASSED_ON = ("LANG", "LC_ALL", "TZ", "OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE")
PR_SET_PDEATHSIG = 1
_LIBC = ctypes.CDLL(None)


class StackError(Exception):
    """Something did not start or did not stay up; the sentence is for the operator."""


def die_with_parent() -> None:
    """Ask the kernel to end this process when the supervisor is gone, however it went."""
    _LIBC.prctl(PR_SET_PDEATHSIG, signal.SIGTERM)


def zone_environment(zone: Zone, root: Path, variables: Mapping[str, str]) -> dict[str, str]:
    """Return a zone's whole environment: nothing of the caller's but language and time zone."""
    kept = {name: os.environ[name] for name in PASSED_ON if name in os.environ}
    return {
        **kept,
        "PATH": "/usr/local/bin:/usr/bin:/bin",
        "HOME": str(zone.folder),
        "TMPDIR": str(zone.folder / "tmp"),
        "PYTHONPATH": str(root),
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONUNBUFFERED": "1",
        **variables,
    }


@dataclass
class Process:
    """One supervised process of a zone."""

    name: str
    zone: Zone
    command: Sequence[str | Path]
    environment: Mapping[str, str]
    root: Path
    ready: Callable[[], bool] = lambda: True
    running: subprocess.Popen[bytes] | None = None
    restarts: int = 0
    started_at: float = 0.0
    log_start: int = 0

    @property
    def log(self) -> Path:
        """The file that takes what the process prints."""
        return self.zone.logs / f"{self.name}.log"

    def start(self) -> None:
        """Start it as its zone's user, in a session of its own."""
        descriptor = self._open_log()
        self.started_at = time.monotonic()
        try:
            self.running = subprocess.Popen(
                self.command,
                cwd=self.root,
                env=dict(self.environment),
                stdin=subprocess.DEVNULL,
                stdout=descriptor,
                stderr=descriptor,
                user=self.zone.uid,
                group=self.zone.gid,
                extra_groups=[] if self.zone.uid is not None else None,
                umask=0o077,
                start_new_session=True,
                preexec_fn=die_with_parent,
            )
        finally:
            os.close(descriptor)

    def _open_log(self) -> int:
        """Open the log to append to; a large one from before is kept aside."""
        if self.log.exists() and self.log.stat().st_size > LARGE_LOG_BYTES:
            self.log.replace(self.log.with_suffix(".log.1"))
        descriptor = os.open(self.log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        self.log_start = os.fstat(descriptor).st_size
        return descriptor

    def has_said(self, words: str) -> bool:
        """Return whether words are in the log since the process was started."""
        with self.log.open("rb") as file:
            file.seek(self.log_start)
            return words.encode() in file.read()

    def has_ended(self) -> bool:
        """Return whether it was started and is no longer there."""
        return self.running is not None and self.running.poll() is not None

    def note_steadiness(self) -> None:
        """Forget earlier restarts once it is ready and has run for a while."""
        if self.restarts and time.monotonic() - self.started_at > STEADY_S and self.ready():
            self.restarts = 0

    def signal_group(self, number: int) -> None:
        """Send a signal to the process and everything it started."""
        if self.running is not None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self.running.pid, number)

    def tail(self) -> str:
        """Return the last lines of its log."""
        if not self.log.exists():
            return ""
        lines = self.log.read_text(encoding="utf-8", errors="replace").splitlines()
        return "\n".join(f"    {line}" for line in lines[-15:])


@dataclass
class Supervisor:
    """Every process of the stack, in the order they were started."""

    processes: list[Process] = field(default_factory=list)
    stopping: bool = False

    def start(self, *processes: Process, timeout_s: float) -> None:
        """Start processes together and wait until each says it is ready."""
        for process in processes:
            process.start()
            self.processes.append(process)
        waiting = list(processes)
        limit = time.monotonic() + timeout_s
        while waiting and not self.stopping:
            self._refuse_dead(waiting)
            waiting = [process for process in waiting if not process.ready()]
            if waiting and time.monotonic() > limit:
                raise StackError(
                    f"{waiting[0].name} was not ready after {timeout_s:.0f} s; the end of "
                    f"{waiting[0].log}:\n{waiting[0].tail()}"
                )
            time.sleep(0.1)

    @staticmethod
    def _refuse_dead(processes: Sequence[Process]) -> None:
        for process in processes:
            if process.has_ended():
                raise StackError(
                    f"{process.name} ended at start; the end of {process.log}:\n{process.tail()}"
                )

    def watch(self, report: Callable[[str], None]) -> None:
        """Start again what ended; give up on what keeps ending."""
        for process in self.processes:
            if self.stopping:
                return
            if not process.has_ended():
                process.note_steadiness()
                continue
            if process.restarts >= RESTARTS:
                raise StackError(
                    f"{process.name} ended {RESTARTS + 1} times; the end of {process.log}:\n"
                    f"{process.tail()}"
                )
            process.restarts += 1
            report(f"{process.name} ended and is started again ({process.restarts})")
            process.start()

    def stop(self) -> None:
        """End every process, the last started first; nothing survives this call."""
        self.stopping = True
        for group in (self.processes[1:][::-1], self.processes[:1]):
            for process in group:
                if process.running is not None and not process.has_ended():
                    process.running.send_signal(signal.SIGTERM)
            limit = time.monotonic() + TERM_GRACE_S
            while time.monotonic() < limit and not all(p.has_ended() for p in group):
                time.sleep(0.05)
            for process in group:
                process.signal_group(signal.SIGKILL)
                if process.running is not None:
                    process.running.wait()
