"""What people are shown is made in one room, which writes nothing and takes its colours by name."""

from __future__ import annotations

import ast
import re

from tests.architecture.source_tree import ROOT, SITE, name_of, python_files, tree_of

ROOM = SITE / "presentation"
WRITES = {
    *("save", "create", "bulk_create", "get_or_create", "update_or_create"),
    *("bulk_update", "update", "delete", "select_for_update"),
}
STATIC = ROOT / "static"
NAMED_COLOUR = re.compile(r"""["'](--[a-z-]+)["']""")
WRITTEN_COLOUR = re.compile(r"""["']#[0-9a-f]{3,8}\b|["'](?:rgb|hsl|oklch)a?\(""", re.IGNORECASE)
NOTHING = '"rgba(0,0,0,0)"'
"""No colour at all: what is behind shines through."""


def test_the_presentation_room_writes_nothing() -> None:
    found = [
        f"{name_of(path)}:{node.lineno}"
        for path in python_files(ROOM)
        for node in ast.walk(tree_of(path))
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in WRITES
        and not _is_of_a_figure(node.func)
    ]
    assert not found, found


def _is_of_a_figure(function: ast.Attribute) -> bool:
    return isinstance(function.value, ast.Name) and function.value.id == "figure"


def test_cards_and_figures_lie_in_no_other_room() -> None:
    found = [
        name_of(path)
        for path in python_files(SITE)
        if not path.is_relative_to(ROOM)
        and (path.stem.endswith("cards") or path.stem.startswith("figure"))
    ]
    assert not found, found


def test_figures_write_no_colour() -> None:
    sources = [*python_files(ROOM / "figures"), *(STATIC / "js/charts").glob("*.js")]
    found = {
        name_of(path): WRITTEN_COLOUR.findall(path.read_text("utf-8").replace(NOTHING, ""))
        for path in sources
    }
    assert not any(found.values()), found


def test_every_colour_that_a_figure_names_is_in_the_style_sheet() -> None:
    tokens = (STATIC / "css/tokens.css").read_text("utf-8")
    for folder in (ROOM / "figures", STATIC / "js/charts"):
        files = [path for path in sorted(folder.rglob("*")) if path.suffix in {".py", ".js"}]
        named = {name for path in files for name in NAMED_COLOUR.findall(path.read_text("utf-8"))}
        assert named
        assert not [name for name in named if f"  {name}: light-dark(" not in tokens]


def test_every_series_of_a_figure_names_its_colour() -> None:
    drawn = {"Scatter", "Bar", "add_scatter", "add_bar"}
    calls = [
        node
        for path in python_files(ROOM / "figures")
        for node in ast.walk(tree_of(path))
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in drawn
    ]
    assert calls
    for call in calls:
        assert "meta" in {keyword.arg for keyword in call.keywords}, ast.unparse(call)
