"""Tests of the site exchange functions by pytest's monkeypatch alone.

The memory of stories sees no other way, and would put a story back that is another one by it.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

import pytest

from tests.architecture.source_tree import ROOT, name_of, python_files, tree_of

OF_TESTS = {"settings"}
"""What a test may set: pytest-django puts it back, and the memory looks at it."""


def exchanged(tree: ast.Module) -> Iterator[str]:
    """Yield what a file exchanges without monkeypatch: by a mock, or by assigning to an import."""
    imported: set[str] = set()
    for node in ast.walk(tree):
        match node:
            case ast.Import(names=names) | ast.ImportFrom(names=names):
                imported |= {(each.asname or each.name).partition(".")[0] for each in names}
                if "mock" in f"{getattr(node, 'module', '')}.{names[0].name}".split("."):
                    yield "mock"
    for node in ast.walk(tree):
        assigned: list[ast.expr]
        match node:
            case ast.Assign(targets=targets):
                assigned = targets
            case ast.AnnAssign(target=target) | ast.AugAssign(target=target):
                assigned = [target]
            case _:
                continue
        for place in assigned:
            match place:
                case ast.Attribute(value=ast.Name(id=name)) if name in imported - OF_TESTS:
                    yield ast.unparse(place)


def test_the_memory_of_stories_sees_every_exchange() -> None:
    found = {
        name_of(path): list(exchanged(tree_of(path))) for path in python_files(ROOT / "tests/web")
    }
    assert not {name: names for name, names in found.items() if names}


@pytest.mark.parametrize(
    "text",
    [
        "from unittest import mock",
        "from unittest.mock import patch",
        "import unittest.mock",
        "from blindjustice_web.lib import push\npush.tell = None",
        "def test_it():\n    from blindjustice_web.lib import push\n    push.tell = None",
    ],
)
def test_an_exchange_is_found(text: str) -> None:
    assert list(exchanged(ast.parse(text)))


@pytest.mark.parametrize(
    "text",
    [
        "from django.conf import settings\nsettings.DEMO = True",
        "from tests.web.stories import World\nworld = World()\nworld.memory = None",
    ],
)
def test_what_is_no_exchange_is_not(text: str) -> None:
    assert not list(exchanged(ast.parse(text)))
