"""Where the zones' users find the code: the checkout, or a copy that they can read.

A checkout under a private directory (root's home, say) is invisible to the zones' users. Then the
code and its environment are copied below /var/lib/blindjustice, which they may read, not write.
"""

from __future__ import annotations

import hashlib
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parent.parent.parent
SHARED = Path("/var/lib/blindjustice")
SHIPPED = ("manage.py", "blindjustice_web", "mpc_engine", "templates", "static", "locale")


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
    """Copy the checkout and its environment where the zones' users can read them."""
    name = hashlib.sha256(str(CHECKOUT).encode()).hexdigest()[:12]
    home = SHARED / name
    root = home / "code"
    home.mkdir(parents=True, exist_ok=True)
    for folder in (SHARED, home):
        folder.chmod(0o755)
    shutil.rmtree(root, ignore_errors=True)
    root.mkdir(mode=0o755)
    for item in SHIPPED:
        source = CHECKOUT / item
        if source.is_dir():
            shutil.copytree(source, root / item, ignore=shutil.ignore_patterns("__pycache__"))
        elif source.exists():
            shutil.copy2(source, root / item)
    _copy_environment(CHECKOUT / ".venv", home / "venv")
    subprocess.run(["chmod", "-R", "go+rX,go-w", str(root), str(home / "venv")], check=True)
    return Code(root, home / "venv" / "bin" / "python", home / "state")


def _copy_environment(source: Path, target: Path) -> None:
    """Copy a virtual environment, unless the copy already holds the same packages."""
    stamp, copied = source / "installed", target / "installed"
    if stamp.exists() and copied.exists() and stamp.read_bytes() == copied.read_bytes():
        return
    shutil.rmtree(target, ignore_errors=True)
    shutil.copytree(source, target, symlinks=True)
