"""The repository has the files that people look for, and its pages point at what exists."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from tests.architecture.source_tree import ROOT, SKIPPED

REQUIRED = (
    "README.md",
    "ARCHITECTURE.md",
    "SECURITY.md",
    "CONTRIBUTING.md",
    "CHANGELOG.md",
    "LICENSE",
    "run",
    "manage.py",
    "requirements.txt",
    "requirements-engine.txt",
    "requirements-dev.txt",
    "pyproject.toml",
    ".importlinter",
    ".pre-commit-config.yaml",
    ".ci/run",
    "docs/operations.md",
    "docs/dependencies.md",
    "docs/protocols/security.md",
    "docker/compose.yaml",
    "docker/web/Dockerfile",
    "docker/party/Dockerfile",
    "docker/redis/Dockerfile",
)
LINK = re.compile(r"\[[^\]]*\]\(([^)#\s]+)(#[^)]*)?\)")
TEST_PATH = re.compile(r"`(tests/[^`]+)`")
COMMAND = re.compile(r"\./run (\w+)")


def pages() -> list[Path]:
    return [
        path
        for path in sorted(ROOT.rglob("*.md"))
        if not SKIPPED & set(path.relative_to(ROOT).parts)
    ]


@pytest.mark.parametrize("name", REQUIRED)
def test_required_file_exists(name: str) -> None:
    assert (ROOT / name).is_file()


@pytest.mark.parametrize("name", ["run", ".ci/run"])
def test_command_is_executable(name: str) -> None:
    assert os.access(ROOT / name, os.X_OK)


def test_links_between_pages_lead_somewhere() -> None:
    broken = [
        f"{page.relative_to(ROOT)}: {target}"
        for page in pages()
        for target, _ in LINK.findall(page.read_text(encoding="utf-8"))
        if "://" not in target
        and not target.startswith("mailto:")
        and not (page.parent / target).exists()
    ]
    assert not broken


def test_pages_name_only_commands_that_exist() -> None:
    known = set(re.findall(r"^(\w+)\)$", (ROOT / "run").read_text(encoding="utf-8"), re.M))
    unknown = [
        f"{page.relative_to(ROOT)}: ./run {command}"
        for page in pages()
        for command in COMMAND.findall(page.read_text(encoding="utf-8"))
        if command not in known
    ]
    assert not unknown


def test_every_row_of_the_security_tables_names_a_test_that_exists() -> None:
    lines = (ROOT / "SECURITY.md").read_text(encoding="utf-8").splitlines()
    rows = [line for line in lines if line.startswith("|") and not line.startswith("|---")]
    rows = [row for row in rows if not row.endswith("| test |")]
    assert len(rows) > 10
    for row in rows:
        named = TEST_PATH.findall(row)
        assert named, row
        assert [path for path in named if not (ROOT / path).exists()] == []
