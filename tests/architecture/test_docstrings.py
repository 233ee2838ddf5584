"""Every public name says what it is for."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.architecture.source_tree import DEMO, ENGINE, SITE, name_of, python_files, tree_of

DOCUMENTED = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


def public_definitions(
    node: ast.Module | ast.ClassDef,
) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef]:
    for child in node.body:
        if isinstance(child, DOCUMENTED) and not child.name.startswith("_"):
            yield child
            if isinstance(child, ast.ClassDef):
                yield from public_definitions(child)


def is_protocol_member(node: ast.AST) -> bool:
    """Return whether a definition is an overload or a stub body only."""
    return isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and any(
        isinstance(mark, ast.Name) and mark.id in {"overload", "override"}
        for mark in node.decorator_list
    )


@pytest.mark.parametrize("folder", [ENGINE, SITE, DEMO], ids=["engine", "site", "demo"])
def test_public_names_have_docstrings(folder: Path) -> None:
    bare = []
    for path in python_files(folder):
        if "migrations" in path.parts:
            continue
        for node in public_definitions(tree_of(path)):
            inner = isinstance(node, ast.ClassDef) and node.name in {"Meta", "Media"}
            if not inner and not is_protocol_member(node) and ast.get_docstring(node) is None:
                bare.append(f"{name_of(path)}:{node.lineno} {node.name}")
    assert not bare, "\n".join(bare)


def test_modules_say_what_they_are() -> None:
    bare = [
        name_of(path)
        for path in python_files(ENGINE, SITE, DEMO)
        if "migrations" not in path.parts
        and tree_of(path).body
        and ast.get_docstring(tree_of(path)) is None
    ]
    assert not bare, "\n".join(bare)


def test_docstrings_open_with_one_sentence() -> None:
    wrong = []
    for path in python_files(ENGINE, DEMO):
        for node in public_definitions(tree_of(path)):
            text = ast.get_docstring(node)
            if text and not text.splitlines()[0].rstrip().endswith((".", ":", "?")):
                wrong.append(f"{name_of(path)}:{node.lineno} {node.name}")
    assert not wrong, "\n".join(wrong)
