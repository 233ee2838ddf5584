"""Requirements are pinned, hashed, free of addresses, and each has a reason."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.architecture.source_tree import ROOT

LOCKED = sorted(ROOT.glob("requirements*.txt"))
SOURCES = sorted(ROOT.glob("requirements*.in"))
PIN = re.compile(
    r"^[a-z0-9][a-z0-9._-]*(\[[a-z0-9,-]+\])?==[0-9][0-9a-z.+!-]*( ; [^/\\:@]+)?( \\)?$"
)
HASH = re.compile(r"^    --hash=sha256:[0-9a-f]{64}( \\)?$")
SOURCE_LINE = re.compile(
    r"^(-r requirements[a-z-]*\.in|[a-z0-9._-]+(\[[a-z]+\])?==[0-9][0-9a-z.]*)$"
)


def lines_of(path: Path) -> list[str]:
    return [
        line
        for line in path.read_text(encoding="utf-8").splitlines()
        if line.strip() and not line.lstrip().startswith("#")
    ]


def direct_pins() -> set[str]:
    return {
        re.sub(r"\[.*\]", "", line)
        for path in SOURCES
        for line in lines_of(path)
        if not line.startswith("-r")
    }


@pytest.mark.parametrize("path", LOCKED, ids=lambda path: path.name)
def test_locked_file_has_pins_and_hashes_only(path: Path) -> None:
    lines = lines_of(path)
    wrong = [line for line in lines if not PIN.match(line) and not HASH.match(line)]
    assert not wrong
    for line, following in zip(lines, [*lines[1:], ""], strict=True):
        if PIN.match(line):
            assert HASH.match(following), f"{line} has no hash"


@pytest.mark.parametrize("path", [*LOCKED, *SOURCES], ids=lambda path: path.name)
def test_requirements_name_no_address_and_no_path(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert "://" not in text
    assert "file:" not in text
    assert " @ " not in text
    assert not re.search(r"(^|\s)(--(extra-)?index-url|--find-links|-[if]|-e)\b", text)
    assert not re.search(r"(^|\s)[./]*/\w", text.replace("see docs/dependencies.md", ""))


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.name)
def test_every_source_is_exact_and_locked(path: Path) -> None:
    locked = path.with_suffix(".txt").read_text(encoding="utf-8")
    for line in lines_of(path):
        assert SOURCE_LINE.match(line), line
        if not line.startswith("-r"):
            assert re.sub(r"\[.*\]", "", line) in re.sub(r"\[.*\]", "", locked)


def test_engine_requirements_have_no_django() -> None:
    for name in ("requirements-engine.txt", "requirements-engine-test.txt"):
        assert "django" not in (ROOT / name).read_text(encoding="utf-8").lower()


def test_every_direct_dependency_has_version_licence_and_reason() -> None:
    rows = {}
    for line in (ROOT / "docs" / "dependencies.md").read_text(encoding="utf-8").splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if len(cells) == 4 and all(cells):
            rows[f"{cells[0].lower()}=={cells[1]}"] = cells
    missing = sorted(pin for pin in direct_pins() if pin not in rows)
    assert not missing
    python_rows = {pin for pin in rows if pin.split("==")[1][:1].isdigit()}
    vendored = {pin for pin in python_rows if pin.startswith(("@", "plotly.js"))}
    assert python_rows - vendored - direct_pins() == set()
