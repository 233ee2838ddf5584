"""A small training problem for both parties."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from mpc_engine.protocols.training.hyperparameters import Preset, settings_of, training_spec
from mpc_engine.protocols.training.spec import TrainingSpec
from mpc_engine.sharing.dealing import one_hot


class Frame:
    """A table with named columns, as pandas shows it to those who do not import it."""

    def __init__(self, values: Any, columns: list[str]) -> None:
        self.values = np.asarray(values)
        self.columns = columns

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        return self.values.astype(dtype or self.values.dtype)


class People(NamedTuple):
    """Features (n, 3), outcomes (n,) and two attributes as text, some of it missing."""

    features: NDArray[np.float64]
    outcomes: NDArray[np.str_]
    attributes: NDArray[np.object_]


def make_people(n: int = 40) -> People:
    """Return people whose first feature follows the first attribute."""
    dice = np.random.default_rng(5)
    sex = dice.integers(0, 2, n)
    features = dice.normal(size=(n, 3)) * (1.0, 50.0, 0.1) + (0.0, 300.0, 0.0)
    features[:, 0] += 2 * sex
    outcomes = np.where(features[:, 0] + dice.normal(size=n) > 1, "yes", "no")
    attributes = np.empty((n, 2), dtype=object)
    attributes[:, 0] = np.array(["f", "m"])[sex]
    attributes[:, 1] = np.array(["north", "south", "east"])[dice.integers(0, 3, n)]
    attributes[3, 0], attributes[4, 1] = None, float("nan")
    return People(features, outcomes, attributes)


class Problem(NamedTuple):
    """What `train_in_two_processes` takes."""

    spec: TrainingSpec
    rows: NDArray[np.int64]
    targets: NDArray[np.uint8]
    entries: NDArray[np.uint8]


def make_problem(n_steps: int = 8) -> Problem:
    """Return 20 rows of three columns with one attribute of two categories."""
    dice = np.random.default_rng(7)
    rows = dice.integers(-4096, 4097, (20, 3))
    rows[:, 0] = 4096
    settings = settings_of(Preset.RECOMMENDED, 20, n_steps, 4)
    spec = training_spec(
        settings,
        n_rows=20,
        n_columns=3,
        x_bound=4096,
        row_bound=3 * 4096,
        entry_counts=(3,),
        constraints=0.0015,
        order_seed=bytes(16),
        batch_size=4,
    )
    targets = (rows[:, 1] > 0).astype(np.uint8)
    return Problem(spec, rows, targets, one_hot(dice.integers(0, 3, (20, 1)), (3,)))
