"""One name, one thing: what modules share with one another is called alike in no two places.

Public is what another module imports, or a test or tool. Rooms in which names recur by design are
told here, each with its reason; a name of one pair stands in a table beneath.
"""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

from tests.architecture.source_tree import DEMO, ENGINE, ROOT, SITE, name_of, python_files, tree_of

PRODUCT = (ENGINE, SITE, DEMO)
READERS = (*PRODUCT, ROOT / "tests", ROOT / "tools", ROOT / "docker")

SAME_BY_DESIGN = {
    "mpc_engine.lab": "experiments beside the product, which imports none of them",
    "mpc_engine.testing.twins": "a twin is called as the kernel that it is compared with",
    "blindjustice_web.engine": "a door hands on what the engine has, under the engine's name",
    "mpc_engine.kernels.aes_native": "a path of a kernel is called as the path beside it",
    "mpc_engine.kernels.aes_portable": "a path of a kernel is called as the path beside it",
    "mpc_engine.kernels.aes_vector": "a path of a kernel is called as the path beside it",
    "mpc_engine.kernels.gf128_portable": "a path of a kernel is called as the path beside it",
}
"""Rooms that repeat names of others, with why."""

ROWS = ("blindjustice_web", "models")
"""Where the site keeps rows of what the engine's texts say: a row is called as the text."""

ALLOWED = {
    "NAME": "the same of each report: what it is called",
    "TITLE": "the same of each topic of error codes",
    "WORDS": "the same of each topic of error codes: its rows",
    "health": "a view is called as its URL, of the site and of a member",
    "router": "Ninja finds each part of the API by it",
}
"""Names of one thing in several places, with why."""

ALIKE_MODULES = {
    "access": "who may see what, in each room of the site",
    "approvals": "one thing: as texts, and as the site keeps them",
    "apps": "Django looks for it",
    "circuit": "what a protocol garbles; in circuits what any circuit is",
    "models": "Django looks for it",
    "outbox": "one thing at a party and at the site",
    "plaintext": "the oracle of a protocol",
    "protocol": "the steps of a protocol",
    "questions": "one thing: as texts, and as the site keeps them",
    "selectors": "what is read, in each room of the site",
    "services": "what is written, in each room of the site",
    "spec": "the public parameters of a protocol",
    "tags": "message tags, by layer",
    "urls": "Django looks for it",
}
"""Modules about one thing in several rooms, with why."""

MIRRORS = (
    ("mpc_engine.lab", "what an experiment is made of"),
    ("mpc_engine.control.post.exchanges", "what orders and messages are about"),
    ("mpc_engine.testing", "a stand-in or a twin is called as what it stands for"),
    ("mpc_engine.kernels", "a kernel is called as the operation that runs it"),
    ("mpc_engine.error_words", "codes by what they are about"),
    ("blindjustice_web.lib.error_words", "codes by what they are about"),
    ("mpc_engine.client", "what a client is for"),
    ("mpc_engine.party.services", "what an order is about"),
    ("mpc_engine.vocabulary", "words by what they are about"),
    ("blindjustice_web.lib.labels", "labels of the vocabulary's words, by what they are about"),
    ("blindjustice_web.api", "what a path of the API is about"),
    ("blindjustice_web.portals", "what a page is about"),
    ("blindjustice_web.presentation", "what is shown"),
    ("demo", "what a step of the demonstration is about"),
)
"""Rooms whose modules are called after others', with why."""


def _module(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def _is_row(path: Path) -> bool:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return (parts[0], parts[-1]) == ROWS


def _is_in(module: str, rooms: Iterable[str]) -> bool:
    return any(module == room or module.startswith(f"{room}.") for room in rooms)


def _defined(tree: ast.Module) -> Iterator[str]:
    """Yield what a module defines at its top, without what begins with an underscore."""
    for node in tree.body:
        names: list[ast.expr] = []
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield from [node.name] if not node.name.startswith("_") else []
        elif isinstance(node, ast.Assign):
            names = [each for target in node.targets for each in getattr(target, "elts", [target])]
        elif isinstance(node, ast.AnnAssign):
            names = [node.target]
        for name in names:
            if isinstance(name, ast.Name) and not name.id.startswith("_"):
                yield name.id


@cache
def _imported() -> frozenset[tuple[str, str]]:
    """Return module and name of everything that another file imports, or reads of a module."""
    files = {_module(path) for path in python_files(*READERS)}
    found = set()
    for path in python_files(*READERS):
        modules: dict[str, str] = {}
        nodes = [
            node
            for node in ast.walk(tree_of(path))
            if isinstance(node, ast.ImportFrom | ast.Attribute)
        ]
        for node in nodes:
            if isinstance(node, ast.ImportFrom) and node.module:
                for alias in node.names:
                    found.add((node.module, alias.name))
                    if f"{node.module}.{alias.name}" in files:
                        modules[alias.asname or alias.name] = f"{node.module}.{alias.name}"
        for node in nodes:
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
                found.add((modules.get(node.value.id, ""), node.attr))
    return frozenset(found)


@cache
def doubled_names() -> dict[str, list[str]]:
    """Return public names with the modules that define them, where these are several."""
    places: dict[str, list[str]] = defaultdict(list)
    for path in python_files(*PRODUCT):
        module = _module(path)
        if "migrations" in path.parts or _is_row(path) or _is_in(module, SAME_BY_DESIGN):
            continue
        for name in set(_defined(tree_of(path))):
            if (module, name) in _imported():
                places[name].append(module)
    return {name: modules for name, modules in places.items() if len(modules) > 1}


@cache
def doubled_modules() -> dict[str, list[str]]:
    """Return names of modules that several rooms have, outside the mirrors."""
    places: dict[str, list[str]] = defaultdict(list)
    mirrors = [room for room, _ in MIRRORS]
    for path in python_files(*PRODUCT):
        if path.stem in {"__init__", "__main__"} or {"commands", "migrations"} & set(path.parts):
            continue
        if not _is_in(_module(path), mirrors):
            places[path.stem].append(name_of(path))
    return {name: files for name, files in places.items() if len(files) > 1}


def test_no_two_public_things_have_one_name() -> None:
    found = {name: where for name, where in doubled_names().items() if name not in ALLOWED}
    assert not found, found


def test_no_two_modules_have_one_name() -> None:
    found = {name: where for name, where in doubled_modules().items() if name not in ALIKE_MODULES}
    assert not found, found


def test_what_is_allowed_is_needed() -> None:
    assert set(ALLOWED) <= set(doubled_names())
    assert set(ALIKE_MODULES) <= set(doubled_modules())
