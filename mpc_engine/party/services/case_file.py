"""Cases from a CSV, read as browsers read an upload; a fault is named by row and column."""

from __future__ import annotations

import re
from unicodedata import normalize

from mpc_engine.control.studies.configuration import Configuration, Label
from mpc_engine.errors import UsageError
from mpc_engine.party.services.decisions import DecisionCase
from mpc_engine.ring.decimal_encoding import parse_decimal
from mpc_engine.sharing.data_table import DataTable, TableFault, TableFeature, TableRow, read_table
from mpc_engine.sharing.encoding import encode_feature
from mpc_engine.vocabulary.rates import UNKNOWN_LABEL

CASE_COLUMN = "case_id"
MAX_BYTES = 64 << 20
_USUAL_OUTCOMES = {"0": 0, "1": 1}
_CASE_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}", re.ASCII)


def read_cases(
    data: bytes, configuration: Configuration, *, decimal_comma: bool = False
) -> tuple[list[DecisionCase], list[str]]:
    """Return the cases of a CSV with a column ``case_id``, and the columns that were left out.

    Raises UsageError: the codes of `data_table.read_table`, ``FILE_TOO_LARGE``,
    ``CASE_ID_INVALID``, ``CASE_ID_REPEATED``, ``NOT_A_NUMBER``, ``VALUE_OUT_OF_RANGE``; the
    sentence names row (the header is row 1) and column.
    """
    table = _read(data, configuration, [CASE_COLUMN], decimal_comma)
    return _cases(table, configuration), table.left_out


def read_labelled_cases(
    data: bytes, configuration: Configuration, *, decimal_comma: bool = False
) -> tuple[list[tuple[DecisionCase, int]], list[str]]:
    """Return cases with their outcome from the column of the label's name, 2 where it is empty.

    UsageError as `read_cases`, and ``LABEL_UNKNOWN``; the columns left out come second.
    """
    label = configuration.label
    meanings = outcome_meanings(label)
    table = _read(data, configuration, [CASE_COLUMN, label.name], decimal_comma)
    outcomes = []
    for row in table.rows:
        outcome = meanings.get(normalize("NFC", row.others[label.name]))
        if outcome is None:
            raise _refusal(
                "LABEL_UNKNOWN",
                row,
                label.name,
                f'use "{label.favourable}" or "{label.unfavourable}".',
            )
        outcomes.append(outcome)
    cases = _cases(table, configuration)
    return list(zip(cases, outcomes, strict=True)), table.left_out


def outcome_meanings(label: Label) -> dict[str, int]:
    """Return what cells mean: the study's words; 1 and 0 too, where those are no numbers."""
    values = (label.favourable, label.unfavourable)
    usual = {} if any(map(_is_number, values)) else _USUAL_OUTCOMES
    return {"": UNKNOWN_LABEL, **usual, label.favourable: 1, label.unfavourable: 0}


def _is_number(text: str) -> bool:
    try:
        parse_decimal(text)
    except UsageError:
        return False
    return True


def _read(
    data: bytes, configuration: Configuration, others: list[str], decimal_comma: bool
) -> DataTable:
    if len(data) > MAX_BYTES:
        raise UsageError("The file is too large.", code="FILE_TOO_LARGE")
    features = [
        TableFeature(
            feature.name,
            feature.unit,
            feature.minimum,
            feature.maximum,
            *((feature.category.column, feature.category.value) if feature.category else ()),
        )
        for feature in configuration.features
    ]
    try:
        return read_table(data, features, others, decimal_comma=decimal_comma)
    except TableFault as fault:
        raise UsageError(str(fault), code=fault.code) from None


def _cases(table: DataTable, configuration: Configuration) -> list[DecisionCase]:
    cases: dict[str, DecisionCase] = {}
    for row in table.rows:
        case_id = row.others[CASE_COLUMN]
        if _CASE_ID.fullmatch(case_id) is None:
            what = "use 1 to 64 letters, digits, dots, dashes or underscores."
            raise _refusal("CASE_ID_INVALID", row, CASE_COLUMN, what)
        if case_id in cases:
            what = f'the case "{case_id}" occurs twice.'
            raise _refusal("CASE_ID_REPEATED", row, CASE_COLUMN, what)
        cases[case_id] = DecisionCase(case_id, _encoded(row, configuration))
    return list(cases.values())


def _encoded(row: TableRow, configuration: Configuration) -> tuple[int, ...]:
    x = []
    for feature in configuration.features:
        try:
            value = encode_feature(
                row.features[feature.name],
                name=feature.name,
                unit=feature.unit,
                minimum=feature.minimum,
                maximum=feature.maximum,
                frac_bits=configuration.x_frac_bits,
            )
        except UsageError as error:
            raise _refusal(error.code, row, feature.name, error.sentence) from None
        x.append(value)
    return tuple(x)


def _refusal(code: str, row: TableRow, column: str, what: str) -> UsageError:
    return UsageError(f'Row {row.number}, column "{column}": {what}', code=code)
