"""Scripts import downward only, and the library touches no page."""

from __future__ import annotations

import posixpath
import re
from pathlib import Path

import pytest

from tests.architecture.source_tree import ROOT

SCRIPTS = ROOT / "static" / "js"
MAY_IMPORT = {
    "lib": {"lib"},
    "net": {"lib", "net"},
    "charts": {"charts"},
    "components": {"lib", "net", "charts", "components"},
    "workers": {"lib"},
    "pages": {"lib", "net", "charts", "components"},
}
"""What modules of a folder may import, at once or on demand; the library also what is vendored."""
IMPORTED = re.compile(
    r"""(?:^import\b[^;"']*|^export\b[^;"']*\bfrom\s*|\bimport\()["']([^"']+)["']"""
)
COMMENT = re.compile(r"/\*.*?\*/|(?<![:\"'])//[^\n]*", re.DOTALL)
PAGE = re.compile(
    r"\b(document|window|HTML\w*|customElements|MutationObserver|getComputedStyle|matchMedia)\b"
    r"|\.(querySelector(All)?|getElementById|innerHTML|textContent|dataset|classList|style)\b"
)


def code_of(path: Path) -> str:
    """Return a script without its comments, whose types may name anything."""
    return COMMENT.sub("", path.read_text(encoding="utf-8"))


def test_every_folder_of_scripts_has_its_place() -> None:
    assert {path.parent.name for path in SCRIPTS.rglob("*.js")} == set(MAY_IMPORT)


@pytest.mark.parametrize("folder", sorted(MAY_IMPORT))
def test_scripts_import_downward_only(folder: str) -> None:
    found = {
        f"{path.name}: {target}"
        for path in SCRIPTS.glob(f"{folder}/*.js")
        for target in _imported(path)
        if posixpath.dirname(target) not in MAY_IMPORT[folder]
        and not (folder == "lib" and target.startswith("../vendor/"))
    }
    assert not found, found


def _imported(path: Path) -> list[str]:
    named = [name for line in code_of(path).splitlines() for name in IMPORTED.findall(line)]
    local = [name for name in named if name.startswith(".")]
    return [posixpath.normpath(posixpath.join(path.parent.name, name)) for name in local]


def test_the_rule_sees_imports() -> None:
    assert "lib/bytes.js" in _imported(SCRIPTS / "net" / "upload.js")


def test_the_library_touches_no_page() -> None:
    found = {
        path.name: [match.group(0) for match in PAGE.finditer(code_of(path))]
        for path in SCRIPTS.glob("lib/*.js")
    }
    assert not {name: parts for name, parts in found.items() if parts}


def test_what_touches_no_page_is_no_component() -> None:
    """A component shows something or listens to it, itself or by another component."""
    idle = [
        path.name
        for path in SCRIPTS.glob("components/*.js")
        if not PAGE.search(code_of(path))
        and not any(target.startswith("components/") for target in _imported(path))
    ]
    assert not idle, idle
