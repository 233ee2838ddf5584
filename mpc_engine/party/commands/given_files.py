"""Files that are named on the command line."""

from __future__ import annotations

from pathlib import Path

from mpc_engine.errors import ResourceError


def read_given_file(path: Path) -> bytes:
    """Return a file's bytes; ResourceError (``FILE_MISSING``) names one that cannot be read."""
    try:
        return path.read_bytes()
    except OSError:
        raise ResourceError(f"{path} cannot be read.", code="FILE_MISSING") from None
