"""A party's zone: its configuration, its keys, its public descriptor and its worker."""

from __future__ import annotations

import subprocess
from collections.abc import Container
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from docker.local.files import read_plain, write_private
from docker.local.placement import Code
from docker.local.processes import Process, StackError, zone_environment
from docker.local.zones import Zone

COMMAND_TIMEOUT_S = 600
NAMES = {"modeler": "Meridian Bank", "regulator": "Fairness Authority"}


@dataclass(frozen=True)
class Party:
    """One party as the stack runs it."""

    code: Code
    zone: Zone
    public: Path
    operator: Path

    @property
    def role(self) -> str:
        """Its role, which is also its zone's name."""
        return self.zone.name

    @property
    def peer(self) -> str:
        """The other party's role."""
        return "regulator" if self.role == "modeler" else "modeler"

    @property
    def approver_key(self) -> Path:
        """Where the key lies with which this organisation's approver signs."""
        return self.operator / f"approver-{self.role}.json"

    @property
    def config(self) -> Path:
        """The party's configuration file."""
        return self.zone.folder / "party.toml"

    def configure(self, broker_url: str, address: str) -> None:
        """Write the stack's part of the party's configuration, and its login to the broker.

        Lines that name other settings, which the operator added, stay as they are.
        """
        folder = self.zone.folder
        url_file = self.zone.write("broker-url", f"{broker_url}\n")
        settings = {
            "role": self.role,
            "data_dir": folder / "data",
            "broker_url_file": url_file,
            "address": address,
            "own_public": folder / "public.json",
            "peer_public": folder / "peer.json",
        }
        lines = [f'{key} = "{value}"' for key, value in settings.items()]
        self.zone.write("party.toml", "\n".join([*lines, *self._kept(settings)]) + "\n")

    def _kept(self, settings: Container[str]) -> list[str]:
        """Return the lines of the configuration that set something else than ``settings``."""
        first = f'name = "{NAMES[self.role]}"\n'
        text = read_plain(self.config) if self.config.exists() else first
        return [
            line for line in text.splitlines() if line.partition("=")[0].strip() not in settings
        ]

    def create(self) -> None:
        """Make the party's keys and its approver's, once; its descriptor lies in the zone."""
        self._run("init")
        if not self.approver_key.exists():
            made = self.zone.folder / "approver.json"
            made.unlink(missing_ok=True)
            self._run("make-approver", str(made))
            write_private(self.approver_key, read_plain(made))
            made.unlink()

    def publish(self, other: Zone) -> None:
        """Hand the public descriptor to the site's notice board and to the other party."""
        descriptor = read_plain(self.zone.folder / "public.json")
        target = self.public / f"{self.role}.json"
        target.write_text(descriptor, encoding="utf-8")
        target.chmod(0o644)
        other.write("peer.json", descriptor)

    def worker(self) -> Process:
        """Return the party's worker; it is ready when its kernels are compiled.

        A worker that is killed leaves its word of that: it does not count for the next one.
        """
        ready = self.zone.folder / "data" / "ready"
        return Process(
            name=f"party-{self.role}",
            zone=self.zone,
            command=[*self._program(), "worker"],
            environment=self._environment(),
            root=self.code.root,
            ready=ready.exists,
            prepare=partial(ready.unlink, missing_ok=True),
        )

    def _program(self) -> list[str | Path]:
        return [self.code.python, "-m", "mpc_engine.party", "--config", self.config]

    def _environment(self) -> dict[str, str]:
        cache = {"NUMBA_CACHE_DIR": str(self.zone.folder / "numba-cache")}
        return zone_environment(self.zone, self.code.root, cache)

    def _run(self, *arguments: str) -> str:
        answer = subprocess.run(
            [*self._program(), *arguments],
            cwd=self.code.root,
            env=self._environment(),
            user=self.zone.uid,
            group=self.zone.gid,
            extra_groups=[] if self.zone.uid is not None else None,
            umask=0o077,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
            timeout=COMMAND_TIMEOUT_S,
        )
        if answer.returncode != 0:
            raise StackError(f"{self.role}: {arguments[0]} failed:\n{answer.stderr[-3000:]}")
        return answer.stdout
