"""Rules of the source that no linter states."""

from __future__ import annotations

import ast
import re
import statistics

from tests.architecture.source_tree import DEMO, ENGINE, ROOT, SITE, name_of, python_files, tree_of

LONGER_FOR_A_REASON: dict[str, str] = {}
"""Files over 400 lines, each with its reason."""

VAGUE_NAMES = {"utils", "util", "helpers", "helper", "misc", "manager", "common", "v2"}
UNFINISHED = re.compile(r"\b(TODO|FIXME|XXX|HACK)\b")


def production_files() -> list[str]:
    return [
        name_of(path)
        for path in python_files(ENGINE, SITE, DEMO)
        if "testing" not in path.relative_to(ROOT).parts
    ]


def test_assert_never_checks_input() -> None:
    found = [
        f"{name}:{node.lineno}"
        for name in production_files()
        for node in ast.walk(tree_of(ROOT / name))
        if isinstance(node, ast.Assert)
    ]
    assert not found, found


SEEDED_DATA = {"mpc_engine/lab/data_sets.py", "mpc_engine/lab/splits.py"}
"""Public data, shuffled or made up with seeds that are part of an experiment's result."""


def test_numpy_randomness_stays_in_testing() -> None:
    found = [
        f"{name}:{node.lineno}"
        for name in production_files()
        if name.startswith(("mpc_engine/", "demo/")) and name not in SEEDED_DATA
        for node in ast.walk(tree_of(ROOT / name))
        if isinstance(node, ast.Attribute)
        and node.attr == "random"
        and isinstance(node.value, ast.Name)
        and node.value.id in {"np", "numpy"}
    ]
    assert not found, found


def test_nothing_is_left_unfinished() -> None:
    found = [
        f"{name_of(path)}:{number}"
        for path in python_files(
            ENGINE, SITE, DEMO, ROOT / "docker", ROOT / "tests", ROOT / "tools"
        )
        if path.name != "test_source_rules.py"
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if UNFINISHED.search(line)
    ]
    assert not found, found


def test_names_say_what_is_inside() -> None:
    found = [
        name_of(path)
        for path in python_files(
            ENGINE, SITE, DEMO, ROOT / "docker", ROOT / "tests", ROOT / "tools"
        )
        if VAGUE_NAMES & {path.stem, path.parent.name} or path.stem.startswith(("new_", "fast_"))
    ]
    assert not found, found


def test_files_are_small() -> None:
    sizes = {
        name_of(path): len(path.read_text(encoding="utf-8").splitlines())
        for path in python_files(ENGINE, SITE, DEMO, ROOT / "tests", ROOT / "tools")
        if "migrations" not in path.parts
    }
    large = {
        name: size for name, size in sizes.items() if size > 400 and name not in LONGER_FOR_A_REASON
    }
    assert not large
    assert statistics.median(size for size in sizes.values() if size) < 150
