"""A report as PDF: titled, with its language, an outline, and heads repeated on every page.

The typeface is drawn letter after letter from left to right. Texts that need more (a script that
it lacks, letters that join or stack, lines from right to left) are not put into a PDF.
"""

from __future__ import annotations

import unicodedata
from datetime import UTC, datetime, time
from functools import lru_cache

from django.conf import settings
from django.utils.translation import get_language
from django.utils.translation import gettext as _
from fpdf import FPDF
from fpdf.enums import XPos, YPos
from fpdf.fonts import FontFace, TTFFont
from fpdf.prefs import ViewerPreferences

from blindjustice_web.presentation.reports.document import Report, Table

FONT = "DejaVu"
FONT_FILES = settings.BASE_DIR / "static" / "vendor" / "dejavu" / "2.37"
TEXT_SIZE, TABLE_SIZE = 10, 8.5
LINE_HEIGHT = 5
INK = 20
HEAD_FILL = 235
_RIGHT_TO_LEFT = frozenset({"R", "AL", "AN"})
"""Bidirectional classes whose order the writer does not know."""
_NEEDS_SHAPING = frozenset({"Mn", "Mc", "Me", "Cf", "Cs"})
"""General categories of characters that change or join the letters beside them."""


def text_not_shown(report: Report) -> str:
    """Return the first text of a report that a PDF could not show as it is; '' without one."""
    return next((text for text in report.texts if not all(map(_is_shown, text))), "")


def _is_shown(character: str) -> bool:
    return (
        ord(character) in _typeface()
        and unicodedata.bidirectional(character) not in _RIGHT_TO_LEFT
        and unicodedata.category(character) not in _NEEDS_SHAPING
    )


@lru_cache(maxsize=1)
def _typeface() -> frozenset[int]:
    """Return the code points that both weights of the typeface have."""
    fonts = [font for font in _Document("").fonts.values() if isinstance(font, TTFFont)]
    known = [frozenset(font.cmap) for font in fonts]
    for font in fonts:
        font.close()
    return frozenset.intersection(*known)


@lru_cache(maxsize=32)
def pdf_file(report: Report) -> bytes:
    """Return the report on A4 across; the same report gives the same bytes."""
    pdf = _Document(report.title)
    pdf.set_creation_date(datetime.combine(report.day, time(), UTC))
    pdf.add_page()
    pdf.heading(report.title, level=0)
    for fact in report.facts:
        pdf.paragraph(f"{fact.label}: {fact.value}")
    for table in report.tables:
        pdf.heading(table.title, level=1)
        _draw(pdf, table)
        for note in table.notes:
            pdf.paragraph(note)
    pdf.heading(_("What this report cannot say"), level=1)
    for sentence in report.limits:
        pdf.paragraph(sentence)
    pdf.heading(_("Sources"), level=1)
    for sentence in report.sources:
        pdf.paragraph(sentence)
    return bytes(pdf.output())


class _Document(FPDF):
    """An A4 page across with an embedded typeface of many scripts, and page numbers."""

    def __init__(self, title: str) -> None:
        super().__init__(orientation="landscape", format="A4")
        self.add_font(FONT, "", FONT_FILES / "DejaVuSans.ttf")
        self.add_font(FONT, "B", FONT_FILES / "DejaVuSans-Bold.ttf")
        self.set_title(title)
        self.set_lang(get_language() or settings.LANGUAGE_CODE)
        self.set_creator("Blind Justice")
        self.viewer_preferences = ViewerPreferences(display_doc_title=True)
        self.set_auto_page_break(True, margin=18)
        self.set_text_color(INK)
        self.alias_nb_pages("")

    def footer(self) -> None:
        """Number the page."""
        self.set_y(-14)
        self.set_font(FONT, "", TABLE_SIZE)
        self.cell(0, LINE_HEIGHT, _("Page %(n)s") % {"n": self.page_no()}, align="R")

    def heading(self, text: str, level: int) -> None:
        """Write a heading that the outline lists."""
        self.ln(LINE_HEIGHT / 2)
        self.start_section(text, level)
        self.set_font(FONT, "B", 15 if level == 0 else 12)
        self._lines(text, 1.5 * LINE_HEIGHT)

    def paragraph(self, text: str) -> None:
        """Write lines of text."""
        self.set_font(FONT, "", TEXT_SIZE)
        self._lines(text, LINE_HEIGHT)
        self.ln(1)

    def _lines(self, text: str, height: float) -> None:
        self.multi_cell(0, height, text, align="L", new_x=XPos.LMARGIN, new_y=YPos.NEXT)


def _draw(pdf: _Document, table: Table) -> None:
    pdf.set_font(FONT, "", TABLE_SIZE)
    n_columns = len(table.headings)
    with pdf.table(
        headings_style=FontFace(emphasis="BOLD", fill_color=HEAD_FILL),
        col_widths=(3, *[1.2] * (n_columns - 1)),
        text_align=("LEFT", *["RIGHT"] * (n_columns - 1)),
        line_height=LINE_HEIGHT,
        padding=1,
    ) as drawn:
        for cells in (table.headings, *table.rows):
            drawn.row(cells)
    pdf.ln(1)
