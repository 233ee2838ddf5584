"""Tables as people have them, and what a reader makes of them: tables.json."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

_BITS = 8
_YES_NO = {"unit": "1", "minimum": "0", "maximum": "1"}
_FEATURES: list[dict[str, Any]] = [
    {"name": "age", "unit": "10", "minimum": "17", "maximum": "90"},
    {"name": "work_a", **_YES_NO, "category": {"column": "work", "value": "Private"}},
    {"name": "owns_home", **_YES_NO},
    {"name": "work_b", **_YES_NO, "category": {"column": "work", "value": "\u00c9tat"}},
]
_LABEL = {"name": "income", "favourable": "high", "unfavourable": "low"}
_ID = [f"{number:032x}" for number in range(1, 9)]
_HEADER = "record_id,age,work,owns_home,income\n"

_READ: list[tuple[str, bool, list[tuple[str, list[str], int]]]] = [
    (
        f"Income,Owns home,extra,AGE,work,record_id\nhigh,yes,x,39,Private,{_ID[0]}\n"
        f",0,x, 17 ,E\u0301tat,{_ID[1]}\n\nlow,TRUE,,42.5,Private,{_ID[2]}\n"
        f"1,n,x,9e1,Private,{_ID[3]}",
        False,
        [
            (_ID[0], ["39", "1", "1", "0"], 1),
            (_ID[1], ["17", "0", "0", "1"], 2),
            (_ID[2], ["42.5", "1", "1", "0"], 0),
            (_ID[3], ["90", "1", "0", "0"], 1),
        ],
    ),
    (
        f"\ufeffrecord_id;age;work;owns_home;income\r\n{_ID[0]};39,5;Private;Y;0\r\n",
        True,
        [(_ID[0], ["39.5", "1", "1", "0"], 0)],
    ),
    (
        f'record_id\tage\t"work"\towns_home\tincome\r"{_ID[0]}"\t40\t"Private"\tF\t"high"\r',
        False,
        [(_ID[0], ["40", "1", "0", "0"], 1)],
    ),
    (
        f'\n"record_id",Age,Work,"a ""note""\nof two lines",Owns-home,Income\n'
        f'{_ID[0]},40,Private,"x,\n",1,\n',
        False,
        [(_ID[0], ["40", "1", "1", "0"], 2)],
    ),
]
"""Text, whether decimals have a comma, and the rows: record, features as decimals, outcome."""

_REFUSED: list[tuple[str, bool, str, int]] = [
    ("", False, "FILE_EMPTY", 1),
    (_HEADER, False, "FILE_EMPTY", 1),
    (f"record_id,age,owns_home,income\n{_ID[0]},40,1,\n", False, "COLUMN_MISSING", 1),
    (
        f"record_id,age,work,AGE,owns_home,income\n{_ID[0]},40,Private,40,1,\n",
        False,
        "COLUMN_REPEATED",
        1,
    ),
    (
        f"record_id,age,work,,owns_home,income\n{_ID[0]},40,Private,4,1,\n",
        False,
        "COLUMN_NAMELESS",
        1,
    ),
    (f"{_HEADER}{_ID[0]},40,Private,1,\n{_ID[1]},40,Private,1\n", False, "ROW_TOO_SHORT", 3),
    (f"{_HEADER}\n{_ID[0]},40,Private,1,,\n", False, "ROW_TOO_LONG", 3),
    (f'{_HEADER}"{_ID[0]}"x,40,Private,1,\n', False, "QUOTE_MISPLACED", 2),
    (f'{_HEADER}{_ID[0]},40,Private,1,\n{_ID[1]},"40,Private,1,\n', False, "QUOTE_UNCLOSED", 3),
    (f"{_HEADER}{_ID[0]},,Private,1,\n", False, "CELL_EMPTY", 2),
    (f"{_HEADER}{_ID[0]},40,Priv\ufffdt,1,\n", False, "TEXT_BROKEN", 2),
    (f'{_HEADER}{_ID[0]},"39,5",Private,1,\n', False, "DECIMAL_COMMA", 2),
    (f'{_HEADER}{_ID[0]},"1,200",Private,1,\n', False, "DECIMAL_COMMA", 2),
    (f"{_HEADER}{_ID[0]},39.5,Private,1,\n", True, "DECIMAL_POINT", 2),
    (f"{_HEADER}{_ID[0]},40,private,1,\n", False, "CATEGORY_UNKNOWN", 2),
    (f"{_HEADER}{_ID[0]},nan,Private,1,\n", False, "NOT_A_NUMBER", 2),
    (f"{_HEADER}{_ID[0]},40,Private,maybe,\n", False, "NOT_A_NUMBER", 2),
    (f"{_HEADER}{_ID[0]},yes,Private,1,\n", False, "NOT_A_NUMBER", 2),
    (f"{_HEADER}{_ID[0]},16.9,Private,1,\n", False, "VALUE_OUT_OF_RANGE", 2),
    (f"{_HEADER}{_ID[0]},40,Private,1,medium\n", False, "LABEL_UNKNOWN", 2),
]
"""Text, whether decimals have a comma, the code and row of the one fault."""


def table_cases() -> dict[str, Any]:
    """Return the whole file."""
    return {
        "features": _FEATURES,
        "label": _LABEL,
        "x_frac_bits": _BITS,
        "read": [
            {
                "text": text,
                "decimal_comma": comma,
                "rows": [[record, _encoded(values), y] for record, values, y in rows],
            }
            for text, comma, rows in _READ
        ],
        "refused": [
            {"text": text, "decimal_comma": comma, "code": code, "row": row}
            for text, comma, code, row in _REFUSED
        ],
    }


def _encoded(values: list[str]) -> list[int]:
    return [
        math.floor(Fraction(value) * 2**_BITS / Fraction(feature["unit"]) + Fraction(1, 2))
        for value, feature in zip(values, _FEATURES, strict=True)
    ]
