"""Zones on one machine: a directory and, where the machine allows, a system user for each."""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from docker.local.files import write_private

NAMES = ("redis", "web", "modeler", "regulator")
PARTIES = ("modeler", "regulator")
USERADD = ("useradd", "--system", "--no-create-home", "--home-dir", "/nonexistent")


@dataclass(frozen=True)
class Zone:
    """One zone: its directory, and the user and group it runs as (None: as the caller).

    Its logs are written by the supervisor and belong to it, so a zone cannot alter them.
    """

    name: str
    folder: Path
    logs: Path
    uid: int | None
    gid: int | None

    @property
    def user(self) -> str:
        """The name of the system user the zone runs as."""
        return pwd.getpwuid(os.geteuid() if self.uid is None else self.uid).pw_name

    def make_folder(self) -> None:
        """Make the zone's directory, which only its user can open."""
        for folder in (self.folder, self.folder / "tmp"):
            if not folder.exists():
                folder.mkdir(mode=0o700)
                if self.uid is not None and self.gid is not None:
                    os.chown(folder, self.uid, self.gid)

    def write(self, name: str, text: str) -> Path:
        """Write a file that only the zone's user can read and return its path."""
        path = self.folder / name
        owner = None if self.uid is None or self.gid is None else (self.uid, self.gid)
        write_private(path, text, owner)
        return path


def make_zones(state: Path, *, separate: bool) -> dict[str, Zone]:
    """Return the zones under a state directory; with ``separate``, each with a user of its own."""
    state.mkdir(parents=True, exist_ok=True)
    state.chmod(0o711 if separate else 0o700)
    zones = {}
    for name in NAMES:
        uid, gid = _system_user(f"bj-{name}") if separate else (None, None)
        zones[name] = Zone(name, state / name, state / "logs" / name, uid, gid)
        zones[name].make_folder()
        zones[name].logs.mkdir(mode=0o700, parents=True, exist_ok=True)
    for folder, mode in ((state / "public", 0o755), (state / "operator", 0o700)):
        folder.mkdir(exist_ok=True)
        folder.chmod(mode)
    return zones


def _system_user(name: str) -> tuple[int, int]:
    try:
        entry = pwd.getpwnam(name)
    except KeyError:
        command = [*USERADD, "--shell", "/usr/sbin/nologin", "--user-group", name]
        subprocess.run(command, check=True, capture_output=True, timeout=60)
        entry = pwd.getpwnam(name)
    return entry.pw_uid, entry.pw_gid


def why_not_separate() -> str:
    """Return why this machine cannot give the zones users of their own, or nothing."""
    if os.geteuid() != 0:
        return "not started as root"
    if shutil.which(USERADD[0]) is None:
        return "no useradd"
    try:
        _system_user("bj-web")
        answer = subprocess.run(
            ["/bin/true"], user="bj-web", group="bj-web", extra_groups=[], check=False, timeout=60
        )
    except (OSError, subprocess.SubprocessError) as error:
        return f"users cannot be switched ({error})"
    return "" if answer.returncode == 0 else "users cannot be switched"
