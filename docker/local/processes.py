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
FIRST_PAUSE_S = 1.0
LONGEST_PAUSE_S = 30.0
"""The pause before a process is started again doubles with each end, up to this."""
SHOWN_AFTER = 3
"""From this end in a row on, the end of the process's log is shown."""
STEADY_S = 5.0
"""A process that is ready, and has run this long, has got over its earlier ends."""
LARGE_LOG_BYTES = 10 << 20
PASSED_ON = ("LANG", "LC_ALL", "TZ", "OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE")
PR_SET_PDEATHSIG = 1
PR_SET_CHILD_SUBREAPER = 36
_LOOK = os.WEXITED | os.WNOHANG | os.WNOWAIT
"""Ask who has ended, and leave it to be waited for: so long, nobody else gets its number."""
_LIBC = ctypes.CDLL(None)


class StackError(Exception):
    """Something did not start or did not stay up; the sentence is for the operator."""


def die_with_parent() -> None:
    """Ask the kernel to end this process when the supervisor is gone, however it went."""
    _LIBC.prctl(PR_SET_PDEATHSIG, signal.SIGTERM)


def adopt_orphans() -> None:
    """Become the parent of what the processes started here leave behind, so as to wait for it."""
    _LIBC.prctl(PR_SET_CHILD_SUBREAPER, 1)


def pause_before(restart: int) -> float:
    """Return the seconds to wait before the n-th start again in a row (from 1)."""
    return min(FIRST_PAUSE_S * 2.0 ** min(restart - 1, 20), LONGEST_PAUSE_S)


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
    """One supervised process of a zone.

    ``prepare`` is called before each start; ``running`` is what `end_whole_group` has yet to end.
    """

    name: str
    zone: Zone
    command: Sequence[str | Path]
    environment: Mapping[str, str]
    root: Path
    ready: Callable[[], bool] = lambda: True
    prepare: Callable[[], None] = lambda: None
    running: subprocess.Popen[bytes] | None = None
    restarts: int = 0
    due_at: float | None = None
    """When it is started again, on the monotonic clock, once its end was noticed."""
    started_at: float = 0.0
    log_start: int = 0

    @property
    def log(self) -> Path:
        """The file that takes what the process prints."""
        return self.zone.logs / f"{self.name}.log"

    def start(self) -> None:
        """Start it as its zone's user, in a session of its own.

        Raises OSError or SubprocessError if it can't be started.
        """
        self.prepare()
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
        """Return whether it was started and has ended; its number stays its own meanwhile."""
        if self.running is None:
            return False
        try:
            return os.waitid(os.P_PID, self.running.pid, _LOOK) is not None
        except ChildProcessError:
            return True

    def is_running(self) -> bool:
        """Return whether it was started and has not ended."""
        return self.running is not None and not self.has_ended()

    def note_steadiness(self) -> None:
        """Forget earlier restarts once it is ready and has run for a while."""
        if self.restarts and time.monotonic() - self.started_at > STEADY_S and self.ready():
            self.restarts = 0

    def signal_group(self, number: int) -> None:
        """Send a signal to the process and everything it started, before it is waited for."""
        if self.running is not None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self.running.pid, number)

    def reap_orphans(self) -> None:
        """Take the word of orphans of this process that ended, but not that of itself."""
        if self.running is None:
            return
        with contextlib.suppress(ChildProcessError):
            while found := os.waitid(os.P_PGID, self.running.pid, _LOOK):
                if found.si_pid == self.running.pid:
                    return
                os.waitpid(found.si_pid, 0)

    def end_whole_group(self, limit_s: float = TERM_GRACE_S) -> None:
        """Kill it and everything it started, and return when nothing of that is there.

        What its end orphaned is a child of the supervisor's (`adopt_orphans`), which waits for it.
        """
        if self.running is None:
            return
        self.signal_group(signal.SIGKILL)
        self.running.wait()
        limit = time.monotonic() + limit_s
        while _is_there(self.running.pid):
            if time.monotonic() > limit:
                return
            time.sleep(0.02)
        self.running = None

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
        """Start again what ended, after a pause that grows; the others run on meanwhile."""
        for process in self.processes:
            if self.stopping:
                return
            if process.due_at is not None:
                if time.monotonic() >= process.due_at:
                    self._start_again(process, report)
            elif process.has_ended():
                process.end_whole_group()
                self._put_off(process, "ended", report)
            else:
                process.reap_orphans()
                process.note_steadiness()

    def _start_again(self, process: Process, report: Callable[[str], None]) -> None:
        process.due_at = None
        try:
            process.start()
        except (OSError, subprocess.SubprocessError) as error:
            reason = getattr(error, "strerror", None) or error
            self._put_off(process, f"could not be started ({reason})", report)

    @staticmethod
    def _put_off(process: Process, what: str, report: Callable[[str], None]) -> None:
        process.restarts += 1
        pause = pause_before(process.restarts)
        process.due_at = time.monotonic() + pause
        report(f"{process.name} {what} and is started again in {pause:.0f} s ({process.restarts})")
        if process.restarts >= SHOWN_AFTER:
            report(f"The end of {process.log}:\n{process.tail()}")

    def stop(self) -> None:
        """End every process, the last started first; nothing survives this call."""
        self.stopping = True
        for group in (self.processes[1:][::-1], self.processes[:1]):
            for process in group:
                if process.running is not None and not process.has_ended():
                    os.kill(process.running.pid, signal.SIGTERM)
            limit = time.monotonic() + TERM_GRACE_S
            while time.monotonic() < limit and any(p.is_running() for p in group):
                time.sleep(0.05)
            for process in group:
                process.end_whole_group()


def _is_there(group: int) -> bool:
    """Reap what has ended of a process group of ours, and return whether something is left."""
    with contextlib.suppress(ChildProcessError):
        while os.waitpid(-group, os.WNOHANG)[0]:
            continue
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    return True
