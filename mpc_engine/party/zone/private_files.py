"""Files of a party that appear whole or not at all; most nobody but its own user may read.

A command that an operator runs as root leaves what it makes to the owner of the directory it lies
in: the worker, which runs as that user, must be able to read it.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from mpc_engine.errors import ResourceError

PRIVATE_FILE = 0o600
PUBLIC_FILE = 0o644
PRIVATE_DIRECTORY = 0o700


def make_private_directory(path: Path) -> None:
    """Create a directory of mode 700, or bring an existing one to it."""
    if not path.exists():
        path.mkdir(mode=PRIVATE_DIRECTORY, parents=True, exist_ok=True)
        leave_to_owner(path)
    path.chmod(PRIVATE_DIRECTORY)


def leave_to_owner(path: Path) -> None:
    """Give what root made to the owner of the directory it lies in; others can't and needn't."""
    if os.geteuid() == 0:
        place = path.parent.stat()
        os.chown(path, place.st_uid, place.st_gid, follow_symlinks=False)


@contextmanager
def as_owner_of(path: Path) -> Iterator[None]:
    """Run a block as the owner of a file where root runs; other users stay who they are."""
    if os.geteuid() != 0:
        yield
        return
    owner, group, groups = path.stat(), os.getegid(), os.getgroups()
    os.setgroups([])
    os.setegid(owner.st_gid)
    os.seteuid(owner.st_uid)
    try:
        yield
    finally:
        os.seteuid(0)
        os.setegid(group)
        os.setgroups(groups)


def write_private(path: Path, data: bytes, *, replace: bool = False) -> None:
    """Write a file of mode 600 so that after a crash either all of it is there or nothing.

    Raises ResourceError (``FILE_EXISTS``) if it exists, unless ``replace``.
    """
    if path.exists() and not replace:
        raise ResourceError(f"{path.name} exists already and is kept.", code="FILE_EXISTS")
    _write_whole(path, data, PRIVATE_FILE)


def write_public(path: Path, data: bytes) -> None:
    """Write a file of mode 644, or replace it, as whole; a link in its place is not followed."""
    _write_whole(path, data, PUBLIC_FILE)


def _write_whole(path: Path, data: bytes, mode: int) -> None:
    fresh = path.with_name(f".{path.name}.{os.getpid()}")
    fresh.unlink(missing_ok=True)
    descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, PRIVATE_FILE)
    try:
        with os.fdopen(descriptor, "wb") as file:
            leave_to_owner(fresh)
            os.fchmod(descriptor, mode)
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(fresh, path)
    except BaseException:
        try:
            destroy(fresh)
        finally:
            fresh.unlink(missing_ok=True)
        raise
    _sync_directory(path.parent)


def read_private(path: Path) -> bytes:
    """Return a file's bytes; ResourceError if it is missing or open to other users.

    Codes: ``FILE_MISSING``, ``FILE_NOT_PRIVATE``, ``FILE_NOT_READABLE``.
    """
    try:
        mode = stat.S_IMODE(path.stat().st_mode)
        if mode & 0o077:
            raise ResourceError(
                f"{path.name} may be read by other users (mode {mode:o}); set it to 600.",
                code="FILE_NOT_PRIVATE",
            )
        return path.read_bytes()
    except PermissionError:
        raise ResourceError(
            f"{path.name} belongs to another user than the one the party runs as; give it back "
            "to that user (chown).",
            code="FILE_NOT_READABLE",
        ) from None
    except OSError:
        raise ResourceError(f"{path.name} cannot be read.", code="FILE_MISSING") from None


def destroy(path: Path) -> None:
    """Overwrite a file once and remove it; a missing file is fine.

    On journalling file systems and flash the old bytes may survive; what is destroyed here is
    encrypted under the storage key as well.
    """
    try:
        with path.open("r+b") as file:
            file.write(os.urandom(path.stat().st_size))
            file.flush()
            os.fsync(file.fileno())
        path.unlink()
    except FileNotFoundError:
        return
    _sync_directory(path.parent)


def _sync_directory(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
