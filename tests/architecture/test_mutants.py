"""The catalogue of mutants fits the code: each finds its text once, and its test is there."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections import Counter

import pytest

from tests.architecture.source_tree import ROOT, tree_of
from tools.mutants.catalogue import MUTANTS
from tools.mutants.mutant import Mutant, without
from tools.mutants.trial import Fate, judge


def test_names_are_given_once() -> None:
    names = Counter(mutant.name for mutant in MUTANTS)
    assert [name for name, count in names.items() if count > 1] == []
    changes = Counter((mutant.file, mutant.old, mutant.new) for mutant in MUTANTS)
    assert [change for change, count in changes.items() if count > 1] == []


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.name)
def test_mutant_changes_one_place_and_still_compiles(mutant: Mutant) -> None:
    assert mutant.old != mutant.new
    text = without(mutant, (ROOT / mutant.file).read_text(encoding="utf-8"))
    if mutant.file.endswith(".py"):
        compile(text, mutant.file, "exec")


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.name)
def test_named_test_exists(mutant: Mutant) -> None:
    file, _, name = mutant.test.partition("::")
    functions = {
        node.name
        for node in ast.walk(tree_of(ROOT / file))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    }
    assert name.partition("[")[0] in functions


def test_every_named_case_of_a_test_is_there() -> None:
    """Ids in brackets follow from parameters: pytest itself says which there are."""
    named = sorted({mutant.test for mutant in MUTANTS if "[" in mutant.test})
    files = sorted({test.partition("::")[0] for test in named})
    collect = [sys.executable, "-m", "pytest", "--collect-only", "-q", "--all", *files]
    found = subprocess.run(collect, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    assert sorted(set(named) - set(found.splitlines())) == []


MUTANT = Mutant("name", "protection", "file", "old", "new", "test", shows="DID NOT RAISE")


@pytest.mark.parametrize(
    ("code", "output", "fate"),
    [
        (1, "E   Failed: DID NOT RAISE <class 'ValueError'>", Fate.KILLED),
        (0, "1 passed", Fate.SURVIVED),
        (1, "E   assert 1 == 2", Fate.BROKEN),
        (1, "E   NameError: name 'x'\nDID NOT RAISE", Fate.BROKEN),
        (2, "E   SyntaxError: DID NOT RAISE", Fate.BROKEN),
        (4, "not found", Fate.BROKEN),
        (-1, "E   no end after 120 s", Fate.BROKEN),
    ],
)
def test_only_a_failure_that_shows_the_missing_protection_kills(
    code: int, output: str, fate: Fate
) -> None:
    assert judge(MUTANT, code, output).fate is fate
