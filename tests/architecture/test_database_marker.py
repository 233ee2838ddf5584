"""What a database decides is asked of both: such a test of the site is marked ``database``."""

from __future__ import annotations

import ast
from collections.abc import Iterator

import pytest

from tests.architecture.source_tree import ROOT, name_of, python_files, tree_of

WEB = ROOT / "tests" / "web"

TELLING = {
    *("transactional_db", "committed", "select_for_update", "Thread", "ThreadPoolExecutor"),
    *("IntegrityError", "DatabaseError", "OperationalError", "cursor", "MigrationExecutor"),
}
"""Names that show that a test's outcome is up to the database."""

Function = ast.FunctionDef | ast.AsyncFunctionDef


def _names(node: ast.AST) -> set[str]:
    """Return every name below a node, ``transaction=True`` counting as one."""
    found = set()
    for inner in ast.walk(node):
        match inner:
            case ast.Name(id=name) | ast.Attribute(attr=name) | ast.arg(arg=name):
                found.add(name)
            case ast.keyword(arg="transaction", value=ast.Constant(value=True)):
                found.add("transactional_db")
    return found


def unmarked(tree: ast.Module) -> Iterator[str]:
    """Yield the tests that a database decides and that are not marked.

    A test is looked at with what it uses of its own module: fixtures, functions, module marks.
    """
    functions = {node.name: node for node in tree.body if isinstance(node, Function)}
    of_module: set[str] = set()
    for node in tree.body:
        if isinstance(node, ast.Assign) and "pytestmark" in _names(node):
            of_module = _names(node)
    for name in functions:
        if not name.startswith("test_"):
            continue
        seen: set[str] = set()
        ahead = {name}
        names = set(of_module)
        while ahead:
            found = _names(functions[(taken := ahead.pop())])
            seen.add(taken)
            names |= found
            ahead |= (found & set(functions)) - seen
        marked = of_module.union(*map(_names, functions[name].decorator_list))
        if names & TELLING and "database" not in marked:
            yield name


def test_what_a_database_decides_is_marked() -> None:
    found = {name_of(path): list(unmarked(tree_of(path))) for path in python_files(WEB)}
    assert not {name: tests for name, tests in found.items() if tests}


@pytest.mark.parametrize(
    "text",
    [
        "pytestmark = pytest.mark.django_db(transaction=True)\ndef test_it(): pass",
        "@pytest.mark.django_db(transaction=True)\ndef test_it(): pass",
        "@pytest.fixture\ndef world(transactional_db): pass\ndef test_it(world): pass",
        "def test_it(db):\n    with ThreadPoolExecutor(2) as pool: pass",
        "def _delete():\n    connection.cursor()\nasync def test_it(db):\n    _delete()",
    ],
)
def test_what_is_not_marked_is_found(text: str) -> None:
    assert list(unmarked(ast.parse(text))) == ["test_it"]


@pytest.mark.parametrize(
    "text",
    [
        "pytestmark = [pytest.mark.database]\ndef test_it(transactional_db): pass",
        "@pytest.mark.database\ndef test_it(transactional_db): pass",
        "def test_it(db): pass",
    ],
)
def test_what_is_marked_or_needs_no_mark_is_not(text: str) -> None:
    assert not list(unmarked(ast.parse(text)))
