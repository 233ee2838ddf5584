"""Files that only their owner can read, written and read safely in directories of others."""

from __future__ import annotations

import os
from pathlib import Path


def write_private(path: Path, text: str, owner: tuple[int, int] | None = None) -> None:
    """Put a file of mode 600 in place at once, owned by the caller or by ``owner`` (uid, gid).

    The directory may belong to somebody else: links that lie there are replaced, never followed.
    """
    fresh = path.with_name(f".{path.name}.fresh")
    fresh.unlink(missing_ok=True)
    with os.fdopen(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
        file.write(text)
        if owner is not None:
            os.fchown(file.fileno(), *owner)
    fresh.replace(path)


def read_plain(path: Path) -> str:
    """Return the text of a regular file; a link in its place is refused."""
    with os.fdopen(os.open(path, os.O_RDONLY | os.O_NOFOLLOW), encoding="utf-8") as file:
        return file.read()
