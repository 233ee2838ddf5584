"""What tests share is public and lies beside them, in no test module: they can move alone."""

from __future__ import annotations

import ast
from collections.abc import Iterator

import pytest

from tests.architecture.source_tree import ROOT, name_of, python_files, tree_of


def _is_private(name: str) -> bool:
    return name.startswith("_") and not name.startswith("__")


def borrowed(tree: ast.Module) -> Iterator[str]:
    """Yield what a file takes from a test module, or of another module's private names."""
    ours: set[str] = set()
    for node in ast.walk(tree):
        taken: list[tuple[str, str]] = []
        match node:
            case ast.ImportFrom(module=module, names=names, level=level):
                if level:
                    yield f"{'.' * level}{module or ''}"
                elif (module or "").partition(".")[0] == "tests":
                    taken = [(f"{module}.{each.name}", each.asname or each.name) for each in names]
            case ast.Import(names=names):
                taken = [
                    (each.name, each.asname or each.name)
                    for each in names
                    if each.name.startswith("tests.")
                ]
        for path, name in taken:
            ours.add(name)
            if any(_is_private(part) or part.startswith("test_") for part in path.split(".")):
                yield path
    for node in ast.walk(tree):
        match node:
            case ast.Attribute(value=ast.Name(id=name), attr=attribute):
                if name in ours and _is_private(attribute):
                    yield f"{name}.{attribute}"


def test_tests_borrow_nothing_private_and_nothing_of_each_other() -> None:
    files = python_files(ROOT / "tests", ROOT / "tools")
    found = {name_of(path): list(borrowed(tree_of(path))) for path in files}
    assert not {name: taken for name, taken in found.items() if taken}


@pytest.mark.parametrize(
    "text",
    [
        "from tests.web.stories import World, _kept",
        "from tests.web.stories import (\n    World,\n    _kept as kept,\n)",
        "from tests.web.test_jobs import World",
        "from tests.web import test_jobs",
        "import tests.web.test_jobs as jobs",
        "def test_it():\n    from tests.web._stories import World",
        "from .stories import World",
        "from tests.web import stories\nstories._kept()",
    ],
)
def test_what_is_borrowed_is_found(text: str) -> None:
    assert len(list(borrowed(ast.parse(text)))) == 1


@pytest.mark.parametrize(
    "text",
    [
        "from tests.web.stories import World\nWorld().patch._setattr",
        "from blindjustice_web.lib import _private",
        "from tests import prepared_state\nprepared_state.__doc__",
    ],
)
def test_what_is_not_borrowed_is_not(text: str) -> None:
    assert not list(borrowed(ast.parse(text)))
