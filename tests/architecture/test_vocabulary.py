"""A word that parties, site and files share is written in the vocabulary alone."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from enum import StrEnum
from pathlib import Path

from mpc_engine.error_words import TOPICS
from mpc_engine.vocabulary import claims, constraints, criteria, policies, rates, runs, verdicts
from tests.architecture.source_tree import ROOT

_WORDS = {
    word.value
    for module in (claims, constraints, criteria, policies, rates, runs, verdicts)
    for words in vars(module).values()
    if isinstance(words, type) and issubclass(words, StrEnum)
    for word in words
}
_CODES = {code for topic in TOPICS for code in topic.words}
_TELLING = {word for word in _WORDS if "_" in word} - {"left_out"} - _CODES
"""Words of several parts: others, such as "table", mean many things. ``left_out`` is a field too,
and what is a code of a refusal as well stands in `error_words`."""
_SCRIPTS = re.compile("|".join(rf"[\"'`]{re.escape(word)}[\"'`]" for word in sorted(_TELLING)))


def _literals(path: Path) -> Iterator[tuple[int, str]]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.lineno, node.value


def test_python_takes_words_from_the_vocabulary() -> None:
    folders = (ROOT / "mpc_engine", ROOT / "blindjustice_web")
    found = [
        f"{path.relative_to(ROOT)}:{line} {text!r}"
        for folder in folders
        for path in folder.rglob("*.py")
        if path.parent.name not in ("vocabulary", "migrations")
        for line, text in _literals(path)
        if text in _TELLING
    ]
    assert found == []


def test_progress_is_told_by_stages_of_the_vocabulary() -> None:
    found = [
        f"{path.relative_to(ROOT)}:{node.lineno}"
        for path in (ROOT / "mpc_engine").rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr == "progress"
        and node.args
        and isinstance(node.args[0], ast.Constant | ast.JoinedStr)
    ]
    assert found == []


def test_templates_and_scripts_take_words_from_the_site() -> None:
    folders = {ROOT / "templates": "*.html", ROOT / "static" / "js": "*.js"}
    found = [
        f"{path.relative_to(ROOT)}: {said.group()}"
        for folder, pattern in folders.items()
        for path in folder.rglob(pattern)
        for said in _SCRIPTS.finditer(path.read_text(encoding="utf-8"))
    ]
    assert found == []


def test_the_page_on_models_names_every_rate_and_criterion_of_its_own_name() -> None:
    page = (ROOT / "docs" / "models.md").read_text(encoding="utf-8")
    alone = {name.rates[0] for name in criteria.RATE_CRITERIA if len(name.rates) == 1}
    named = {*alone, criteria.CriterionName.P_RULE}
    assert [word for word in sorted(named) if f"`{word}`" not in page] == []
