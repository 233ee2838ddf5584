"""Data sets in two parts: the paper's, and the synthetic one of Zafar et al. (2017).

Real sets: the largest power of two that is at most 0.8 n of the shuffled rows trains, as in the
paper; the others test.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from mpc_engine.lab.data_sets import SPLIT_SEED, SQF_FILE, WORKLOADS, People, real_people
from mpc_engine.sharing.dealing import one_hot

Reals = NDArray[np.float64]

SYNTHETIC, SYNTHETIC_NARROW = "Synthetic", "Synthetic, pi/8"
"""The second one, turned by less, is there to compare and no set of its own."""
SPLIT_NAMES = (SYNTHETIC, *(workload.name for workload in WORKLOADS))
WIDE_ANGLE = np.pi / 4
"""By how much features are turned before the group is drawn."""
_ANGLES = {SYNTHETIC: WIDE_ANGLE, SYNTHETIC_NARROW: np.pi / 8}
_SYNTHETIC_ROWS, _SYNTHETIC_TRAINED = 4_000, 2_048
_MEANS = (np.array([-2.0, -2.0]), np.array([2.0, 2.0]))
_COVARIANCES = (np.array([[10.0, 1.0], [1.0, 3.0]]), np.array([[5.0, 1.0], [1.0, 5.0]]))


@dataclass(frozen=True)
class Split:
    """``features`` float (n, d - 1), ``targets`` uint8 (n,), ``entries`` uint8 (n, e), one-hot.

    The first ``n_trained`` rows train, the others test. ``source`` is empty for synthetic rows.
    """

    name: str
    features: Reals
    targets: NDArray[np.uint8]
    entries: NDArray[np.uint8]
    entry_counts: tuple[int, ...]
    n_trained: int
    source: str = ""


def split_of(name: str, folder: Path) -> Split | None:
    """Return a data set by its name in `SPLIT_NAMES`; None where its file is absent."""
    if name in _ANGLES:
        return _split(name, synthetic_people(_ANGLES[name]), (3,), _SYNTHETIC_TRAINED)
    (workload,) = (each for each in WORKLOADS if each.name == name)
    people = real_people(workload, folder)
    return _split(name, people, workload.entry_counts, workload.n) if people else None


def splits(folder: Path) -> tuple[list[Split], list[str]]:
    """Return the data sets that can be used, and a sentence for each that is absent."""
    found, absent = [], []
    for name in SPLIT_NAMES:
        split = split_of(name, folder)
        if split is None:
            absent.append(absence(name, folder))
        else:
            found.append(split)
    return found, absent


def absence(name: str, folder: Path) -> str:
    """Return the sentence on a data set whose file is absent."""
    if name == "SQF":
        return (
            f"SQF was left out: the authors' file is not published. Who has {SQF_FILE} puts it "
            f"into a folder and names that with --data (looked in {folder})."
        )
    return f"{name} was left out: {folder} has no file of it."


def _split(name: str, people: People, entry_counts: tuple[int, ...], n_trained: int) -> Split:
    entries = one_hot(people.choices, entry_counts)
    return Split(
        name,
        people.features,
        people.outcomes,
        entries,
        entry_counts,
        n_trained,
        people.source,
    )


def synthetic_people(angle: float = WIDE_ANGLE) -> People:
    """Return the synthetic set of Zafar et al. (2017), section 4.1, with an angle of theirs.

    Two Gaussians by outcome; a person is in the group with the odds of the outcome at her features,
    turned by the angle.
    """
    dice = np.random.default_rng(SPLIT_SEED)
    outcomes = dice.integers(0, 2, _SYNTHETIC_ROWS)
    noise = dice.normal(size=(_SYNTHETIC_ROWS, 2))
    roots = np.stack([np.linalg.cholesky(covariance) for covariance in _COVARIANCES])
    features = np.stack(_MEANS)[outcomes] + np.einsum("nij,nj->ni", roots[outcomes], noise)
    cosine, sine = np.cos(angle), np.sin(angle)
    turned = features @ np.array([[cosine, -sine], [sine, cosine]]).T
    likely, unlikely = _density(turned, 1), _density(turned, 0)
    member = dice.random(_SYNTHETIC_ROWS) < likely / (likely + unlikely)
    choices = (1 - member.astype(np.int64))[:, None]
    return People(features, outcomes.astype(np.uint8), choices, "")


def _density(points: Reals, outcome: int) -> Reals:
    """Return the Gaussian density of an outcome at points (n, 2), up to a common factor."""
    away = points - _MEANS[outcome]
    inverse = np.linalg.inv(_COVARIANCES[outcome])
    exponent = -0.5 * np.einsum("ni,ij,nj->n", away, inverse, away)
    return np.asarray(np.exp(exponent) / np.sqrt(np.linalg.det(_COVARIANCES[outcome])))
