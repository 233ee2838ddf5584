"""Temporary folders of a run of tests; what a killed run left behind is removed by the next one."""

from __future__ import annotations

import atexit
import fcntl
import os
import shutil
import tempfile
from pathlib import Path

_LOCK = ".in-use"
_held: list[int] = []


def make_run_folder(prefix: str, place: Path | None = None) -> Path:
    """Return a new folder in ``place`` (None: where temporary files go), removed when we end.

    Folders there that are named alike, and whose runs are over, are removed before. A run holds a
    lock on a file in its folder, which ends with the run, however it ends.
    """
    there = Path(tempfile.gettempdir()) if place is None else place
    for left in there.glob(f"{prefix}*"):
        _remove_if_left(left)
    folder = Path(tempfile.mkdtemp(prefix=prefix, dir=there))
    making = folder / f"{_LOCK}-soon"
    lock = os.open(making, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600)
    fcntl.flock(lock, fcntl.LOCK_EX)
    making.rename(folder / _LOCK)
    _held.append(lock)
    atexit.register(_remove_own, folder, os.getpid())
    return folder


def _remove_own(folder: Path, process: int) -> None:
    if os.getpid() == process:
        shutil.rmtree(folder, ignore_errors=True)


def _remove_if_left(folder: Path) -> None:
    """Remove a folder whose lock nobody holds; one without a lock, or of another user, stays."""
    try:
        lock = os.open(folder / _LOCK, os.O_RDWR | os.O_CLOEXEC)
    except OSError:
        return
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        shutil.rmtree(folder, ignore_errors=True)
    except OSError:
        pass
    finally:
        os.close(lock)
