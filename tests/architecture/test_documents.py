"""Documents name files that exist, and every row of SECURITY.md names a test."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
DOCUMENTS = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")])
LINK = re.compile(r"\]\((?!https?:|mailto:|#)([^)#]+)")
TEST_PATH = re.compile(r"`(tests/[^`]+)`")


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_links_of_a_document_lead_somewhere(document: Path) -> None:
    links = LINK.findall(document.read_text(encoding="utf-8"))
    assert [link for link in links if not (document.parent / link).exists()] == []


def test_every_row_of_the_security_tables_names_a_test_that_exists() -> None:
    lines = (ROOT / "SECURITY.md").read_text(encoding="utf-8").splitlines()
    rows = [line for line in lines if line.startswith("|") and not line.startswith("|---")]
    rows = [row for row in rows if not row.endswith("| test |")]
    assert len(rows) > 10
    for row in rows:
        named = TEST_PATH.findall(row)
        assert named, row
        assert [path for path in named if not (ROOT / path).exists()] == []
