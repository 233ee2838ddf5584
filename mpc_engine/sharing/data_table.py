"""A table of people's data, read by one set of rules wherever a table is read.

The twin of the browser's ``csv.js``, ``data_table.js`` and ``column_readers.js``: the vectors in
``tests/vectors/tables.json`` hold both to the same. The standard library alone is used, for this
source goes into every exported ``decide.py``.
"""

from __future__ import annotations

# <reader>
import csv
import io
import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple
from unicodedata import normalize

SEPARATORS = ",;\t"
BLANKS = "\t\n\v\f\r \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
BLANKS += "\u2028\u2029\u202f\u205f\u3000\ufeff"
COMMA_NUMBER = re.compile(r"[+-]?[0-9]*,[0-9]+")
POINT_NUMBER = re.compile(r"[+-]?[0-9]*\.[0-9]+")
YES_NO = dict.fromkeys(("yes", "y", "true", "t"), "1") | dict.fromkeys(
    ("no", "n", "false", "f"), "0"
)
VALUES_NAMED = 8


class TableFault(ValueError):
    """The first fault of a table: its ``code``, and a sentence that names row and column."""

    def __init__(self, code: str, row: int, column: str, what: str) -> None:
        where = f'Row {row}, column "{column[:60]}"' if column else f"Row {row}"
        super().__init__(f"{where}: {what}")
        self.code, self.row, self.column = code, row, column


class TableFeature(NamedTuple):
    """One number of a row. Of a column of categories, ``column`` and the ``value`` it is 1 for."""

    name: str
    unit: str
    minimum: str
    maximum: str
    column: str = ""
    value: str = ""


class TableRow(NamedTuple):
    """A row by its number in a spreadsheet: ``features`` as decimal texts, ``others`` trimmed."""

    number: int
    features: dict[str, str]
    others: dict[str, str]


class DataTable(NamedTuple):
    """The rows of a table, and the titles of columns that were left out."""

    rows: list[TableRow]
    left_out: list[str]


def short_name(title: str) -> str:
    """Return the name by which a column is found: "Marital Status" is ``marital_status``."""
    plain = re.sub(r"[^a-z0-9]+", "_", normalize("NFKD", title).lower()).strip("_")[:58]
    return plain if not plain or "a" <= plain[0] <= "z" else f"n_{plain}"


def read_table(
    data: bytes,
    features: Sequence[TableFeature],
    others: Sequence[str] = (),
    *,
    decimal_comma: bool = False,
) -> DataTable:
    """Return the rows of a CSV; columns are found by name, in any order, and others left out.

    ``others``: columns besides the features', whose cells may be empty. ``decimal_comma``: whether
    the table writes 1,5 for one and a half. Ranges are left to who encodes the texts.

    Raises TableFault: ``COLUMN_NAMELESS``, ``COLUMN_REPEATED``, ``COLUMN_MISSING``, ``FILE_EMPTY``,
    ``QUOTE_UNCLOSED``, ``QUOTE_MISPLACED``, ``ROW_TOO_SHORT``, ``ROW_TOO_LONG``, ``CELL_EMPTY``,
    ``TEXT_BROKEN``, ``DECIMAL_COMMA``, ``DECIMAL_POINT``, ``CATEGORY_UNKNOWN``.
    """
    by_column: dict[str, list[TableFeature]] = {}
    for feature in features:
        by_column.setdefault(feature.column or feature.name, []).append(feature)
    records = _records(data)
    number, titles = next(records, (1, []))
    if not titles:
        raise TableFault("FILE_EMPTY", 1, "", "the file is empty.")
    places, left_out = _columns(number, titles, [*by_column, *others])
    rows = []
    for number, cells in records:
        if len(cells) != len(titles):
            code = "ROW_TOO_SHORT" if len(cells) < len(titles) else "ROW_TOO_LONG"
            counts = f"it has {len(cells)} cells, the header has {len(titles)}."
            raise TableFault(code, number, "", counts)
        row = TableRow(number, {}, {})
        for name, place in places.items():
            cell = cells[place].strip(BLANKS)
            if "\ufffd" in cell:
                raise TableFault("TEXT_BROKEN", number, titles[place], "the text is not UTF-8.")
            if name not in by_column:
                row.others[name] = cell
                continue
            where = (number, titles[place])
            row.features.update(_numbers(cell, by_column[name], decimal_comma, where))
        rows.append(row)
    if not rows:
        raise TableFault("FILE_EMPTY", 1, "", "there are no rows under the header.")
    return DataTable(rows, left_out)


def _records(data: bytes) -> Iterator[tuple[int, list[str]]]:
    """Yield the records that are not blank, numbered as a spreadsheet numbers rows."""
    text = data.decode("utf-8", errors="replace").removeprefix("\ufeff")
    first = re.search(r"\S[^\r\n]*", text)
    bare = re.sub(r'"(?:[^"]|"")*"', "", first.group() if first else "")
    reader = csv.reader(
        io.StringIO(text, newline=""), delimiter=max(SEPARATORS, key=bare.count), strict=True
    )
    number = 0
    while True:
        number += 1
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            if "expected after" in str(error):
                what = "something follows a closing quotation mark."
                raise TableFault("QUOTE_MISPLACED", number, "", what) from None
            what = "a quotation mark is never closed."
            raise TableFault("QUOTE_UNCLOSED", number, "", what) from None
        if len(cells) > 1 or "".join(cells).strip(BLANKS):
            yield number, cells


def _columns(number: int, titles: list[str], wanted: list[str]) -> tuple[dict[str, int], list[str]]:
    """Return where each wanted column stands, in the file's order, and the titles of the rest."""
    places: dict[str, int] = {}
    left_out = []
    for place, title in enumerate(cell.strip(BLANKS) for cell in titles):
        name = title if title in wanted else short_name(title)
        if not title:
            raise TableFault("COLUMN_NAMELESS", number, str(place + 1), "it has no name.")
        if name in places:
            raise TableFault("COLUMN_REPEATED", number, title, "it occurs twice.")
        if name in wanted:
            places[name] = place
        else:
            left_out.append(title)
    for name in wanted:
        if name not in places:
            raise TableFault("COLUMN_MISSING", number, name, "it is missing.")
    return places, left_out


def _numbers(
    cell: str, features: list[TableFeature], decimal_comma: bool, where: tuple[int, str]
) -> dict[str, str]:
    """Return the decimal text of each feature of a column; ``where``: row and title, for faults."""
    if not cell:
        raise TableFault("CELL_EMPTY", *where, "the cell is empty.")
    if features[0].column:
        value = normalize("NFC", cell)
        allowed = [feature.value for feature in features]
        if value not in allowed:
            named = ", ".join(allowed[:VALUES_NAMED]) + (", …" if allowed[VALUES_NAMED:] else "")
            raise TableFault("CATEGORY_UNKNOWN", *where, f'"{cell[:60]}" is none of {named}.')
        return {feature.name: str(int(feature.value == value)) for feature in features}
    (feature,) = features
    if COMMA_NUMBER.fullmatch(cell):
        if not decimal_comma:
            what = "a comma can be read in two ways; write decimals with a point."
            raise TableFault("DECIMAL_COMMA", *where, what)
        cell = cell.replace(",", ".")
    elif decimal_comma and POINT_NUMBER.fullmatch(cell):
        raise TableFault("DECIMAL_POINT", *where, "this table writes decimals with a comma.")
    words = YES_NO if (feature.minimum, feature.maximum) == ("0", "1") else {}
    return {feature.name: words.get(cell.lower(), cell)}


# </reader>
