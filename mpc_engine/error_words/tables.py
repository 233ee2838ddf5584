"""Words for the codes of one subject: tables: columns, rows and cells."""

from __future__ import annotations

from mpc_engine.error_words.rows import UNWRITTEN, Words
from mpc_engine.error_words.rows import marked as _

TITLE = _("Tables: columns, rows and cells")
WORDS = {
    "FILE_EMPTY": Words(
        _("There are no rows."),
        UNWRITTEN,
        _("Choose a file with a header and at least one row under it."),
    ),
    "COLUMN_NAMELESS": Words(
        _("A column has no name."),
        UNWRITTEN,
        _("Name the column in the header, or take it out."),
    ),
    "COLUMN_REPEATED": Words(
        _("Two columns have the same name."),
        UNWRITTEN,
        _("Rename one of them or take it out."),
    ),
    "COLUMN_MISSING": Words(
        _("A column that is asked for is missing."),
        UNWRITTEN,
        _("Add the column that is named, spelled as the study spells it."),
    ),
    "QUOTE_UNCLOSED": Words(
        _("A quotation mark is opened and not closed."),
        UNWRITTEN,
        _("Close it, or double it where it belongs to the text."),
    ),
    "QUOTE_MISPLACED": Words(
        _("There is text after a closing quotation mark."),
        UNWRITTEN,
        _("Double quotation marks inside a quoted cell, or save the table as CSV anew."),
    ),
    "ROW_TOO_SHORT": Words(
        _("A row has fewer cells than the header."),
        UNWRITTEN,
        _("Fill the row up; an empty cell keeps its separator."),
    ),
    "ROW_TOO_LONG": Words(
        _("A row has more cells than the header."),
        UNWRITTEN,
        _("Quote cells that hold the separator, or write decimals with a point."),
    ),
    "TEXT_BROKEN": Words(
        _("A text holds bytes that are not UTF-8."),
        UNWRITTEN,
        _("Save the file as “CSV UTF-8”."),
    ),
    "CELL_EMPTY": Words(
        _("A cell is empty where a value is needed."),
        UNWRITTEN,
        _("Fill the cell in, or take the row out."),
    ),
    "CATEGORY_UNKNOWN": Words(
        _("A cell says none of the categories that the study knows."),
        UNWRITTEN,
        _("Spell the category as the study does."),
    ),
    "DECIMAL_COMMA": Words(
        _("A number has a decimal comma in a table that writes decimals with a point."),
        UNWRITTEN,
        _("Write a point, or say that the table writes commas (on the page, or --decimal-comma)."),
    ),
    "DECIMAL_POINT": Words(
        _("A number has a decimal point in a table that writes decimals with a comma."),
        UNWRITTEN,
        _("Write a comma, or do not say that the table writes commas."),
    ),
    "LABEL_UNKNOWN": Words(
        _("An outcome is none of the two that the study names, or is missing."),
        UNWRITTEN,
        _("Write one of the two outcomes, spelled as the study spells them, in every row."),
    ),
}
