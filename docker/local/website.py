"""The web zone: its database, its people, its server and its worker."""

from __future__ import annotations

import os
import subprocess
import urllib.error
import urllib.request
from dataclasses import dataclass
from pathlib import Path

from blindjustice_web.config.environment import KNOWN
from docker.local.addresses import SiteAddress
from docker.local.placement import Code
from docker.local.processes import Process, StackError, zone_environment
from docker.local.zones import Zone
from mpc_engine.control.post.queues import Zone as QueueZone
from mpc_engine.control.post.queues import consumed_queues

MANAGE_TIMEOUT_S = 900
DECIDED = {
    "BLINDJUSTICE_STATE_DIR",
    "BLINDJUSTICE_PUBLIC_DIR",
    "BLINDJUSTICE_REDIS_URL_FILE",
    "BLINDJUSTICE_DEMO",
}
"""Settings of the site that the stack decides; whoever starts it may choose all others."""
WORKER_QUEUES = ",".join(consumed_queues(QueueZone.WEB))


@dataclass(frozen=True)
class Site:
    """The web zone as the stack runs it."""

    code: Code
    zone: Zone
    state: Path
    address: SiteAddress
    redis_url: str
    is_demo: bool = False
    """Whether the site has a page that says which log-in shows what."""

    @property
    def base_url(self) -> str:
        """The address that people use."""
        return self.address.origin

    def environment(self) -> dict[str, str]:
        """Return the settings of the site's processes."""
        variables = {
            "DJANGO_SETTINGS_MODULE": "blindjustice_web.config.settings",
            "BLINDJUSTICE_STATE_DIR": str(self.state),
            "BLINDJUSTICE_PUBLIC_DIR": str(self.state / "public"),
            "REDIS_URL": self.redis_url,
            # The demo's people challenge and its offices hand in anew each time it is played.
            "BLINDJUSTICE_TYPED_CHALLENGES": "1000",
            "BLINDJUSTICE_LIMIT_CHALLENGES_ACCOUNT": "1000/1h",
            "BLINDJUSTICE_LIMIT_UPLOADS_ACCOUNT": "2000/1h",
        }
        if self.is_demo:
            variables["BLINDJUSTICE_DEMO"] = "1"
        chosen = {
            name: text
            for name, text in os.environ.items()
            if name in {"DATABASE_URL", *KNOWN} - DECIDED and text
        }
        variables |= {**chosen, "BLINDJUSTICE_ORIGIN": self.base_url}
        return zone_environment(self.zone, self.code.root, variables)

    def manage(self, *arguments: str) -> str:
        """Run one management command as the zone's user and return what it prints."""
        answer = subprocess.run(
            [self.code.python, "manage.py", *arguments],
            cwd=self.code.root,
            env=self.environment(),
            user=self.zone.uid,
            group=self.zone.gid,
            extra_groups=[] if self.zone.uid is not None else None,
            umask=0o077,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
            timeout=MANAGE_TIMEOUT_S,
        )
        if answer.returncode != 0:
            raise StackError(f"manage.py {arguments[0]} failed:\n{answer.stderr[-3000:]}")
        return answer.stdout

    def prepare(self) -> None:
        """Bring the database and the static files up to date."""
        self.manage("migrate", "--no-input")
        self.manage("collectstatic", "--no-input")

    def seed_people(self) -> str:
        """Create the demonstration's organisations and people; return their log-ins as JSON."""
        return self.manage("seed_people")

    def server(self) -> Process:
        """Return the ASGI server."""
        command: list[str | Path] = [
            self.code.python,
            "-m",
            "uvicorn",
            "blindjustice_web.config.asgi:application",
            f"--host={self.address.listen.host}",
            f"--port={self.address.listen.port}",
            "--lifespan=off",
            "--no-access-log",
            "--no-server-header",
            "--no-proxy-headers",
            "--ws-max-size=65536",
            "--timeout-graceful-shutdown=5",
        ]
        process = self._process("site", command)
        process.ready = lambda: process.has_said("Uvicorn running on") and self._is_healthy()
        return process

    def worker(self) -> Process:
        """Return the worker that takes the parties' messages and moves jobs on."""
        command: list[str | Path] = [
            self.code.python,
            "-m",
            "celery",
            "--app=blindjustice_web.config.celery",
            "worker",
            f"--queues={WORKER_QUEUES}",
            "--concurrency=1",
            "--without-gossip",
            "--without-mingle",
            "--without-heartbeat",
            "--loglevel=INFO",
        ]
        process = self._process("site-worker", command)
        process.ready = lambda: process.has_said(" ready.")
        return process

    def _process(self, name: str, command: list[str | Path]) -> Process:
        return Process(name, self.zone, command, self.environment(), self.code.root)

    def _is_healthy(self) -> bool:
        try:
            # By the name that people use: the site may answer to no other.
            asked = urllib.request.Request(
                f"{self.address.local_url}/health/", headers={"Host": self.address.host_header}
            )
            with urllib.request.urlopen(asked, timeout=10) as answer:
                return bool(answer.status == 200)
        except (urllib.error.URLError, OSError):
            return False
