"""Reading a CSV of cases: byte-order marks and semicolons are fine, faults name row and column."""

from __future__ import annotations

import csv
import io
import re
from unicodedata import normalize

from mpc_engine.control.configuration import Configuration, Label
from mpc_engine.control.study_texts import UNKNOWN_LABEL
from mpc_engine.errors import UsageError
from mpc_engine.party.services.decisions import DecisionCase
from mpc_engine.sharing.encoding import encode_feature

CASE_COLUMN = "case_id"
MAX_BYTES = 64 << 20
_USUAL_OUTCOMES = {"0": 0, "1": 1}
_NUMBER = re.compile(r"[+-]?[0-9]*\.?[0-9]+(?:[eE][+-]?[0-9]+)?", re.ASCII)
_CASE_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}", re.ASCII)


def read_cases(data: bytes, configuration: Configuration) -> list[DecisionCase]:
    """Return the cases of a CSV with a column ``case_id`` and one for every feature, in any order.

    Raises UsageError: ``CSV_NOT_READABLE``, ``CSV_COLUMN_MISSING``, ``CSV_COLUMN_UNKNOWN``,
    ``CSV_COLUMN_DOUBLED``, ``CSV_ROW_LENGTH``, ``CSV_CASE_ID``, ``CSV_CASE_ID_DOUBLED``,
    ``CSV_VALUE``; the sentence names row (the header is row 1) and column.
    """
    return _cases(_read_rows(data), configuration)


def _cases(rows: list[tuple[int, list[str]]], configuration: Configuration) -> list[DecisionCase]:
    header = [name.strip() for name in rows[0][1]]
    _check_header(header, configuration)
    cases: dict[str, DecisionCase] = {}
    for number, row in rows[1:]:
        if len(row) != len(header):
            raise UsageError(
                f"Row {number} has {len(row)} values, the header has {len(header)}.",
                code="CSV_ROW_LENGTH",
            )
        case = _read_case(dict(zip(header, row, strict=True)), number, configuration)
        if case.case_id in cases:
            raise UsageError(
                f'Row {number}, column "{CASE_COLUMN}": the case "{case.case_id}" occurs twice.',
                code="CSV_CASE_ID_DOUBLED",
            )
        cases[case.case_id] = case
    if not cases:
        raise UsageError("The file has a header but no cases.", code="CSV_NOT_READABLE")
    return list(cases.values())


def read_labelled_cases(
    data: bytes, configuration: Configuration
) -> list[tuple[DecisionCase, int]]:
    """Return cases with their outcome from the column of the label's name, empty where unknown.

    The study's own values are understood, and 1 (favourable) and 0 where those are words.
    UsageError as `read_cases`; a case without an outcome gets 2.
    """
    label = configuration.label
    name, outcomes = label.name, _outcomes(label)
    rows = _read_rows(data)
    header = [column.strip() for column in rows[0][1]]
    if name not in header:
        raise UsageError(f'Row 1: the column "{name}" is missing.', code="CSV_COLUMN_MISSING")
    place = header.index(name)
    labels = []
    for number, row in rows[1:]:
        text = normalize("NFC", row[place].strip()) if place < len(row) else ""
        if text not in outcomes:
            raise UsageError(
                f'Row {number}, column "{name}": use "{label.favourable}" or '
                f'"{label.unfavourable}".',
                code="CSV_VALUE",
            )
        labels.append(outcomes[text])
    cases = _cases([(n, row[:place] + row[place + 1 :]) for n, row in rows], configuration)
    return list(zip(cases, labels, strict=True))


def _outcomes(label: Label) -> dict[str, int]:
    """Return what cells mean, as browsers read them."""
    values = (label.favourable, label.unfavourable)
    usual = {} if any(_NUMBER.fullmatch(value.strip()) for value in values) else _USUAL_OUTCOMES
    return {"": UNKNOWN_LABEL, **usual, label.favourable: 1, label.unfavourable: 0}


def _read_rows(data: bytes) -> list[tuple[int, list[str]]]:
    """Return the rows that are not blank, each with its line's number in a spreadsheet."""
    if len(data) > MAX_BYTES:
        raise UsageError("The file is too large.", code="CSV_NOT_READABLE")
    try:
        text = data.decode("utf-8-sig")
        first = text.split("\n", 1)[0]
        delimiter = max(";,\t", key=first.count)
        table = list(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True))
    except (UnicodeDecodeError, csv.Error):
        raise UsageError("The file is not CSV in UTF-8.", code="CSV_NOT_READABLE") from None
    rows = [(number, row) for number, row in enumerate(table, start=1) if any(map(str.strip, row))]
    if not rows:
        raise UsageError("The file is empty.", code="CSV_NOT_READABLE")
    return rows


def _check_header(header: list[str], configuration: Configuration) -> None:
    wanted = [CASE_COLUMN, *(feature.name for feature in configuration.features)]
    for name in header:
        if header.count(name) > 1:
            raise UsageError(f'Row 1: the column "{name}" occurs twice.', code="CSV_COLUMN_DOUBLED")
        if name not in wanted:
            raise UsageError(
                f'Row 1: the column "{name[:60]}" is not a feature of the study.',
                code="CSV_COLUMN_UNKNOWN",
            )
    for name in wanted:
        if name not in header:
            raise UsageError(f'Row 1: the column "{name}" is missing.', code="CSV_COLUMN_MISSING")


def _read_case(row: dict[str, str], number: int, configuration: Configuration) -> DecisionCase:
    case_id = row[CASE_COLUMN].strip()
    if _CASE_ID.fullmatch(case_id) is None:
        raise UsageError(
            f'Row {number}, column "{CASE_COLUMN}": use 1 to 64 letters, digits, dots, dashes or '
            "underscores.",
            code="CSV_CASE_ID",
        )
    x = []
    for feature in configuration.features:
        try:
            x.append(
                encode_feature(
                    row[feature.name],
                    name=feature.name,
                    unit=feature.unit,
                    minimum=feature.minimum,
                    maximum=feature.maximum,
                    frac_bits=configuration.x_frac_bits,
                )
            )
        except UsageError as error:
            raise UsageError(
                f'Row {number}, column "{feature.name}": {error.sentence}', code="CSV_VALUE"
            ) from None
    return DecisionCase(case_id, tuple(x))
