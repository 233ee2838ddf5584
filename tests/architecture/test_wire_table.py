"""``docs/protocols/wire.md`` has every tag of the line, and every function that names it."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from enum import IntEnum

import pytest

from mpc_engine.party.line.tags import PartyTag
from mpc_engine.protocols.tags import ProtocolTag
from mpc_engine.secure_ops.tags import OpTag
from mpc_engine.transport import tags
from mpc_engine.transport.tags import MessageTag
from tests.architecture.source_tree import ENGINE, ROOT, python_files, tree_of

KINDS: tuple[type[IntEnum], ...] = (MessageTag, OpTag, ProtocolTag, PartyTag)
TAGS = [tag for kind in KINDS for tag in kind]
PAGE = (ROOT / "docs" / "protocols" / "wire.md").read_text(encoding="utf-8")
_RANGE = re.compile(r"^    (0x\w{4}) - (0x\w{4})  (\w+)", re.MULTILINE)
_IN_CODE = re.compile(r"`([^`]+)`")


@dataclass(frozen=True)
class Row:
    """A row of the page: what it says of one tag."""

    number: int
    sender: str
    layout: str
    writers: frozenset[str]
    readers: frozenset[str]


def _rows() -> Iterator[tuple[str, Row]]:
    """Yield ``Kind.NAME`` and the row of it."""
    kind = ""
    for line in PAGE.splitlines():
        if line.startswith("## "):
            (kind,) = _IN_CODE.findall(line)
        elif line.startswith("| 0x"):
            number, name, sender, layout, writers, readers = (
                cell.strip() for cell in line.strip("|").split("|")
            )
            yield (
                f"{kind}.{name.strip('`')}",
                Row(
                    int(number, 16),
                    sender,
                    layout,
                    frozenset(_IN_CODE.findall(writers)),
                    frozenset(_IN_CODE.findall(readers)),
                ),
            )


def _functions(body: list[ast.stmt], name: str) -> Iterator[tuple[str, ast.FunctionDef]]:
    """Yield functions and methods by their names below the package; not those within them."""
    for node in body:
        if isinstance(node, ast.FunctionDef):
            yield f"{name}.{node.name}", node
        elif isinstance(node, ast.ClassDef):
            yield from _functions(node.body, f"{name}.{node.name}")


def _named_in_code() -> dict[str, set[str]]:
    """Return the functions of the engine that name each tag."""
    kinds = {kind.__name__ for kind in KINDS}
    found: dict[str, set[str]] = defaultdict(set)
    for path in python_files(ENGINE):
        module = ".".join(path.relative_to(ENGINE).with_suffix("").parts)
        for name, function in _functions(tree_of(path).body, module):
            for node in ast.walk(function):
                match node:
                    case ast.Attribute(value=ast.Name(id=kind), attr=tag) if kind in kinds:
                        found[f"{kind}.{tag}"].add(name)
    return found


ROWS = dict(_rows())
NAMED = _named_in_code()


def test_the_page_has_every_tag_once_under_its_number_and_no_other() -> None:
    assert len(list(_rows())) == len(ROWS)
    listed = {name: row.number for name, row in ROWS.items()}
    assert listed == {f"{type(tag).__name__}.{tag.name}": tag.value for tag in TAGS}
    assert list(listed) == sorted(listed, key=listed.__getitem__)


@pytest.mark.parametrize("name", sorted({*ROWS, *NAMED}))
def test_the_functions_of_a_row_are_those_that_name_its_tag(name: str) -> None:
    row = ROWS[name]
    assert row.writers
    assert row.readers
    assert row.writers | row.readers == NAMED[name]
    assert row.sender
    assert row.layout


def test_no_two_tags_have_one_number() -> None:
    assert len({tag.value for tag in TAGS}) == len(TAGS)


def test_every_tag_is_in_a_range_of_its_kind_and_no_range_is_empty() -> None:
    ranges = [
        (range(int(first, 16), int(last, 16) + 1), kind)
        for first, last, kind in _RANGE.findall(tags.__doc__ or "")
    ]
    edges = [place for numbers, _ in ranges for place in (numbers[0], numbers[-1])]
    assert edges == sorted(edges)
    for tag in TAGS:
        assert [kind for numbers, kind in ranges if tag.value in numbers] == [type(tag).__name__]
    for numbers, kind in ranges[:-1]:
        assert any(tag.value in numbers for tag in TAGS), kind
    assert ranges[-1] == (range(0xF000, 0x10000), "tests")
