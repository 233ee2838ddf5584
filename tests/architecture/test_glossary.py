"""``docs/glossary.md`` names modules that are there and use its words."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.architecture.source_tree import ROOT, python_files

PAGE = (ROOT / "docs" / "glossary.md").read_text(encoding="utf-8")
ROWS = [
    [cell.strip() for cell in line.strip("|").split("|")]
    for line in PAGE.splitlines()
    if line.startswith("| ")
][1:]


def _files_of(module: str) -> list[Path]:
    """Return a module's file, or those of a package."""
    path = ROOT.joinpath(*module.split("."))
    return list(python_files(path)) if path.is_dir() else [path.with_suffix(".py")]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[0])
def test_a_words_module_is_there_and_uses_it(row: list[str]) -> None:
    word, term, module, meaning = row
    assert term
    assert meaning.endswith(".")
    found = re.fullmatch(r"`(mpc_engine(?:\.\w+)+)`", module)
    assert found, module
    text = " ".join([found[1], *(path.read_text("utf-8") for path in _files_of(found[1]))])
    said = re.sub(r"[\s_]+", " ", re.sub(r"([a-z])([A-Z])", r"\1 \2", text)).lower()
    assert re.sub(r" \(.*\)$| s\(theta\)$", "", word).lower() in said


def test_words_are_in_the_order_of_the_alphabet_and_given_once() -> None:
    words = [row[0] for row in ROWS]
    assert words == sorted(set(words))
    assert len(words) > 1
