"""Data for the quality of training, in two parts: the paper's sets and a synthetic one.

Real sets: the first power of two of the shuffled rows trains, as in the paper, the others test.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from mpc_engine.sharing.dealing import one_hot
from tools.bench.training_data import WORKLOADS, People, people_of

Reals = NDArray[np.float64]

SYNTHETIC = "Zafar"
_ALL_ROWS = {"Adult": 30_162, "Bank": 41_188, "COMPAS": 7_214, "German": 1_000}
_SYNTHETIC_ROWS, _SYNTHETIC_TRAINED = 4_000, 2_048
_SEED = 42
_ANGLE = np.pi / 4
_MEANS = (np.array([-2.0, -2.0]), np.array([2.0, 2.0]))
_COVARIANCES = (np.array([[10.0, 1.0], [1.0, 3.0]]), np.array([[5.0, 1.0], [1.0, 5.0]]))


@dataclass(frozen=True)
class Split:
    """``features`` float (n, d - 1), ``targets`` uint8 (n,), ``entries`` uint8 (n, e), one-hot.

    The first ``n_trained`` rows train, the others test.
    """

    name: str
    features: Reals
    targets: NDArray[np.uint8]
    entries: NDArray[np.uint8]
    entry_counts: tuple[int, ...]
    n_trained: int


def splits(folder: Path) -> tuple[list[Split], list[str]]:
    """Return the data sets that can be used, and a sentence for each that is absent."""
    found, absent = [], []
    for workload in WORKLOADS:
        if workload.name not in _ALL_ROWS:
            continue
        people = people_of(replace(workload, n=_ALL_ROWS[workload.name]), folder)
        if people.real:
            found.append(_split(workload.name, people, workload.entry_counts, workload.n))
        else:
            absent.append(f"{workload.name} was left out: {folder} has no file of it.")
    found.append(_split(SYNTHETIC, synthetic_people(), (3,), _SYNTHETIC_TRAINED))
    return found, absent


def _split(name: str, people: People, entry_counts: tuple[int, ...], n_trained: int) -> Split:
    entries = one_hot(people.choices, entry_counts)
    return Split(name, people.features, people.outcomes, entries, entry_counts, n_trained)


def synthetic_people() -> People:
    """Return the synthetic set of Zafar et al. (2017), section 4.1, with their angle of pi / 4.

    Two Gaussians by outcome; a person is in the group with the odds of the outcome at her features,
    turned by the angle.
    """
    dice = np.random.default_rng(_SEED)
    outcomes = dice.integers(0, 2, _SYNTHETIC_ROWS)
    noise = dice.normal(size=(_SYNTHETIC_ROWS, 2))
    roots = np.stack([np.linalg.cholesky(covariance) for covariance in _COVARIANCES])
    features = np.stack(_MEANS)[outcomes] + np.einsum("nij,nj->ni", roots[outcomes], noise)
    cosine, sine = np.cos(_ANGLE), np.sin(_ANGLE)
    turned = features @ np.array([[cosine, -sine], [sine, cosine]]).T
    likely, unlikely = _density(turned, 1), _density(turned, 0)
    member = dice.random(_SYNTHETIC_ROWS) < likely / (likely + unlikely)
    choices = (1 - member.astype(np.int64))[:, None]
    return People(features, outcomes.astype(np.uint8), choices, real=False)


def _density(points: Reals, outcome: int) -> Reals:
    """Return the Gaussian density of an outcome at points (n, 2), up to a common factor."""
    away = points - _MEANS[outcome]
    inverse = np.linalg.inv(_COVARIANCES[outcome])
    exponent = -0.5 * np.einsum("ni,ij,nj->n", away, inverse, away)
    return np.asarray(np.exp(exponent) / np.sqrt(np.linalg.det(_COVARIANCES[outcome])))
