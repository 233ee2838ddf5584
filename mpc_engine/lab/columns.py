"""Rows of the paper's files as float matrices: columns as its authors formed them.

Adult's levels are merged as Zafar et al. do. Every reader returns features float (n, d - 1),
outcomes uint8 (n,) and choices int (n, attributes).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Table = list[dict[str, str]]
Reals = NDArray[np.float64]
Columns = tuple[Reals, NDArray[np.uint8], NDArray[np.int64]]


def _numbers(table: Table, *names: str) -> Reals:
    return np.array([[float(row[name]) for name in names] for row in table])


def _indicators(values: list[str], levels: list[str]) -> Reals:
    return np.array([[float(value == level) for level in levels] for value in values])


def _levels(table: Table, name: str) -> Reals:
    values = [row[name] for row in table]
    return _indicators(values, sorted(set(values)))


def _flag(table: Table, name: str, value: str) -> NDArray[np.uint8]:
    return np.array([row[name] == value for row in table], dtype=np.uint8)


def _two(first: NDArray[np.uint8]) -> NDArray[np.int64]:
    return 1 - first.astype(np.int64)[:, None]


def read_adult(table: Table) -> Columns:
    """Read census income: over 50,000 dollars; sex."""
    table = [row for row in table if row["part"] == "train" and "?" not in row.values()]
    merged = {"Preschool": "low", "1st-4th": "low", "5th-6th": "low", "7th-8th": "low"}
    merged |= {"9th": "middle", "10th": "middle", "11th": "middle", "12th": "middle"}
    for row in table:
        row["education"] = merged.get(row["education"], row["education"])
    numbers = _numbers(
        table, "age", "education-num", "capital-gain", "capital-loss", "hours-per-week"
    )
    native = _flag(table, "native-country", "United-States")[:, None]
    names = ("workclass", "education", "marital-status", "occupation", "relationship")
    features = np.hstack([numbers, native, *(_levels(table, name) for name in names)])
    return features, _flag(table, "income", ">50K"), _two(_flag(table, "sex", "Male"))


def read_bank(table: Table) -> Columns:
    """Read bank marketing: a deposit was made; under 25 or over 60."""
    months = [row["month"] for row in table]
    calendar = ["jan", "feb", "mar", "apr", "may", "jun"]
    calendar += ["jul", "aug", "sep", "oct", "nov", "dec"]
    names = ("job", "marital", "education", "default", "housing", "loan")
    features = np.hstack(
        [
            *(_levels(table, name) for name in names),
            _flag(table, "contact", "cellular")[:, None],
            _indicators(months, calendar),
            _levels(table, "day_of_week"),
            _numbers(table, "campaign", "previous"),
            _levels(table, "poutcome"),
            _numbers(
                *(table, "emp.var.rate", "cons.price.idx", "cons.conf.idx"),
                *("euribor3m", "nr.employed"),
            ),
        ]
    )
    age = _numbers(table, "age")[:, 0]
    young_or_old = ((age < 25) | (age > 60)).astype(np.uint8)
    return features, _flag(table, "y", "yes"), _two(young_or_old)


def read_compas(table: Table) -> Columns:
    """Read two-year recidivism: race in six categories, and sex."""
    numbers = _numbers(
        table, "age", "juv_fel_count", "juv_misd_count", "juv_other_count", "priors_count"
    )
    features = np.hstack([numbers, _flag(table, "c_charge_degree", "F")[:, None]])
    races = ["Caucasian", "African-American", "Asian", "Hispanic", "Native American", "Other"]
    race = np.array([races.index(row["race"]) for row in table])
    sex = _two(_flag(table, "sex", "Female"))[:, 0]
    return features, _flag(table, "two_year_recid", "1"), np.stack([race, sex], axis=1)


def read_german(table: Table) -> Columns:
    """Read German credit in its numeric form: good credit; over 25."""
    names = [name for name in table[0] if name not in ("a9", "class")]
    over_25 = (_numbers(table, "a9")[:, 0] > 25).astype(np.uint8)
    return _numbers(table, *names), _flag(table, "class", "1"), _two(over_25)
