"""Where the zones' users find the code: the checkout, or a copy that they can read.

A checkout under a private directory (root's home, say) is invisible to the zones' users. Then the
code and its environment are copied below /var/lib/blindjustice, which they may read, not write.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parent.parent.parent
SHARED = Path("/var/lib/blindjustice")
KEPT = 3
SHIPPED = ("manage.py", "blindjustice_web", "mpc_engine", "demo", "templates", "static", "locale")


@dataclass(frozen=True)
class Code:
    """The code the zones run: its root, its Python, and where its state goes by default."""

    root: Path
    python: Path
    state: Path


def in_place() -> Code:
    """Return the checkout itself."""
    return Code(CHECKOUT, CHECKOUT / ".venv" / "bin" / "python", CHECKOUT / ".state")


def why_not_readable(code: Code) -> str:
    """Return why a zone's user cannot run this Python on this code, or nothing if it can."""
    try:
        answer = subprocess.run(
            [code.python, "-c", "import numpy, manage, mpc_engine, blindjustice_web"],
            cwd=code.root,
            env={"PATH": "/usr/bin:/bin", "PYTHONPATH": str(code.root)},
            user="bj-web",
            group="bj-web",
            extra_groups=[],
            capture_output=True,
            text=True,
            check=False,
            timeout=120,
        )
    except PermissionError:
        return "Python is private: apt-get install -y python3-venv, then remove .venv"
    return answer.stderr.strip().rpartition("\n")[2] if answer.returncode else ""


def copied_for_zones() -> Code:
    """Copy the checkout and its environment where the zones' users can read them.

    Copies are named after what is in them, so a stack that already runs keeps its own.
    """
    home = SHARED / _digest([str(CHECKOUT).encode()])
    home.mkdir(parents=True, exist_ok=True)
    for folder in (SHARED, home):
        folder.chmod(0o755)
    sources = [path for name in SHIPPED for path in _files_of(CHECKOUT / name)]
    contents = (part for path in sources for part in (str(path).encode(), path.read_bytes()))
    root = _copy_once(home, "code", _digest(contents), _copy_code)
    environment = CHECKOUT / ".venv"
    stamp = environment / "installed"
    installed = _digest([stamp.read_bytes() if stamp.exists() else b""])
    venv = _copy_once(home, "venv", installed, partial(_copy_environment, environment))
    return Code(root, venv / "bin" / "python", home / "state")


def _digest(parts: Iterable[bytes]) -> str:
    state = hashlib.sha256()
    for part in parts:
        state.update(len(part).to_bytes(8, "little"))
        state.update(part)
    return state.hexdigest()[:12]


def _files_of(place: Path) -> list[Path]:
    if not place.is_dir():
        return [place] if place.exists() else []
    return sorted(
        path for path in place.rglob("*") if path.is_file() and "__pycache__" not in path.parts
    )


def _copy_once(home: Path, kind: str, digest: str, copy: Callable[[Path], None]) -> Path:
    """Return the copy with this digest, made now if it is not there; drop the oldest ones."""
    target = home / f"{kind}-{digest}"
    if not target.exists():
        fresh = home / f"{kind}-fresh-{os.getpid()}"
        copy(fresh)
        subprocess.run(["chmod", "-R", "go+rX,go-w", str(fresh)], check=True)
        fresh.rename(target)
    os.utime(target)
    for old in sorted(home.glob(f"{kind}-*"), key=lambda path: path.stat().st_mtime)[:-KEPT]:
        shutil.rmtree(old, ignore_errors=True)
    return target


def _copy_code(target: Path) -> None:
    target.mkdir(mode=0o755)
    for name in SHIPPED:
        source = CHECKOUT / name
        if source.is_dir():
            shutil.copytree(source, target / name, ignore=shutil.ignore_patterns("__pycache__"))
        elif source.exists():
            shutil.copy2(source, target / name)


def _copy_environment(source: Path, target: Path) -> None:
    shutil.copytree(source, target, symlinks=True)
