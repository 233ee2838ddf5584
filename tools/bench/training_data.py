"""The data sets of the paper's table as float matrices, or synthetic ones of their size.

Files are read from a folder of the user's (`--data`): Adult, Bank and German of the UCI repository,
COMPAS of ProPublica. Columns as the paper's authors formed them (Zafar et al.'s for Adult).
"""

from __future__ import annotations

import csv
import gzip
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from mpc_engine.errors import ResourceError

Table = list[dict[str, str]]
Reals = NDArray[np.float64]
_SPLIT_SEED = 42


@dataclass(frozen=True)
class Workload:
    """A column of the paper's table: d counts the intercept, p the constraints.

    ``entry_counts``: entries of each attribute, "prefer not to say" last.
    """

    name: str
    n: int
    d: int
    p: int
    entry_counts: tuple[int, ...]
    paper_seconds: int


@dataclass(frozen=True)
class People:
    """``features`` float (n, d - 1); ``outcomes`` uint8 (n,); ``choices`` int (n, attributes)."""

    features: Reals
    outcomes: NDArray[np.uint8]
    choices: NDArray[np.int64]
    real: bool


WORKLOADS = (
    Workload("Adult", 1 << 14, 51, 1, (3,), 43 * 60),
    Workload("Bank", 1 << 15, 62, 1, (3,), 51 * 60),
    Workload("COMPAS", 1 << 12, 7, 7, (7, 3), 7 * 60),
    Workload("German", 1 << 9, 24, 1, (3,), 60),
    Workload("SQF", 1 << 16, 23, 1, (3,), 111 * 60),
)


def people_of(workload: Workload, folder: Path) -> People:
    """Return ``n`` people drawn from the real file where the folder has it, else synthetic ones.

    Those of a file are the same each time, synthetic ones others.
    """
    reader = _READERS.get(workload.name)
    if reader is None or not (folder / reader[0]).exists():
        return synthetic(workload, None)
    features, outcomes, choices = reader[1](_table(folder / reader[0]))
    if features.shape[1] != workload.d - 1 or len(features) < workload.n:
        raise ResourceError(f"{reader[0]} is not the known file.")
    order = np.random.RandomState(_SPLIT_SEED).permutation(len(features))[: workload.n]
    return People(features[order], outcomes[order], choices[order], real=True)


def synthetic(workload: Workload, seed: int | None = _SPLIT_SEED) -> People:
    """Return people of the workload's size whose outcome depends on features and group.

    None for ``seed``: other people each time.
    """
    dice = np.random.default_rng(seed)
    choices = np.stack(
        [dice.integers(0, count - 1, workload.n) for count in workload.entry_counts], axis=1
    )
    features = dice.normal(size=(workload.n, workload.d - 1)) + 0.3 * choices[:, :1]
    slope = dice.normal(size=workload.d - 1)
    outcomes = features @ slope + dice.normal(size=workload.n) > 0
    return People(features, outcomes.astype(np.uint8), choices, real=False)


def _table(path: Path) -> Table:
    content = path.read_bytes()
    text = (gzip.decompress(content) if path.suffix == ".gz" else content).decode("utf-8")
    separator = ";" if ";" in text.partition("\n")[0] else ","
    return list(csv.DictReader(text.splitlines(), delimiter=separator))


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


def _adult(table: Table) -> tuple[Reals, NDArray[np.uint8], NDArray[np.int64]]:
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


def _bank(table: Table) -> tuple[Reals, NDArray[np.uint8], NDArray[np.int64]]:
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


def _compas(table: Table) -> tuple[Reals, NDArray[np.uint8], NDArray[np.int64]]:
    numbers = _numbers(
        table, "age", "juv_fel_count", "juv_misd_count", "juv_other_count", "priors_count"
    )
    features = np.hstack([numbers, _flag(table, "c_charge_degree", "F")[:, None]])
    races = ["Caucasian", "African-American", "Asian", "Hispanic", "Native American", "Other"]
    race = np.array([races.index(row["race"]) for row in table])
    sex = _two(_flag(table, "sex", "Female"))[:, 0]
    return features, _flag(table, "two_year_recid", "1"), np.stack([race, sex], axis=1)


def _german(table: Table) -> tuple[Reals, NDArray[np.uint8], NDArray[np.int64]]:
    names = [name for name in table[0] if name not in ("a9", "class")]
    over_25 = (_numbers(table, "a9")[:, 0] > 25).astype(np.uint8)
    return _numbers(table, *names), _flag(table, "class", "1"), _two(over_25)


_Reader = Callable[[Table], tuple[Reals, NDArray[np.uint8], NDArray[np.int64]]]
_READERS: dict[str, tuple[str, _Reader]] = {
    "Adult": ("adult.csv.gz", _adult),
    "Bank": ("bank-additional-full.csv.gz", _bank),
    "COMPAS": ("compas-scores-two-years.csv.gz", _compas),
    "German": ("german-numeric.csv", _german),
}
