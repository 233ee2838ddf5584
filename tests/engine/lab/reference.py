"""The reference fits beside a development checkout; a test that needs them is skipped without."""

from __future__ import annotations

import json
from typing import Any

import pytest

from mpc_engine.lab.data_sets import SHARED_FOLDER
from mpc_engine.lab.problems import Problem, Whitening
from mpc_engine.lab.splits import split_of

NAMES = {
    "Adult": "adult_train_file_only",
    "Bank": "bank",
    "COMPAS": "compas_all_7214",
    "German": "german",
}


def reference(name: str) -> dict[str, Any]:
    """Return the unpenalised fit of a data set."""
    path = SHARED_FOLDER / "reference.json"
    if not path.exists():
        pytest.skip(f"the reference fits are not beside this checkout ({path})")
    found = json.loads(path.read_text("utf-8"))["datasets"][NAMES[name]]["fits"]["mle_lbfgs"]
    return dict(found)


def problem_of(name: str) -> Problem:
    """Return a data set as the paper scales it."""
    split = split_of(name, SHARED_FOLDER)
    if split is None:
        pytest.skip(f"there is no file of {name} in {SHARED_FOLDER}")
    return Problem(split, Whitening.PAPER)
