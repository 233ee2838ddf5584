"""Run a command of a party's own command line, as the user whose party it is."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import mpc_engine
from demo.stack import Stack
from mpc_engine.errors import ResourceError
from mpc_engine.roles import Role

TIME_LIMIT_S = 120


@dataclass(frozen=True)
class PartyDesk:
    """A party's folder for files that go into its commands and come out of them."""

    home: Path
    folder: Path

    def write(self, name: str, text: str) -> Path:
        """Write a file that the party's user can read; return its path."""
        path = self.folder / name
        path.write_text(text, encoding="utf-8")
        self.hand_over(path)
        return path

    def run(self, *arguments: str | Path) -> None:
        """Run ``python -m mpc_engine.party`` with these arguments.

        Raises:
            ResourceError: the command failed (PARTY_COMMAND_FAILED), with its last words.
        """
        config = self.home / "party.toml"
        command = [sys.executable, "-m", "mpc_engine.party", "--config", config, *arguments]
        owner = self._other_owner
        done = subprocess.run(
            [str(word) for word in command],
            cwd=self.folder,
            env=_environment(self.home),
            user=owner.st_uid if owner else None,
            group=owner.st_gid if owner else None,
            extra_groups=[] if owner else None,
            capture_output=True,
            text=True,
            check=False,
            timeout=TIME_LIMIT_S,
        )
        if done.returncode:
            raise ResourceError(
                f"The party's command {arguments[0]} failed: {done.stderr[-500:]}",
                code="PARTY_COMMAND_FAILED",
            )

    @property
    def _other_owner(self) -> os.stat_result | None:
        """Return the party's user where the demo runs as root and the party does not."""
        owner = self.home.stat()
        return owner if os.geteuid() == 0 and owner.st_uid != 0 else None

    def hand_over(self, path: Path) -> None:
        """Make the party's user the owner of a path."""
        owner = self._other_owner
        if owner:
            os.chown(path, owner.st_uid, owner.st_gid)


@contextmanager
def party_desk(stack: Stack, role: Role) -> Iterator[PartyDesk]:
    """Give a folder in the party's own directory, removed afterwards with all that is in it."""
    home = stack.party_folder(role)
    folder = Path(tempfile.mkdtemp(prefix="demo-", dir=home / "tmp"))
    desk = PartyDesk(home, folder)
    try:
        desk.hand_over(folder)
        yield desk
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _environment(home: Path) -> dict[str, str]:
    return {
        "PATH": "/usr/local/bin:/usr/bin:/bin",
        "HOME": str(home),
        "TMPDIR": str(home / "tmp"),
        "PYTHONPATH": str(Path(mpc_engine.__file__).resolve().parent.parent),
        "PYTHONDONTWRITEBYTECODE": "1",
        "NUMBA_CACHE_DIR": str(home / "numba-cache"),
    }
