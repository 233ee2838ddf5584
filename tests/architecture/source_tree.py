"""Walk the repository's own files: what the architecture tests look at."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
ENGINE = ROOT / "mpc_engine"
SITE = ROOT / "blindjustice_web"
DEMO = ROOT / "demo"
SKIPPED = {
    *(".venv", ".venv-engine", ".venv-peers"),
    *(".state", ".git", "node_modules", "vendor", "__pycache__"),
}


def python_files(*folders: Path) -> Iterator[Path]:
    """Yield the Python files below folders, in order."""
    for folder in folders:
        for path in sorted(folder.rglob("*.py")):
            if not SKIPPED & set(path.relative_to(ROOT).parts):
                yield path


def name_of(path: Path) -> str:
    """Return a path as one writes it in a review."""
    return path.relative_to(ROOT).as_posix()


@cache
def tree_of(path: Path) -> ast.Module:
    """Return a file's syntax tree."""
    return ast.parse(path.read_text(encoding="utf-8"), filename=str(path))
