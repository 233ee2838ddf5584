from __future__ import annotations

from dataclasses import replace

import pytest

from mpc_engine.errors import UsageError
from mpc_engine.party.case_file import read_cases, read_labelled_cases
from tests.engine.control.drafts import make_configuration

STUDY = make_configuration()


def test_columns_may_come_in_any_order() -> None:
    cases = read_cases(b"amount,case_id,duration\n1000,A-1,12\n-500.5,A-2,120\n", STUDY)
    assert [(case.case_id, case.x) for case in cases] == [
        ("A-1", (256, 256)),
        ("A-2", (2560, -128)),
    ]


@pytest.mark.parametrize(
    "data",
    [
        b"\xef\xbb\xbfcase_id;duration;amount\r\nA;12;1000\r\n\r\n",
        b"case_id\tduration\tamount\nA\t12\t1000",
        b' case_id , duration,"amount"\n"A", 12 ,"1000"\n',
    ],
)
def test_byte_order_marks_separators_and_blank_lines_are_fine(data: bytes) -> None:
    assert [case.x for case in read_cases(data, STUDY)] == [(256, 256)]


@pytest.mark.parametrize(
    ("data", "code", "named"),
    [
        (b"", "CSV_NOT_READABLE", ""),
        (b"\n\n", "CSV_NOT_READABLE", ""),
        (b"case_id,duration,amount\n", "CSV_NOT_READABLE", ""),
        (b"\xff\xfe", "CSV_NOT_READABLE", ""),
        (b'case_id,duration,amount\n"A,1,2', "CSV_NOT_READABLE", ""),
        (b"case_id,duration\nA,1\n", "CSV_COLUMN_MISSING", '"amount"'),
        (b"duration,amount\n1,1\n", "CSV_COLUMN_MISSING", '"case_id"'),
        (b"case_id,duration,amount,age\nA,1,1,1\n", "CSV_COLUMN_UNKNOWN", '"age"'),
        (b"case_id,duration,amount,amount\nA,1,1,1\n", "CSV_COLUMN_DOUBLED", '"amount"'),
        (b"case_id,duration,amount\nA,1\n", "CSV_ROW_LENGTH", "Row 2"),
        (b"case_id,duration,amount\nA,1,1\nA,2,2\n", "CSV_CASE_ID_DOUBLED", "Row 3"),
        (b"case_id,duration,amount\n../A,1,1\n", "CSV_CASE_ID", "Row 2"),
        (b"case_id,duration,amount\n,1,1\n", "CSV_CASE_ID", "Row 2"),
        (b"case_id,duration,amount\nA,1,1\n\nB,x,1\n", "CSV_VALUE", 'Row 4, column "duration"'),
        (b"case_id,duration,amount\nA,,1\n", "CSV_VALUE", 'column "duration"'),
        (b"case_id,duration,amount\nA,1,nan\n", "CSV_VALUE", 'column "amount"'),
        (b"case_id,duration,amount\nA,121,1\n", "CSV_VALUE", 'column "duration"'),
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
    assert [y for _, y in read_labelled_cases(table, study)] == read


def test_an_outcome_of_no_meaning_is_named() -> None:
    study = replace(STUDY, label=replace(STUDY.label, favourable="0", unfavourable="2"))
    table = f"case_id,duration,amount,{study.label.name}\nA,1,1,1\n".encode()
    with pytest.raises(UsageError) as caught:
        read_labelled_cases(table, study)
    assert (caught.value.code, 'use "0" or "2"' in caught.value.sentence) == ("CSV_VALUE", True)
