"""``docs/data-model.md`` has every table and column of the site and of a party's store."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import django
import pytest
from django.apps import apps

from mpc_engine.party.zone.database import SCHEMA_VERSION, Database
from tests.architecture.source_tree import ROOT

SITE_PAGE, PARTY_PAGE = (
    (ROOT / "docs" / "data-model.md").read_text(encoding="utf-8").split("\n## A party's store\n")
)


def _sections(page: str) -> Iterator[tuple[str, str]]:
    """Yield the name and the text of each table's section."""
    for piece in page.split("\n### ")[1:]:
        name, _, text = piece.partition("\n")
        yield name, text.partition("\nBeside these")[0]


def _columns(text: str) -> list[str]:
    """Return the columns a section has, each with its meaning."""
    rows = [line for line in text.splitlines() if line.startswith("| ")][1:]
    cells = [[cell.strip() for cell in row.strip("|").split("|")] for row in rows]
    assert all(len(row) == 2 and all(row) for row in cells), cells
    return [name for name, _ in cells]


def _site() -> dict[str, list[str]]:
    django.setup()
    return {
        model._meta.db_table: [field.name for field in model._meta.local_fields]
        for model in apps.get_models(include_auto_created=True)
    }


def _party(path: Path) -> dict[str, list[str]]:
    database = Database(path)
    database.create()
    with database.reading() as connection:
        tables = connection.execute(
            "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"
        ).fetchall()
        found = {
            row["name"]: [
                column["name"]
                for column in connection.execute(f"PRAGMA table_info({row['name']})").fetchall()
            ]
            for row in tables
        }
    database.close()
    return found


def test_the_sites_tables_are_those_of_the_page() -> None:
    found = list(_sections(SITE_PAGE))
    listed = {name: _columns(text) for name, text in found}
    assert len(listed) == len(found)
    assert listed == _site()


def test_a_partys_tables_are_those_of_the_page(tmp_path: Path) -> None:
    found = list(_sections(PARTY_PAGE))
    listed = {name: _columns(text) for name, text in found}
    assert len(listed) == len(found)
    assert listed == _party(tmp_path / "party.sqlite3")


@pytest.mark.parametrize(
    ("name", "text"), [*_sections(SITE_PAGE), *_sections(PARTY_PAGE)], ids=lambda value: value[:30]
)
def test_a_table_has_its_purpose_and_what_is_never_in_it(name: str, text: str) -> None:
    purpose, _, never = text.partition("| column")[0].partition("Never in it: ")
    assert len(purpose.split()) > 1
    assert never.strip().endswith((".", ")."))


def test_the_version_of_a_partys_tables_is_the_one_it_has() -> None:
    assert f"`SCHEMA_VERSION` is {SCHEMA_VERSION}." in PARTY_PAGE
