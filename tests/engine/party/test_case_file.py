from __future__ import annotations

from dataclasses import replace

import pytest

from mpc_engine.errors import UsageError
from mpc_engine.party.services.case_file import read_cases, read_labelled_cases
from tests.builders.study_drafts import make_configuration

STUDY = make_configuration()


def test_columns_may_come_in_any_order() -> None:
    cases, left_out = read_cases(b"amount,case_id,duration\n1000,A-1,12\n-500.5,A-2,120\n", STUDY)
    assert [(case.case_id, case.x) for case in cases] == [
        ("A-1", (256, 256)),
        ("A-2", (2560, -128)),
    ]
    assert left_out == []


def test_a_table_as_it_was_uploaded_is_read() -> None:
    """Words of categories, yes and no, titles, columns that no feature asks for."""
    yes_no = {"unit": "1", "minimum": "0", "maximum": "1"}
    build = [
        {
            "name": f"build_{word}",
            "title": word,
            **yes_no,
            "category": {"column": "build", "value": word},
        }
        for word in ("slim", "medium")
    ]
    known = {"name": "known_before", "title": "Known before", **yes_no}
    study = make_configuration(features=[*build, known])
    table = b"Case ID;Build;Known before;Officer\nA;medium;Y;7\nB;slim;n;8\n"
    cases, left_out = read_cases(table, study)
    assert [case.x for case in cases] == [(0, 256, 256), (256, 0, 0)]
    assert left_out == ["Officer"]


@pytest.mark.parametrize(
    "data",
    [
        b"\xef\xbb\xbfcase_id;duration;amount\r\nA;12;1000\r\n\r\n",
        b"case_id\tduration\tamount\nA\t12\t1000",
        b' case_id , duration,"amount"\n"A", 12 ,"1000"\n',
    ],
)
def test_byte_order_marks_separators_and_blank_lines_are_fine(data: bytes) -> None:
    cases, _ = read_cases(data, STUDY)
    assert [case.x for case in cases] == [(256, 256)]


@pytest.mark.parametrize(
    ("data", "code", "named"),
    [
        (b"", "FILE_EMPTY", ""),
        (b"\n\n", "FILE_EMPTY", ""),
        (b"case_id,duration,amount\n", "FILE_EMPTY", ""),
        (b"\xff\xfe", "COLUMN_MISSING", ""),
        (b'case_id,duration,amount\n"A,1,2', "QUOTE_UNCLOSED", "Row 2"),
        (b"case_id,duration\nA,1\n", "COLUMN_MISSING", '"amount"'),
        (b"duration,amount\n1,1\n", "COLUMN_MISSING", '"case_id"'),
        (b"case_id,duration,amount,amount\nA,1,1,1\n", "COLUMN_REPEATED", '"amount"'),
        (b"case_id,duration,amount\nA,1\n", "ROW_TOO_SHORT", "Row 2"),
        (b"case_id,duration,amount\nA,1,1\nA,2,2\n", "CASE_ID_REPEATED", "Row 3"),
        (b"case_id,duration,amount\n../A,1,1\n", "CASE_ID_INVALID", "Row 2"),
        (b"case_id,duration,amount\n,1,1\n", "CASE_ID_INVALID", "Row 2"),
        (b"case_id,duration,amount\nA,1,1\n\nB,x,1\n", "NOT_A_NUMBER", 'Row 4, column "duration"'),
        (b"case_id,duration,amount\nA,,1\n", "CELL_EMPTY", 'column "duration"'),
        (b"case_id,duration,amount\nA,1,nan\n", "NOT_A_NUMBER", 'column "amount"'),
        (b'case_id,duration,amount\nA,1,"1,200"\n', "DECIMAL_COMMA", 'column "amount"'),
        (b"case_id,duration,amount\nA,121,1\n", "VALUE_OUT_OF_RANGE", 'column "duration"'),
    ],
)
def test_a_fault_names_row_and_column(data: bytes, code: str, named: str) -> None:
    with pytest.raises(UsageError) as caught:
        read_cases(data, STUDY)
    assert caught.value.code == code
    assert named in caught.value.sentence


@pytest.mark.parametrize(
    ("favourable", "unfavourable", "cells", "read"),
    [
        ("good credit", "bad credit", "good credit,bad credit,1,0,", [1, 0, 1, 0, 2]),
        ("0", "1", "0,1,", [1, 0, 2]),
        ("0", "2", "0,2,", [1, 0, 2]),
        ("-1", "yes", "-1,yes", [1, 0]),
    ],
)
def test_outcomes_mean_what_the_study_says(
    favourable: str, unfavourable: str, cells: str, read: list[int]
) -> None:
    label = replace(STUDY.label, favourable=favourable, unfavourable=unfavourable)
    study = replace(STUDY, label=label)
    rows = [f"C{number},1,1,{cell}" for number, cell in enumerate(cells.split(","))]
    table = "\n".join([f"case_id,duration,amount,{label.name}", *rows]).encode()
    labelled, _ = read_labelled_cases(table, study)
    assert [y for _, y in labelled] == read


def test_an_outcome_of_no_meaning_is_named() -> None:
    study = replace(STUDY, label=replace(STUDY.label, favourable="0", unfavourable="2"))
    table = f"case_id,duration,amount,{study.label.name}\nA,1,1,1\n".encode()
    with pytest.raises(UsageError) as caught:
        read_labelled_cases(table, study)
    assert (caught.value.code, 'use "0" or "2"' in caught.value.sentence) == ("LABEL_UNKNOWN", True)
