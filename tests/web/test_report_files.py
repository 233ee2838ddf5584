"""Reports as files: a PDF that opens, and a CSV file without formulas."""

from __future__ import annotations

import csv
import io
from typing import Any

import pytest
from pypdf import PdfReader

from blindjustice_web.lib.csv_cells import neutral
from blindjustice_web.presentation.reports.catalogue import REPORTS
from tests.web.drafts import THREE_AGES
from tests.web.report_stories import (
    law_144,
    public_report,
    read_report,
)
from tests.web.stories import World


@pytest.mark.parametrize("report", REPORTS)
def test_a_pdf_opens_and_says_title_language_and_figures(world: World, report: str) -> None:
    answer = read_report(world, "anonymous", public_report(law_144(world), report, ".pdf"))
    assert answer["Content-Type"] == "application/pdf"
    assert "attachment" in answer["Content-Disposition"]
    pdf = PdfReader(io.BytesIO(answer.content))
    assert pdf.metadata is not None
    assert pdf.metadata.title is not None
    assert "Credit and age" in pdf.metadata.title
    root: Any = pdf.trailer["/Root"]
    assert root["/Lang"] == "en"
    assert root["/ViewerPreferences"]["/DisplayDocTitle"]
    text = " ".join(page.extract_text() for page in pdf.pages).replace("\n", " ")
    for shown in ("Female · Asian", "0.781", "What this report cannot say", "Meridian Bank"):
        assert shown in text
    outline: Any = pdf.outline
    titles = [
        item.title for part in outline for item in (part if isinstance(part, list) else [part])
    ]
    assert "Sources" in titles


def test_a_pdf_takes_any_title(world: World) -> None:
    title = f"{{nb}} **bold** Ünï © Ελληνικά Ж Tuổi {'W' * 90}"
    result = world.audited([[1000, 500], [900, 420]], title=title)
    answer = read_report(world, "anonymous", public_report(result, "four-fifths", ".pdf"))
    text = " ".join(page.extract_text() for page in PdfReader(io.BytesIO(answer.content)).pages)
    assert "{nb} **bold** Ünï © Ελληνικά Ж Tuổi" in text


@pytest.mark.slow
@pytest.mark.parametrize(
    "title",
    ["年龄", "Age 🧓", "आयु", "גיל", "عمر", "نام\u200cه", "x\u0302"],
    ids=["Chinese", "emoji", "Hindi", "Hebrew", "Arabic", "Persian", "stacked"],
)
def test_a_pdf_that_would_lose_a_name_is_refused_by_it(world: World, title: str) -> None:
    attributes = [THREE_AGES[0] | {"title": title}]
    result = world.audited([[1000, 500], [900, 420], [800, 400]], attributes=attributes)
    page = read_report(world, "anonymous", public_report(result, "four-fifths")).content.decode()
    answer = read_report(world, "anonymous", public_report(result, "four-fifths", ".pdf"))
    assert (
        title
        in read_report(
            world, "anonymous", public_report(result, "four-fifths", ".csv")
        ).content.decode()
    )
    assert answer.status_code == 409
    for content in (page, answer.content.decode()):
        assert "There is no PDF of this report" in content
        assert title in content
    assert "Download as PDF" not in page


@pytest.mark.parametrize(
    "cell",
    ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "\n=1", "  =1", "＝1", "\u00a0=1", "\0=1"],
)
def test_no_cell_of_a_csv_file_starts_a_formula(cell: str) -> None:
    assert neutral(cell).startswith("'")


@pytest.mark.parametrize("cell", ["", "12", "48.0 %", "a=b", "—", "“=1”", "1-2"])
def test_other_cells_stay_as_they_are(cell: str) -> None:
    assert neutral(cell) == cell


def test_titles_that_are_formulas_are_neutralised_in_the_file(world: World) -> None:
    ages = [{**THREE_AGES[0], "title": "@age"}]
    ages[0]["categories"] = [
        {"name": "old", "title": '=HYPERLINK("https://example.org","x")'},
        {"name": "young", "title": "-2+3"},
    ]
    result = world.audited([[1000, 500], [900, 420]], attributes=ages, purpose="+1, said; she")
    answer = read_report(world, "anonymous", public_report(result, "four-fifths", ".csv"))
    cells = [
        cell for row in csv.reader(io.StringIO(answer.content.decode("utf-8-sig"))) for cell in row
    ]
    assert not [cell for cell in cells if cell.startswith(("=", "+", "-", "@", "\t", "\r"))]
    assert "'@age" in cells
    assert '\'=HYPERLINK("https://example.org","x")' in cells
