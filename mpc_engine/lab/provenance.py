"""Under what results were made: code, versions, machine, data."""

from __future__ import annotations

import hashlib
import os
import platform
import subprocess
from importlib.metadata import version
from pathlib import Path
from typing import Any

from mpc_engine.control.files.lab_report import FORMAT
from mpc_engine.lab.data_sets import SPLIT_SEED, described
from mpc_engine.lab.points import ORDER_SEEDS
from mpc_engine.lab.splits import SPLIT_NAMES, SYNTHETIC

Row = dict[str, Any]
_ROOT = Path(__file__).resolve().parents[2]
_PACKAGES = ("numpy", "scipy", "numba", "matplotlib", "plotly")


def made_under(folder: Path) -> Row:
    """Return everything on which a point's numbers hang: rows made under anything else are old."""
    return {
        "format": FORMAT,
        "code": _code_digest(),
        "python": platform.python_version(),
        "versions": {name: version(name) for name in _PACKAGES},
        "split_seed": SPLIT_SEED,
        "order_seeds": [seed.hex() for seed in ORDER_SEEDS],
        "data": {name: described(name, folder) for name in SPLIT_NAMES if name != SYNTHETIC},
    }


def machine() -> Row:
    """Return what times depend on, and the commit, with a + if a file is changed or new."""
    changed = "+" if _git("status", "--porcelain") else ""
    return {
        "commit": (_git("rev-parse", "--short", "HEAD") or "unknown") + changed,
        "system": platform.platform(),
        "cores": os.cpu_count(),
    }


def _code_digest() -> str:
    digest = hashlib.sha256()
    for path in sorted((_ROOT / "mpc_engine").rglob("*.py")):
        digest.update(path.relative_to(_ROOT).as_posix().encode() + b"\0")
        digest.update(hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()[:32]


def _git(*arguments: str) -> str:
    try:
        done = subprocess.run(
            ["git", *arguments], cwd=_ROOT, capture_output=True, text=True, check=False
        )
    except FileNotFoundError:
        return ""
    return done.stdout.strip()
